"""The client against a real server that does what servers do: complete is never claimed wrongly, and the reason is kept."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from muniment.captures.found import captures_below
from muniment.captures.http import HttpFetch
from muniment.captures.manifest import Manifest
from muniment.config import parse_entity
from muniment.gate.fields import Fields
from muniment.model.source import Http, Pages, PagesBy
from muniment.steps.capture import Shot, save

from tests.captures.api import HOST, Answer, Api, Asked, Reply, paged, serving, whole

RECORDS = [{"symbol": name, "lot": number} for number, name in enumerate("ABCDE")]
SOURCE = {"read": {"format": "json", "capture": "captures/x"}, "load": "full", "absence": "deletes"}
ENTITY = parse_entity({"entity": "symbol", "key": {"symbol": "string"}, "attributes": {"lot": "int"}, "sources": {"x": SOURCE}})
FIELDS = Fields(ENTITY, ENTITY.source("x"))
PAGE = Pages(PagesBy.PAGE, size=2)


def captured(answer: Answer, folder: Path, *, url: str | None = None, pages: Pages = PAGE, **settings: Any) -> tuple[Manifest, Api]:
    """One capture of a server's answers."""
    with serving(answer) as api:
        declared = {"records": "data", "total": "total", "wait": 0.01, "timeout": 2.0, "attempts": 3, **settings}
        secrets = declared.pop("secrets", {})
        found = save(FIELDS, folder, Shot(HttpFetch(Http(url or api.url, pages=pages, **declared), **secrets)))
    return found.manifest, api


def lines_of(folder: Path) -> list[str]:
    (found,) = captures_below(folder).captures
    return gzip.decompress(found.records.read_bytes()).decode().splitlines()


def sabotaged(page: str, *, by: Answer, until: int = 10**9) -> Answer:
    """Pages by number, one of which goes wrong the first times it is asked for."""

    def answer(asked: Asked) -> Reply:
        return by(asked) if asked.query.get("page") == page and asked.number <= until else paged(RECORDS)(asked)

    return answer


GOOD_AFTER_ALL = {
    "429 with Retry-After": sabotaged("2", by=lambda _: Reply(status=429, headers={"Retry-After": "0"}), until=1),
    "500, then good": sabotaged("2", by=lambda _: Reply(status=500), until=2),
    "cut off once": sabotaged("2", by=lambda asked: replace(paged(RECORDS)(asked), sent=20), until=1),
    "truncated JSON once": sabotaged("2", by=lambda _: Reply(b'{"data": [{"symbol": "C"'), until=1),
}
NEVER_COMPLETE = {
    "500 for good": (
        sabotaged("2", by=lambda _: Reply(status=500)),
        "page 2 could not be had: FetchFailed: MU-CAPTURE-008 status 500, 3 times",
    ),
    "429 that asks for an hour": (
        sabotaged("2", by=lambda _: Reply(status=429, headers={"Retry-After": "3600"})),
        "it asks to wait 3600 seconds, longer than max_wait",
    ),
    "401": (sabotaged("1", by=lambda _: Reply(status=401)), "status 401"),
    "truncated JSON": (sabotaged("2", by=lambda _: Reply(b'{"data": [{"symbol": "C"')), "the answer cannot be read"),
    "cut off": (sabotaged("2", by=lambda asked: replace(paged(RECORDS)(asked), sent=20)), "was cut off after 20 of"),
    "a page repeated": (
        sabotaged("2", by=lambda asked: paged(RECORDS)(replace(asked, query={"page": "1"}))),
        "page 2 is page 1 again",
    ),
    "a total that changes": (sabotaged("3", by=lambda _: whole(RECORDS[4:], total=6)), "the total changed from 5 to 6 while it was read"),
    "fewer than announced": (sabotaged("3", by=lambda _: whole([], total=5)), "4 records came where 5 were announced"),
    "a record on two pages": (
        sabotaged("3", by=lambda _: whole(RECORDS[3:4], total=5)),
        "a record of page 2 came again on page 3: the set moved while it was read",
    ),
    "no list": (sabotaged("2", by=lambda _: Reply(b'{"data": {"symbol": "C"}}')), "there is no list at 'data'"),
    "a record that is no object": (sabotaged("2", by=lambda _: Reply(b'{"data": [1], "total": 5}')), "a record is not a JSON object"),
    "a total that is no number": (sabotaged("2", by=lambda _: whole(RECORDS[2:4], total="many")), "the total is no number: many"),
    "an answer of a gigabyte": (
        sabotaged("2", by=lambda _: Reply(b"[" * 100, length=2**30)),
        "the answer has 1,073,741,824 bytes, more than max_mb allows (1 MB)",
    ),
    "an answer without a length that never ends": (
        sabotaged("2", by=lambda _: Reply(b'{"data": [' + b" " * (3 * 2**20), length=2**19)),
        "page 2 could not be had",
    ),
}


