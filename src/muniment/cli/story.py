"""The demo: a small bank, two systems that speak about its customers, and what becomes of what they say."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from muniment.cli.asked import Asked, command
from muniment.cli.held import held_loads
from muniment.cli.landing import told
from muniment.cli.looking import FOUND, runs_brief, verdict
from muniment.cli.output import View, answer_frame
from muniment.cli.progress import working
from muniment.cli.projects import opened
from muniment.cli.quarantine import brief
from muniment.cli.sheet import stdout
from muniment.cli.starting import AlreadyThere, packaged
from muniment.cli.timeline import brief as history_brief
from muniment.cli.timeline import picture
from muniment.cli.timeline import told as derived

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from muniment.project import Project
    from muniment.quality.problems import Verification

_BANK = files("muniment.cli") / "bank"
_CLERK = "demo"
_DORMANT, _NOBODY, _LEFT = "Dormant is a status since March", "nobody knows who that is", "C-3 did leave"
_COUNTS = frozenset({"landed", "set aside"})
_RECEIPTS = frozenset({"ingest_run_id", "ingest_ts", "first_receipt_ts", "first_seen_ts", "last_seen_ts"})
_LOOK = "SELECT customer_id, source_system, op, name, status, city, source_event_ts FROM bronze.customer_log ORDER BY 1, 7"


@dataclass(frozen=True, slots=True)
class Bank:
    """The project of the demo, while its story is told."""

    project: Project
    asked: Asked

    def arrives(self, delivery: str, source: str) -> None:
        """Files of a delivery appear where their source puts them."""
        landing = self.project.model.root / "landing" / source
        landing.mkdir(parents=True, exist_ok=True)
        for name, text in packaged(_BANK / "deliveries" / delivery):
            (landing / name).write_text(text, encoding="utf-8")

    def lands(self, source: str) -> None:
        """What is new at the source's place goes through the gate."""
        _typed(f"muniment land customer {source}")
        with working("Landing"):
            result = self.project.land("customer", source)
            held = held_loads(self.project, "customer", run_id=result.run_id) if result.held else []
        for line in told(result, held):
            print(line)

    def evidence(self) -> None:
        """What the log holds."""
        _typed(f'muniment sql "{_LOOK}"')
        answer_frame(self.project.sql(_LOOK), self.asked, View())

    def derives(self) -> None:
        """The timeline is brought up to the log; show all of it."""
        _typed("muniment derive customer")
        with working("Deriving"):
            done = self.project.derive("customer")
        for line in derived(done):
            print(line)
        print()
        _typed("muniment history customer")
        versions = self.project.history("customer").orderBy("customer_id", "effective_from", "precedence_rank")
        answer_frame(versions, self.asked, View(history_brief(versions, self.project.entity("customer"))))

    def decides(self) -> tuple[str, str, list[str]]:
        """A person's word on what waits: the released row, the rejected one, the accepted loads."""
        waiting = self.project.quarantine("customer").where("source_system = 'crm'")
        ids = {row["reason"]: row["quarantine_id"] for row in waiting.select("reason", "quarantine_id").collect()}
        failed, nameless = ids["check_failed"], ids["key_missing"]
        self.project.release([failed], by=_CLERK, reason=_DORMANT)
        self.project.reject([nameless], by=_CLERK, reason=_NOBODY)
        loads = [load.load_id for load in held_loads(self.project, "customer")]
        for load in loads:
            self.project.accept(load, by=_CLERK, reason=_LEFT)
        return failed, nameless, loads


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    command(app, demo, shared=False)


