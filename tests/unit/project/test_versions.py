"""What is declared, what is locked and what is documented name the same versions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import muniment

ROOT = Path(__file__).resolve().parents[3]
LOCKS = ("build", "runtime", "dev", "bench")


def declared() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def needs(lock: str) -> list[Requirement]:
    """The direct requirements that a lock has to satisfy."""
    project = declared()
    groups: dict[str, list[str]] = {
        "build": [*project["dependency-groups"]["build"], *project["build-system"]["requires"]],
        "runtime": project["project"]["dependencies"],
        "bench": project["dependency-groups"]["bench"],
        "dev": [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]],
    }
    return [Requirement(text) for text in groups[lock]]


def lock_text(lock: str) -> str:
    return (ROOT / "requirements" / f"{lock}.lock").read_text(encoding="utf-8")


def locked(lock: str) -> dict[str, Version]:
    pins = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", lock_text(lock), flags=re.MULTILINE)
    return {canonicalize_name(name): Version(version) for name, version in pins}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_declared_dependency_is_locked_at_a_version_it_allows(lock: str) -> None:
    pins = locked(lock)
    assert [str(need) for need in needs(lock) if str(pins.get(canonicalize_name(need.name), "")) not in need.specifier] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_dependency_has_a_hash(lock: str) -> None:
    entries = re.split(r"\n(?=\S)", lock_text(lock).strip())
    assert [entry for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", entry)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_pins_and_hashes_and_no_place_they_came_from(lock: str) -> None:
    allowed = re.compile(r"[A-Za-z0-9._-]+==[^\s;]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert [line for line in lock_text(lock).splitlines() if not allowed.fullmatch(line)] == []


def test_people_and_contributors_run_the_same_versions() -> None:
    dev = locked("dev")
    assert {name: version for name, version in locked("runtime").items() if dev.get(name) != version} == {}


def test_spark_is_the_one_that_delta_was_built_for() -> None:
    assert {str(need) for need in needs("runtime") if "spark" in need.name} == {"pyspark==4.2.0", "delta-spark==4.4.0"}


def test_the_changelog_knows_no_version_newer_than_this_one() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert [heading for heading in headings[1:] if Version(heading) > Version(muniment.__version__)] == []
