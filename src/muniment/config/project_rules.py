"""What muniment.yml must agree on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from muniment.config.mistakes import Place
from muniment.config.paths import path_problem
from muniment.config.secrets import STRONG_WORDS, holds_login, is_secret
from muniment.config.shape import FileReference, LakeShape, Settings
from muniment.config.subject import Findings, ProjectSubject

ALERT_SETTINGS = {"log": (), "file": ("path",), "webhook": ("url", "token"), "command": ("run",)}
BY_REFERENCE = "write {env: NAME} or {file: PATH}"


def lakes_are_one_place(subject: ProjectSubject) -> Findings:
    for at, lake in _lakes(subject):
        if not subject.sound(*at):
            continue
        if lake.path is None and lake.catalog is None:
            yield at, "a lake is below a path or in a catalog; write {path: ./lake} or {catalog: NAME}"
        elif lake.path is not None and lake.catalog is not None:
            yield (*at, "catalog"), "a lake is below a path or in a catalog, not both; keep one"
        elif lake.schemas is not None and lake.catalog is None:
            yield (*at, "schemas"), "schemas are named in a catalog; below a path they are folders, so leave this out"


def lakes_stay_inside(subject: ProjectSubject) -> Findings:
    for at, lake in _lakes(subject):
        for kind in ("path", "files"):
            text = getattr(lake, kind)
            problem = path_problem(text, root=subject.root, absolute=True) if text is not None else None
            if problem:
                yield (*at, kind), problem


def connections_hold_no_secret(subject: ProjectSubject) -> Findings:
    for name, settings in subject.shape.connections.items():
        yield from _secrets(settings, ("connections", name))


def alerts_have_one_way(subject: ProjectSubject) -> Findings:
    for index, alert in enumerate(subject.shape.alerts):
        ways = alert.ways()
        if len(ways) != 1 and subject.sound("alerts", index):
            yield (
                ("alerts", index),
                f"an alert goes one way, and this has {len(ways)}; write one of log, file, webhook, command in each item",
            )
        for way, settings in ways.items():
            yield from _secrets(settings, ("alerts", index, way))


def alerts_have_what_they_need(subject: ProjectSubject) -> Findings:
    for index, alert in enumerate(subject.shape.alerts):
        for way, settings in alert.ways().items():
            known = ALERT_SETTINGS[way]
            if known and known[0] not in settings:
                yield ("alerts", index, way), f"an alert by {way} needs '{known[0]}'"
            for name in settings:
                if name not in known:
                    yield ("alerts", index, way, name), f"an alert by {way} has no '{name}'; known: {', '.join(known) or 'nothing'}"


def spark_holds_no_secret(subject: ProjectSubject) -> Findings:
    for name, value in subject.shape.spark.items():
        if is_secret(name, words=STRONG_WORDS) or holds_login(value):
            yield ("spark", name), "a secret does not belong here; Spark reads it from spark-defaults.conf or the environment"


def referenced_files_stay_inside(subject: ProjectSubject) -> Findings:
    for at, settings in _settings(subject):
        for name, value in settings.items():
            problem = path_problem(value.file, root=subject.root, absolute=True) if isinstance(value, FileReference) else None
            if problem:
                yield (*at, name, "file"), problem


def _lakes(subject: ProjectSubject) -> Iterator[tuple[Place, LakeShape]]:
    if subject.shape.lake is not None:
        yield ("lake",), subject.shape.lake
    for name, target in subject.shape.targets.items():
        yield ("targets", name, "lake"), target.lake


def _settings(subject: ProjectSubject) -> Iterator[tuple[Place, Settings]]:
    for name, settings in subject.shape.connections.items():
        yield ("connections", name), settings
    for index, alert in enumerate(subject.shape.alerts):
        for way, settings in alert.ways().items():
            yield ("alerts", index, way), settings


def _secrets(settings: Mapping[str, object], at: Place) -> Findings:
    for name, value in settings.items():
        if isinstance(value, str | int | float) and not isinstance(value, bool) and is_secret(name):
            yield (*at, name), f"'{name}' looks like a secret, and secrets are not written down; {BY_REFERENCE}"
        elif holds_login(value):
            yield (*at, name), f"there is a password in this address, and secrets are not written down; {BY_REFERENCE}"


PROJECT_RULES: tuple[Callable[[ProjectSubject], Findings], ...] = (
    lakes_are_one_place,
    lakes_stay_inside,
    connections_hold_no_secret,
    alerts_have_one_way,
    alerts_have_what_they_need,
    spark_holds_no_secret,
    referenced_files_stay_inside,
)
