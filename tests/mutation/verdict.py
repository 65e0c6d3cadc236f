"""Does a test notice? The tests of the evidence, in this process and in one session, up to the first that fails."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment.lake.session import start

from tests.conftest import SMALL

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "tests/mutation/judge.py",
    *(f"tests/spark/evidence/test_{name}.py" for name in ("fold", "worked_examples", "absence", "survivors", "lanes", "against_oracle")),
)
# Slow, and other tests see what they see: judge.py has some keys of the same cases, three settings of absence stand for all in the lanes.
LEFT_OUT = (
    "five_hundred_attributes",
    "test_lanes.py::test_going_on",
    "test_against_oracle.py::test_the_fold",
    "test_against_oracle.py::test_fifty",
    *(
        f"test_lanes.py::test_with_absence_going_on_from_the_heads_equals_folding_everything[{name}]"
        for name in ("close", "counting", "empty")
    ),
)
_TALES = ("test_fold.py", "test_worked_examples.py", "judge.py::test_the_fold")
_ABSENCE = ("test_absence.py::test_absence", "test_absence.py", "against_oracle.py::test_with_absence")
_LANES = ("goes_to_repair", "only_rows_that_differ", "judge.py::test_going_on", "test_lanes.py::test_with_absence")
_REST = ("test_against_oracle.py", "test_survivors.py")
STAGES = {
    "fold": (*_TALES, *_ABSENCE[:2], *_REST, *_LANES),
    "absence": (*_ABSENCE, *_REST, *_TALES, *_LANES),
    "lanes": (*_LANES[:3], "test_survivors.py", *_LANES, *_TALES, *_ABSENCE),
}
_ALONE = (
    *("-o", "addopts=", "--import-mode=importlib", "--noconftest", "--disable-plugin-autoload", "--assert=plain"),
    *("-p", "no:terminal", "-p", "no:cacheprovider"),
)


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """The session that is there already."""
    return start(SMALL)


class _Witness:
    """Puts the tests that most likely notice first, and notes the first that fails."""

    def __init__(self, stages: Sequence[str]) -> None:
        self.stages = stages
        self.failed = ""
        self.passed = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept = [item for item in items if not any(part in item.nodeid for part in LEFT_OUT)]
        items[:] = sorted(kept, key=lambda item: _stage(item.nodeid, self.stages))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed += report.when == "call" and report.passed
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (cannot be read)"


def _stage(test: str, stages: Sequence[str]) -> int:
    return next((number for number, part in enumerate(stages) if part in test), len(stages))


def first_failure(near: str) -> str:
    """The first test that fails, or nothing; `near` is a stage, or a part of the name of the tests to begin with."""
    witness = _Witness(STAGES.get(near, (near, *STAGES["fold"])))
    told = [*_ALONE, "-x", f"--rootdir={ROOT}", *(str(ROOT / file) for file in FILES)]
    code = pytest.main(told, plugins=[witness, sys.modules[__name__]])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED) or not (
        witness.passed or witness.failed
    ):
        raise RuntimeError(f"the tests could not be run: {code!r}")
    return witness.failed.removeprefix("tests/").replace("spark/evidence/", "")
