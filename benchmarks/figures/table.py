"""The table: every figure with its marks, in the order people read it."""

from __future__ import annotations

from benchmarks.figures import batches, belief, captures, dimension, ends, loads, series, steady, wholes
from benchmarks.figures.finding import NO_MARK, Figure

FIGURES: tuple[Figure, ...] = (
    Figure("in-order", "derive of an in-order batch against the null-key MERGE, deletion vectors on", 3, 5, "× faster", batches.faster),
    Figure("in-order-long", "the same on a table with ten times the versions", 6, 12, "× faster", batches.faster_on_more, 4),
    Figure("bytes-merge", "bytes written against that MERGE, deletion vectors off", 50, 200, "× fewer", batches.fewer_bytes, 1),
    Figure("bytes-changed", "bytes written ÷ bytes of changed rows", 4, 3, "×", batches.bytes_of_changes),
    Figure("late", "late batch ÷ in-order batch", 2, 1.5, "×", batches.late),
    Figure("growth", "our batch on ten times the versions ÷ on the smaller table", 1.5, 1.2, "×", batches.growth, 4),
    Figure("at-once", "all keys change at once, against the MERGE with vectors on", 4, 7, "× faster", batches.at_once, 2),
    Figure("hundred", "last ten of 100 batches ÷ first ten, maintenance counted", 1.25, 1.1, "×", batches.hundred, 9),
    Figure("rebuild-sort", "full rebuild (two sources) ÷ shuffle + sort of the same rows", 4, 3, "×", wholes.against_sort, 3),
    Figure("rebuild-duckdb", "full rebuild ÷ DuckDB doing the same SCD2", 4, 3, "×", wholes.against_duckdb, 3),
    Figure("landing", "landing a batch ÷ plain append of the same rows", 4, 2, "×", batches.landing),
    Figure("landed-before", "landing a file that was landed before", 0, 1, "s", ends.landed_before, must_be="no data file written"),
    Figure(
        "steady",
        "land + derive from files, largest batch ÷ plain append of the same file",
        0,
        1,
        "×",
        steady.steady,
        3,
        must_be=NO_MARK,
    ),
    Figure("jobs", "Spark jobs for one small batch, land + derive", 24, 14, "jobs", batches.jobs),
    Figure("one-key", "one key, warm: history, changes", 2, 1, "s", ends.one_key),
    Figure("resolve", "resolving a batch ÷ deriving it", 1.5, 1.5, "×", belief.resolving, 2),
    Figure("one-belief", "one key, warm: why, belief", 2, 1, "s", belief.one_key, 2),
    Figure("all-belief", "belief of all keys at one time ÷ reading its table", 2, 2, "×", belief.all_keys, 2),
    Figure(
        "captures",
        "a capture of which 1 % changed: diff, land and derive ÷ reading it and the one before",
        3,
        2,
        "×",
        captures.diff_and_apply,
        5,
    ),
    Figure("dimension", "apply of a batch on 1 % of 1 million members against the two-pass MERGE", 3, 5, "× faster", dimension.faster, 7),
    Figure("dimension-bytes", "bytes written to the dimension against that MERGE", 20, 50, "× fewer", dimension.fewer_bytes, 7),
    Figure(
        "load-merge",
        "a slice of 2,000 rows merged into 2 million, against the MERGE of document 003",
        3,
        5,
        "× faster",
        loads.merge_faster,
        6,
    ),
    Figure("load-merge-bytes", "bytes written against that MERGE", 20, 100, "× fewer", loads.merge_fewer, 6),
    Figure("load-historic", "the same slice as versions, against the MERGE of document 003", 3, 5, "× faster", loads.historic_faster, 6),
    Figure("load-historic-bytes", "bytes written against that MERGE", 20, 100, "× fewer", loads.historic_fewer, 6),
    Figure(
        "series",
        "building a target with a delta of 1 % ÷ rewriting what changed + reading the base's keys",
        2,
        1.5,
        "×",
        series.building,
        4,
    ),
    Figure("memory", "peak memory of the driver process, rebuild of twice the assertions", 6, 4, "GB", wholes.memory, 6),
    Figure("skew", "one key with half as many assertions as all others together", 3, 2, "×", wholes.skew, 5),
)


def chosen(only: str | None) -> tuple[Figure, ...]:
    """All figures, or those named; the light ones first, those that share a measurement together."""
    names = [name.strip() for name in only.split(",")] if only else [figure.name for figure in FIGURES]
    known = {figure.name: figure for figure in FIGURES}
    unknown = [name for name in names if name not in known and name != "model"]
    if unknown:
        raise SystemExit(f"There is no figure {', '.join(unknown)}. There are: {', '.join(known)}, model")
    return tuple(sorted((known[name] for name in names if name in known), key=lambda figure: figure.weight))
