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
from muniment.loads.pipeline import STEPS
from muniment.model.dimension import Dimension
from muniment.model.entity import Entity, Kind
from muniment.model.load import Load
from muniment.model.names import find
from muniment.model.project import Alert
from muniment.model.source import GivenTime
from muniment.steps.apply import Given, apply
from muniment.steps.captured import land
from muniment.steps.derive import derive
from muniment.steps.load import load
from muniment.steps.request import Request
from muniment.steps.resolve import resolve
from muniment.steps.slices import LoadRequest, find_slices

Described = Entity | Dimension | Load
DONE, FAILED_STAGE, NOT_REACHED, HELD = "done", "failed", "not reached", "held"
_HELD_CODE, _BROKEN_CODE = 3, 4
_TAG = "tag:"


@dataclass(frozen=True, slots=True)
class Stage:
    """One thing to do: land what is new of a source, derive, resolve, apply what is believed to a dimension, or load new slices (`source` is then a step of it)."""

    verb: str
    entity: str
    source: str | None = None
    needs: str | None = None  # the entity that a dimension follows from


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
    dimensions: dict[str, Dimension] = field(default_factory=dict)
    loads: dict[str, Load] = field(default_factory=dict)
    alerts: Sequence[Alert] = ()


def chosen(
    described: Sequence[Described], names: Sequence[str], *, select: str | None = None, exclude: str | None = None
) -> list[Described]:
    """What is named, or all; of these what `select` matches, with the dimensions that follow from it, and `exclude` does not: a name, or tag:NAME."""
    known = {each.name: each for each in described}
    mine = [find("entity", name, known) for name in names] or list(described)
    kept = {each.name: each for each in mine if select is None or _matches(each, select)}
    kept |= {each.name: each for each in described if isinstance(each, Dimension) and each.believes in kept}
    return [each for each in kept.values() if exclude is None or not _matches(each, exclude)]


def stages_of(described: Sequence[Described]) -> list[Stage]:
    """What there is to do, in order, dimensions after what they follow from; what is only ever given its rows has no place to look at."""
    ordered = sorted(described, key=lambda each: isinstance(each, Dimension))
    return [stage for each in ordered for stage in _stages(each)]


def _stages(each: Described) -> list[Stage]:
    match each:
        case Load():
            return [Stage("load", each.name)] if each.read is not None else []
        case Dimension():
            return [Stage("apply", each.name, needs=each.believes)] if each.believes else []
    placed = [s for s in each.sources if s.read is not None and not isinstance(s.event_time, GivenTime)]
    lands = [Stage("land", each.name, source.name) for source in placed]
    return [*lands, Stage("derive", each.name), *([Stage("resolve", each.name)] if each.kind is Kind.STATE else [])]


def run(scene: Scene, stages: Sequence[Stage]) -> Run:
    """Do all stages; what needs a stage that failed is not reached."""
    outcomes: list[Outcome] = []
    for stage in stages:
        blocked = _blocked(stage, outcomes)
        outcomes.append(Outcome(stage, NOT_REACHED, blocked) if blocked else _attempt(scene, stage))
    return Run(tuple(outcomes))


def plan(scene: Scene, stages: Sequence[Stage]) -> Run:
    """The same stages with what they would find; nothing is written."""
    return Run(
        tuple(found for stage in stages for found in (_look_at_load(scene, stage) if stage.verb == "load" else [_look(scene, stage)]))
    )


def _matches(each: Described, pattern: str) -> bool:
    if pattern.startswith(_TAG):
        return pattern.removeprefix(_TAG) in each.info.tags
    return each.name == pattern


def _blocked(stage: Stage, before: Sequence[Outcome]) -> str:
    """Belief needs a history; a history is made of whatever landed, whichever source failed."""
    broken = [o for o in before if o.stage.entity == (stage.needs or stage.entity) and o.status == FAILED_STAGE]
    needs = {"resolve": ("derive",), "apply": ("derive", "resolve")}.get(stage.verb, ())
    return next((f"{o.stage.verb} failed before it" for o in broken if o.stage.verb in needs), "")


def _attempt(scene: Scene, stage: Stage) -> Outcome:
    try:
        return _do(scene, stage)
    except MunimentError as error:
        return Outcome(stage, FAILED_STAGE, str(error), error.exit_code)
    except FAILED as error:
        return Outcome(stage, FAILED_STAGE, summary(error), _BROKEN_CODE)


def _do(scene: Scene, stage: Stage) -> Outcome:
    if stage.verb == "apply":
        changed = apply(scene.lake, scene.dimensions[stage.entity], Given(scene.root)).changed
        return Outcome(stage, DONE, f"{changed:,} versions changed")
    if stage.verb == "load":
        loaded = load(scene.lake, LoadRequest(scene.loads[stage.entity], scene.root))
        detail = f"received {loaded.received:,}, inserted {loaded.inserted:,}, updated {loaded.updated:,}, seen again {loaded.unchanged:,}"
        return Outcome(stage, DONE, detail if loaded.slices else "nothing new")
    entity = scene.entities[stage.entity]
    if stage.verb == "land":
        landed = land(scene.lake, _request(scene, stage))
        detail = f"received {landed.received:,}, landed {landed.landed:,}, set aside {landed.quarantined:,}"
        if landed.held or landed.marked:
            return Outcome(stage, HELD, "; ".join([detail, *(f"held by the check {check}" for check in landed.marked)]), _HELD_CODE)
        return Outcome(stage, DONE, detail if landed.received else "nothing new")
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


def _look_at_load(scene: Scene, stage: Stage) -> list[Outcome]:
    """What is new, and each step that it would go through, with the columns that it adds."""
    asked = scene.loads[stage.entity]
    try:
        found = find_slices(scene.lake, LoadRequest(asked, scene.root))
    except MunimentError as error:
        return [Outcome(stage, FAILED_STAGE, str(error), error.exit_code)]
    slices = f"would load {len(found.new)} of {len(found.new) + found.skipped} slices, strategy {asked.strategy.value}"
    steps = [(step.name, step.adds(asked)) for step in STEPS]
    lines = [
        Outcome(Stage("load", asked.name, name), "planned", f"adds {', '.join(adds)}" if adds else "adds nothing") for name, adds in steps
    ]
    return [Outcome(stage, "planned", slices if found.new else "nothing new"), *lines]


def _request(scene: Scene, stage: Stage, *, dry_run: bool = False) -> Request:
    entity = scene.entities[stage.entity]
    if stage.source is None:
        raise BadArgument(argument="stage", problem="a landing needs a source", advice="Name one.")
    return Request(entity, entity.source(stage.source), scene.root, clock.now(), dry_run=dry_run, alerts=scene.alerts)
