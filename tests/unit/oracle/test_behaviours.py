"""The nine behaviours that every timeline of one source must show."""

from __future__ import annotations

from tests.unit.oracle.stories import Story


def test_an_exact_duplicate_is_one_version_seen_twice() -> None:
    story = Story()
    row = story.hears("CORE", 10, "insert", name="Jane")
    story.hears_again(row)

    story.check("""
        from | to | name | rows | first | last
        10   |    | Jane | 2    | 1     | 2
    """)


def test_rows_out_of_order_across_batches_take_their_own_places() -> None:
    story = Story()
    story.hears("CORE", 30, status="C")
    story.hears("CORE", 10, "insert", name="Jane", status="A")
    story.hears("CORE", 20, status="B")

    story.check("""
        from | to | name | status | current
        10   | 20 | Jane | A      | no
        20   | 30 | Jane | B      | no
        30   |    | Jane | C      | yes
    """)


def test_of_two_states_at_one_instant_the_finer_sequence_decides() -> None:
    story = Story()
    story.hears("CORE", 10, seq=(2,), status="Closed")
    story.hears("CORE", 10, seq=(1,), status="Active", name="Jane")

    story.check("""
        from | to | name | status | rows | origin name
        10   |    | Jane | Closed | 2    | CORE 10
    """)


def test_a_clock_that_jumped_forward_stays_last_and_one_that_jumped_back_goes_to_its_time() -> None:
    story = Story()
    story.hears("CORE", 10, seq=(1,), status="A")
    story.hears("CORE", 900, seq=(2,), status="B")
    story.hears("CORE", 11, seq=(3,), status="C")

    story.check("""
        from | to  | status | current
        10   | 11  | A      | no
        11   | 900 | C      | no
        900  |     | B      | yes
    """)


def test_absent_inherits_and_null_overwrites() -> None:
    story = Story()
    story.hears("CORE", 10, "insert", name="Jane", status="A")
    story.hears("CORE", 20, status=None)
    story.hears("CORE", 30, name="Joan")

    story.check("""
        from | to | name | status | origin status
        10   | 20 | Jane | A      | CORE 10
        20   | 30 | Jane |        | CORE 20
        30   |    | Joan |        | CORE 20
    """)


def test_an_older_event_after_a_delete_does_not_revive_and_a_later_insert_does() -> None:
    story = Story()
    story.hears("CORE", 10, "insert", name="Jane")
    story.hears("CORE", 30, "delete")
    story.hears("CORE", 20, name="Joan")

    story.check("""
        from | to | name | deleted | current
        10   | 20 | Jane | no      | no
        20   | 30 | Joan | no      | no
        30   |    | Joan | yes     | yes
    """)

    story.hears("CORE", 40, name="Jo")
    story.hears("CORE", 50, "insert", name="Jo")

    story.check("""
        from | to | name | deleted | current
        10   | 20 | Jane | no      | no
        20   | 30 | Joan | no      | no
        30   | 40 | Joan | yes     | no
        40   | 50 | Jo   | yes     | no
        50   |    | Jo   | no      | yes
    """)


def test_a_full_replay_moves_counts_only() -> None:
    story = Story()
    rows = [story.hears("CORE", 10, "insert", name="Jane"), story.hears("CORE", 20, name="Joan"), story.hears("CORE", 30, "delete")]
    for row in rows:
        story.hears_again(row)

    story.check("""
        from | to | name | deleted | current | rows | first | last
        10   | 20 | Jane | no      | no      | 2    | 1     | 4
        20   | 30 | Joan | no      | no      | 2    | 2     | 5
        30   |    | Joan | yes     | yes     | 2    | 3     | 6
    """)


def test_fifty_changes_of_an_untracked_column_make_one_version_that_shows_the_last() -> None:
    story = Story()
    for n in range(51):
        story.hears("CORE", 10 + n, "insert", name="Jane", noise=f"n{n}")

    story.check("""
        from | to | name | noise | rows | origin name | origin noise
        10   |    | Jane | n50   | 51   | CORE 10     | CORE 60
    """)


def test_what_was_known_earlier_can_be_told_again() -> None:
    story = Story()
    story.hears("CORE", 10, "insert", name="Jane")
    story.hears("CORE", 30, name="Jo")
    story.hears("CORE", 20, name="Joan")

    story.check(
        """
        from | to | name | current
        10   | 30 | Jane | no
        30   |    | Jo   | yes
        """,
        known_at=2,
    )
    story.check("""
        from | to | name | current
        10   | 20 | Jane | no
        20   | 30 | Joan | no
        30   |    | Jo   | yes
    """)
