"""Membership over time as SVG: a line per ticker, from when it was listed to when it was not; who came back has another colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from pyspark.sql import functions as F

from muniment import clock
from muniment.project import Project

WIDTH, HEIGHT, MARGIN = 900, 640, 40
FIRST, AGAIN = "#2b6cb0", "#dd6b20"
Span = tuple[str, datetime, datetime | None]


def spans(project: Project) -> list[Span]:
    """Ticker, from, to of every stay in the index; versions that follow each other without a gap are one stay."""
    micros = [F.unix_micros(F.col(name).cast("timestamp")).alias(name) for name in ("effective_from", "effective_to")]
    rows = project.history("member").select("symbol", *micros).orderBy("symbol", "effective_from").collect()
    return stays([(row[0], clock.from_micros(row[1]) or datetime.min.replace(tzinfo=UTC), clock.from_micros(row[2])) for row in rows])


def stays(versions: Sequence[Span]) -> list[Span]:
    """Versions by ticker and time as stays.

    >>> day = [datetime(2024, 1, n, tzinfo=UTC) for n in range(1, 5)]
    >>> stays([("A", day[0], day[1]), ("A", day[1], day[2]), ("A", day[3], None)]) == [("A", day[0], day[2]), ("A", day[3], None)]
    True
    """
    found: list[Span] = []
    for symbol, start, end in versions:
        if found and (found[-1][0], found[-1][2]) == (symbol, start):
            found[-1] = (symbol, found[-1][1], end)
        else:
            found.append((symbol, start, end))
    return found


def draw(found: Sequence[Span], *, until: datetime) -> str:
    """The picture; tickers stand in the order in which they came."""
    first = min(start for _, start, _ in found)
    tickers = list(dict.fromkeys(symbol for symbol, _, _ in sorted(found, key=lambda each: (each[1], each[0]))))
    places = {symbol: number for number, symbol in enumerate(tickers)}
    height = (HEIGHT - 2 * MARGIN) / len(tickers)

    def across(moment: datetime) -> float:
        return MARGIN + (moment - first) / (until - first) * (WIDTH - 2 * MARGIN)

    def bar(span: Span) -> str:
        symbol, start, end = span
        left, right = across(start), across(end or until)
        place = (
            f'x="{left:.1f}" y="{MARGIN + places[symbol] * height:.2f}" width="{max(right - left, 0.5):.1f}" height="{height * 0.9:.2f}"'
        )
        told = f"{symbol}: {start:%Y-%m-%d} to {'now' if end is None else end.date()}"
        return f"<rect {place}><title>{told}</title></rect>"

    began = {symbol: start for symbol, start, _ in sorted(found, key=lambda each: each[1], reverse=True)}
    again = {span for span in found if span[1] > began[span[0]]}
    years = [(across(datetime(year, 1, 1, tzinfo=UTC)), year) for year in range(first.year + 1, until.year + 1)]
    return "\n".join(_page(len(tickers), years, [bar(s) for s in found if s not in again], [bar(s) for s in found if s in again]))


def _page(tickers: int, years: Sequence[tuple[float, int]], first: Sequence[str], again: Sequence[str]) -> Iterator[str]:
    lines = [f'<path d="M{x:.1f} {MARGIN}V{HEIGHT - MARGIN}"/>' for x, _ in years]
    names = [f'<text x="{x:.1f}" y="{HEIGHT - MARGIN / 2}">{year}</text>' for x, year in years]
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">'
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    yield f'<text x="{MARGIN}" y="{MARGIN / 2}" font-size="14">The S&amp;P 500: {tickers} tickers by the day they were listed</text>'
    yield f'<text x="{WIDTH - MARGIN}" y="{MARGIN / 2}" text-anchor="end" fill="{AGAIN}">{len(again)} stays after a return</text>'
    yield f'<g stroke="#cccccc">{"".join(lines)}</g>'
    yield f'<g fill="{FIRST}">{"".join(first)}</g>'
    yield f'<g fill="{AGAIN}">{"".join(again)}</g>'
    yield f'<g fill="#555555" text-anchor="middle">{"".join(names)}</g>'
    yield "</svg>\n"
