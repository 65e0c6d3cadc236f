"""The commands of captures on a real lake, against a real server: what they print, and how they end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.captures.api import Api, Asked, Reply, paged, serving
from tests.cli.conftest import Run

SYMBOL = """\
entity: symbol
key: {{symbol: string}}
attributes: {{lot: int}}
history: {{deletes: close, late: forward_only}}
sources:
  vendor:
    read:
      format: json
      capture: captures/vendor
      http: {{url: "{url}", use: vendor, records: data, total: total, pages: {{by: page, size: 2}}, attempts: 1}}
    load: full
    absence: deletes
"""
CONNECTION = "connections: {vendor: {Authorization: {env: VENDOR_TOKEN}, param.apikey: {env: VENDOR_KEY}}}\n"
RECORDS = [{"symbol": symbol, "lot": 1} for symbol in "ABC"]


def answer(asked: Asked) -> Reply:
    """All is well, unless somebody asks without the key."""
    return paged(RECORDS)(asked) if asked.query.get("apikey") == "s3cret" else Reply(status=403)


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    with serving(answer) as made:
        yield made


@pytest.fixture(scope="module")
def market(spark: SparkSession, api: Api, tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert (
        SparkSession.active().sparkContext is spark.sparkContext
    )  # the command goes on in this process; a stream may have left its own session active
    folder = tmp_path_factory.mktemp("market")
    (folder / "muniment.yml").write_text(f"name: market\ninclude: [e.yml]\nlake: {{path: ./lake}}\n{CONNECTION}", encoding="utf-8")
    (folder / "e.yml").write_text(SYMBOL.format(url=api.url), encoding="utf-8")
    return folder


def test_a_day_from_the_command_line(run: Run, market: Path, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENDOR_TOKEN", "Bearer t0ken")
    monkeypatch.setenv("VENDOR_KEY", "s3cret")
    taken = run("capture", "symbol", "vendor", "--captured-at", "2026-03-01", "--project", market)
    assert (taken.code, taken.err) == (0, "")
    assert taken.out.splitlines()[0] == "symbol from vendor: 3 records for 2026-03-01T00:00:00+00:00, pending"
    assert taken.out.endswith("    muniment land symbol vendor\n")
    assert api.asked[0].headers["Authorization"] == "Bearer t0ken"

    monkeypatch.setenv("VENDOR_KEY", "wr0ng")
    refused = run("capture", "take", "symbol", "vendor", "--captured-at", "2026-03-02", "--project", market, "--output", "json")
    told = json.loads(refused.out)
    assert (refused.code, told["complete"], told["status"]) == (3, False, "skipped_incomplete")
    assert "status 403" in told["reason"]

    landed = run("run", "--project", market)
    assert (landed.code, landed.out.splitlines()[0]) == (0, "land symbol vendor: received 3, landed 3, set aside 0")
    listed = json.loads(run("captures", "symbol", "--project", market, "--output", "json").out)
    assert [(row["status"], row["scd2_new"]) for row in listed] == [("success", 3), ("skipped_incomplete", None)]
    changes = json.loads(run("captures", "symbol", "--changes", "--project", market, "--output", "json").out)
    assert [row["change_type"] for row in changes] == ["new_listing"] * 3
    replayed = run("capture", "replay", "symbol", "vendor", "--from-start", "--project", market)
    assert (replayed.code, replayed.out.splitlines()[1]) == (0, "  the same as the history there is")

    everything = "".join(path.read_text(encoding="utf-8", errors="replace") for path in (market / "captures").rglob("*.json"))
    for secret in ("t0ken", "s3cret", "wr0ng"):
        assert secret not in everything + taken.out + refused.out + refused.err
    assert run("capture", "replay", "symbol", "--project", market).code == 2
    assert run("captures", "--changes", "--project", market).code == 2


@pytest.mark.heavy
def test_a_backdated_capture_is_refused_with_both_times_and_a_replay_says_what_it_would_change(
    run: Run, market: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENDOR_TOKEN", "Bearer t0ken")
    monkeypatch.setenv("VENDOR_KEY", "s3cret")
    run("capture", "symbol", "vendor", "--captured-at", "2026-03-01", "--project", market)
    run("run", "--project", market)
    run("capture", "symbol", "vendor", "--captured-at", "2026-02-27", "--project", market)
    refused = run("land", "symbol", "vendor", "--project", market)
    assert (refused.code, refused.out) == (3, "")
    assert "2026-02-27T00:00:00+00:00, and one for 2026-03-01T00:00:00+00:00 is held" in refused.err
    assert "muniment capture replay symbol vendor --from-start" in refused.err
    listed = run("captures", "symbol", "--project", market)
    assert (listed.code, {"2026-02-27T00:00:00Z", "2026-03-01T00:00:00Z", "quarantined", "success"} - set(listed.out.split())) == (0, set())

    place = tmp_path / "again"
    replayed = run("capture", "replay", "symbol", "--from-start", "--into", place, "--project", market)
    first, second, *rows = replayed.out.splitlines()
    assert (replayed.code, first.endswith(f"3 versions, in {place}")) == (0, True)
    assert second == "  6 versions are in one of the two only:"  # each begins two days earlier
    assert sum("only in the replay" in row for row in rows) == sum("only in the history there is" in row for row in rows) == 3
    again = run("capture", "replay", "symbol", "--from-start", "--into", place, "--project", market)
    assert (again.code, "is not empty" in again.err) == (2, True)


def test_a_mode_that_needs_dates_says_which_setting_names_them(run: Run, market: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENDOR_TOKEN", "Bearer t0ken")
    monkeypatch.setenv("VENDOR_KEY", "s3cret")
    refused = run("capture", "symbol", "vendor", "--mode", "delistings", "--project", market)
    assert (refused.code, "MU-CAPTURE-009" in refused.err, "until: COLUMN" in refused.err) == (2, True, True)
