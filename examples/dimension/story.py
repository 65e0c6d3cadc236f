"""What happens in the casino: players, machines, thresholds and plays."""

from __future__ import annotations

Row = dict[str, object]

PLAYERS: tuple[Row, ...] = (
    {"player_id": "P1", "changed_at": "2026-03-01", "op": "u", "birth_date": "1980-05-01", "email": "ann@example.org", "tier": "Bronze",
     "home_property": "Reno", "marketing_consent": True, "notes": "likes jazz", "segment": "casual"},
    {"player_id": "P2", "changed_at": "2026-03-01", "op": "u", "birth_date": "1975-11-12", "email": "bob@example.org", "tier": "Gold",
     "home_property": "Reno", "marketing_consent": False, "notes": None, "segment": "regular"},
    {"player_id": "P3", "changed_at": "2026-03-01", "op": "u", "birth_date": "1990-01-30", "email": "nobody", "tier": "Gold",
     "home_property": "Vegas", "marketing_consent": None, "notes": None, "segment": "casual"},
)  # fmt: skip
CHANGES: tuple[Row, ...] = (
    {"player_id": "P1", "changed_at": "2026-03-05", "op": "u", "tier": "Gold", "segment": "regular", "email": "ann@example.com"},
    {
        "player_id": "P1",
        "changed_at": "2026-03-06",
        "op": "u",
        "birth_date": "1990-05-01",
        "marketing_consent": False,
        "notes": "plays blues",
    },
    {"player_id": "P2", "changed_at": "2026-03-07", "op": "d"},
)
LATE: tuple[Row, ...] = ({"player_id": "P1", "changed_at": "2026-03-03", "op": "u", "tier": "Silver"},)
MACHINES: tuple[Row, ...] = (
    {
        "machine_id": "M1",
        "changed_at": "2026-03-01",
        "serial_number": "S-1",
        "manufacturer": "Acme",
        "game_title": "Fruit",
        "denomination": "0.25",
    },
)
NEW_MACHINE: tuple[Row, ...] = (
    {
        "machine_id": "M9",
        "changed_at": "2026-03-06",
        "serial_number": "S-9",
        "manufacturer": "Acme",
        "game_title": "Stars",
        "denomination": "1.00",
    },
)
THRESHOLDS: tuple[Row, ...] = (
    {"kind": "CTR", "changed_at": "2026-01-01", "amount": "10000"},
    {"kind": "CTR", "changed_at": "2026-03-06", "amount": "12000"},
)
PLAYS = (
    (1, "P1", "M1", "CTR", "2026-03-02T20:00:00", 11_000),
    (2, "P1", "M1", "CTR", "2026-03-04T21:30:00", 200),
    (3, "P1", "M9", "CTR", "2026-03-05T00:00:00", 11_000),
    (4, "P2", "M1", "CTR", "2026-03-06T22:00:00", 11_000),
    (5, "P2", "M1", "CTR", "2026-03-08T22:00:00", 50),
)
PLAY_COLUMNS = "play int, player_id string, machine_id string, kind string, played_at string, coin_in int"
