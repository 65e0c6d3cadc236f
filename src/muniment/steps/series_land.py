"""Land a dump or a delta: the rows first, then marks that checks make, then the record that publishes them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muniment import clock, faults
from muniment.canon.hashes import quoted
from muniment.decisions.marks import Family, Mark, Verb, new_mark, record_marks
from muniment.lake.errors import Outrun
from muniment.lake.retry import with_retry
from muniment.lake.tables import DEFAULTS
from muniment.model.check import OnFail
from muniment.model.series import Role
from muniment.model.tables import delta_name, state_name
from muniment.series.checks import BY_CHECK, Finding, counted, duplicates, of_records, of_rows, of_unique, that, uniques
from muniment.series.checksum import DIGEST, ROWS, Sums, read_sums, sums, with_digest
from muniment.series.errors import PartitionStopped, RowsRefused
from muniment.series.lineage import Standing
from muniment.series.records import Partition, Quality, Ref
from muniment.series.rows import DELETED, PARTITION
from muniment.steps.kept import keeping
from muniment.steps.ran import Running
from muniment.steps.series_data import WRONG, Layout, frame_of, laid_out, layout_of
from muniment.steps.series_reference import of_reference
from muniment.steps.series_scene import Moment, Scene, Taken
from muniment.steps.series_store import TABLE, next_generation, publish, ready, standing_of

FOR_EVER = {  # each version is a partition that somebody may go back to
    **DEFAULTS,
    "delta.enableExpiredLogCleanup": "false",
    "delta.deletedFileRetentionDuration": "interval 5200 weeks",
    "delta.logRetentionDuration": "interval 5200 weeks",
}


@dataclass(frozen=True, slots=True)
class Load:
    """A partition on its way in."""

    ref: Ref
    rows: DataFrame
    layout: Layout
    sums: Sums
    deletes: int
    findings: tuple[Finding, ...]


def take(scene: Scene, role: Role, data: object, at: Moment) -> Taken:
    """Land a dump or a delta of one day or hour; the same content again is skipped, another content takes its place."""
    ref = Ref(role, scene.start(at))
    with scene.held(role.value), keeping() as kept:
        ready(scene.lake)
        frame = frame_of(scene.lake, scene.series, data, root=scene.root)
        rows, layout = laid_out(frame, layout_of(scene.lake, scene.series), series=scene.series, ref=ref)
        load = _looked_at(scene, ref, kept.keep(_alive(rows, role)), layout)
        return with_retry(lambda: _take(scene, load))


def _alive(rows: DataFrame, role: Role) -> DataFrame:
    """A dump has no rows that are gone."""
    return rows.where(~quoted(DELETED)) if role is Role.DUMP else rows


def _looked_at(scene: Scene, ref: Ref, rows: DataFrame, layout: Layout) -> Load:
    """One look that counts what is wrong, sums up the rest, and counts what the checks ask for."""
    names = layout.names if ref.role is Role.DUMP else [name for name in rows.columns if name != WRONG]
    gone, wrong, why = F.count_if(quoted(DELETED)).alias("gone"), F.count(WRONG).alias("wrong"), F.collect_set(WRONG).alias("why")
    (looked,) = with_digest(rows, names).agg(*sums(), gone, wrong, why, *counted(scene.series).values()).collect()
    if looked["wrong"]:
        raise RowsRefused(series=scene.series.name, place=ref, rows=looked["wrong"], problems=", ".join(sorted(looked["why"])))
    counts = {name: looked[name] for name in counted(scene.series)}
    found = of_rows(scene.series, counts, looked[ROWS] - looked["gone"])
    found += [each for check in uniques(scene.series, ref.role) if (each := of_unique(check, duplicates(rows, check.columns).count()))]
    return Load(ref, rows.drop(WRONG, DIGEST), layout, read_sums(looked), looked["gone"], tuple(found))


def _take(scene: Scene, load: Load) -> Taken:
    lake, series, ref = scene.lake, scene.series, load.ref
    found = standing_of(lake, series.name)
    held = found.at(ref.role, ref.at)
    if held is not None and held.checksum == load.sums.checksum:
        return _skipped(scene, held, found)
    running = Running("series", series.name)
    made = _partition(scene, load, found, running)
    findings = (*load.findings, *of_records(series, made, found, now=clock.now()), *of_reference(scene, made))
    stops = that(findings, OnFail.STOP)
    if stops:
        raise PartitionStopped(series=series.name, place=ref, checks="; ".join(map(str, stops)))
    placed = _written(scene, load, made)
    bad = that(findings, OnFail.MARK)
    record_marks(lake, Family.SERIES, series.name, marks_by(bad, placed))
    faults.point("series:after-marks")
    finish(scene, placed, running, bad=bool(bad))
    messages = [str(each) for each in that(findings, OnFail.WARN)]
    messages += scene.tell("marked", f"{ref} is marked bad: {'; '.join(map(str, bad))}") if bad else []
    return Taken(
        series.name, ref.role, ref.at, placed.partition_id, placed.rows, placed.checksum, load.deletes,
        marked=tuple(map(str, bad)), messages=tuple(messages),
    )  # fmt: skip


def marks_by(findings: list[Finding], partition: Partition) -> list[Mark]:
    """A check marks before its partition is published: no reader and no kill can come between."""
    return [
        new_mark(Verb.MARK, partition.partition_id, by=f"{BY_CHECK} {each.check}", reason=each.said, place=str(partition.ref))
        for each in findings
    ]  # fmt: skip


def finish(scene: Scene, made: Partition, running: Running, *, bad: bool = False) -> None:
    """Publish a partition and record its run; another that came first is for the caller to look at again."""
    commit = publish(scene.lake, scene.series, made, running=running, quality=Quality.BAD if bad else Quality.GOOD)
    if commit.repeated:
        raise Outrun(table=TABLE, txn=str(made.ref), txn_version=made.generation)
    faults.point("series:after-record")
    running.record(scene.lake, {"rows": made.rows}, writes={TABLE: commit.version})


def _partition(scene: Scene, load: Load, found: Standing, running: Running) -> Partition:
    ref = load.ref
    return Partition(
        partition_id=clock.new_id(),
        role=ref.role,
        start=ref.at,
        end=ref.at + scene.series.every.length,
        generation=next_generation(found, ref.role, ref.at),
        rows=load.sums.rows,
        deletes=load.deletes,
        checksum=load.sums.checksum,
        sums=load.sums.lanes,
        produced_by=running.run_id,
        produced_at=clock.now(),
    )


def _written(scene: Scene, load: Load, made: Partition) -> Partition:
    """The rows, in one commit: a dump is a version of the state, a delta a part of the table of deltas."""
    if made.role is Role.DUMP:
        table = scene.lake.table(state_name(scene.series))
        table.create(load.layout.state, comment=f"{scene.series.name}: each version is a dump or a target", properties=FOR_EVER)
        commit = table.overwrite(load.rows, txn=f"series:{made.partition_id}", txn_version=1, metadata=made.said())
    else:
        table = scene.lake.table(delta_name(scene.series))
        table.create(load.layout.delta, comment=f"{scene.series.name}: changes, by delta", properties=FOR_EVER)
        named = load.rows.withColumn(PARTITION, F.lit(made.partition_id))
        commit = table.append(named.select(*(quoted(col.name) for col in load.layout.delta)), metadata=made.said())
    faults.point("series:after-rows")
    return replace(made, version=commit.version)


def _skipped(scene: Scene, held: Partition, found: Standing) -> Taken:
    quality = found.quality[held.partition_id]
    note = (f"it is the same as what is {quality.value} already",) if quality is not Quality.GOOD else ()
    return Taken(
        scene.series.name, held.role, held.start, held.partition_id, held.rows, held.checksum, held.deletes, skipped=True, messages=note
    )  # fmt: skip
