"""Which loads may say that a key is gone, and of which keys (R17)."""

from __future__ import annotations

from dataclasses import replace

from tests.properties.oracle import AbsenceSettings, Settings
from tests.unit.oracle.stories import LIST, Story

REGIONAL = replace(LIST, scope_of={"list": ("region",)})


def guarded(guard: AbsenceSettings, settings: Settings = LIST) -> Settings:
    return replace(settings, absence={"list": guard})


def test_a_short_load_is_held_until_a_person_accepts_it() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B", "C")
    short = story.loads("list", 20, "A", name="x")
    held = """
        key | from | to | name | deleted
        A   | 10   | 20 |      | no
        A   | 20   |    | x    | no
        B   | 10   |    |      | no
        C   | 10   |    |      | no
    """
    story.check(held)

    story.accepts(short)
    story.check("""
        key | from | to | name | deleted
        A   | 10   | 20 |      | no
        A   | 20   |    | x    | no
        B   | 10   | 20 |      | no
        B   | 20   |    |      | yes
        C   | 10   | 20 |      | no
        C   | 20   |    |      | yes
    """)
    story.check(held, known_at=2)


def test_the_guard_looks_at_the_last_accepted_load_and_not_at_the_last() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B", "C", "D")
    story.loads("list", 20, "A")
    story.loads("list", 30, "A")
    story.loads("list", 40, "A", "B")

    story.check(
        """
        key | from | to | deleted
        C   | 10   | 40 | no
        C   | 40   |    | yes
        """,
        key="C",
    )


def test_a_late_load_changes_the_verdict_on_a_later_one() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B", "C", "D")
    story.loads("list", 30, "A")
    story.check(
        """
        key | from | to | deleted
        B   | 10   |    | no
        """,
        key="B",
    )

    story.loads("list", 20, "A", "B")
    story.check("""
        key | from | to | deleted | rows | first
        A   | 10   |    | no      | 3    | 1
        B   | 10   | 30 | no      | 2    | 1
        B   | 30   |    | yes     | 0    | 2
        C   | 10   | 20 | no      | 1    | 1
        C   | 20   |    | yes     | 0    | 3
        D   | 10   | 20 | no      | 1    | 1
        D   | 20   |    | yes     | 0    | 3
    """)


def test_a_late_load_can_also_hold_a_later_one() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B")
    story.loads("list", 30, "A")
    story.check(
        """
        key | from | to | deleted
        B   | 10   | 30 | no
        B   | 30   |    | yes
        """,
        key="B",
    )

    story.loads("list", 20, "A", "B", "C")
    story.check(
        """
        key | from | to | deleted
        B   | 10   |    | no
        """,
        key="B",
    )


def test_a_load_that_is_not_complete_says_nothing_of_absence_until_a_person_accepts_it() -> None:
    story = Story(LIST)
    story.loads("list", 10, "A", "B")
    load = story.loads("list", 20, "A", complete=False)

    story.check("""
        key | from | to | deleted | rows
        A   | 10   |    | no      | 2
        B   | 10   |    | no      | 1
    """)

    story.accepts(load)

    story.check("""
        key | from | to | deleted | rows
        A   | 10   |    | no      | 2
        B   | 10   | 20 | no      | 1
        B   | 20   |    | yes     | 0
    """)


def test_an_empty_load_is_held_without_leave() -> None:
    story = Story(guarded(AbsenceSettings()))
    story.loads("list", 10, "B")
    story.loads("list", 20, scopes={"[]": 0})

    story.check("""
        key | from | to | deleted
        B   | 10   |    | no
    """)


def test_an_empty_load_with_leave_needs_no_fraction() -> None:
    story = Story(guarded(AbsenceSettings(min_fraction=0.9, allow_empty=True)))
    story.loads("list", 10, "B")
    story.loads("list", 20, scopes={"[]": 0})

    story.check("""
        key | from | to | deleted
        B   | 10   | 20 | no
        B   | 20   |    | yes
    """)


def test_with_on_short_count_no_load_is_held() -> None:
    story = Story(guarded(AbsenceSettings(on_short="count")))
    story.loads("list", 10, "A", "B", "C")
    story.loads("list", 20, scopes={"[]": 0})

    story.check(
        """
        key | from | to | deleted
        C   | 10   | 20 | no
        C   | 20   |    | yes
        """,
        key="C",
    )


