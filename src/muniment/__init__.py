"""Muniment keeps what was said, by whom, when it was heard, what was believed, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["MunimentError", "Project", "__version__"]

if TYPE_CHECKING:
    from muniment.errors import MunimentError
    from muniment.project import Project


def __getattr__(name: str) -> Any:
    """The public names, looked up on first use so that `muniment check` starts no JVM and imports no Spark."""
    if name == "Project":
        from muniment.project import Project

        return Project
    if name == "MunimentError":
        from muniment.errors import MunimentError

        return MunimentError
    raise AttributeError(f"module 'muniment' has no attribute '{name}'")
