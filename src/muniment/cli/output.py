"""One result, three forms: a table for people, JSON and CSV for programs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from muniment.cli.asked import Asked, Output
from muniment.cli.failures import say
from muniment.cli.progress import working
from muniment.cli.sheet import Kind, Sheet, show

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pyspark.sql import DataFrame

_TIME = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
_JSON = {"timeZone": "UTC", "timestampFormat": f"{_TIME}'Z'", "timestampNTZFormat": _TIME, "ignoreNullFields": "false"}
_NUMBERS = {"TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE"}


@dataclass(frozen=True, slots=True)
class View:
    """How a frame is shown as a table: which columns in short, how many rows, and which columns count something."""

    brief: DataFrame | None = None
    limit: int | None = None
    wide: bool = False
    counts: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    rows: int = 100  # what a table shows where nobody gave a limit


def answer_frame(frame: DataFrame, asked: Asked, view: View, *, empty: str = "nothing") -> int:
    """Print a frame and return how many rows that were; JSON and CSV hold all rows and columns, a table what a person looks at."""
    if asked.as_table:
        return _show_frame(frame if view.wide or view.brief is None else view.brief, view, empty=empty)
    lines = _lines(frame if view.limit is None else frame.limit(view.limit))
    return _print_json(lines) if asked.output is Output.JSON else _print_csv(frame.columns, map(_parsed, lines))


def answer_objects(objects: Sequence[DataclassInstance], asked: Asked, *, of: type[DataclassInstance]) -> None:
    """Print results of one kind; a single one as JSON is still a list."""
    rows = [asdict(each) for each in objects]
    if asked.output is Output.JSON:
        print(json.dumps(rows, ensure_ascii=False, indent=2, default=str))
    elif asked.output is Output.CSV:
        _print_csv([each.name for each in fields(of)], rows)
    else:
        kinds = {each.name: Kind.COUNT if each.type in ("int", int) else Kind.TEXT for each in fields(of)}
        show(Sheet(kinds, rows))


def answer_object(result: DataclassInstance, asked: Asked, text: Iterable[str]) -> None:
    """Print one result: as the text that people read, or as the object it is."""
    if asked.output is Output.JSON:
        print(json.dumps(asdict(result), ensure_ascii=False, indent=2, default=str))
    elif asked.output is Output.CSV:
        _print_csv([each.name for each in fields(result)], [asdict(result)])
    else:
        for line in text:
            print(line)


def _show_frame(frame: DataFrame, view: View, *, empty: str) -> int:
    limit = view.rows if view.limit is None else view.limit
    with working("Reading"):
        rows = [_parsed(line) for line in islice(_lines(frame.limit(limit + 1)), limit + 1)]
    if not rows:
        say(empty)
        return 0
    show(Sheet(_kinds(frame, view), rows[:limit]), whole=view.wide)
    if len(rows) > limit:
        say(f"… and more: --limit shows more than {limit:,} rows, --output json or csv holds them all")
    return min(len(rows), limit)


def _lines(frame: DataFrame) -> Iterator[str]:
    """Each row as one JSON object, written by Spark: exact numbers, times in UTC whatever the session's or the machine's zone is."""
    from pyspark.sql import functions as F

    unique = frame.toDF(*_unique(frame.columns))
    rows = unique.select(F.to_json(F.struct("*"), _JSON).alias("line")).toLocalIterator(prefetchPartitions=True)
    with working("Reading"):
        first = next(rows, None)
    return chain((str(row["line"]) for row in (first,) if row is not None), (str(row["line"]) for row in rows))


def _unique(names: Sequence[str]) -> list[str]:
    """Names as they are; one that comes again gets a number."""
    return [name if name not in names[:at] else f"{name}_{at + 1}" for at, name in enumerate(names)]


def _parsed(line: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(line, parse_float=Decimal)
    return parsed


def _kinds(frame: DataFrame, view: View) -> dict[str, Kind]:
    return {
        name: _kind(name, field.dataType.simpleString().upper(), view)
        for name, field in zip(_unique(frame.columns), frame.schema.fields, strict=True)
    }


def _kind(name: str, kind: str, view: View) -> Kind:
    if name in view.counts:
        return Kind.COUNT
    if name in view.names:
        return Kind.NAME
    if kind in ("TIMESTAMP", "DATE", "TIMESTAMP_NTZ"):
        return Kind.TIME
    return Kind.NUMBER if kind in _NUMBERS or kind.startswith("DECIMAL") else Kind.TEXT


def _print_json(lines: Iterable[str]) -> int:
    count = 0
    for count, line in enumerate(lines, start=1):
        print("[" if count == 1 else ",", line, sep="\n", end="")
    print("\n]" if count else "[]")
    return count


def _print_csv(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> int:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    unique = _unique(names)
    writer.writerow(unique)
    count = 0
    for count, row in enumerate(rows, start=1):  # noqa: B007 - the count is what is returned
        writer.writerow([_plain(row.get(name)) for name in unique])
    return count


def _plain(value: Any) -> Any:
    """A value for CSV: nothing for null, JSON for what has parts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list | tuple) else value
