"""A condition from the configuration is safe and normal, or it is refused with a reason."""

from __future__ import annotations

import pytest

from muniment.expressions import check_predicate, check_value

NAMES = ("balance", "status", "Name", "opened", "tags", "select", "名前")


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("balance >= 0", "`balance` >= 0"),
        ("BALANCE>=0 AND name IS NOT NULL", "`balance` >= 0 AND NOT `Name` IS NULL"),
        ("status in ('a','b') or not status like 'x%'", "`status` IN ('a', 'b') OR NOT `status` LIKE 'x%'"),
        ("status rlike '^a+$'", "`status` RLIKE '^a+$'"),
        ("balance between 0 and 10*2", "`balance` BETWEEN 0 AND 10 * 2"),
        ("case when balance > 0 then true else false end", "CASE WHEN `balance` > 0 THEN TRUE ELSE FALSE END"),
        ("cast(balance as decimal(10,2)) = 0", "CAST(`balance` AS DECIMAL(10, 2)) = 0"),
        ("length(trim(name)) > 2 -- a remark", "LENGTH(TRIM(`Name`)) > 2"),
        ("opened >= date '2020-01-01'", "`opened` >= CAST('2020-01-01' AS DATE)"),
        ("`select` = 1", "`select` = 1"),
        ("名前 = 'x'", "`名前` = 'x'"),
        ("isnull(status)", "ISNULL(`status`)"),
        ("array_contains(tags, 'vip')", "ARRAY_CONTAINS(`tags`, 'vip')"),
        ("coalesce(balance, 0) % 2 = 0", "COALESCE(`balance`, 0) % 2 = 0"),
        ("status = 'it\\'s'", "`status` = 'it\\'s'"),
    ],
)
def test_a_condition_comes_back_in_a_normal_form_that_is_its_own(written: str, normal: str) -> None:
    assert check_predicate(written, NAMES) == normal
    assert check_predicate(normal, NAMES) == normal


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("blance >= 0", "there is no column 'blance'; did you mean 'balance'?"),
        ("zzz = 1", "there is no column 'zzz'; known: balance, status, Name, opened, tags, select, 名前"),
        ("customer.balance > 0", "'customer.balance' has a dot; name a column of this entity alone"),
        ("balance >", "'balance >' is not SQL: it cannot be read at column 9, near '>'"),
        ("", "exactly one condition is expected, such as balance >= 0"),
        ("balance > 0; drop table x", "exactly one condition is expected; leave out what follows ';'"),
        ("balance + 1", "'balance + 1' is not a condition; it must be true or false for a row, such as balance >= 0"),
        ("'true'", "''true'' is not a condition; it must be true or false for a row, such as balance >= 0"),
        ("java_method('java.lang.System', 'exit') = 'x'", "'java_method' is refused: it runs code"),
        ("reflect('java.lang.System', 'exit') = 'x'", "'reflect' is refused: it runs code"),
        ("input_file_name() = 'x'", "'input_file_name' is refused: it looks outside the row"),
        ("some_function(status)", "'some_function' is refused: it is not among the functions a check may use"),
        ("status = 'it''s'", "two texts stand side by side; write a quote inside a text as \\' and join texts with ||"),
    ],
)
def test_what_is_wrong_is_said(written: str, says: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        check_predicate(written, NAMES)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    "written",
    [
        "select 1",
        "balance > (select max(balance) from x)",
        "exists (select 1 from x)",
        "status in (select status from x)",
        "balance > 0 union select 1",
        "balance = all (select 1)",
        "sum(balance) > 0",
        "count(*) > 0",
        "any_value(status) = 'x'",
        "row_number() over (order by balance) > 1",
        "lag(balance) over (order by opened) > 1",
        "explode(tags) = 'x'",
        "now() > opened",
        "current_date > opened",
        "current_timestamp() > opened",
        "localtimestamp > opened",
        "curdate() > opened",
        "unix_timestamp() > 1",
        "rand() > 0.5",
        "uuid() = status",
        "current_user() = status",
        "session_user = status",
        "current_catalog() = status",
        "version() = status",
        "read_files('/etc/passwd') = status",
        "transform(tags, x -> x) is null",
        "balance = ?",
        "balance = :name",
        "status = ${env:HOME}",
        "* = 1",
        "balance > 0 as x",
        "drop table x",
        "cast(balance as nothing) = 1",
        "(" * 41 + "balance" + ")" * 41 + " > 0",
        "!" * 3_000 + "true",
        "not " * 900 + "true",
        "balance > 0 and " * 400 + "true",
    ],
)
def test_what_looks_beyond_the_row_or_may_answer_differently_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"refused|not SQL|no column|nested|longer|brackets"):
        check_predicate(written, NAMES)


@pytest.mark.parametrize(
    ("written", "normal", "reads"),
    [
        ("qty*Price", "`qty` * `Price`", {"qty", "Price"}),
        ("upper(trim(`City Name`))", "UPPER(TRIM(`City Name`))", {"City Name"}),
        ("year(ordered_at)", "YEAR(`ordered_at`)", {"ordered_at"}),
        ("coalesce(seen, now())", "COALESCE(`seen`, `__at`)", {"seen"}),
        ("current_timestamp()", "`__at`", set()),
        ("`now`", "`now`", {"now"}),
    ],
)
def test_a_value_comes_back_in_the_same_form_with_the_columns_it_reads(written: str, normal: str, reads: set[str]) -> None:
    value = check_value(written)
    assert (value.sql, set(value.reads), value.reads_time) == (normal, reads, "__at" in normal)


@pytest.mark.parametrize(
    "written",
    [
        "(select 1)",
        "exists(select 1 from x)",
        "a; drop table x",
        "java_method('java.lang.System', 'exit')",
        "try_reflect('a', 'b')",
        "input_file_name()",
        "sum(a)",
        "row_number() over (order by a)",
        "rand()",
        "uuid()",
        "current_date",
        "localtimestamp()",
        "current_user()",
        "`__at`",
        "x.y",
        "a as b",
        "*",
        "${env:HOME}",
        ":name",
        "",
        "(" * 41 + "a" + ")" * 41,
    ],
)
def test_a_value_looks_at_its_row_alone_and_gives_the_same_each_time(written: str) -> None:
    with pytest.raises(ValueError, match=r"refused|not SQL|Muniment uses|has a dot|exactly one|brackets|no column"):
        check_value(written)
