"""An API in front of the lists, as vendors have them: pages of records with a total. Two of its answers are faulty."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from examples.sp500.days import Day

HOST, SIZE, SHORT = "127.0.0.1", 200, 60
BROKEN, CUT = "broken", "short"  # ways to ask for a fault


@contextmanager
def serving(days: Sequence[Day]) -> Iterator[str]:
    """The address of a server that lives as long as this."""
    by_name = {day.name: day for day in days}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            _, _, name, *fault = parts.path.split("/")
            body = _body(by_name[name], int(dict(parse_qsl(parts.query)).get("page", "1")), *fault)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Nothing on the terminal."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}/members"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _body(day: Day, page: int, fault: str = "") -> bytes:
    """One page; `broken` cuts the second one in the middle of a record, `short` has only the first records and says that they are all."""
    records: Sequence[Mapping[str, str]] = day.records[:SHORT] if fault == CUT else day.records
    part = records[(page - 1) * SIZE : page * SIZE]
    body = json.dumps({"total": len(records), "data": part}, ensure_ascii=False).encode()
    return body[: len(body) // 2] if fault == BROKEN and page > 1 else body
