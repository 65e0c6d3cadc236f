"""Delta's jars: taken from the cache as they are if all are there, else resolved once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

SCALA = "2.13"
ORGANISATION = "io.delta"


def cache(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder that keeps what was downloaded: MUNIMENT_CACHE, or ~/.cache/muniment."""
    return Path(environment.get("MUNIMENT_CACHE") or Path.home() / ".cache" / "muniment") / "ivy"


def coordinate() -> str:
    """The Maven coordinate that belongs to the delta-spark installed here."""
    return f"{ORGANISATION}:delta-spark_{SCALA}:{version('delta-spark')}"


def cached(ivy: Path) -> list[Path] | None:
    """Delta's jar and its companions from the cache, or None if one that is needed is missing."""
    organisation, name, revision = coordinate().split(":")
    jar = ivy / "jars" / f"{organisation}_{name}-{revision}.jar"
    if not jar.is_file():
        return None
    try:
        found = _companions(ivy, module=(organisation, name), spark=_spark_modules(), seen=set())
        return sorted({jar, *found})
    except (OSError, LookupError, ElementTree.ParseError):
        return None


def _companions(ivy: Path, *, module: tuple[str, str], spark: set[str], seen: set[tuple[str, str]]) -> Iterator[Path]:
    """Jars below a module that Spark does not bring itself; beyond Delta's own modules, what was left out of the cache is not needed."""
    for companion in _dependencies(ivy, *module):
        if companion in seen or companion[1] in spark:
            continue
        seen.add(companion)
        jar = _jar(ivy, *companion)
        if jar is None and module[0] == ORGANISATION:
            raise LookupError(companion)
        if jar is not None:
            yield jar
            yield from _companions(ivy, module=companion, spark=spark, seen=seen)


def _dependencies(ivy: Path, organisation: str, name: str) -> list[tuple[str, str]]:
    """What a module needs at run time, by its descriptor in the cache."""
    descriptors = sorted((ivy / "cache" / organisation / name).glob("ivy-*.xml"))
    if not descriptors and organisation == ORGANISATION:
        raise LookupError(name)
    needed = ElementTree.parse(descriptors[-1]).iterfind(".//dependency") if descriptors else ()
    return [(d.attrib["org"], d.attrib["name"]) for d in needed if d.attrib.get("conf", "").startswith(("compile", "runtime"))]


def _jar(ivy: Path, organisation: str, name: str) -> Path | None:
    matches = sorted((ivy / "jars").glob(f"{organisation}_{name}-[0-9]*.jar"))
    return matches[-1] if matches else None


def _spark_modules() -> set[str]:
    """The modules that Spark's own folder of jars has, without their versions."""
    spec = find_spec("pyspark")
    home = os.environ.get("SPARK_HOME") or (Path(spec.origin).parent if spec and spec.origin else "")
    return {re.sub(r"-\d.*$", "", jar.stem) for jar in Path(home, "jars").glob("*.jar")}
