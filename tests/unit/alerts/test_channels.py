"""Alerts go out: to the log, to a file, to a real server that is not well at first, to a program."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from muniment.alerts.channels import Message, Webhook, tell
from muniment.model.project import Alert, Reference

MESSAGE = Message("build_stopped", "series ledger", "delta 2026-03-03 is marked bad", "Land it again.")


@dataclass
class Heard:
    """What a server heard, and what it answers next; 200 once that is used up."""

    answers: list[int] = field(default_factory=list)
    bodies: list[dict[str, str]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    address: str = ""


@pytest.fixture
def server() -> Iterator[Heard]:
    heard = Heard()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            heard.tokens.append(self.headers["Authorization"])
            self.send_response(heard.answers.pop(0) if heard.answers else 200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    found = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    heard.address = f"http://127.0.0.1:{found.server_address[1]}/alerts"
    thread = Thread(target=found.serve_forever)
    thread.start()
    yield heard
    found.shutdown()
    found.server_close()
    thread.join()


def test_a_webhook_is_tried_again_while_the_server_is_not_well(server: Heard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers[:] = [503, 500]
    monkeypatch.setenv("ALERT_URL", server.address)
    (tmp_path / "token").write_text("s3cret\n", encoding="utf-8")
    settings = {"url": Reference("env", "ALERT_URL"), "token": Reference("file", str(tmp_path / "token"))}
    assert tell([Alert("webhook", settings)], tmp_path, MESSAGE) == []
    assert len(server.bodies) == 3
    assert server.bodies[-1]["text"] == MESSAGE.text
    assert set(server.tokens) == {"Bearer s3cret"}


def test_what_a_server_refuses_is_not_sent_again_and_keeps_no_other_way_from_its_alert(
    server: Heard, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.answers[:] = [403]
    ways = [Alert("webhook", {"url": server.address}), Alert("file", {"path": "out/alerts.jsonl"}), Alert("webhook", {"url": "ftp://x"})]
    with caplog.at_level(logging.ERROR, "muniment"):
        problems = tell(ways, tmp_path, MESSAGE)
    assert problems == ["the alert could not go by webhook: HTTPError", "the alert could not go by webhook: AlertMistake"]
    assert len(server.bodies) == 1
    (line,) = (tmp_path / "out/alerts.jsonl").read_text(encoding="utf-8").splitlines()
    assert (json.loads(line)["kind"], json.loads(line)["subject"]) == ("build_stopped", "series ledger")
    assert "delta 2026-03-03 is marked bad" in caplog.text


def test_a_server_that_is_not_there_is_tried_three_times() -> None:
    pauses: list[float] = []
    with pytest.raises(OSError, match="refused"):
        Webhook("http://127.0.0.1:9/", pause=pauses.append).send(MESSAGE)
    assert pauses == [0.4, 0.8]


def test_a_program_gets_the_alert_on_its_standard_input_and_a_missing_one_is_said(tmp_path: Path) -> None:
    program = tmp_path / "notify.py"
    program.write_text("import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())", encoding="utf-8")
    assert tell([Alert("command", {"run": f"{sys.executable} {program} {tmp_path / 'got.json'}"})], tmp_path, MESSAGE) == []
    assert json.loads((tmp_path / "got.json").read_text(encoding="utf-8"))["advice"] == "Land it again."
    assert tell([Alert("command", {"run": "no-such-program"})], tmp_path, MESSAGE) == [
        "the alert could not go by command: FileNotFoundError"
    ]
    assert tell([Alert("webhook", {"url": Reference("env", "NOBODY_SET_THIS")})], tmp_path, MESSAGE) == [
        "the alert could not go by webhook: SettingMissing"
    ]


def test_where_nothing_is_declared_the_log_has_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "muniment"):
        assert tell([], tmp_path, MESSAGE) == []
    assert caplog.messages == ["series ledger: delta 2026-03-03 is marked bad"]
