"""The command as a process: what it imports, what a pipe gets, how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SRC = Path(__file__).resolve().parents[2] / "src"
NO_SPARK = """
import sys
from muniment.cli.main import main
codes = [main(arguments) for arguments in (["init", "bank"], ["check", "--project", "bank"], ["schema"], ["--help"], ["land", "--help"], ["--version"])]
assert codes == [0] * 6, codes
loaded = sorted(name for name in sys.modules if name.split(".")[0] in ("pyspark", "delta", "py4j"))
assert not loaded, loaded
"""


def environment(**more: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "MUNIMENT_DEBUG")}
    return {**plain, "PYTHONPATH": str(SRC), **more}


def muniment(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "muniment", *arguments]
    return subprocess.run(command, cwd=folder, env=environment(**more), capture_output=True, text=True, timeout=120, check=False)


def test_what_needs_no_data_imports_no_spark(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_SPARK], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_pipe_gets_no_colour_no_progress_and_no_cut_lines(tmp_path: Path) -> None:
    muniment(tmp_path, "init", "a-folder-with-a-rather-long-name")
    done = muniment(tmp_path, "check", "--project", "a-folder-with-a-rather-long-name")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "key, source time, load type and delete semantics are declared" in done.stdout


def test_no_color_is_honoured_even_where_a_terminal_is_claimed(tmp_path: Path) -> None:
    muniment(tmp_path, "init", ".")
    assert "\x1b" in muniment(tmp_path, "check", FORCE_COLOR="1", TERM="xterm").stdout
    assert "\x1b" not in muniment(tmp_path, "check", FORCE_COLOR="1", TERM="xterm", NO_COLOR="1").stdout


def test_the_exit_code_of_the_process_is_that_of_the_mistake(tmp_path: Path) -> None:
    done = muniment(tmp_path, "status")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("MU-CLI-001 ")
    assert "Traceback" not in done.stderr


def test_a_reader_that_stops_reading_is_no_reason_to_complain(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "muniment", "schema"]
    try:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment(), stdout=write, stderr=subprocess.PIPE, text=True, timeout=120, check=False
        )
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_shell_can_complete_the_names_of_entities(tmp_path: Path) -> None:
    muniment(tmp_path, "init", ".")
    done = muniment(
        tmp_path, _MUNIMENT_COMPLETE="complete_bash", COMP_WORDS="muniment land cu", COMP_CWORD="2", _TYPER_COMPLETE_TESTING="1"
    )
    assert done.stdout.split() == ["customer"]
