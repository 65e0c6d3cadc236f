"""Which project a command is about, and the names in it that a shell can complete."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from muniment.cli.asked import Asked
from muniment.cli.progress import working
from muniment.errors import MunimentError, UserMistake

if TYPE_CHECKING:
    from muniment.model.project import ProjectModel
    from muniment.project import Project

FILE = "muniment.yml"


class NoProject(UserMistake):
    """There is no project to work on."""

    code = "MU-CLI-001"
    what = "there is no muniment.yml at {place}"
    do = "Name a project with --project, or make one with: muniment init"


def place_of(asked: Asked) -> Path:
    """The project's file: the one named, else the nearest muniment.yml upwards."""
    if asked.project is not None:
        file = asked.project / FILE if asked.project.is_dir() else asked.project
        if not file.exists():
            raise NoProject(place=str(asked.project))
        return file.resolve()
    here = Path.cwd()
    found = next((folder / FILE for folder in (here, *here.parents) if (folder / FILE).is_file()), None)
    if found is None:
        raise NoProject(place=f"{here} or above it")
    return found.resolve()


def model_of(asked: Asked) -> ProjectModel:
    """The project's configuration, without a JVM."""
    from muniment.config import load_project

    return load_project(place_of(asked), asked.target)


def opened(asked: Asked) -> Project:
    """The project with its lake; a mistake in its files is found before Spark is started."""
    model = model_of(asked)
    with working("Starting Spark"):
        from muniment.project import Project

        return Project(model)


def data_place(path: str, root: Path) -> str:
    """A path as it was typed → one that means the same from anywhere; inside the project it begins with the project's own folder."""
    if "://" in path:
        return path
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - takes `..` away and leaves links alone, which land looks at itself
    above = next((folder for folder in (whole, *whole.parents) if folder.resolve() == root), None)
    return str(root / whole.relative_to(above)) if above is not None else str(whole)


def entity_names(incomplete: str) -> list[str]:
    """Entities of the project at hand, for the shell's completion."""
    try:
        names = [entity.name for entity in model_of(Asked()).entities]
    except MunimentError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def dimension_names(incomplete: str) -> list[str]:
    """Dimensions of the project at hand, for the shell's completion."""
    try:
        names = [dimension.name for dimension in model_of(Asked()).dimensions]
    except MunimentError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def source_names(incomplete: str) -> list[str]:
    """Sources of the project at hand, for the shell's completion."""
    try:
        names = {source.name for entity in model_of(Asked()).entities for source in entity.sources}
    except MunimentError:
        return []
    return sorted(name for name in names if name.startswith(incomplete))
