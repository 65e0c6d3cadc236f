"""Build a target: the newest good base and all deltas after it, written as what differs, published by one record (R24)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock, faults
from muniment.canon.hashes import quoted
from muniment.decisions.marks import Family, marks_of, record_marks
from muniment.errors import MunimentError
from muniment.evidence.slots import only
from muniment.lake.changes import Everything, On, Replacement
from muniment.lake.errors import Outrun
from muniment.lake.retry import with_retry
from muniment.lake.schema import aligned, kind_of
from muniment.lake.tables import Lake
from muniment.model.check import OnFail
from muniment.model.series import Role, Series
from muniment.model.tables import delta_name, state_name
from muniment.series.checks import Finding, of_records, that
from muniment.series.checksum import Sums, sums_of
from muniment.series.errors import BuildStopped, NoGoodBase, NothingBuilt, PartitionStopped
from muniment.series.lineage import Recipe, Standing, recipe
from muniment.series.records import Partition, shown
from muniment.series.rows import DELETED, PARTITION, apply_change, coming, going, net_change, same_key
from muniment.steps.kept import keeping
from muniment.steps.ran import Running
from muniment.steps.series_data import Layout, layout_of
from muniment.steps.series_land import FOR_EVER, finish, marks_by
from muniment.steps.series_reference import of_reference
from muniment.steps.series_scene import Built, Moment, Scene
from muniment.steps.series_store import next_generation, ready, standing_of

_PLACE = "__place"


@dataclass(frozen=True, slots=True)
class Work:
    """One target in the making."""

    scene: Scene
    found: Standing
    plan: Recipe
    base: Partition
    running: Running


def build(scene: Scene, at: Moment) -> Built:
    """Make the target of one day or hour; where it is there and good nothing is written."""
    start = scene.start(at)
    with scene.held("build"):
        ready(scene.lake)
        return with_retry(lambda: _build(scene, start))


def read(scene: Scene, at: Moment | None = None) -> DataFrame:
    """The newest target at or before a time that nothing bad is in; pinned to its version, so that no build moves it."""
    until = None if at is None else scene.start(at)
    target = standing_of(scene.lake, scene.series.name).readable(until)
    if target is None:
        raise NothingBuilt(series=scene.series.name, until=f" at or before {shown(until)}" if until else "")
    return rows_of(scene.lake, scene.series, target)


def rows_of(lake: Lake, series: Series, partition: Partition) -> DataFrame:
    """The rows of a dump or a target, or what a delta says."""
    if partition.role is Role.DELTA:
        table = lake.table(delta_name(series)).read()
        return table.where(F.col(PARTITION) == partition.partition_id).drop(PARTITION)
    return _state(lake, series, partition.version).where(~quoted(DELETED)).drop(DELETED)


def _state(lake: Lake, series: Series, version: int) -> DataFrame:
    """A version of the state in today's columns; what it did not know is null (R4)."""
    layout = layout_of(lake, series)
    rows = lake.table(state_name(series)).read(version)
    return rows if layout is None else _widened(rows, layout)


def _widened(rows: DataFrame, layout: Layout) -> DataFrame:
    lacking = {col.name: F.lit(None).cast(col.type) for col in layout.state if col.name not in rows.columns}
    return aligned(rows.withColumns(lacking) if lacking else rows, kind_of(layout.state))


def _build(scene: Scene, start: datetime) -> Built:
    found = standing_of(scene.lake, scene.series.name)
    plan = recipe(found, start)
    if plan.held is not None:
        return _answer(scene, found, plan.held, written=False)
    if plan.base is None:
        raise _refused(scene, "no_base", NoGoodBase(series=scene.series.name, at=shown(start)))
    if plan.blocked:
        raise _refused(scene, "build_stopped", _stopped(scene, start, plan.blocked[0]))
    return _make(Work(scene, found, plan, plan.base, Running("series", scene.series.name)))


def _refused(scene: Scene, kind: str, error: MunimentError) -> MunimentError:
    """Nothing is published, and somebody is told."""
    scene.tell(kind, error.text(), advice=error.advice())
    return error


def _stopped(scene: Scene, start: datetime, bad: Partition) -> BuildStopped:
    said = [mark.reason for mark in marks_of(scene.lake, Family.SERIES, scene.series.name) if mark.target == bad.partition_id]
    facts = {"bad": bad.ref, "role": bad.role.value, "when": shown(bad.start), "reason": said[-1] if said else "no reason is known"}
    return BuildStopped(series=scene.series.name, at=shown(start), **facts)


