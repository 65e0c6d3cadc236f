"""The import rule holds for Muniment, and it notices each kind of violation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.import_rule import LAYERS, check_package, main

ROOT = Path(__file__).resolve().parents[3]
MUNIMENT = ROOT / "src" / "muniment"


def planted(folder: Path, name: str, code: str) -> list[str]:
    """What the rule says about a package of one file."""
    path = folder / "muniment" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code + "\n", encoding="utf-8")
    return [violation.problem for violation in check_package(folder / "muniment")]


def test_muniment_keeps_the_rule() -> None:
    assert [str(violation) for violation in check_package(MUNIMENT)] == []


def test_every_part_stands_in_the_order_once() -> None:
    parts = [part for layer in LAYERS for part in layer]
    assert len(parts) == len(set(parts))


@pytest.mark.parametrize(
    ("name", "code", "problem"),
    [
        ("lake/tables.py", "from muniment.steps.land import land", "lake must not import steps: imports point down"),
        ("lake/tables.py", "import muniment.cli.main", "lake must not import cli: imports point down"),
        ("lake/tables.py", "from muniment import project", "lake must not import project: imports point down"),
        ("lake/tables.py", "def late():\n    from muniment.gate import rows", "lake must not import gate: imports point down"),
        ("lake/tables.py", "from muniment import Project", "lake must not import __init__: imports point down"),
        ("ledger/runs.py", "from muniment.decisions import marks", "ledger must not import decisions: imports point down"),
        ("loads/merge.py", "from muniment.series import build", "loads must not import series: imports point down"),
        ("errors.py", "from muniment.clock import now", "errors must not import clock: imports point down"),
        ("lake/tables.py", "from muniment.helpers import x", "'helpers' has no place in the order of imports"),
        ("lake/tables.py", "from . import session", "imports inside muniment are absolute"),
        ("steps/land.py", "from delta.tables import DeltaTable", "only lake may import delta"),
        ("steps/land.py", "import uuid", "only clock may import uuid"),
        ("steps/land.py", "import time\ntime.time()", "only clock may import time"),
        ("model/entity.py", "from pyspark.sql import DataFrame", "model must not import pyspark: it works without a JVM"),
        ("clock.py", "import pyspark", "clock must not import pyspark: it works without a JVM"),
    ],
)
def test_an_import_that_points_the_wrong_way_is_named(tmp_path: Path, name: str, code: str, problem: str) -> None:
    assert planted(tmp_path, name, code) == [problem]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("spark._jvm.System", "_jvm"),
        ("spark.sparkContext.parallelize([1])", "sparkContext"),
        ("from pyspark.sql.functions import udf", "udf"),
        ("F.udf(len)", "udf"),
        ("F.pandas_udf(len)", "pandas_udf"),
        ("groups.applyInPandas(len, 'x int')", "applyInPandas"),
        ("rows.mapInPandas(len, 'x int')", "mapInPandas"),
        ("F.current_timestamp()", "current_timestamp"),
        ("F.expr('Current_Timestamp() - interval 1 day')", "current_timestamp"),
        ("datetime.now()", "datetime.now"),
        ("datetime.datetime.now()", "datetime.now"),
        ("datetime.utcnow()", "datetime.utcnow"),
        ("date.today()", "date.today"),
    ],
)
def test_a_forbidden_construct_is_named(tmp_path: Path, code: str, name: str) -> None:
    problems = planted(tmp_path, "evidence/fold.py", code)
    assert [problem.split(":")[0] for problem in problems] == [name]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("steps/land.py", "from muniment.lake.tables import Lake\nfrom muniment.errors import UserMistake"),
        ("steps/land.py", "from muniment.steps.derive import derive"),
        ("steps/land.py", "from muniment import clock\nclock.now()"),
        ("cli/main.py", "from muniment import __version__"),
        (
            "clock.py",
            "import time, uuid\nfrom datetime import datetime\nfrom muniment.errors import BadArgument\ndatetime.now()\ntime.time()",
        ),
        ("lake/tables.py", "from delta.tables import DeltaTable\nfrom pyspark.sql import functions as F"),
        ("evidence/fold.py", '"""No current_timestamp() here, says this documentation."""'),
    ],
)
def test_what_points_down_is_left_alone(tmp_path: Path, name: str, code: str) -> None:
    assert planted(tmp_path, name, code) == []


def test_a_package_without_a_place_in_the_order_is_refused(tmp_path: Path) -> None:
    assert planted(tmp_path, "helpers/text.py", "") == [
        "'helpers' has no place in the order of imports; give it one in tools/import_rule.py"
    ]


def test_a_file_that_cannot_be_read_is_a_violation(tmp_path: Path) -> None:
    assert planted(tmp_path, "lake/tables.py", "import =") == ["cannot be read: invalid syntax"]


def test_the_command_names_file_and_line_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    planted(tmp_path, "lake/tables.py", "\n\nimport muniment.steps.land")
    package = tmp_path / "muniment"
    assert main([str(package)]) == 1
    assert capsys.readouterr().out == f"{package / 'lake' / 'tables.py'}:3: lake must not import steps: imports point down\n"
