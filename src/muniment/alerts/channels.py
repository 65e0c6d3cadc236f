"""The ways an alert goes: to the log, to a file, to an address, to a program. A new one is a class and a line in the table at the end."""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from muniment import clock
from muniment.alerts.errors import AlertMistake
from muniment.errors import UserMistake
from muniment.model.project import Alert, Setting
from muniment.model.settings import setting_text

LOGGER = logging.getLogger("muniment")
ATTEMPTS = 3
TIMEOUT = 10.0
_FAILED = (OSError, subprocess.SubprocessError, UserMistake)


@dataclass(frozen=True, slots=True)
class Message:
    """What is wrong, where, and what to do; `kind` is for programs: build_stopped, no_base, marked."""

    kind: str
    subject: str
    text: str
    advice: str = ""
    at: str = ""

    def to_json(self) -> str:
        return json.dumps({**asdict(self), "at": self.at or clock.now().isoformat()}, ensure_ascii=False)


class Channel(Protocol):
    """One way to tell."""

    def send(self, message: Message) -> None: ...


@dataclass(frozen=True, slots=True)
class Log:
    """To Python's own log, under the name muniment."""

    def send(self, message: Message) -> None:
        LOGGER.warning("%s: %s", message.subject, message.text)


@dataclass(frozen=True, slots=True)
class File:
    """One line of JSON at the end of a file."""

    path: Path

    def send(self, message: Message) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(message.to_json() + "\n")


@dataclass(frozen=True, slots=True)
class Webhook:
    """JSON by POST; tried again when the other side cannot be reached or is not well, never when it refuses."""

    url: str
    token: str | None = None
    pause: Callable[[float], None] = clock.pause

    def send(self, message: Message) -> None:
        for attempt in range(1, ATTEMPTS):
            try:
                return self._post(message)
            except HTTPError as error:
                error.close()
                if error.code < 500:
                    raise
            except OSError:
                pass
            self.pause(0.2 * 2**attempt)
        return self._post(message)

    def _post(self, message: Message) -> None:
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
        with urlopen(Request(self.url, message.to_json().encode(), headers), timeout=TIMEOUT) as answer:
            answer.read()


@dataclass(frozen=True, slots=True)
class Command:
    """A program that gets the JSON on its standard input; no shell is between."""

    words: Sequence[str]

    def send(self, message: Message) -> None:
        subprocess.run(self.words, input=message.to_json().encode(), timeout=TIMEOUT, check=True, capture_output=True)


def tell(alerts: Sequence[Alert], root: Path, message: Message) -> list[str]:
    """Send a message every way; one that fails keeps none of the others from it, and is said."""
    problems = []
    for alert in alerts or (Alert("log", {}),):  # where none is declared
        try:
            WAYS[alert.kind](alert.settings, root).send(message)
        except _FAILED as error:
            problems.append(f"the alert could not go by {alert.kind}: {type(error).__name__}")
            LOGGER.error("%s: %s (the alert could not go by %s)", message.subject, message.text, alert.kind)
    return problems


def _log(_: Mapping[str, Setting], __: Path) -> Channel:
    return Log()


def _file(settings: Mapping[str, Setting], root: Path) -> Channel:
    return File(root / _needed("file", "path", settings))


def _webhook(settings: Mapping[str, Setting], _: Path) -> Channel:
    url = _needed("webhook", "url", settings)
    if not url.startswith(("http://", "https://")):
        raise AlertMistake(way="webhook", problem="its url does not begin with http:// or https://")
    return Webhook(url, setting_text("token", settings["token"]) if "token" in settings else None)


def _command(settings: Mapping[str, Setting], _: Path) -> Channel:
    return Command(_needed("command", "run", settings).split())


def _needed(way: str, name: str, settings: Mapping[str, Setting]) -> str:
    if name not in settings:
        raise AlertMistake(way=way, problem=f"it has no '{name}'")
    return setting_text(name, settings[name])


WAYS: Mapping[str, Callable[[Mapping[str, Setting], Path], Channel]] = {
    "log": _log,
    "file": _file,
    "webhook": _webhook,
    "command": _command,
}
