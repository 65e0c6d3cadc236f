"""Mistakes in sources of captures."""

from __future__ import annotations

from tests.unit.config.cases import Case


def _case(source: str, says: str) -> Case:
    """One source of an entity with a scope."""
    lines = "\n".join(f"    {line}" for line in source.strip("\n").splitlines())
    return Case(f"entity: symbol\nkey: {{symbol: string}}\nattributes: {{exchange: string}}\nsources:\n  x:\n{lines}\n", says)


CAPTURES: dict[str, Case] = {
    "what is fetched without a folder for it": _case(
        "read:\n  format: json\n  path: landing\n  http: {url: 'https://h.example/a'}  # <- here",
        "sources.x.read.http: what is fetched is captured first; add 'capture: captures/NAME' for the folder",
    ),
    "captures in csv": _case(
        "read:\n  capture: captures/x\n  format: csv  # <- here",
        "sources.x.read.format: captures hold records as json or parquet; write 'format: json'",
    ),
    "captures elsewhere": _case(
        "read:\n  format: json\n  capture: s3://bucket/captures  # <- here",
        "sources.x.read.capture: captures are kept in a folder of the project; write it without a scheme",
    ),
    "a capture with a time of its file's name": _case(
        "read: {format: json, capture: captures/x}\nevent_time: {given: as_of}  # <- here",
        "sources.x.event_time: a capture knows the instant it speaks for; leave event_time out, or name the column with the vendor's own date",
    ),
    "an address that is none": _case(
        "read:\n  format: json\n  capture: captures/x\n  http:\n    url: 'file:///etc/passwd'  # <- here",
        "sources.x.read.http.url: an address begins with https:// or http:// and names a host",
    ),
    "a login in an address": _case(
        "read:\n  format: json\n  capture: captures/x\n  http:\n    url: 'https://jane@h.example/a'  # <- here",
        "sources.x.read.http.url: a login does not belong here; put it into a connection as a header: Authorization: {env: NAME}",
    ),
    "a secret among the parameters": _case(
        "read:\n  format: json\n  capture: captures/x\n  http:\n    url: 'https://h.example/a'\n    params:\n      api_key: abc  # <- here",
        "sources.x.read.http.params.api_key: a secret does not belong here; put it into a connection as 'param.api_key: {env: NAME}'",
    ),
    "a cursor that is nowhere": _case(
        "read:\n  format: json\n  capture: captures/x\n  http:\n    url: 'https://h.example/a'\n    pages: {by: cursor}  # <- here",
        "sources.x.read.http.pages: say where the answer has the next cursor, such as 'next: meta.next'",
    ),
    "an end of what is no capture": _case(
        "read: {format: json, path: landing/x}\nuntil: delisted  # <- here",
        "sources.x.until: only records of captures end: a vendor's history, or a list of delistings; add 'capture'",
    ),
    "authority without a scope": _case(
        "read: {format: json, capture: captures/x}\nload: full\nabsence: deletes\nauthority: [SZSE]  # <- here",
        "sources.x.authority: authority names values of the one column that 'scope' has, where 'absence: deletes' makes it matter",
    ),
    "two authorities over one scope": Case(
        """
        entity: symbol
        key: {symbol: string}
        attributes: {exchange: string}
        sources:
          x: {read: {format: json, capture: captures/x}, load: full, absence: deletes, scope: [exchange], authority: [SZSE]}
          y:
            read: {format: json, capture: captures/y}
            load: full
            absence: deletes
            scope: [exchange]
            authority:
              - NYSE
              - SZSE  # <- here
        """,
        "sources.y.authority[1]: 'x' has the authority over SZSE already; one source has it",
    ),
    "an exclusion of something unknown": _case(
        "read: {format: json, capture: captures/x}\nexclude: 'kind = 1'  # <- here",
        "sources.x.exclude: there is no column 'kind'; known: symbol, exchange",
    ),
}
