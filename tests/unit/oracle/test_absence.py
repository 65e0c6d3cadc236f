"""Absence from complete loads (R17), story by story."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.properties.oracle import Settings
from tests.unit.oracle.stories import LIST, Story


def test_a_key_is_gone_at_the_load_that_lacks_it_and_back_at_the_one_that_has_it() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B", name="x")
    story.loads("list", 20, "A", name="x")
    story.loads("list", 30, "A", name="x")
    story.loads("list", 40, "A", "B", name="x")

    story.check("""
        key | from | to | name | deleted | current | rows | first | last | origin name
        A   | 10   |    | x    | no      | yes     | 4    | 1     | 4    | list 10
        B   | 10   | 20 | x    | no      | no      | 1    | 1     | 1    | list 10
        B   | 20   | 40 | x    | yes     | no      | 0    | 2     | 2    | list 10
        B   | 40   |    | x    | no      | yes     | 1    | 4     | 4    | list 40
    """)


def test_a_late_load_that_lacks_a_key_deletes_it_in_between() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B")
    story.loads("list", 30, "A", "B")
    story.check(
        """
        key | from | to | deleted | rows
        B   | 10   |    | no      | 2
        """,
        key="B",
    )

    story.loads("list", 20, "A")
    story.check(
        """
        key | from | to | deleted | rows
        B   | 10   | 20 | no      | 1
        B   | 20   | 30 | yes     | 0
        B   | 30   |    | no      | 1
        """,
        key="B",
    )


def test_a_late_load_that_has_a_key_revives_it_in_between() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B")
    story.loads("list", 20, "A")
    story.loads("list", 40, "A")
    story.loads("list", 30, "A", "B")

    story.check(
        """
        key | from | to | deleted | current | rows | first
        B   | 10   | 20 | no      | no      | 1    | 1
        B   | 20   | 30 | yes     | no      | 0    | 2
        B   | 30   | 40 | no      | no      | 1    | 4
        B   | 40   |    | yes     | yes     | 0    | 3
        """,
        key="B",
    )


def test_a_key_that_only_a_partial_row_named_is_gone_at_the_next_load_that_lacks_it() -> None:
    story = Story(LIST)
    story.hears("list", 5, key="B", name="x")
    story.loads("list", 10, "A")

    story.check(
        """
        key | from | to | name | deleted
        B   | 5    | 10 | x    | no
        B   | 10   |    | x    | yes
        """,
        key="B",
    )


def test_a_row_that_comes_late_before_a_load_that_lacks_its_key_does_not_stay_alive() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A")
    story.loads("list", 20, "A")
    story.hears("list", 15, "insert", key="B", name="x")

    story.check(
        """
        key | from | to | deleted | first
        B   | 15   | 20 | no      | 3
        B   | 20   |    | yes     | 2
        """,
        key="B",
    )


def test_a_load_says_nothing_of_keys_that_only_other_sources_named_or_that_come_later() -> None:
    story = Story(LIST)
    story.hears("core", 5, "insert", key="B")
    story.loads("list", 10, "A")
    story.hears("list", 12, "insert", key="C")

    story.check("""
        key | source | from | to | deleted
        A   | list   | 10   |    | no
        B   | core   | 5    |    | no
        C   | list   | 12   |    | no
    """)


def test_loads_of_one_instant_act_as_their_union() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B", "C", "D")
    story.loads("list", 20, "A")
    story.check(
        """
        key | from | to | deleted
        C   | 10   |    | no
        """,
        key="C",
    )

    story.loads("list", 20, "B")
    story.check("""
        key | from | to | deleted | first
        A   | 10   |    | no      | 1
        B   | 10   |    | no      | 1
        C   | 10   | 20 | no      | 1
        C   | 20   |    | yes     | 3
        D   | 10   | 20 | no      | 1
        D   | 20   |    | yes     | 3
    """)


def test_absence_comes_before_the_rows_of_its_instant_so_a_partial_row_there_stays_deleted() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B", name="x")
    story.loads("list", 20, "A", name="x")
    story.hears("list", 20, key="B", name="y")

    story.check(
        """
        key | from | to | name | deleted | rows | first
        B   | 10   | 20 | x    | no      | 1    | 1
        B   | 20   |    | y    | yes     | 1    | 3
        """,
        key="B",
    )


def test_an_insert_at_the_instant_of_a_load_that_lacks_its_key_keeps_it_alive() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B", name="x")
    story.loads("list", 20, "A", name="x")
    story.hears("list", 20, "insert", key="B", name="x")

    story.check(
        """
        key | from | to | deleted | rows
        B   | 10   |    | no      | 2
        """,
        key="B",
    )


def test_a_key_first_named_at_the_instant_of_a_load_is_not_gone_at_it() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A")
    story.hears("list", 10, key="B", name="x")

    story.check(
        """
        key | from | to | name | deleted
        B   | 10   |    | x    | no
        """,
        key="B",
    )


def test_a_key_that_stays_away_makes_nothing_even_when_others_speak_in_between() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B")
    story.loads("list", 20, "A")
    story.hears("core", 25, "insert", key="B", name="x")
    story.loads("list", 30, "A")
    story.hears("list", 40, "delete", key="B")

    story.check(
        """
        source | from | to | name | deleted | rows | own to | current
        list   | 10   | 20 |      | no      | 1    | 20     | no
        list   | 20   | 25 |      | yes     | 0    | 40     | no
        core   | 25   | 40 | x    | no      | 1    |        | no
        list   | 40   |    | x    | yes     | 1    |        | yes
        """,
        key="B",
    )


def test_an_explicit_delete_of_a_key_that_is_gone_is_counted_in_the_same_version() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B")
    story.loads("list", 20, "A")
    story.hears("list", 30, "delete", key="B")

    story.check(
        """
        key | from | to | deleted | rows | first | last
        B   | 10   | 20 | no      | 1    | 1     | 1
        B   | 20   |    | yes     | 1    | 2     | 3
        """,
        key="B",
    )


def test_with_deletes_close_a_key_that_is_gone_has_no_current_version() -> None:
    story = Story(replace(LIST, deletes="close"))
    story.loads("list", 10, "A", "B")
    story.loads("list", 20, "A")

    story.check(
        """
        from | to | deleted | current | own current | head
        10   | 20 | no      | no      | no          | no
        20   |    | yes     | no      | no          | yes
        """,
        key="B",
    )


@pytest.mark.parametrize(("settings", "deleted"), [(LIST, "yes"), (replace(LIST, completion="as_received"), "no")])
def test_completed_as_received_a_partial_row_heard_before_the_load_is_not_deleted_by_it(settings: Settings, deleted: str) -> None:
    story = Story(settings)
    story.loads("list", 10, "A", "B")
    story.hears("list", 30, key="B", name="x")
    story.loads("list", 20, "A")

    story.check(
        f"""
        from | to | name | deleted
        10   | 20 |      | no
        20   | 30 |      | yes
        30   |    | x    | {deleted}
        """,
        key="B",
    )
