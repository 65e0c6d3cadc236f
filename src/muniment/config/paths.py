"""Places on disk that the configuration may name: never outside the project's folder by a trick."""

from __future__ import annotations

import re
from pathlib import Path

_URI = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+://?")


def path_problem(text: str, *, root: Path | None, absolute: bool) -> str | None:
    """Why this path is refused, or None; `absolute`: a full path may lead anywhere, because somebody wrote it out."""
    if not text.strip():
        return "the path is empty; name a file or a folder"
    if any(not char.isprintable() for char in text):
        return "the path holds a control character, such as a line break; delete it"
    local = _local(text)
    if local is None or (absolute and Path(local).is_absolute()):
        return None
    return _escape(local, root)


def _local(text: str) -> str | None:
    """The path on this machine, or None for a place elsewhere."""
    match = _URI.match(text)
    if match is None:
        return text
    return "/" + text[match.end() :].lstrip("/") if text.lower().startswith("file:") else None


def _escape(local: str, root: Path | None) -> str | None:
    if root is None:
        outside = Path(local).is_absolute() or _climbs(local)
        return "the path leaves the project's folder; put the data below it or name a place such as s3://…" if outside else None
    try:
        inside = (root / local).resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        return "the path cannot be followed; check its symbolic links"
    if inside:
        return None
    return f"the path leaves the project's folder {_how(local, root)}; put the data below it or name a place such as s3://…"


def _how(local: str, root: Path) -> str:
    if Path(local).is_absolute():
        return "(it is a full path outside of it)"
    return "by '..'" if _climbs(local) else f"by a symbolic link ({_link(local, root)})"


def _link(local: str, root: Path) -> str:
    parts = Path(local).parts
    steps = (Path(*parts[: end + 1]) for end in range(len(parts)))
    return next((str(step) for step in steps if (root / step).is_symlink()), local)


def _climbs(local: str) -> bool:
    depth = 0
    for part in Path(local).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False
