"""A project's files → its model, or every mistake in all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from muniment.config.build import build_project
from muniment.config.documents import Document
from muniment.config.entities import Judged, Surroundings, family_of, judge
from muniment.config.families import FAMILIES
from muniment.config.mistakes import ConfigurationError, Mistake
from muniment.config.paths import path_problem
from muniment.config.project_rules import PROJECT_RULES
from muniment.config.shape import ProjectShape
from muniment.config.subject import ProjectSubject, Subject, no_such
from muniment.config.validate import read_shape
from muniment.config.yaml import read_documents
from muniment.model.project import ProjectModel

FILE = "muniment.yml"
MAX_FILES = 2_000


def load_project(path: Path | str, target: str | None = None) -> ProjectModel:
    """The project of that file, or of the folder that holds muniment.yml; `target` chooses another lake than the default."""
    file = Path(path) / FILE if Path(path).is_dir() else Path(path)
    root = file.absolute().parent
    project, document, mistakes = _read_project(file, root, target)
    if project is None or document is None:
        raise ConfigurationError(mistakes)
    judged, more = _read_described(project, document, root)
    mistakes += more
    if mistakes:
        raise ConfigurationError(mistakes)
    described = {family.name: tuple(family.build(one.shape) for one in judged if one.family is family) for family in FAMILIES}
    return build_project(project, root=root, described=described, target=target)


def _read_project(file: Path, root: Path, target: str | None) -> tuple[ProjectShape | None, Document | None, list[Mistake]]:
    documents, mistakes = read_documents(file, shown=file.name)
    if len(documents) > 1:
        second = documents[1]
        mistakes.append(second.mistake((), "one document is expected here; describe entities in files of their own"))
    if not documents:
        return None, None, mistakes
    document = documents[0]
    reading = read_shape(ProjectShape, document)
    mistakes = _without_echoes(mistakes, list(reading.mistakes.values()))
    if reading.shape is None:
        return None, None, mistakes
    subject = Subject(reading.shape, document, reading, root)
    findings = [finding for rule in PROJECT_RULES for finding in rule(subject)] + _target_problem(subject, target)
    mistakes += [document.mistake(reading.original(place), message) for place, message in findings]
    return reading.shape, document, mistakes


def _target_problem(subject: ProjectSubject, target: str | None) -> list[tuple[tuple[str | int, ...], str]]:
    known = subject.document.names("targets")
    if target is not None:
        return [] if known is None or target in known else [(("targets",), no_such("target", target, known))]
    if subject.document.at(("lake",)) is None and subject.sound("lake"):
        choose = f", or choose a target: {', '.join(known)}" if known else ""
        return [(("lake",), f"'lake' is missing; write lake: {{path: ./lake}}{choose}")]
    return []


def _read_described(project: ProjectShape, document: Document, root: Path) -> tuple[list[Judged], list[Mistake]]:
    files, mistakes = _included(project, document, root)
    read = [read_documents(file, shown=file.relative_to(root).as_posix()) for file in files]
    around = Surroundings(root, document.names("connections"), _names(one for documents, _ in read for one in documents))
    judged: list[Judged] = []
    for documents, problems in read:
        found = [judge(one, around) for one in documents]
        mistakes += _without_echoes(problems, [mistake for one in found for mistake in one.mistakes])
        judged += found
    return judged, mistakes + list(_named_twice(judged))


def _names(documents: Iterator[Document]) -> Mapping[str, Sequence[str]]:
    """What the files describe, by family: known before any of them is judged, because they speak of each other."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for document in documents:
        family = family_of(document)
        name = document.at((family.name,)) if family else None
        if family and isinstance(name, str):
            names[family.name].append(name)
    return names


def _included(project: ProjectShape, document: Document, root: Path) -> tuple[list[Path], list[Mistake]]:
    files: dict[Path, None] = {}
    mistakes: list[Mistake] = []
    written = document.at(("include",)) is not None
    for index, pattern in enumerate(project.include):
        found, problem = _matches(pattern, root, needed=written)
        files.update(dict.fromkeys(found))
        if problem:
            mistakes.append(document.mistake(("include", index), problem))
    return sorted(files), mistakes


def _matches(pattern: str, root: Path, *, needed: bool) -> tuple[list[Path], str | None]:
    problem = path_problem(pattern, root=root, absolute=False)
    if problem is None and Path(pattern).is_absolute():
        problem = "the pattern starts at the project's folder; leave out the part before it"
    if problem:
        return [], problem
    try:
        found = [path for path in sorted(root.glob(pattern)) if path.is_file() and path != root / FILE]
    except (ValueError, OSError):
        return [], f"'{pattern}' is not a pattern of files, such as entities/*.yml"
    if len(found) > MAX_FILES:
        return [], f"'{pattern}' matches more than {MAX_FILES:,} files; name the folder that holds the entities"
    outside = [path for path in found if not path.resolve().is_relative_to(root.resolve())]
    if outside:
        return [], f"'{outside[0].relative_to(root)}' is a link that leaves the project's folder; put the file below it"
    return found, f"'{pattern}' matches no file; write a pattern such as entities/*.yml, or take it out" if needed and not found else None


def _named_twice(judged: list[Judged]) -> Iterator[Mistake]:
    """Names that two things share: their tables would be one."""
    seen: dict[str, Judged] = {}
    for one in judged:
        at = (one.family.name,)
        name = one.document.at(at)
        if not isinstance(name, str):
            continue
        first = seen.setdefault(name.casefold(), one)
        if first is not one:
            place = f"{first.document.file}:{first.document.line((first.family.name,))}"
            kind = first.family.name
            article = "an" if kind == "entity" else "a"
            yield one.document.mistake(at, f"there is {article} {kind} of this name already, in {place}; rename one")


def _without_echoes(of_yaml: list[Mistake], of_shape: list[Mistake]) -> list[Mistake]:
    """What YAML could not read is told once, not again as a value that is missing."""
    told = {(mistake.file, mistake.line, mistake.where) for mistake in of_yaml}
    return of_yaml + [mistake for mistake in of_shape if (mistake.file, mistake.line, mistake.where) not in told]
