"""A capture is on disk whole or not at all, under names that lead nowhere else."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from muniment.captures.content import content_of
from muniment.captures.errors import CaptureDamaged, CaptureTaken, HostileName
from muniment.captures.folder import half_written
from muniment.captures.found import captures_below, is_intact
from muniment.captures.manifest import read_manifest
from muniment.captures.pages import Mode, Page
from muniment.clock import utc
from muniment.config import parse_entity
from muniment.errors import BadArgument, UserMistake
from muniment.gate.fields import Fields
from muniment.steps.capture import Shot, save

from tests.faults.dying import die

AT = utc("2026-03-02T10:30:00.000001")
SOURCE = {
    "read": {"format": "json", "capture": "captures/x"}, "load": "full", "absence": "deletes", "scope": ["exchange"],
    "columns": {"ts_code": "symbol"}, "complete": {"min_records": 1},
}  # fmt: skip
ENTITY = parse_entity(
    {"entity": "symbol", "key": {"symbol": "string"}, "attributes": {"lot": "int", "exchange": "string"}, "sources": {"x": SOURCE}}
)
FIELDS = Fields(ENTITY, ENTITY.source("x"))
A = {"ts_code": "A", "exchange": "SZSE", "lot": 1}
B = {"ts_code": "B", "exchange": "SZSE", "lot": 2, "name": None}
DOCUMENTED = {
    "schema_version", "vendor", "dataset", "data_type", "capture_mode", "record_format", "complete", "captured_at_us", "vendor_effective_ts_us",
    "api_endpoint", "request_params", "record_count", "expected_record_count", "records_content_sha256", "records_file_sha256", "partitions",
}  # fmt: skip
POINTS = ("capture:after-folder", "capture:after-records", "capture:after-manifest", "capture:after-rename")


def pages() -> Iterator[Page]:
    yield Page([A, B], total=2, as_of="2026-03-02T10:00:00Z")


def test_the_manifest_has_every_field_of_the_document_and_says_what_proves_it(tmp_path: Path) -> None:
    found = save(FIELDS, tmp_path, Shot(pages, captured_at=AT))
    said = json.loads((found.folder / "_manifest.json").read_text(encoding="utf-8"))
    assert set(said) > DOCUMENTED
    assert {name: said[name] for name in DOCUMENTED - {"records_content_sha256", "records_file_sha256"}} == {
        "schema_version": 2, "vendor": "x", "dataset": "symbol", "data_type": "symbol", "capture_mode": "full_snapshot", "record_format": "jsonl.gz",
        "complete": True, "captured_at_us": 1772447400000001, "vendor_effective_ts_us": 1772445600000000, "api_endpoint": "pages", "request_params": {},
        "record_count": 2, "expected_record_count": 2, "partitions": {"exchange": "SZSE", "date": "2026-03-02"},
    }  # fmt: skip
    assert found.folder.relative_to(tmp_path) == Path("type=symbol/exchange=SZSE/date=2026-03-02/captured_ts=1772447400000001")
    assert is_intact(found)
    assert read_manifest(found.manifest.text(), path="x") == replace(found.manifest, pages=list(found.manifest.pages))


def test_changes_may_name_a_key_on_several_pages_and_a_record_without_a_key_is_no_other_record_again(tmp_path: Path) -> None:
    again = Shot(lambda: [[A], [{**A, "lot": 2}]], captured_at=AT)
    assert "the set moved" in str(save(FIELDS, tmp_path / "set", again).manifest.reason)
    assert save(FIELDS, tmp_path / "changes", replace(again, mode=Mode.INCREMENTAL)).manifest.complete
    nameless = Shot(lambda: [[{"exchange": "SZSE", "lot": 1}], [{"exchange": "SZSE", "lot": 2}]], captured_at=AT)
    assert save(FIELDS, tmp_path / "nameless", nameless).manifest.complete  # the gate sets them aside, and what the load lacks says nothing


def test_another_order_of_records_and_fields_another_gzip_level_and_absent_for_null_are_the_same_content(tmp_path: Path) -> None:
    one = save(FIELDS, tmp_path, Shot(pages, captured_at=AT))
    other = save(FIELDS, tmp_path, Shot(lambda: [[{"lot": 2.0, "exchange": "SZSE", "ts_code": "B"}], [A]], captured_at=utc("2026-03-03")))
    changed = save(FIELDS, tmp_path, Shot(lambda: [[{**B, "lot": 3}, A]], captured_at=utc("2026-03-04")))
    assert one.manifest.records_content_sha256 == other.manifest.records_content_sha256 != changed.manifest.records_content_sha256
    lines = gzip.decompress(one.records.read_bytes())
    one.records.write_bytes(gzip.compress(lines, compresslevel=1, mtime=7))
    again = content_of(gzip.decompress(one.records.read_bytes()).decode().splitlines(), key=[("ts_code", "symbol")])
    assert again == one.manifest.records_content_sha256
    assert not is_intact(one)  # the bytes are others, and that is another question


def test_a_key_that_is_there_twice_is_reported(tmp_path: Path) -> None:
    manifest = save(FIELDS, tmp_path, Shot(lambda: [[A, {**A, "lot": 9}]], captured_at=AT)).manifest
    assert (manifest.complete, manifest.repeated_count, list(manifest.repeated_keys.values())) == (True, 1, [2])


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("point", POINTS)
def test_a_capture_killed_at_any_step_leaves_nothing_or_a_whole_one_and_goes_on(tmp_path: Path, point: str) -> None:
    die(lambda: save(FIELDS, tmp_path, Shot(pages, captured_at=AT)), at=point)
    left = captures_below(tmp_path)
    assert (len(left.captures), left.damaged) == (1 if point == POINTS[-1] else 0, {})
    assert all(is_intact(each) and each.manifest.complete for each in left.captures)
    again = save(FIELDS, tmp_path, Shot(pages, captured_at=AT))
    assert [each.folder for each in captures_below(tmp_path).captures] == [again.folder]
    assert [path.name for path in tmp_path.iterdir()] == ["type=symbol"]  # what the dead one left is gone


def test_a_capture_that_somebody_is_still_writing_is_left_alone(tmp_path: Path) -> None:
    with half_written(tmp_path) as half:
        save(FIELDS, tmp_path, Shot(pages, captured_at=AT))
        assert half.folder.is_dir()
    assert not half.folder.exists()


def test_a_fetch_that_fails_leaves_what_had_come_and_a_disk_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def failing() -> Iterator[list[dict[str, object]]]:
        yield [A]
        raise ConnectionError("https://jane:pw" + "@h.example/a?token=abc is gone")

    manifest = save(FIELDS, tmp_path, Shot(failing, captured_at=AT)).manifest
    assert (manifest.complete, manifest.record_count) == (False, 1)
    assert manifest.reason == "page 2 could not be had: ConnectionError: https://***@h.example/a?token=*** is gone"


def test_an_instant_holds_one_capture(tmp_path: Path) -> None:
    first = save(FIELDS, tmp_path, Shot(pages, captured_at=AT))
    assert save(FIELDS, tmp_path, Shot(pages, captured_at=AT)).folder == first.folder
    with pytest.raises(CaptureTaken, match="2026-03-02T10:30"):
        save(FIELDS, tmp_path, Shot(lambda: [[A]], captured_at=AT))


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", ".", "", "a\nb", "a\0b", "-x", "~root", "é" * 3, "x" * 101, "a..b", "C:\\x"])
def test_a_hostile_scope_is_refused_before_anything_is_fetched(tmp_path: Path, name: str) -> None:
    def never() -> Iterator[Page]:
        raise AssertionError

    with pytest.raises(HostileName, match="exchange"):
        save(FIELDS, tmp_path / "captures", Shot(never, captured_at=AT, scope={"exchange": name}))
    assert list(tmp_path.iterdir()) == []


def test_a_hostile_scope_in_the_data_leads_nowhere_and_speaks_against_the_capture(tmp_path: Path) -> None:
    found = save(FIELDS, tmp_path / "captures", Shot(lambda: [[{**A, "exchange": "../../../escape"}]], captured_at=AT))
    assert (found.manifest.complete, "cannot be the name of a scope" in str(found.manifest.reason)) == (False, True)
    assert [path.name for path in tmp_path.iterdir()] == ["captures"]
    assert found.folder.is_relative_to(tmp_path / "captures")


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden"])
def test_a_hostile_dataset_or_vendor_is_refused(tmp_path: Path, name: str) -> None:
    for fields in (Fields(replace(ENTITY, name=name), FIELDS.source), Fields(ENTITY, replace(FIELDS.source, name=name))):
        with pytest.raises(HostileName):
            save(fields, tmp_path / "captures", Shot(pages, captured_at=AT))
    assert not any((tmp_path / "captures").rglob("*.json")) if (tmp_path / "captures").exists() else True


def test_a_link_in_the_folder_of_captures_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "captures").mkdir()
    (tmp_path / "captures/type=symbol").symlink_to(tmp_path / "outside")
    with pytest.raises(HostileName):
        save(FIELDS, tmp_path / "captures", Shot(pages, captured_at=AT))
    assert captures_below(tmp_path / "captures").captures == ()
    assert not any((tmp_path / "outside").rglob("*.gz"))


def test_records_of_another_scope_than_was_asked_for_speak_against_the_capture(tmp_path: Path) -> None:
    shot = Shot(lambda: [[A, {**B, "exchange": "NYSE"}]], captured_at=AT, scope={"exchange": "SZSE"})
    assert 'records of ["NYSE"] came where ["SZSE"] was asked for' in str(save(FIELDS, tmp_path, shot).manifest.reason)
    with pytest.raises(BadArgument, match="scoped by exchange"):
        save(FIELDS, tmp_path, replace(shot, scope={"region": "N"}))


def test_fewer_records_than_a_complete_set_has_are_not_complete(tmp_path: Path) -> None:
    empty = Shot(lambda: [[]], captured_at=AT, scope={"exchange": "SZSE"})
    assert "0 records are fewer than the 1" in str(save(FIELDS, tmp_path, empty).manifest.reason)
    changes = replace(empty, mode=Mode.INCREMENTAL, captured_at=utc("2026-03-03"))
    assert save(FIELDS, tmp_path, changes).manifest.complete


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"vendor": 1}', "maybe"])
def test_a_manifest_that_cannot_be_read_is_named_and_hides_no_other_capture(tmp_path: Path, text: str) -> None:
    found = save(FIELDS, tmp_path, Shot(pages, captured_at=AT))
    bad = found.folder.with_name("captured_ts=1")
    bad.mkdir()
    unsure = json.dumps({**json.loads(found.manifest.text()), "complete": "true"})
    (bad / "_manifest.json").write_text(unsure if text == "maybe" else text, encoding="utf-8")
    looked = captures_below(tmp_path)
    assert ([each.folder for each in looked.captures], list(looked.damaged)) == ([found.folder], [str(bad)])


def test_envelopes_of_the_first_format_are_read_at_the_time_of_their_capture(tmp_path: Path) -> None:
    said = {"schema_version": 1, "vendor": "x", "dataset": "symbol", "captured_at_us": 1772447400000001, "snapshot_ts_us": 1772409600000000}
    with gzip.open(tmp_path / "one.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps({**said, "record": record}) + "\n" for record in (A, B))
    (found,) = captures_below(tmp_path).captures
    assert (found.is_v1, found.manifest.effective, found.manifest.record_count) == (True, AT, 2)
    (tmp_path / "one.jsonl.gz").write_bytes(b"\x1f\x8b")
    assert list(captures_below(tmp_path).damaged) == [str(tmp_path)]


def test_a_mode_nobody_knows_is_a_mistake_with_the_nearest_right_name() -> None:
    from muniment.captures.pages import mode_of

    assert mode_of("incremental_append") is Mode.INCREMENTAL
    with pytest.raises(UserMistake, match="full_snapshot"):
        mode_of("full_snapshott")
    with pytest.raises(CaptureDamaged):
        read_manifest("{}", path=os.devnull)
