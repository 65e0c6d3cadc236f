"""Mistakes in a series' file."""

from __future__ import annotations

from tests.unit.config.cases import Case

SERIES: dict[str, Case] = {
    "a series without a key": Case(
        """
        series: ledger
        key: {}  # <- here
        """,
        "key: a series without a key cannot take changes in; write, for example, key: {account: string}",
    ),
    "a series of another rhythm": Case(
        """
        series: ledger
        key: {account: string}
        every: week  # <- here
        """,
        "every: 'week' is not a choice for 'every'; write day or hour",
    ),
    "a column that a series keeps itself": Case(
        """
        series: ledger
        key: {account: string}
        columns:
          partition_id: string  # <- here
        """,
        "columns.partition_id: 'partition_id' is a column that a series keeps itself; choose another name",
    ),
    "a column of a series that is there twice": Case(
        """
        series: ledger
        key: {account: string}
        columns:
          Account: string  # <- here
        """,
        "columns.Account: a series has one column 'Account', whatever the letter case; keep one",
    ),
    "an order by a column that is not there": Case(
        """
        series: ledger
        key: {account: string}
        columns: {balance: long, changed_at: timestamp}
        order: [chnged_at]  # <- here
        """,
        "order[0]: there is no column 'chnged_at'; did you mean 'changed_at'?",
    ),
    "something that is no check of a series": Case(
        """
        series: ledger
        key: {account: string}
        checks:
          - {row: 1}  # <- here
        """,
        "checks[0]: this is no check of a series; write one of not_null, accepted, range, pattern, unique, fresh, sql, rows, null_share, checksum; "
        "write, for example, checks: [{rows: {within: 0.5}, on_fail: mark}]",
    ),
    "a partition of which a row shall wait": Case(
        """
        series: ledger
        key: {account: string}
        checks:
          - {rows: {within: 0.5}, on_fail: quarantine}  # <- here
        """,
        "checks[0].on_fail: a partition is taken as a whole, so no row of it waits; write mark, warn or stop",
    ),
    "a condition over columns that nobody declared": Case(
        """
        series: ledger
        key: {account: string}
        checks:
          - {sql: balance >= 0}  # <- here
        """,
        "checks[0].sql: a condition needs to know the columns; declare them under 'columns'",
    ),
    "a check of a column that a series does not have": Case(
        """
        series: ledger
        key: {account: string}
        columns: {balance: long}
        checks:
          - {null_share: {ballance: 0.1}}  # <- here
        """,
        "checks[0].null_share.ballance: there is no column 'ballance'; did you mean 'balance'?",
    ),
    "a freshness of something that never arrives": Case(
        """
        series: ledger
        key: {account: string}
        checks:
          - {fresh: {source: target, within: 1 day}}  # <- here
        """,
        "checks[0].fresh.source: a series hears dumps and deltas, and 'target' is neither; write dump or delta",
    ),
    "a checksum against nothing": Case(
        """
        series: ledger
        key: {account: string}
        checks:
          - {checksum: {}}  # <- here
        """,
        "checks[0].checksum: a checksum is held against one thing; write {table: NAME} or {series: NAME}",
    ),
    "a checksum against a series that is not there": Case(
        """
        series: ledger
        key: {account: string}
        checks:
          - {checksum: {series: ledgr}}  # <- here
        """,
        "checks[0].checksum.series: there is no series 'ledgr'; did you mean 'ledger'?",
    ),
}
