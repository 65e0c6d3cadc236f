"""`make series`: a bad day, its discovery two days later, and the repair, command by command on a copy of this folder."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory

from muniment.cli.main import main as muniment

HERE = Path(__file__).parent
SIGNED = ("--by", "jane", "--reason")

# What is typed, and the exit code it ends with.
STORY: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("A dump on the first day, then only changes.", ("land", "ledger", "dump", "2026-03-01", "landing/dump_0301.csv"), 0),
    ("", ("land", "ledger", "delta", "2026-03-02", "landing/delta_0302.csv"), 0),
    ("", ("build", "ledger", "2026-03-02"), 0),
    ("On the third day somebody sends an amount in cents, and nobody notices.", ("land", "ledger", "delta", "2026-03-03", "landing/delta_0303.csv"), 0),
    ("", ("build", "ledger", "2026-03-03"), 0),
    ("", ("land", "ledger", "delta", "2026-03-04", "landing/delta_0304.csv"), 0),
    ("", ("build", "ledger", "2026-03-04"), 0),
    ("Two days later Baker calls: nine thousand?", ("mark", "ledger", "delta", "2026-03-03", *SIGNED, "amounts in cents"), 0),
    ("Readers are back on the second day, and nothing new is built on what is bad.", ("read", "ledger"), 0),
    ("", ("land", "ledger", "delta", "2026-03-05", "landing/delta_0305.csv"), 0),
    ("", ("build", "ledger", "2026-03-05"), 1),
    ("", ("show", "ledger"), 0),
    ("The right amounts come, and take the place of the wrong ones.", ("land", "ledger", "delta", "2026-03-03", "landing/delta_0303_again.csv"), 0),
    ("", ("backfill", "ledger", "--dry-run"), 0),
    ("", ("backfill", "ledger", *SIGNED, "sent again"), 0),
    ("", ("build", "ledger", "2026-03-05"), 0),
    ("", ("read", "ledger"), 0),
    ("", ("show", "ledger"), 0),
    ("What was said, by whom and why, stays.", ("marks", "ledger"), 0),
)  # fmt: skip


def main() -> int:
    """Tell the story; the lake is gone afterwards."""
    with TemporaryDirectory() as folder:
        place = copied(Path(folder) / "bank")
        for words, command, expected in STORY:
            print(f"\n{words}\n" if words else "", f"$ muniment series {' '.join(command)}", sep="", flush=True)
            if muniment(in_folder(place, command)) != expected:
                return 1
    return 0


def copied(place: Path) -> Path:
    """The example's files somewhere else."""
    return copytree(HERE, place, ignore=ignore_patterns("*.py", "__pycache__", "lake"))


def in_folder(place: Path, command: tuple[str, ...]) -> list[str]:
    """A command of the story, as one types it from anywhere."""
    return ["series", *(str(place / word) if word.startswith("landing/") else word for word in command), "--project", str(place)]


if __name__ == "__main__":
    sys.exit(main())
