"""A picture of each type, drawn from what the code makes of the same two statements: `python -m examples.dimension.pictures` writes them into the guide."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import Row, SparkSession

from muniment.dimensions.chain import chain_of
from muniment.dimensions.fold import past_of, versions_of
from muniment.dimensions.statements import from_log
from muniment.model.attribute import KeyPart
from muniment.model.dimension import TYPES, Dimension, OpenEnd, ScdColumn
from muniment.model.dimension_tables import shown_columns

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "dimensions.md"
BEGIN, END = "<!-- picture {}: begin -->", "<!-- picture {}: end -->"
_DAY = 6  # characters
_LAST = 7
_SAID = ((1, "Bronze"), (4, "Gold"))
_LOG = "sk string, id string, source_event_ts timestamp, ingest_ts timestamp, ingest_run_id string, op string, asserted array<string>, tier string"


def picture(spark: SparkSession, scd: int) -> str:
    """One member whose tier is Bronze from day 1 and Gold from day 4, as a table with this type shows it in the end."""
    column = ScdColumn("tier", "string", scd)
    dimension = Dimension("dim", (KeyPart("id", "string"),), (column,), surrogate="dim_key", open_end=OpenEnd.NONE)
    rows = [("k", "k", _moment(day), _moment(day), "", "upsert", ["tier"], tier) for day, tier in _SAID]
    chain = chain_of(from_log(spark.createDataFrame(rows, _LOG), dimension=dimension), dimension=dimension, few=True)
    names = [col.name for col in shown_columns(column)]
    lines = ["day        " + "".join(f"{day:<{_DAY}}" for day in range(1, _LAST))]
    lines += [_bar(f"version {row['version']}", row, names) for row in versions_of(chain, dimension=dimension).orderBy("version").collect()]
    if scd == 4:
        lines += [_bar("history", row, names) for row in past_of(chain, dimension=dimension).collect()]
    return "\n".join(line.rstrip() for line in lines)


def _bar(title: str, row: Row, names: list[str]) -> str:
    first = _day(row["effective_from"])
    last = _LAST if row["effective_to"] is None else _day(row["effective_to"])
    bar = " " * ((first - 1) * _DAY) + "█" * ((last - first) * _DAY)
    told = ", ".join(f"{name} {_word(row[name])}" for name in names)
    return f"{title:<11}{bar:<{(_LAST - 1) * _DAY}}{'▶' if row['effective_to'] is None else ' '} {told}"


def _word(value: object) -> str:
    return "–" if value is None else f"day {_day(value)}" if isinstance(value, datetime) else str(value)


def _moment(day: int) -> datetime:
    return datetime(2026, 3, day, tzinfo=UTC)


def _day(moment: datetime) -> int:
    return moment.astimezone(UTC).day


def with_pictures(text: str, spark: SparkSession) -> str:
    """The guide with every picture drawn anew."""
    for scd in TYPES:
        begin, end = BEGIN.format(scd), END.format(scd)
        before, rest = text.split(begin)
        text = f"{before}{begin}\n```text\n{picture(spark, scd)}\n```\n{end}{rest.split(end)[1]}"
    return text


def main() -> int:
    """Draw the pictures of the guide."""
    from muniment.lake.session import start

    GUIDE.write_text(with_pictures(GUIDE.read_text(encoding="utf-8"), start({})), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
