"""Runs in dbt's own environment: takes commands of dbt as lines of JSON and answers each with what went wrong, or null."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout

from dbt.cli.main import dbtRunner, dbtRunnerResult


def main(flags: list[str]) -> None:
    """Parse the project once, as nothing in it changes, then run one command after the other."""
    answers = sys.stdout
    with redirect_stdout(sys.stderr):  # dbt tells on the standard output what it does; that is kept for the answers
        runner = dbtRunner(manifest=dbtRunner().invoke(["parse", *flags]).result)
        for line in sys.stdin:
            print(json.dumps(_complaint(runner.invoke([*json.loads(line), *flags]))), file=answers, flush=True)


def _complaint(done: dbtRunnerResult) -> str | None:
    return None if done.success else str(done.exception or [each.message for each in done.result])


if __name__ == "__main__":
    main(sys.argv[1:])
