"""Mistakes in the file of a load."""

from __future__ import annotations

from tests.unit.config.cases import Case

LOADS: dict[str, Case] = {
    "a load without a key": Case(
        """
        load: orders
        strategy: merge
        key: {}  # <- here
        """,
        "key: a load without a key is refused, because rows could not be told apart (R1); write, for example, key: {order_id: long}",
    ),
    "a name that would be more than a name": Case(
        """
        load: "orders; DROP TABLE x"  # <- here
        strategy: merge
        key: {id: long}
        """,
        "load: 'orders; DROP TABLE x' cannot be a name here; use letters, digits and _, not a digit first, at most 64",
    ),
    "a column that would be more than a column": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns:
          "a` FROM x --": string  # <- here
        """,
        "columns.'a` FROM x --': 'a` FROM x --' cannot be a column; use letters, digits and _ (any script), not a digit first, at most 128",
    ),
    "a check of a column that nobody declared": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns: {status: string}
        checks:
          - not_null: stats  # <- here
        """,
        "checks[0].not_null: there is no attribute 'stats'; did you mean 'status'?",
    ),
    "bounds for what is no number": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns: {status: string}
        checks:
          - range:
              status: {min: 0}  # <- here
        """,
        "checks[0].range.status: only numbers have bounds, and 'status' is string; write a check with sql instead",
    ),
    "a check with more than a condition": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        checks:
          - sql: id IN (SELECT 1)  # <- here
        """,
        "checks[0].sql: '(SELECT 1)' is refused: a check looks at one row, so it cannot hold a query",
    ),
    "a strategy that nobody knows": Case(
        """
        load: orders
        strategy: upsert  # <- here
        key: {id: long}
        """,
        "strategy: 'upsert' is not a choice for 'strategy'; write full, merge or historic",
    ),
    "a drift that is none": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        drift: warn  # <- here
        """,
        "drift: 'warn' is not a choice for 'drift'; write evolve, ignore or fail",
    ),
    "a window that is none": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        window: open  # <- here
        """,
        "window: 'open' is not a choice for 'window'; write closed or open_start",
    ),
    "a lag that is no duration": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        watermark:
          - column: at
            lag: an hour  # <- here
        """,
        "watermark[0].lag: 'an hour' is not a duration; write a whole number and a unit: 15 minutes, 26 hours, 30 days",
    ),
    "a share beyond all": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        max_deleted: 2  # <- here
        """,
        "max_deleted: 2 is out of bounds; 'max_deleted' must be from 0 to 1",
    ),
    "a query in an expression": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns:
          total: {type: double, expression: (select max(x) from other)}  # <- here
        """,
        "columns.total.expression: '(SELECT MAX(x) FROM other)' is refused: an expression looks at one row, so it cannot hold a query",
    ),
    "code in an expression": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns:
          total: {type: string, expression: "reflect('java.lang.System', 'getenv')"}  # <- here
        """,
        "columns.total.expression: 'reflect' is refused: it runs code",
    ),
    "files in a transformation": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        transform:
          name: read_files('/etc/passwd')  # <- here
        """,
        "transform.name: 'read_files' is refused: it is not among the functions an expression may use",
    ),
    "two statements in a condition": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        deleted: op = 'D'; DROP TABLE x  # <- here
        """,
        "deleted: exactly one condition is expected; leave out what follows ';'",
    ),
    "a column that is a system column": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns:
          is_deleted: boolean  # <- here
        """,
        "columns.is_deleted: 'is_deleted' is a column that Muniment keeps itself; set 'prefix' or choose another name",
    ),
    "a column with two origins": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns:
          total: {type: double, from: Total, expression: a + b}  # <- here
        """,
        "columns.total: 'total' is either taken from a column or calculated; keep 'from' or 'expression'",
    ),
    "a word that is almost right": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns:
          city: {type: string, form: City}  # <- here
        """,
        "columns.city.form: unknown name; did you mean 'from'?",
    ),
    "a key of two types": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns:
          id: string  # <- here
        """,
        "columns.id: 'id' is a key part of type bigint above and string here; keep one type",
    ),
    "two columns of one name": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns:
          total: double
          Total: double  # <- here
        """,
        "columns.Total: 'Total' and 'total' are one name to SQL, which sees no letter case; rename one",
    ),
    "a key part and a column of one name": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns:
          ID: long  # <- here
        """,
        "columns.ID: 'ID' and 'id' are one name to SQL, which sees no letter case; rename one",
    ),
    "a transformation of a system column": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        prefix: m_
        transform:
          m_sk: upper(id)  # <- here
        """,
        "transform.m_sk: 'm_sk' is a column that Muniment keeps itself; set 'prefix' or choose another name",
    ),
    "a partition that is nowhere declared": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns: {year: int}
        partition: [yaer]  # <- here
        """,
        "partition[0]: there is no column 'yaer'; did you mean 'year'?",
    ),
    "a partition that cannot part": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns: {tags: "array<string>"}
        partition: [tags]  # <- here
        """,
        "partition[0]: 'tags' is array<string>, which cannot part a table; choose a plain column",
    ),
    "a partition twice": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        partition: [id, id]  # <- here
        """,
        "partition[1]: the table is parted by 'id' already; name it once",
    ),
    "a watermark without an order": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        columns: {done: boolean}
        watermark:
          - column: done  # <- here
        """,
        "watermark[0].column: 'done' is boolean, which has no order; a watermark is a time, a number or a text",
    ),
    "a lag of a number": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        watermark:
          - column: id
            lag: 1 hour  # <- here
        """,
        "watermark[0].lag: 'id' is bigint, and only times have a lag; leave it out",
    ),
    "a watermark twice": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        watermark:
          - column: at
          - column: at  # <- here
        """,
        "watermark[1].column: 'at' is a watermark already; name it once",
    ),
    "absence without a window": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        absence: deletes  # <- here
        """,
        "absence: what a slice lacks is gone only inside a watermark's window; add 'watermark', or write 'absence: kept'",
    ),
    "absence in a full load": Case(
        """
        load: orders
        strategy: full
        key: {id: long}
        watermark: [{column: id}]
        absence: deletes  # <- here
        """,
        "absence: a full load replaces what it covers, so nothing is left to be missed; leave absence out",
    ),
    "a stream": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        read: {format: json, kafka: {use: core_kafka, topic: t}}  # <- here
        """,
        "read: a load reads slices of csv, json or parquet from a path, or a delta table; streams and captures are sources of an entity",
    ),
    "a table of text": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        read: {format: csv, table: raw.orders}  # <- here
        """,
        "read.table: a table is read with format delta, not csv; write 'format: delta', or a path",
    ),
    "a prefix that is none": Case(
        """
        load: orders
        strategy: merge
        key: {id: long}
        prefix: "a b"  # <- here
        """,
        "prefix: 'a b' cannot be a prefix; use letters, digits and _, not a digit first, at most 16",
    ),
}
