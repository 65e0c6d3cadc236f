"""Run: everything that is due, in order, from the same list of stages that `plan` shows; a failure stops only what depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from muniment import clock
from muniment.errors import BadArgument, MunimentError
from muniment.lake.failed import FAILED
from muniment.lake.tables import Lake
from muniment.lake.trouble import summary
from muniment.model.entity import Entity, Kind
from muniment.model.names import find
from muniment.model.source import GivenTime
from muniment.steps.derive import derive
from muniment.steps.land import land
from muniment.steps.request import Request
from muniment.steps.resolve import resolve

DONE, FAILED_STAGE, NOT_REACHED, HELD = "done", "failed", "not reached", "held"
_HELD_CODE, _BROKEN_CODE = 3, 4
_TAG = "tag:"


@dataclass(frozen=True, slots=True)
class Stage:
    """One thing to do: land what is new of a source, derive, or resolve."""

    verb: str
    entity: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a stage, or what would."""

    stage: Stage
    status: str
    detail: str = ""
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """All outcomes, in order; the worst of them is the run's."""

    outcomes: tuple[Outcome, ...] = ()

    @property
    def exit_code(self) -> int:
        return max((outcome.exit_code for outcome in self.outcomes), default=0)

    @property
    def ok(self) -> bool:
        return self.exit_code == 0


@dataclass(frozen=True, slots=True)
class Scene:
    """Where stages happen."""

    lake: Lake
    root: Path
    entities: dict[str, Entity] = field(default_factory=dict)


def chosen(entities: Sequence[Entity], names: Sequence[str], *, select: str | None = None, exclude: str | None = None) -> list[Entity]:
    """The entities named, or all; of these those that `select` matches and `exclude` does not: a name, or tag:NAME."""
    known = {entity.name: entity for entity in entities}
    mine = [find("entity", name, known) for name in names] or list(entities)
    kept = [each for each in mine if select is None or _matches(each, select)]
    return [each for each in kept if exclude is None or not _matches(each, exclude)]


def stages_of(entities: Sequence[Entity]) -> list[Stage]:
    """What there is to do, in order; a source that is only ever given its rows has no place to look at."""
    stages: list[Stage] = []
    for entity in entities:
        placed = [s for s in entity.sources if s.read is not None and not isinstance(s.event_time, GivenTime)]
        stages += [Stage("land", entity.name, source.name) for source in placed]
        stages.append(Stage("derive", entity.name))
        stages += [Stage("resolve", entity.name)] if entity.kind is Kind.STATE else []
    return stages


def run(scene: Scene, stages: Sequence[Stage]) -> Run:
    """Do all stages; what needs a stage that failed is not reached."""
    outcomes: list[Outcome] = []
    for stage in stages:
        blocked = _blocked(stage, outcomes)
        outcomes.append(Outcome(stage, NOT_REACHED, blocked) if blocked else _attempt(scene, stage))
    return Run(tuple(outcomes))


def plan(scene: Scene, stages: Sequence[Stage]) -> Run:
    """The same stages with what they would find; nothing is written."""
    return Run(tuple(_look(scene, stage) for stage in stages))


def _matches(entity: Entity, pattern: str) -> bool:
    if pattern.startswith(_TAG):
        return pattern.removeprefix(_TAG) in entity.info.tags
    return entity.name == pattern


def _blocked(stage: Stage, before: Sequence[Outcome]) -> str:
    """Belief needs a history; a history is made of whatever landed, whichever source failed."""
    broken = [o for o in before if o.stage.entity == stage.entity and o.status == FAILED_STAGE]
    needs = {"resolve": ("derive",)}.get(stage.verb, ())
    return next((f"{o.stage.verb} failed before it" for o in broken if o.stage.verb in needs), "")


def _attempt(scene: Scene, stage: Stage) -> Outcome:
    try:
        return _do(scene, stage)
    except MunimentError as error:
        return Outcome(stage, FAILED_STAGE, str(error), error.exit_code)
    except FAILED as error:
        return Outcome(stage, FAILED_STAGE, summary(error), _BROKEN_CODE)


def _do(scene: Scene, stage: Stage) -> Outcome:
    entity = scene.entities[stage.entity]
    if stage.verb == "land":
        landed = land(scene.lake, _request(scene, stage))
        detail = f"received {landed.received:,}, landed {landed.landed:,}, set aside {landed.quarantined:,}"
        return (
            Outcome(stage, HELD, detail, _HELD_CODE) if landed.held else Outcome(stage, DONE, detail if landed.received else "nothing new")
        )
    if stage.verb == "derive":
        derived = derive(scene.lake, entity)
        if derived.held:
            return Outcome(stage, HELD, f"it stops before run {', '.join(derived.held)}, which somebody holds", _HELD_CODE)
        return Outcome(stage, DONE, f"{derived.changed:,} versions changed")
    return Outcome(stage, DONE, f"{resolve(scene.lake, entity).changed:,} intervals changed")


def _look(scene: Scene, stage: Stage) -> Outcome:
    if stage.verb != "land":
        return Outcome(stage, "planned", "what is new by then")
    try:
        found = land(scene.lake, _request(scene, stage, dry_run=True))
    except MunimentError as error:
        return Outcome(stage, FAILED_STAGE, str(error), error.exit_code)
    detail = f"would land {found.landed:,} of {found.received:,} rows, set aside {found.quarantined:,}"
    return Outcome(stage, "planned", detail if found.received else "nothing new")


def _request(scene: Scene, stage: Stage, *, dry_run: bool = False) -> Request:
    entity = scene.entities[stage.entity]
    if stage.source is None:
        raise BadArgument(argument="stage", problem="a landing needs a source", advice="Name one.")
    return Request(entity, entity.source(stage.source), scene.root, clock.now(), dry_run=dry_run)