@pytest.mark.parametrize("answer", GOOD_AFTER_ALL.values(), ids=GOOD_AFTER_ALL)
def test_a_fault_that_passes_is_waited_for_and_the_attempts_are_written_down(answer: Answer, tmp_path: Path) -> None:
    manifest, _ = captured(answer, tmp_path)
    assert (manifest.complete, manifest.reason, manifest.record_count, manifest.expected_record_count) == (True, None, 5, 5)
    assert [page["attempts"] for page in manifest.pages][1] > 1
    assert [json.loads(line)["symbol"] for line in lines_of(tmp_path)] == list("ABCDE")


@pytest.mark.parametrize(("answer", "reason"), NEVER_COMPLETE.values(), ids=NEVER_COMPLETE)
def test_a_fault_that_stays_leaves_an_incomplete_capture_with_its_reason(answer: Answer, reason: str, tmp_path: Path) -> None:
    manifest, _ = captured(answer, tmp_path, max_mb=1.0)
    assert not manifest.complete
    assert reason in str(manifest.reason)
    (found,) = captures_below(tmp_path).captures
    assert (found.manifest, len(lines_of(tmp_path))) == (manifest, manifest.record_count)


def test_a_page_that_does_not_come_in_time_is_given_up(tmp_path: Path) -> None:
    manifest, _ = captured(sabotaged("2", by=lambda _: Reply(hangs=True)), tmp_path, timeout=0.2, attempts=2)
    assert (manifest.complete, manifest.record_count) == (False, 2)
    assert "no whole answer within 0.2 seconds, 2 times" in str(manifest.reason)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_to_another_host_is_refused_and_hears_no_header(status: int, tmp_path: Path) -> None:
    with serving(paged(RECORDS)) as other:
        elsewhere = other.url.replace(HOST, "localhost")
        manifest, _ = captured(
            lambda _: Reply(status=status, headers={"Location": elsewhere}),
            tmp_path,
            secrets={"headers": {"Authorization": "Bearer s3cret"}},
        )
        assert other.asked == []
    assert "sends us to another host, localhost" in str(manifest.reason)


