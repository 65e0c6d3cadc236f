"""Names of files: what they speak for, how Spark writes them, and which are not to be read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from muniment.arrival.errors import PathLeavesProject
from muniment.arrival.files import find
from muniment.arrival.names import moment_in
from muniment.arrival.place import uri
from muniment.model.source import Complete, FileNameTime, Source, Unit

PLAIN = Source("crm")


@pytest.mark.parametrize(
    ("name", "spec", "expected"),
    [
        ("crm_20260704.csv", FileNameTime("crm_%Y%m%d*", "18:00", "Europe/London"), "2026-07-04T17:00"),
        ("crm_20260104_full.csv", FileNameTime("crm_%Y%m%d*", "18:00", "Europe/London"), "2026-01-04T18:00"),
        ("2026-07-04T0930.csv", FileNameTime("%Y-%m-%dT%H%M*", zone="America/New_York"), "2026-07-04T13:30"),
        ("a(1)+20260704.csv", FileNameTime("a(1)+%Y%m%d.csv"), "2026-07-04T00:00"),
        ("crm_20261304.csv", FileNameTime("crm_%Y%m%d*"), None),
        ("erp_20260704.csv", FileNameTime("crm_%Y%m%d*"), None),
    ],
)
def test_a_files_name_speaks_for_a_moment_or_for_none(name: str, spec: FileNameTime, expected: str | None) -> None:
    assert moment_in(name, spec) == (None if expected is None else datetime.fromisoformat(expected).replace(tzinfo=UTC))


def test_a_path_is_written_as_java_writes_it() -> None:
    assert uri("/a b/100%/[x]/ü/\u00a0/\\.csv") == "/a%20b/100%25/%5Bx%5D/ü/%C2%A0/%5C.csv"


def test_files_are_known_by_their_place_below_the_project(tmp_path: Path) -> None:
    for name in ("in/b.csv", "in/deep/a.csv", "in/.hidden/c.csv", "in/_temporary/d.csv", "in/e.csv.tmp", "in/_f.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")

    assert [file.place for file in find("in", source=PLAIN, root=tmp_path).files] == ["in/b.csv", "in/deep/a.csv"]
    assert [file.place for file in find("in/*.csv", source=PLAIN, root=tmp_path).files] == ["in/b.csv"]


def test_the_unit_of_a_load_is_a_file_a_folder_or_the_call(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.csv").write_text("x", encoding="utf-8")
    units = [find("in", source=Source("s", complete=Complete(unit)), root=tmp_path).files[0].unit for unit in Unit]
    assert units == ["in/a.csv", "in", ""]


def test_a_link_that_leads_out_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    outside, project = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    (outside / "a.csv").write_text("x", encoding="utf-8")
    (project / "in/deep").mkdir(parents=True)
    (project / "in/deep/link").symlink_to(outside)
    (project / "whole").symlink_to(outside)

    for place in ("in", "in/deep", "whole", "whole/a.csv", "whole/*", "../outside", "in/../../outside/a.csv", "in/deep/link/*.csv"):
        with pytest.raises(PathLeavesProject):
            find(place, source=PLAIN, root=project)
    assert [file.place for file in find(outside, source=PLAIN, root=project).files] == [str(outside / "a.csv")]
