"""The import rule: packages of Muniment import downwards only, and a few constructs have one home or none."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LAYERS: tuple[tuple[str, ...], ...] = (
    ("__init__",),
    ("__main__",),
    ("cli",),
    ("project",),
    ("verbs",),
    ("steps",),
    ("captures",),
    ("dimensions", "loads", "series", "arrival"),
    ("quality",),
    ("belief",),
    ("evidence",),
    ("gate",),
    ("alerts", "decisions", "ledger"),
    ("lake",),
    ("canon",),
    ("config",),
    ("expressions",),
    ("model",),
    ("columns", "clock", "faults"),
    ("errors",),
)
DEPTH = {part: depth for depth, layer in enumerate(LAYERS) for part in layer}

WITHOUT_SPARK = frozenset({"config", "model", "expressions", "columns", "errors", "clock", "faults"})
ONLY_IN = {"delta": "lake", "random": "clock", "secrets": "clock", "time": "clock", "uuid": "clock"}

FORBIDDEN_NAMES = {
    "_jvm": "the JVM behind Spark is not part of its interface",
    "_jsc": "the JVM behind Spark is not part of its interface",
    "_jdf": "the JVM behind Spark is not part of its interface",
    "_sc": "there is no Spark context behind Spark Connect",
    "sparkContext": "there is no Spark context behind Spark Connect",
    "SparkContext": "there is no Spark context behind Spark Connect",
    "udf": "Spark expressions, not Python functions, on every row path",
    "udtf": "Spark expressions, not Python functions, on every row path",
    "pandas_udf": "Spark expressions, not Python functions, on every row path",
    "arrow_udf": "Spark expressions, not Python functions, on every row path",
    "applyInPandas": "Spark expressions, not Python functions, on every row path",
    "applyInArrow": "Spark expressions, not Python functions, on every row path",
    "mapInPandas": "Spark expressions, not Python functions, on every row path",
    "mapInArrow": "Spark expressions, not Python functions, on every row path",
    "current_timestamp": "time comes from muniment.clock; an expression that reads it cannot be replayed",
    "current_date": "time comes from muniment.clock; an expression that reads it cannot be replayed",
    "localtimestamp": "time comes from muniment.clock; an expression that reads it cannot be replayed",
}
CLOCK_READS = {("datetime", name) for name in ("now", "utcnow", "today")} | {("date", "today"), ("os", "urandom")}
SQL_CLOCK = ("current_timestamp", "current_date", "localtimestamp")


@dataclass(frozen=True, slots=True)
class Violation:
    """One place that breaks the rule, and why that is one."""

    path: Path
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.problem}"


def check_package(package: Path) -> list[Violation]:
    """Every violation below the package's folder, in order of file and line."""
    return [violation for path in sorted(package.rglob("*.py")) for violation in check_file(path, package)]


def check_file(path: Path, package: Path) -> list[Violation]:
    """Every violation in one file of the package."""
    part = part_of(path, package)
    if part not in DEPTH:
        return [Violation(path, 1, f"'{part}' has no place in the order of imports; give it one in tools/import_rule.py")]
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    except SyntaxError as error:
        return [Violation(path, error.lineno or 1, f"cannot be read: {error.msg}")]
    found = {
        (line, problem) for check in (_layer_problems, _home_problems, _construct_problems) for line, problem in check(tree, part, package)
    }
    return [Violation(path, line, problem) for line, problem in sorted(found)]


def part_of(path: Path, package: Path) -> str:
    """The top-level package or module of a file: `lake/tables.py` → `lake`."""
    return path.relative_to(package).parts[0].removesuffix(".py")


def _layer_problems(tree: ast.AST, part: str, package: Path) -> Iterator[tuple[int, str]]:
    for line, module, names in _imports(tree):
        if module.split(".")[0] != package.name:
            continue
        for target in _targets(module, names):
            if target not in DEPTH:
                yield line, f"'{target}' has no place in the order of imports"
            elif target != part and DEPTH[target] <= DEPTH[part]:
                yield line, f"{part} must not import {target}: imports point down"


def _targets(module: str, names: tuple[str, ...]) -> tuple[str, ...]:
    parts = module.split(".")
    if len(parts) > 1:
        return (parts[1],)
    wanted = [name for name in names if name != "__version__"]  # a plain text, set before anything is imported
    return tuple(name if name in DEPTH else "__init__" for name in wanted) if names else ("__init__",)


def _home_problems(tree: ast.AST, part: str, package: Path) -> Iterator[tuple[int, str]]:
    for line, module, _ in _imports(tree):
        top = module.split(".")[0]
        if part != ONLY_IN.get(top, part):
            yield line, f"only {ONLY_IN[top]} may import {top}"
        if top == "pyspark" and part in WITHOUT_SPARK:
            yield line, f"{part} must not import pyspark: it works without a JVM"
        if not module:
            yield line, f"imports inside {package.name} are absolute"


def _imports(tree: ast.AST) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Line, module and imported names of every import, wherever it stands; a relative one has no module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "" if node.level else node.module or "", tuple(alias.name for alias in node.names)


def _construct_problems(tree: ast.AST, part: str, _: Path) -> Iterator[tuple[int, str]]:
    documentation = _docstrings(tree)
    for node in ast.walk(tree):
        for name in _names(node):
            if name in FORBIDDEN_NAMES:
                yield getattr(node, "lineno", 1), f"{name}: {FORBIDDEN_NAMES[name]}"
        if part != "clock" and (read := _clock_read(node)):
            yield getattr(node, "lineno", 1), f"{read}: time and ids come from muniment.clock"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            for name in SQL_CLOCK:
                if f"{name}()" in node.value.lower():
                    yield node.lineno, f"{name}: {FORBIDDEN_NAMES[name]}"


def _names(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Attribute):
        return (node.attr,)
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.ImportFrom):
        return tuple(alias.name for alias in node.names)
    return ()


def _clock_read(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Attribute):
        return None
    owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    return f"{owner}.{node.attr}" if (owner, node.attr) in CLOCK_READS else None


def _docstrings(tree: ast.AST) -> set[int]:
    """The nodes that are documentation: what they mention is not done."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}


def main(arguments: list[str]) -> int:
    """Check the packages named, or Muniment itself."""
    packages = [Path(argument) for argument in arguments] or [Path(__file__).resolve().parent.parent / "src" / "muniment"]
    violations = [violation for package in packages for violation in check_package(package)]
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