def test_a_redirect_on_the_same_host_is_followed(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Reply:
        return paged(RECORDS)(asked) if asked.path == "/v2" else Reply(status=307, headers={"Location": f"/v2?page={asked.query['page']}"})

    assert captured(answer, tmp_path)[0].complete


def test_a_next_page_on_another_host_is_refused(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Reply:
        return replace(whole(RECORDS[:2]), headers={"Link": '<http://elsewhere.example/symbols?page=2>; rel="next"'})

    manifest, _ = captured(answer, tmp_path, pages=Pages(PagesBy.LINK), total=None)
    assert "the next page is on another host, elsewhere.example" in str(manifest.reason)


def by_offset(asked: Asked) -> Reply:
    start = int(asked.query["offset"])
    return whole(RECORDS[start : start + int(asked.query["limit"])])


def by_cursor(asked: Asked) -> Reply:
    start = int(asked.query.get("after", "c0")[1:])
    following = start + 2
    return whole(RECORDS[start:following], meta={"next": f"c{following}" if following < len(RECORDS) else None})


def by_link(asked: Asked) -> Reply:
    page = int(asked.query.get("page", "1"))
    link = {"Link": f'</symbols?page={page + 1}>; rel="next", </symbols?page=1>; rel="first"'} if page < 3 else {}
    return replace(whole(RECORDS[2 * page - 2 : 2 * page]), headers=link)


@pytest.mark.parametrize(
    ("answer", "pages"),
    [
        (paged(RECORDS, total=False), PAGE),
        (by_offset, Pages(PagesBy.OFFSET, size=2, size_parameter="limit")),
        (by_cursor, Pages(PagesBy.CURSOR, parameter="after", next="meta.next")),
        (by_link, Pages(PagesBy.LINK)),
        (lambda _: whole(RECORDS), Pages()),
    ],
    ids=["page", "offset", "cursor", "link", "one answer"],
)
def test_each_way_of_paging_brings_every_record_once(answer: Answer, pages: Pages, tmp_path: Path) -> None:
    manifest, _ = captured(answer, tmp_path, pages=pages, total=None)
    assert (manifest.complete, manifest.reason) == (True, None)
    assert [json.loads(line) for line in lines_of(tmp_path)] == RECORDS


def test_a_short_page_that_is_not_the_last_speaks_against_the_capture(tmp_path: Path) -> None:
    manifest, _ = captured(sabotaged("2", by=lambda _: whole(RECORDS[2:3])), tmp_path, total=None)
    assert not manifest.complete


def test_cursors_that_go_in_a_circle_end(tmp_path: Path) -> None:
    pages = Pages(PagesBy.CURSOR, next="next")
    manifest, api = captured(lambda asked: whole([{"symbol": str(len(asked.query))}], next="again"), tmp_path, pages=pages, total=None)
    assert ("go in a circle" in str(manifest.reason), len(api.asked)) == (True, 2)


def test_records_are_kept_as_the_vendor_wrote_them(tmp_path: Path) -> None:
    body = '{"total": 2, "as_of": "2026-03-02T08:30:00Z",\n "data": [ {"symbol": "A", "lot": 1.10, "name": "平安\\u94f6"},\n {"symbol":"B",\n"lot": 2E3} ] }'
    manifest, _ = captured(lambda _: Reply(body.encode()), tmp_path, pages=Pages(), as_of="as_of")
    assert lines_of(tmp_path) == ['{"symbol": "A", "lot": 1.10, "name": "平安\\u94f6"}', '{"symbol":"B", "lot": 2E3}']
    assert manifest.effective.isoformat() == "2026-03-02T08:30:00+00:00"
    assert manifest.effective != manifest.captured_at


@pytest.mark.parametrize(
    ("said", "instant"),
    [
        ('"2026-03-02T08:30:00+01:00"', "2026-03-02T07:30:00"),
        ("1772436600", "2026-03-02T07:30:00"),
        ("1772436600000", "2026-03-02T07:30:00"),
    ],
)
def test_the_vendors_time_may_be_text_or_a_number(said: str, instant: str, tmp_path: Path) -> None:
    manifest, _ = captured(
        lambda _: Reply(f'{{"as_of": {said}, "data": [{{"symbol": "A"}}]}}'.encode()), tmp_path, pages=Pages(), as_of="as_of"
    )
    assert manifest.effective.isoformat() == f"{instant}+00:00"


def test_a_vendors_time_that_is_none_speaks_against_the_capture(tmp_path: Path) -> None:
    manifest, _ = captured(lambda _: whole(RECORDS, as_of="yesterday"), tmp_path, pages=Pages(), as_of="as_of", total=None)
    assert (manifest.complete, manifest.reason) == (False, "page 1 speaks for 'yesterday', which is no time")


def test_secrets_and_logins_reach_the_server_and_nothing_that_is_written(tmp_path: Path) -> None:
    answer = sabotaged("2", by=lambda _: Reply(status=403))
    secrets = {"headers": {"Authorization": "Bearer s3cret-h"}, "secret_params": {"apikey": "s3cret-p", "pw": "s3cret-q"}}
    manifest, api = captured(answer, tmp_path, secrets=secrets, params={"token": "s3cret-t", "exchange": "SZSE"})
    assert (api.asked[0].headers["Authorization"], api.asked[0].query["apikey"]) == ("Bearer s3cret-h", "s3cret-p")
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.suffix == ".json")
    assert b"s3cret" not in written
    assert b"SZSE" in written
    assert "status 403" in str(manifest.reason)
    assert "s3cret" not in repr(HttpFetch(Http(api.url), **secrets))
