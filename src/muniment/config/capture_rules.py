"""What a source of captures must agree with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from muniment.config.capture_shape import HttpShape
from muniment.config.mistakes import Place
from muniment.config.paths import path_problem
from muniment.config.secrets import holds_login, is_secret
from muniment.config.source_shape import FileNameTimeShape, GivenTimeShape, SourceShape
from muniment.config.subject import EntitySubject, Findings, no_such
from muniment.expressions import check_predicate
from muniment.model.source import Absence, Format, PagesBy


def http_is_for_captures(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        if (
            source.read is not None
            and source.read.http is not None
            and source.read.capture is None
            and subject.sound("sources", name, "read")
        ):
            yield ("sources", name, "read", "http"), "what is fetched is captured first; add 'capture: captures/NAME' for the folder"


def captures_are_json_or_parquet(subject: EntitySubject) -> Findings:
    for name, source in _captured(subject):
        if source.read is not None and source.read.format not in (Format.JSON, Format.PARQUET):
            yield ("sources", name, "read", "format"), "captures hold records as json or parquet; write 'format: json'"


def captures_are_on_this_machine(subject: EntitySubject) -> Findings:
    for name, source in _captured(subject):
        text = (source.read.capture if source.read is not None else None) or ""
        remote = "://" in text or text.startswith("file:")
        if remote and path_problem(text, root=subject.root, absolute=False) is None:
            yield ("sources", name, "read", "capture"), "captures are kept in a folder of the project; write it without a scheme"


def captures_have_their_time(subject: EntitySubject) -> Findings:
    for name, source in _captured(subject):
        if isinstance(source.event_time, FileNameTimeShape | GivenTimeShape):
            yield (
                ("sources", name, "event_time"),
                "a capture knows the instant it speaks for; leave event_time out, or name the column with the vendor's own date",
            )


def urls_are_plain(subject: EntitySubject) -> Findings:
    for name, http in _http(subject):
        at: Place = ("sources", name, "read", "http")
        if urlsplit(http.url).scheme not in ("http", "https") or not urlsplit(http.url).hostname:
            yield (*at, "url"), "an address begins with https:// or http:// and names a host"
        if holds_login(http.url) or "@" in urlsplit(http.url).netloc:
            yield (*at, "url"), "a login does not belong here; put it into a connection as a header: Authorization: {env: NAME}"
        for param, value in http.params.items():
            if is_secret(param) or holds_login(value):
                yield (*at, "params", param), f"a secret does not belong here; put it into a connection as 'param.{param}: {{env: NAME}}'"


def http_connection_exists(subject: EntitySubject) -> Findings:
    for name, http in _http(subject):
        if http.use is not None and subject.connections is not None and http.use not in subject.connections:
            yield ("sources", name, "read", "http", "use"), no_such("connection", http.use, subject.connections)


def cursors_are_somewhere(subject: EntitySubject) -> Findings:
    for name, http in _http(subject):
        if http.pages is not None and http.pages.by is PagesBy.CURSOR and http.pages.next is None:
            yield ("sources", name, "read", "http", "pages"), "say where the answer has the next cursor, such as 'next: meta.next'"


def ends_need_beginnings(subject: EntitySubject) -> Findings:
    for name, source in subject.shape.sources.items():
        captured = source.read is not None and source.read.capture is not None
        if source.until is not None and not captured:
            yield ("sources", name, "until"), "only records of captures end: a vendor's history, or a list of delistings; add 'capture'"


def authority_is_one(subject: EntitySubject) -> Findings:
    holder: dict[str, str] = {}
    for name, source in subject.shape.sources.items():
        at: Place = ("sources", name, "authority")
        if source.authority is not None and (len(source.scope) != 1 or source.absence is not Absence.DELETES):
            yield at, "authority names values of the one column that 'scope' has, where 'absence: deletes' makes it matter"
        for index, value in enumerate(source.authority or ()):
            first = holder.setdefault(str(value), name)
            if first != name:
                yield (*at, index), f"'{first}' has the authority over {value} already; one source has it"


def exclusions_can_be_judged(subject: EntitySubject) -> Findings:
    known = subject.columns()
    for name, source in subject.shape.sources.items():
        try:
            check_predicate(source.exclude or "true", known or ())
        except ValueError as error:
            if known is not None:
                yield ("sources", name, "exclude"), str(error)


def _captured(subject: EntitySubject) -> Iterator[tuple[str, SourceShape]]:
    return ((name, source) for name, source in subject.shape.sources.items() if source.read is not None and source.read.capture is not None)


def _http(subject: EntitySubject) -> Iterator[tuple[str, HttpShape]]:
    for name, source in subject.shape.sources.items():
        if source.read is not None and source.read.http is not None:
            yield name, source.read.http


CAPTURE_RULES: tuple[Callable[[EntitySubject], Findings], ...] = (
    http_is_for_captures,
    captures_are_json_or_parquet,
    captures_are_on_this_machine,
    captures_have_their_time,
    urls_are_plain,
    http_connection_exists,
    cursors_are_somewhere,
    ends_need_beginnings,
    authority_is_one,
    exclusions_can_be_judged,
)
