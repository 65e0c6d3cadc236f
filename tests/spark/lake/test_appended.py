"""The rows that commits added, from their own files: what `read` would give, or nothing where that cannot be told so simply."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from muniment.columns import Col
from muniment.lake.tables import Lake, Table

COLUMNS = (Col("id", "string", ""), Col("n", "int", ""))


@pytest.fixture
def table(lake: Lake) -> Table:
    made = lake.table("bronze.x")
    made.create(COLUMNS)
    for number in (1, 2, 3):
        made.append(lake.spark.createDataFrame([(f"k{number}", number)], "id string, n int"))
    return made


def numbers(table: Table, *, since: int, columns: Sequence[Col] = COLUMNS) -> list[int] | None:
    rows = table.appended(columns, since=since, until=table.version())
    return None if rows is None else sorted(row["n"] for row in rows.collect())


def test_the_rows_of_later_commits_and_no_others(table: Table) -> None:
    assert numbers(table, since=1) == [2, 3]
    assert numbers(table, since=table.version()) == []


def test_compaction_adds_nothing_and_a_column_that_came_later_is_null_before(table: Table) -> None:
    table.spark.sql(f"OPTIMIZE {table.identifier}")
    wider = (*COLUMNS, Col("note", "string", ""))
    assert numbers(table, since=0) == [1, 2, 3]
    rows = table.appended(wider, since=0, until=table.version())
    assert rows is not None
    assert {row["note"] for row in rows.collect()} == {None}


@pytest.mark.parametrize("statement", ["DELETE FROM {t} WHERE n = 2", "UPDATE {t} SET n = 5 WHERE n = 2"])
def test_where_a_commit_did_more_than_add_the_table_has_to_be_read(table: Table, statement: str) -> None:
    table.spark.sql(statement.format(t=table.identifier))
    assert numbers(table, since=0) is None


def test_where_a_file_is_gone_the_table_has_to_be_read(table: Table) -> None:
    folder = table.location.folder(table.name)
    assert folder is not None
    (folder / table.added_files(2)[0].path).unlink()
    assert numbers(table, since=1) is None
    assert numbers(table, since=2) == [3]
