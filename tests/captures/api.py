"""A real HTTP server on this machine that answers as a test tells it, faults included."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    number: int  # of the requests for this path and query, from 1


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer; `sent` cuts it off after so many bytes, `hangs` sends nothing until the client has gone."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: int | None = None
    length: int | None = None
    hangs: bool = False


Answer = Callable[[Asked], Reply]


@dataclass(slots=True)
class Api:
    """The server, and all that it was asked."""

    port: int
    answer: Answer
    asked: list[Asked] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}/symbols"


@contextmanager
def serving(answer: Answer) -> Iterator[Api]:
    """A server for the time of a test."""
    api = Api(0, answer)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _serve(self, api)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Nothing on the terminal."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    api.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield api
    finally:
        api.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _serve(handler: BaseHTTPRequestHandler, api: Api) -> None:
    parts = urlsplit(handler.path)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    number = 1 + sum(1 for each in api.asked if (each.path, each.query) == (parts.path, query))
    asked = Asked(parts.path, query, dict(handler.headers.items()), number)
    api.asked.append(asked)
    reply = api.answer(asked)
    if reply.hangs:
        api.stopping.wait(10)
        return
    handler.send_response(reply.status)
    handler.send_header("Content-Length", str(reply.length if reply.length is not None else len(reply.body)))
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(reply.body if reply.sent is None else reply.body[: reply.sent])


def whole(records: Sequence[Mapping[str, object]], **meta: object) -> Reply:
    """All records in one answer."""
    return Reply(json.dumps({"data": list(records), **meta}).encode())


def paged(records: Sequence[Mapping[str, object]], *, size: int = 2, total: bool = True) -> Answer:
    """An API with pages by number, and the total beside them."""

    def answer(asked: Asked) -> Reply:
        start = (int(asked.query.get("page", "1")) - 1) * size
        return whole(records[start : start + size], **({"total": len(records)} if total else {}))

    return answer
