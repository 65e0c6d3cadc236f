"""A case that fails, made small and told so that a person can check it by eye."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.properties.generate import DAWN, HEARD, Case, kept, only, record_of
from tests.properties.oracle import Statement, Version

Lines = set[tuple[object, ...]]  # of a timeline, each with its key first


def explained(case: Case, found: Lines, expected: Lines, *, fails: Callable[[Case], bool], tries: int = 1_000) -> str:
    """The smallest story of a difference, with the seed it came from."""
    key = min(str(line[0]) for line in found ^ expected)
    alone = only(case, {key})
    small = shrink(alone if fails(alone) else case, fails, tries=tries)  # with absence a key may need others to fail
    return "\n".join([story(small), f"found of {key}", *sorted(f"  {line}" for line in found if line[0] == key)])


def shrink(case: Case, fails: Callable[[Case], bool], *, tries: int = 1_000_000) -> Case:
    """The smallest case found by leaving things out as long as it still fails: keys, batches, loads, rows, what rows say, acceptances."""
    left = iter(range(tries))

    def smaller(than: Case) -> Case | None:
        return next((candidate for candidate, _ in zip(_candidates(than), left, strict=False) if fails(candidate)), None)

    while (found := smaller(case)) is not None:
        case = found
    return case


def _candidates(case: Case) -> Iterator[Case]:
    keys = sorted({s.key for s in case.statements})
    size = len(keys) // 2
    while size:
        yield from (only(case, set(keys) - set(keys[start : start + size])) for start in range(0, len(keys), size))
        size //= 2
    yield from (replace(case, batches=case.batches[:n] + case.batches[n + 1 :]) for n in range(len(case.batches)) if len(case.batches) > 1)
    yield from (_without_load(case, load.load_id) for load in case.loads)
    yield from (_without_row(case, s) for s in case.statements)
    yield from (replace(case, accepted={k: v for k, v in case.accepted.items() if k != name}) for name in case.accepted)
    for s in case.statements:
        yield from (_swapped(case, s, _unsaid(s, name)) for name in s.says if case.settings.scope_of.get(s.source, ()) != (name,))


def _without_load(case: Case, load_id: str) -> Case:
    batches = tuple(replace(batch, loads=tuple(load for load in batch.loads if load.load_id != load_id)) for batch in case.batches)
    return kept(replace(case, batches=batches), lambda s: s.file != load_id)


def _without_row(case: Case, row: Statement) -> Case:
    return kept(case, lambda s: s is not row)


def _swapped(case: Case, old: Statement, new: Statement) -> Case:
    batches = tuple(replace(batch, statements=tuple(new if s is old else s for s in batch.statements)) for batch in case.batches)
    return replace(case, batches=batches)


def _unsaid(s: Statement, name: str) -> Statement:
    says = {k: v for k, v in s.says.items() if k != name}
    return replace(s, says=says, record=record_of(says, s.deleted))


def story(case: Case) -> str:
    """A case and its timeline for people; times are counted from `DAWN`, receipts from `HEARD`."""
    shape = case.settings
    lines = [f"seed {case.seed}, completion {shape.completion}, deletes {shape.deletes}, ranks {dict(shape.ranks)}"]
    lines += [f"absence of {source}: {guard}, scope {shape.scope_of.get(source, ())}" for source, guard in shape.absence.items()]
    for batch in case.batches:
        lines += [f"{batch.run}, received {batch.received - HEARD}", *(f"  {_told(s)}" for s in batch.statements)]
        lines += [
            f"  {load.load_id} at {load.at - DAWN} carries {dict(load.carried)}{'' if load.complete else ', not complete'}"
            for load in batch.loads
        ]
    lines += [f"{load_id} accepted at {moment - HEARD}" for load_id, moment in case.accepted.items()]
    return "\n".join([*lines, "timeline", *(f"  {_shown(version)}" for version in case.timeline())])


def _told(s: Statement) -> str:
    op = {True: "deleted", False: "there", None: "partial"}[s.deleted]
    where = "".join(f" {name} {value}" for name, value in (("seq", s.seq), ("file", s.file)) if value is not None)
    return f"{s.key} {s.source} {s.load} at {s.at - DAWN}{where}: {op} {dict(s.says)} [{s.record[:6]}]"


def _shown(v: Version) -> str:
    until = ["" if moment is None else str(moment - DAWN) for moment in (v.effective_to, v.source_effective_to)]
    flags = [name for name in ("is_current", "is_source_current", "is_head", "deleted") if getattr(v, name)]
    seen = f"{v.seen_count} rows seen {v.first_seen - HEARD}–{v.last_seen - HEARD}"
    return f"{v.key} {v.source} [{v.effective_from - DAWN}, {until[0]}) own to {until[1] or '…'} {v.values} {' '.join(flags)}, {seen}"