def demo(
    asked: Asked, keep: Annotated[Path | None, typer.Option(metavar="PATH", help="Make the demo's project here and leave it there.")] = None
) -> None:
    """Tell the whole story on a small bank."""
    with _folder(keep) as folder:
        _write_project(folder)
        asked = Asked(project=folder, debug=asked.debug)
        bank = Bank(opened(asked), asked)
        for number, (sentence, happens) in enumerate(STORY, start=1):
            stdout().print(f"\n{number}. {sentence}", style="bold")
            happens(bank)
        found = _proof(bank)
        if keep is not None:
            print(f"\nThe lake is in {folder / 'lake'}. Ask it something:")
            _typed(f"muniment resolve customer --project {keep}")
            _typed(f"muniment why customer C-1 status --project {keep}")
    if not found.ok:
        raise typer.Exit(FOUND)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """A folder of the demo's own, gone afterwards unless it is to be kept."""
    if keep is not None:
        if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
            raise AlreadyThere(place=str(keep), again="muniment demo --keep PATH")
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    made = Path(tempfile.mkdtemp(prefix="muniment-demo-")).resolve()
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _write_project(folder: Path) -> None:
    for name, text in packaged(_BANK / "project"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _first_evening(bank: Bank) -> None:
    bank.arrives("1", "crm")
    bank.lands("crm")
    bank.arrives("2", "core")
    bank.lands("core")
    bank.evidence()
    bank.derives()


def _second_evening(bank: Bank) -> None:
    bank.arrives("3", "crm")
    bank.lands("crm")
    bank.derives()


def _again(bank: Bank) -> None:
    bank.lands("crm")


def _corrected_and_late(bank: Bank) -> None:
    bank.arrives("5", "crm")
    bank.lands("crm")
    bank.arrives("6", "core")
    bank.lands("core")
    bank.derives()


def _aside(bank: Bank) -> None:
    _typed("muniment quarantine customer")
    rows = bank.project.quarantine("customer").orderBy("source_file", "reason")
    answer_frame(rows, bank.asked, View(brief(rows, named=True, decided=False), names=frozenset({"id"})))


def _decisions(bank: Bank) -> None:
    failed, nameless, loads = bank.decides()
    _typed(f'muniment quarantine release customer {failed[:12]} --by {_CLERK} --reason "{_DORMANT}"')
    print("released: it lands now, and is known from now on")
    _typed(f'muniment quarantine reject customer {nameless[:12]} --by {_CLERK} --reason "{_NOBODY}"')
    print("rejected: it stays out, and is kept")
    for load in loads:
        _typed(f'muniment quarantine accept customer {load[:12]} --by {_CLERK} --reason "{_LEFT}"')
        print("accepted: who is missing from it has left")
    bank.derives()


def _picture(bank: Bank) -> None:
    for key in ("C-1", "C-3"):
        _typed(f"muniment history customer {key}")
        picture(bank.project.history("customer", key).orderBy("effective_from", "precedence_rank"), bank.project.entity("customer"))


def _another_order(bank: Bank) -> None:
    """What came last comes first, in a lake of its own; of two rows that nothing orders, the receipt decides, so these two keep their order."""
    folder = bank.project.model.root / "again"
    _write_project(folder)
    other = Bank(opened(Asked(project=folder, debug=bank.asked.debug)), bank.asked)
    for deliveries, source in ((("6", "2"), "core"), (("3", "1"), "crm"), (("5",), "crm")):
        for delivery in deliveries:
            other.arrives(delivery, source)
        _typed(f"muniment land customer {source} --project again")
        print(next(told(other.project.land("customer", source))))
    other.decides()
    _typed("muniment derive customer --project again")
    print(*derived(other.project.derive("customer")), sep="\n")
    found = _counted(*(each.project.history("customer") for each in (bank, other)))
    print(
        f"{found['here']} versions here, {found['there']} there; {found['only_here']} only here, {found['only_there']} only there"
        " (leaving out when they were received)"
    )
    if found["only_here"] or found["only_there"]:
        raise typer.Exit(FOUND)


def _counted(here: DataFrame, there: DataFrame) -> Counter[str]:
    """How many versions each side has, and how many it alone has; what was received when is left out."""
    from pyspark.sql import functions as F

    said = [name for name in here.columns if name not in _RECEIPTS]
    sides = [rows.select(*said, F.lit(name).alias("side")) for rows, name in ((here, "here"), (there, "there"))]
    times = sides[0].union(sides[1]).groupBy(*said).pivot("side", ["here", "there"]).count().na.fill(0, ["here", "there"])
    found = Counter[str]()
    for row in times.select("here", "there").collect():
        found.update(here=row["here"], there=row["there"])
        found.update(only_here=max(row["here"] - row["there"], 0), only_there=max(row["there"] - row["here"], 0))
    return found


def _record(bank: Bank) -> None:
    _typed("muniment runs")
    runs = bank.project.runs()
    answer_frame(runs, bank.asked, View(runs_brief(runs), counts=_COUNTS, names=frozenset({"run"})))


def _proof(bank: Bank) -> Verification:
    stdout().print(f"\n{len(STORY) + 1}. Was anything edited behind the record's back?", style="bold")
    _typed("muniment verify")
    with working("Verifying"):
        found = bank.project.verify()
    for line in verdict(found):
        print(line)
    return found


def _typed(line: str) -> None:
    stdout().print(f"$ {line}", style="cyan", soft_wrap=True)


STORY: tuple[tuple[str, Callable[[Bank], None]], ...] = (
    (
        "The first evening: the branches send all their customers, the core system eight changes, and five of those are no good.",
        _first_evening,
    ),
    (
        "The second evening: C-3 is missing, but two rows were set aside. Who is missing may be one of them, so the load is held.",
        _second_evening,
    ),
    ("The same files once more: a retry adds nothing.", _again),
    (
        "The first evening's file again with one name spelled right: news, and a tie. Days late the core system sends what it forgot:"
        " rows that belong before what is known are put where they belong.",
        _corrected_and_late,
    ),
    ("What was set aside, with the reason and all that came.", _aside),
    ("A person decides, and the decision is kept.", _decisions),
    ("The timelines of two customers.", _picture),
    ("The same evidence in another order, into a second lake: the history is the same, row for row.", _another_order),
    ("Everything that was done is on record.", _record),
)
