"""Failures as people meet them: a code, what happened and what to do next on stderr, and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from muniment.config.mistakes import printable
from muniment.errors import MunimentError
from muniment.lake.trouble import summary

UNEXPECTED = 4
INTERRUPTED = 130
UNREAD = 141  # as a process that dies of a closed pipe


@contextmanager
def reported(*, debug: bool) -> Iterator[None]:
    """Run a command's body; whatever it raises becomes one exit code and few words."""
    try:
        yield
        sys.stdout.flush()
    except (typer.Exit, typer.Abort):
        raise
    except BrokenPipeError:
        _forget_stdout()
        raise typer.Exit(UNREAD) from None
    except KeyboardInterrupt:
        say("Interrupted. The same command again finishes what was begun.")
        raise typer.Exit(INTERRUPTED) from None
    except MunimentError as error:
        _trace(error, wanted=debug)
        say(str(error))
        raise typer.Exit(error.exit_code) from None
    except Exception as error:  # noqa: BLE001 - the last place that can turn it into words
        _trace(error, wanted=debug)
        hint = "" if debug else "\n  --debug shows where it comes from."
        say(f"MU-BUG-001 unexpected {type(error).__name__}: {summary(error)}{hint}")
        raise typer.Exit(UNEXPECTED) from None


def say(text: str) -> None:
    """Words for a person, apart from the data."""
    print("\n".join(printable(line) for line in text.split("\n")), file=sys.stderr)


def _trace(error: BaseException, *, wanted: bool) -> None:
    if wanted:
        traceback.print_exception(error, file=sys.stderr)


def _forget_stdout() -> None:
    """Nobody reads any more: keep Python from trying once more when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - it stays open to the end
