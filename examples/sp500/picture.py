"""Membership over time as SVG: a line per ticker, from when it was listed to when it was not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from pyspark.sql import functions as F

from muniment import clock
from muniment.project import Project

WIDTH, HEIGHT, MARGIN = 900, 620, 40
Span = tuple[str, datetime, datetime | None]


def spans(project: Project) -> list[Span]:
    """Ticker, from, to of every version."""
    micros = [F.unix_micros(F.col(name).cast("timestamp")).alias(name) for name in ("effective_from", "effective_to")]
    rows = project.history("member").select("symbol", *micros).orderBy("symbol", "effective_from").collect()
    return [(row[0], clock.from_micros(row[1]) or datetime.min.replace(tzinfo=UTC), clock.from_micros(row[2])) for row in rows]


def draw(found: Sequence[Span], *, until: datetime) -> str:
    """The picture; tickers stand in the order in which they came."""
    first = min(start for _, start, _ in found)
    tickers = list(dict.fromkeys(symbol for symbol, _, _ in sorted(found, key=lambda each: (each[1], each[0]))))
    height = (HEIGHT - 2 * MARGIN) / len(tickers)

    def across(moment: datetime) -> float:
        return MARGIN + (moment - first) / (until - first) * (WIDTH - 2 * MARGIN)

    bars = [
        f'<rect x="{across(start):.1f}" y="{MARGIN + tickers.index(symbol) * height:.2f}" '
        f'width="{max(across(end or until) - across(start), 0.5):.1f}" height="{height * 0.9:.2f}"/>'
        for symbol, start, end in found
    ]
    years = [datetime(year, 1, 1, tzinfo=UTC) for year in range(first.year + 1, until.year + 1)]
    marks = [f'<text x="{across(year):.1f}" y="{HEIGHT - MARGIN / 2}">{year.year}</text>' for year in years]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
            f'<text x="{MARGIN}" y="{MARGIN / 2}" font-size="14">The S&amp;P 500: {len(tickers)} tickers by the day they were listed</text>',
            f'<g fill="#2b6cb0">{"".join(bars)}</g>',
            f'<g fill="#555" text-anchor="middle">{"".join(marks)}</g>',
            "</svg>\n",
        )
    )
