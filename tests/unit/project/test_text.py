"""The project's files are finished, speak of no machine, and hold no secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NOT_OURS = {"__pycache__", "build", "dist", "lake", "metastore_db", "spark-warehouse"}

# Put together from halves, so that this file keeps its own rules.
UNFINISHED = "|".join(("TO" + "DO", "FIX" + "ME", r"\bXX" + r"X\b", "NotImplemented" + "Error"))
AVOIDED_TESTS = "|".join((r"pytest\.sk" + r"ip\(", r"mark\.sk" + "ip", r"mark\.xf" + "ail", r"import" + "orskip"))
WAITING = r"\btime\.sl" + r"eep\("
MOCKS = "|".join((r"unittest\.mo" + "ck", r"\bMagic" + r"Mock\b", r"mon" + r"keypatch\.setattr\("))
MACHINE = "|".join((r"/ro" + r"ot/", r"/ho" + r"me/\w+/", r"/Use" + r"rs/\w+/", r"[A-Z]:\\Use" + r"rs\\"))
SECRET = "|".join(
    (r"BEGIN [A-Z ]*PRIVATE " + "KEY", r"\bAK" + r"IA[0-9A-Z]{16}\b", r"\bgh[pousr]_[A-Za-z0-9]{36}\b", r"//[^/\s:@{}]+:[^/\s:@{}]+@")
)


def files(*patterns: str) -> Iterator[Path]:
    """The project's own text files."""
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            parts = path.relative_to(ROOT).parts
            hidden = any(part.startswith(".") for part in parts[:-1] if part != ".ci")
            if path.is_file() and not hidden and not NOT_OURS.intersection(parts) and not any(part.endswith(".egg-info") for part in parts):
                yield path


def places(expression: str, *patterns: str) -> list[str]:
    """File and line of every match."""
    wanted = re.compile(expression)
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files(*patterns)
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if wanted.search(line)
    ]


def test_the_search_sees_the_files_it_is_meant_to_see() -> None:
    seen = {str(path.relative_to(ROOT)) for path in files("*", "**/*.py", ".ci/*")}
    assert {"Makefile", "pyproject.toml", ".ci/run", "src/muniment/clock.py", "tests/unit/project/test_text.py"} <= seen


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        (UNFINISHED, "# TO" + "DO later"),
        (AVOIDED_TESTS, "@pytest.mark.sk" + "ip"),
        (WAITING, "time.sl" + "eep(1)"),
        (MOCKS, "from unittest.mo" + "ck import patch"),
        (MACHINE, "path = '/ho" + "me/jane/lake'"),
        (SECRET, "https://jane:pass" + "word@example.org"),
    ],
)
def test_each_expression_finds_what_it_is_for(expression: str, line: str) -> None:
    assert re.search(expression, line)


def test_nothing_is_left_unfinished() -> None:
    assert places(UNFINISHED, "src/**/*.py", "tests/**/*.py", "tools/*", "examples/**/*", "docs/**/*.md", "*.md") == []


def test_no_test_is_avoided_or_stands_on_a_mock() -> None:
    assert places(f"{AVOIDED_TESTS}|{MOCKS}", "tests/**/*.py") == []


def test_nothing_waits_but_the_clock() -> None:
    found = places(WAITING, "src/**/*.py", "tests/**/*.py", "benchmarks/**/*.py")
    assert [place for place in found if not place.startswith("src/muniment/clock.py:")] == []


def test_no_file_names_a_place_of_one_machine() -> None:
    assert places(MACHINE, "*", "**/*.py", "**/*.md", "**/*.yml", "**/*.toml", ".ci/*", "tools/*") == []


def test_no_file_holds_a_secret() -> None:
    assert places(SECRET, "*", "**/*.py", "**/*.md", "**/*.yml", "**/*.json", ".ci/*", "tools/*") == []
