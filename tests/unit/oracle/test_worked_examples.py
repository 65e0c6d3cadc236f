"""The worked examples of document 000, section 12.4, as whole tables."""

from __future__ import annotations

from dataclasses import replace

from tests.properties.oracle import Attr, Settings
from tests.unit.oracle.stories import CUSTOMER, Story

STATUS_ONLY = Settings((Attr("status"),), ranks={"CRM": 1, "CORE": 2})


def late_restriction(settings: Settings) -> Story:
    story = Story(settings)
    story.hears("CORE", "03-01 09:00", "insert", name="Jane Carter", address="12 Market Street", status="Active")
    story.hears("CORE", "03-03 10:00", address="18 King Street")
    story.hears("CORE", "03-05 08:30", "delete")
    story.hears("CORE", "03-02 15:00", status="Restricted")
    return story


def test_000_12_4_6_comes_out_as_printed_when_rows_are_completed_as_received() -> None:
    late_restriction(replace(CUSTOMER, completion="as_received")).check("""
        from        | to          | name        | address          | status     | deleted | current
        03-01 09:00 | 03-02 15:00 | Jane Carter | 12 Market Street | Active     | no      | no
        03-02 15:00 | 03-03 10:00 | Jane Carter | 12 Market Street | Restricted | no      | no
        03-03 10:00 | 03-05 08:30 | Jane Carter | 18 King Street   | Active     | no      | no
        03-05 08:30 |             | Jane Carter | 18 King Street   | Active     | yes     | yes
    """)


def test_000_12_4_6_in_source_time_a_late_restriction_holds_from_its_own_place_on() -> None:
    late_restriction(CUSTOMER).check("""
        from        | to          | name        | address          | status     | deleted | current | origin status
        03-01 09:00 | 03-02 15:00 | Jane Carter | 12 Market Street | Active     | no      | no      | CORE 03-01 09:00
        03-02 15:00 | 03-03 10:00 | Jane Carter | 12 Market Street | Restricted | no      | no      | CORE 03-02 15:00
        03-03 10:00 | 03-05 08:30 | Jane Carter | 18 King Street   | Restricted | no      | no      | CORE 03-02 15:00
        03-05 08:30 |             | Jane Carter | 18 King Street   | Restricted | yes     | yes     | CORE 03-02 15:00
    """)


def test_000_12_4_6_before_the_late_row_was_known_both_modes_agree() -> None:
    expected = """
        from        | to          | address          | status | deleted | current
        03-01 09:00 | 03-03 10:00 | 12 Market Street | Active | no      | no
        03-03 10:00 | 03-05 08:30 | 18 King Street   | Active | no      | no
        03-05 08:30 |             | 18 King Street   | Active | yes     | yes
    """
    late_restriction(CUSTOMER).check(expected, known_at=3)
    late_restriction(replace(CUSTOMER, completion="as_received")).check(expected, known_at=3)


def test_000_12_4_7_conflicting_sources_share_one_timeline_and_keep_chains_of_their_own() -> None:
    story = Story(STATUS_ONLY)
    story.hears("CRM", "03-01 09:00", status="Active")
    story.hears("CORE", "03-02 10:00", status="Restricted")
    story.hears("CRM", "03-03 09:00", status="Active")
    story.hears("CORE", "03-02 18:00", status="Active")

    story.check("""
        source | from        | to          | status     | current | own to      | own current | head
        CRM    | 03-01 09:00 | 03-02 10:00 | Active     | no      | 03-03 09:00 | no          | no
        CORE   | 03-02 10:00 | 03-02 18:00 | Restricted | no      | 03-02 18:00 | no          | no
        CORE   | 03-02 18:00 | 03-03 09:00 | Active     | no      |             | yes         | yes
        CRM    | 03-03 09:00 |             | Active     | yes     |             | yes         | yes
    """)


def test_000_12_4_8_partial_rows_inherit_from_their_own_source_first() -> None:
    story = Story()
    story.hears("CRM", "03-01 09:00", "insert", name="Jane Carter", address="12 Market Street", status="Active")
    story.hears("CORE", "03-02 10:00", status="Restricted")
    story.hears("CRM", "03-03 09:00", address="18 King Street")
    story.hears("CRM", "03-04 12:00", "delete")
    story.hears("CORE", "03-02 18:00", status="Active")

    story.check("""
        source | from        | to          | name        | address          | status     | deleted | current | origin address
        CRM    | 03-01 09:00 | 03-02 10:00 | Jane Carter | 12 Market Street | Active     | no      | no      | CRM 03-01 09:00
        CORE   | 03-02 10:00 | 03-02 18:00 | Jane Carter | 12 Market Street | Restricted | no      | no      | CRM 03-01 09:00
        CORE   | 03-02 18:00 | 03-03 09:00 | Jane Carter | 12 Market Street | Active     | no      | no      | CRM 03-01 09:00
        CRM    | 03-03 09:00 | 03-04 12:00 | Jane Carter | 18 King Street   | Active     | no      | no      | CRM 03-03 09:00
        CRM    | 03-04 12:00 |             | Jane Carter | 18 King Street   | Active     | yes     | yes     | CRM 03-03 09:00
    """)
