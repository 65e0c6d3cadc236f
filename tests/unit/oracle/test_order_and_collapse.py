"""Order, inheritance and collapse where the rules leave room: what the oracle settles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.properties.oracle import Attr, Seq, Settings, collisions
from tests.unit.oracle.stories import CUSTOMER, Story


def test_at_one_instant_the_outranked_row_has_an_empty_interval_and_stays_in_its_own_chain() -> None:
    story = Story()
    story.hears("CORE", 10, "insert", status="B")
    story.hears("CRM", 10, "insert", status="A")
    story.hears("CRM", 20, status="C")

    story.check("""
        source | from | to | status | own to | current
        CRM    | 10   | 10 | A      | 20     | no
        CORE   | 10   | 20 | B      |        | no
        CRM    | 20   |    | C      |        | yes
    """)


def test_without_ranks_the_name_of_the_source_decides_an_instant() -> None:
    story = Story(replace(CUSTOMER, ranks={}))
    story.hears("b", 10, status="B")
    story.hears("a", 10, status="A")

    story.check("""
        source | from | to | status | current
        a      | 10   | 10 | A      | no
        b      | 10   |    | B      | yes
    """)


def test_at_one_instant_the_stronger_source_takes_from_the_weaker_and_not_the_other_way_round() -> None:
    story = Story()
    story.hears("CORE", 10, status="B")
    story.hears("CRM", 10, name="Jane")

    story.check("""
        source | name | status
        CRM    | Jane |
        CORE   | Jane | B
    """)


def test_an_outranked_row_in_between_keeps_two_equal_rows_apart() -> None:
    story = Story()
    story.hears("CORE", 10, status="A", name="Jane")
    story.hears("CORE", 20, status="A")
    story.hears("CRM", 20, status="Z")

    story.check("""
        source | from | to | status | own to
        CORE   | 10   | 20 | A      | 20
        CRM    | 20   | 20 | Z      |
        CORE   | 20   |    | A      |
    """)


def test_the_same_state_from_another_source_is_a_new_row_and_a_late_row_splits_a_run() -> None:
    story = Story()
    story.hears("CORE", 10, status="A")
    story.hears("CORE", 30, status="A")
    story.check("""
        source | from | to | status | rows | last
        CORE   | 10   |    | A      | 2    | 2
    """)

    story.hears("CRM", 20, status="A")
    story.check("""
        source | from | to | status | rows | own to | own current
        CORE   | 10   | 20 | A      | 1    | 30     | no
        CRM    | 20   | 30 | A      | 1    |        | yes
        CORE   | 30   |    | A      | 1    |        | yes
    """)


def test_a_then_b_then_a_is_three_versions() -> None:
    story = Story()
    for at, status in ((10, "A"), (20, "B"), (30, "A")):
        story.hears("CORE", at, status=status)

    story.check("""
        from | to | status
        10   | 20 | A
        20   | 30 | B
        30   |    | A
    """)


def test_a_stated_null_makes_no_version_where_nothing_was_known() -> None:
    story = Story()
    story.hears("CORE", 10, "insert", name="Jane")
    story.hears("CORE", 20, status=None)
    story.hears("CORE", 30, status="A")

    story.check("""
        from | to | name | status | rows | origin status
        10   | 30 | Jane |        | 2    |
        30   |    | Jane | A      | 1    | CORE 30
    """)


def test_a_null_of_the_own_source_hides_what_another_source_says() -> None:
    story = Story()
    story.hears("CORE", 10, status=None, name="Jane")
    story.hears("CRM", 20, status="A", name="Joan")
    story.hears("CORE", 30, address="12 Market Street")

    story.check("""
        source | from | name | status | address
        CORE   | 10   | Jane |        |
        CRM    | 20   | Joan | A      |
        CORE   | 30   | Jane |        | 12 Market Street
    """)


def test_the_latest_statement_of_any_source_fills_in_even_when_it_is_null() -> None:
    story = Story(replace(CUSTOMER, ranks={}))
    story.hears("a", 10, status="A", name="Jane")
    story.hears("b", 20, status=None)
    story.hears("c", 30, address="12 Market Street")

    story.check("""
        source | from | name | status | address          | origin name | origin status
        a      | 10   | Jane | A      |                  | a 10        | a 10
        b      | 20   | Jane |        |                  | a 10        | b 20
        c      | 30   | Jane |        | 12 Market Street | a 10        | b 20
    """)


def test_values_that_round_to_the_same_are_one_version_that_shows_the_first() -> None:
    story = Story(Settings((Attr("balance", scale=2), Attr("name", trim=True))))
    story.hears("CORE", 10, balance=1.25, name="Jane")
    story.hears("CORE", 20, balance=1.251, name="Jane ")
    story.hears("CORE", 30, balance=-0.001)
    story.hears("CORE", 40, balance=0.0)

    story.check("""
        from | to | balance | rows | origin balance
        10   | 30 | 1.25    | 2    | CORE 10
        30   |    | -0.001  | 2    | CORE 30
    """)


def test_restating_an_inherited_value_inside_a_run_leaves_its_origin() -> None:
    story = Story()
    story.hears("CRM", 10, name="Jane")
    story.hears("CORE", 20, status="A")
    story.hears("CORE", 30, name="Jane")

    story.check("""
        source | from | name | origin name | rows
        CRM    | 10   | Jane | CRM 10      | 1
        CORE   | 20   | Jane | CRM 10      | 2
    """)


def test_a_partial_row_never_takes_another_source_for_its_own_deletion() -> None:
    story = Story()
    story.hears("CORE", 10, "insert", status="A")
    story.hears("CRM", 20, "delete")
    story.hears("CORE", 30, status="B")

    story.check("""
        source | from | status | deleted
        CORE   | 10   | A      | no
        CRM    | 20   | A      | yes
        CORE   | 30   | B      | no
    """)


def test_a_source_that_never_spoke_of_deletion_inherits_it_like_any_attribute() -> None:
    story = Story()
    story.hears("CRM", 10, "insert", status="A")
    story.hears("CRM", 20, "delete")
    story.hears("CORE", 30, status="B")

    story.check("""
        source | from | status | deleted
        CRM    | 10   | A      | no
        CRM    | 20   | A      | yes
        CORE   | 30   | B      | yes
    """)


def test_a_partial_row_for_a_key_never_seen_is_there_with_the_rest_unknown() -> None:
    story = Story()
    story.hears("CORE", 10, status="A")

    story.check("""
        from | to | name | status | deleted | current
        10   |    |      | A      | no      | yes
    """)


def test_with_deletes_close_no_deleted_version_is_current() -> None:
    story = Story(replace(CUSTOMER, deletes="close"))
    story.hears("CORE", 10, "insert", status="A")
    story.hears("CORE", 20, "delete")

    story.check("""
        from | to | deleted | current | own current | head
        10   | 20 | no      | no      | no          | no
        20   |    | yes     | no      | no          | yes
    """)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [(None, (0,)), ((1,), (2,)), ((1,), (1, None)), ((1, None), (1, 0)), ((9,), (10,))],
)
def test_sequences_compare_part_by_part_with_nothing_first(earlier: Seq, later: Seq) -> None:
    story = Story()
    story.hears("CORE", 10, seq=later, status="later")
    story.hears("CORE", 10, seq=earlier, status="earlier")

    story.check("""
        from | status | rows
        10   | later  | 2
    """)


def test_rows_that_no_sequence_orders_are_listed_and_decided_by_file_then_receipt() -> None:
    story = Story()
    story.hears("CORE", 10, file="b.csv", status="A")
    story.hears("CORE", 10, file="a.csv", status="B")
    story.hears("CORE", 20, status="C")
    story.hears("CORE", 20, status="D")
    story.hears("CORE", 30, seq=(1,), status="E")
    story.hears("CORE", 30, seq=(2,), status="F")
    story.hears("CORE", 40, file="a.csv", status="G")
    story.hears("CORE", 40, file=None, status="H")

    assert collisions(story.statements) == [("C123", "CORE", 10), ("C123", "CORE", 20), ("C123", "CORE", 40)]
    story.check("""
        from | status
        10   | A
        20   | D
        30   | F
        40   | G
    """)


def test_an_exact_repeat_has_the_earliest_of_its_places_and_the_earliest_of_its_receipts() -> None:
    story = Story()
    row = story.hears("CORE", 10, file="c.csv", status="A")
    story.hears("CORE", 10, file="b.csv", status="B")
    story.hears_again(row, file="a.csv")

    story.check("""
        from | status | rows | first | last
        10   | B      | 3    | 1     | 3
    """)


def test_completed_as_received_a_row_ignores_what_came_after_it_even_at_its_own_instant() -> None:
    story = Story(replace(CUSTOMER, completion="as_received"))
    story.hears("CORE", 10, "insert", name="Jane", status="A")
    row = story.hears("CORE", 20, seq=(2,), address="12 Market Street")
    story.hears("CORE", 20, seq=(1,), status="B")
    story.hears_again(row)

    story.check("""
        from | name | address          | status | rows
        10   | Jane |                  | A      | 1
        20   | Jane | 12 Market Street | A      | 3
    """)


def test_completed_as_received_a_row_takes_statements_and_not_what_older_rows_were_completed_to() -> None:
    story = Story(replace(CUSTOMER, completion="as_received"))
    story.hears("CORE", 10, name="Jane")
    story.hears("CORE", 30, status="A")
    story.hears("CORE", 20, name="Joan")
    story.hears("CORE", 40, status="B")

    story.check("""
        from | name | status
        10   | Jane |
        20   | Joan |
        30   | Jane | A
        40   | Joan | B
    """)