def _make(work: Work) -> Built:
    scene, series = work.scene, work.scene.series
    with keeping() as kept:
        if work.plan.deltas:
            change = kept.keep(_change(work))
            come, gone = _come(work, change), _gone(work, change)
            total = Sums(work.base.rows, work.base.sums) - gone + come
        else:  # the target is what its base is, and no row has to move
            change, gone, come, total = None, Sums(), Sums(), Sums(work.base.rows, work.base.sums)
        made = _partition(work, total)
        findings = [*of_records(series, made, work.found, now=clock.now()), *of_reference(scene, made)]
        stops = that(findings, OnFail.STOP)
        if stops:
            raise PartitionStopped(series=series.name, place=made.ref, checks="; ".join(map(str, stops)))
        placed = replace(made, version=work.base.version if change is None else _write(work, made, change))
    return _published(work, placed, findings, changed=gone.rows + come.rows)


def _change(work: Work) -> DataFrame:
    """The last word of all deltas on each key."""
    names = [delta.partition_id for delta in work.plan.deltas]
    place = F.array_position(F.array(*map(F.lit, names)), F.col(PARTITION))
    return net_change(_said(work).withColumn(_PLACE, place).drop(PARTITION), series=work.scene.series, place=_PLACE)


def _said(work: Work) -> DataFrame:
    """The rows of all deltas; of one delta, as on most days, from the files of its own commit, without a look at the others."""
    table, deltas = work.scene.lake.table(delta_name(work.scene.series)), work.plan.deltas
    alone = deltas[0].version if len(deltas) == 1 else None
    own = None if alone is None else table.appended(_layout(work).delta, since=alone - 1, until=alone)
    return table.read().where(F.col(PARTITION).isin([delta.partition_id for delta in deltas])) if own is None else own


def _come(work: Work, change: DataFrame) -> Sums:
    """What comes; the first look at the change, so that Spark knows its size when it meets the base."""
    return sums_of(coming(change, _layout(work).names))


def _gone(work: Work, change: DataFrame) -> Sums:
    """What goes: of the base only the rows that change are summed up."""
    base = _state(work.scene.lake, work.scene.series, work.base.version).where(~quoted(DELETED)).select(*map(quoted, _layout(work).names))
    return sums_of(going(base, change, series=work.scene.series))


def _write(work: Work, made: Partition, change: DataFrame) -> int:
    """The version that is the target: on top of the base only what differs is written, else all of it."""
    scene, layout = work.scene, _layout(work)
    table = scene.lake.table(state_name(scene.series))
    table.create(layout.state, properties=FOR_EVER)
    faults.point("series:before-rows")
    on_top = table.version() == work.base.version
    where: Replacement = On(same_key(scene.series, "t", "s")) if on_top else Everything()
    rows = change if on_top else apply_change(_state(scene.lake, scene.series, work.base.version), change, series=scene.series)
    shaped = only(rows, (col.name for col in layout.state))
    commit = table.replace(shaped, where=where, txn=f"series:{made.partition_id}", txn_version=1, metadata=made.said())
    if on_top and commit.version != work.base.version + 1:  # another came between: nobody ever sees what this commit made
        raise Outrun(table=table.name, txn=str(made.ref), txn_version=commit.version)
    faults.point("series:after-rows")
    return commit.version


def _published(work: Work, made: Partition, findings: Sequence[Finding], *, changed: int) -> Built:
    scene, bad = work.scene, that(findings, OnFail.MARK)
    record_marks(scene.lake, Family.SERIES, scene.series.name, marks_by(bad, made))
    faults.point("series:after-marks")
    finish(scene, made, work.running, bad=bool(bad))
    messages = [str(each) for each in that(findings, OnFail.WARN)]
    messages += scene.tell("marked", f"{made.ref} is marked bad: {'; '.join(map(str, bad))}") if bad else []
    answer = _answer(scene, work.found, made, written=True)
    return replace(answer, changed=changed, marked=tuple(map(str, bad)), messages=tuple(messages))


def _partition(work: Work, total: Sums) -> Partition:
    start, series = work.plan.at, work.scene.series
    return Partition(
        partition_id=clock.new_id(),
        role=Role.TARGET,
        start=start,
        end=start + series.every.length,
        generation=next_generation(work.found, Role.TARGET, start),
        base=work.base.partition_id,
        deltas=tuple(delta.partition_id for delta in work.plan.deltas),
        rows=total.rows,
        checksum=total.checksum,
        sums=total.lanes,
        produced_by=work.running.run_id,
        produced_at=clock.now(),
    )


def _answer(scene: Scene, found: Standing, target: Partition, *, written: bool) -> Built:
    base = found.partitions[target.base or ""]
    deltas = tuple(found.partitions[name].ref for name in target.deltas)
    heard = {delta.at for delta in deltas}
    steps = range(1, (target.start - base.start) // scene.series.every.length + 1)
    missing = tuple(at for n in steps if (at := base.start + n * scene.series.every.length) not in heard)
    return Built(
        scene.series.name, target.start, base.ref, deltas, target.rows, target.checksum, target.partition_id, written, missing=missing
    )  # fmt: skip


def _layout(work: Work) -> Layout:
    layout = layout_of(work.scene.lake, work.scene.series)
    if layout is None:
        raise NothingBuilt(series=work.scene.series.name, until="")
    return layout