def test_absence_counts_only_inside_the_scope_that_a_load_carries() -> None:
    story = Story(REGIONAL)
    story.loads("list", 10, "A", "B", region="EU")
    story.loads("list", 10, "U", "V", region="US")
    story.loads("list", 20, "A", region="EU")

    story.check("""
        key | from | to | region | deleted
        A   | 10   |    | EU     | no
        B   | 10   | 20 | EU     | no
        B   | 20   |    | EU     | yes
        U   | 10   |    | US     | no
        V   | 10   |    | US     | no
    """)


def test_a_key_belongs_to_the_scope_that_its_source_last_stated() -> None:
    story = Story(REGIONAL)
    story.loads("list", 10, "A", "B", region="EU")
    story.loads("list", 15, "B", region="US")
    story.loads("list", 20, "A", region="EU")
    story.loads("list", 30, "U", region="US")
    story.hears("core", 12, key="B", region="EU")

    story.check(
        """
        source | from | to | region | deleted | own to
        list   | 10   | 12 | EU     | no      | 15
        core   | 12   | 15 | EU     | no      |
        list   | 15   | 30 | US     | no      | 30
        list   | 30   |    | US     | yes     |
        """,
        key="B",
    )


def test_a_row_at_the_instant_of_a_load_already_moves_its_key_to_another_scope() -> None:
    story = Story(REGIONAL)
    story.loads("list", 10, "A", "B", region="EU")
    story.loads("list", 20, "A", region="EU")
    story.hears("list", 20, key="B", region="US")

    story.check(
        """
        key | from | to | region | deleted
        B   | 10   | 20 | EU     | no
        B   | 20   |    | US     | no
        """,
        key="B",
    )


def test_each_scope_is_guarded_by_its_own_numbers() -> None:
    story = Story(REGIONAL)
    story.loads("list", 10, "A", "B", "C", region="EU")
    story.loads("list", 10, "U", region="US")
    story.loads("list", 20, "V", region="US")
    story.loads("list", 20, "A", region="EU")

    story.check("""
        key | from | to | deleted
        A   | 10   |    | no
        B   | 10   |    | no
        C   | 10   |    | no
        U   | 10   | 20 | no
        U   | 20   |    | yes
        V   | 20   |    | no
    """)


def test_a_scope_may_be_a_column_of_the_key() -> None:
    settings = replace(LIST, key_columns=("book", "id"), scope_of={"list": ("book",)})
    story = Story(settings)
    story.loads("list", 10, "b1|A", "b1|B", scopes={'["b1"]': 2})
    story.loads("list", 10, "b2|A", scopes={'["b2"]': 1})
    story.loads("list", 20, "b1|A", scopes={'["b1"]': 1})

    story.check("""
        key  | from | to | deleted
        b1|A | 10   |    | no
        b1|B | 10   | 20 | no
        b1|B | 20   |    | yes
        b2|A | 10   |    | no
    """)


def test_with_two_absences_the_delete_is_dated_to_the_first_of_two_in_a_row() -> None:
    story = Story(guarded(AbsenceSettings(absences=2)))
    story.loads("list", 10, "A", "B")
    story.loads("list", 20, "A")
    story.loads("list", 30, "A", "B")
    story.loads("list", 40, "A")
    story.check(
        """
        key | from | to | deleted
        B   | 10   |    | no
        """,
        key="B",
    )

    story.loads("list", 50, "A")
    story.check(
        """
        key | from | to | deleted | rows | first
        B   | 10   | 40 | no      | 2    | 1
        B   | 40   |    | yes     | 0    | 5
        """,
        key="B",
    )


def test_a_held_load_in_between_neither_counts_nor_interrupts_a_row_of_absences() -> None:
    story = Story(guarded(AbsenceSettings(absences=2)))
    story.loads("list", 10, "A", "B", "C", "D")
    story.loads("list", 20, "A", "C", "D")
    story.loads("list", 30, "A")
    story.check(
        """
        key | from | to | deleted
        B   | 10   |    | no
        """,
        key="B",
    )

    story.loads("list", 40, "A", "C", "D")
    story.check(
        """
        key | from | to | deleted
        B   | 10   | 20 | no
        B   | 20   |    | yes
        """,
        key="B",
    )


def test_a_row_between_two_absences_revives_the_key_and_does_not_undo_the_first() -> None:
    story = Story(guarded(AbsenceSettings(absences=2)))
    story.loads("list", 10, "A", "B")
    story.loads("list", 20, "A")
    story.loads("list", 30, "A")
    story.hears("list", 25, "insert", key="B")

    story.check(
        """
        key | from | to | deleted
        B   | 10   | 20 | no
        B   | 20   | 25 | yes
        B   | 25   |    | no
        """,
        key="B",
    )
