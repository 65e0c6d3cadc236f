"""Is there a Java that Spark can run on? Asked before Spark is, so that the answer is one line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from muniment.lake.errors import JavaMissing

OLDEST = 17


def check(environment: Mapping[str, str] = os.environ) -> None:
    """Refuse in one line where Spark would fail with a page."""
    command = find(environment)
    try:
        answer = subprocess.run([command, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaMissing(problem=f"{command} does not run ({error})") from None
    judge(answer.stderr + answer.stdout, command=command)


def find(environment: Mapping[str, str]) -> str:
    """The java that Spark would take: JAVA_HOME's, else the first on PATH."""
    home = environment.get("JAVA_HOME")
    if home:
        command = Path(home, "bin", "java")
        if not command.is_file():
            raise JavaMissing(problem=f"JAVA_HOME is {home}, where there is no bin/java")
        return str(command)
    found = shutil.which("java", path=environment.get("PATH"))
    if found is None:
        raise JavaMissing(problem="there is no java on PATH and JAVA_HOME is not set")
    return found


def judge(answer: str, *, command: str) -> None:
    """Refuse what `java -version` answered if it names none, or one too old."""
    major = major_version(answer)
    if major is None:
        raise JavaMissing(problem=f"{command} -version did not say its version: {answer.strip()[:200] or 'no answer'}")
    if major < OLDEST:
        raise JavaMissing(problem=f"{command} is Java {major}")


def major_version(answer: str) -> int | None:
    """The major version in the answer of `java -version`.

    >>> major_version('openjdk version "17.0.15" 2025-04-15'), major_version('java version "1.8.0_392"')
    (17, 8)
    """
    match = re.search(r'version "(?:1\.)?(\d+)', answer)
    return int(match.group(1)) if match else None
