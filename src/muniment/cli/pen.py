"""What a picture in a terminal is drawn with, and how text is made fit to stand in it."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from muniment.config.mistakes import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """The signs of a picture; each is one cell wide, but for the one that says that a text goes on."""

    bar: str
    line: str
    chain: str
    double: str
    shade: str
    arrow: str
    begun: str
    late: str
    outranked: str
    current: str
    tick: str
    axis: str
    more: str
    reserved: str  # a value that holds one of these shall not look like a bar or a mark
    ascii_only: bool

    def clean(self, text: str) -> str:
        """Text that stays on its line and within its cells; terminals do not agree how wide U+FE0F makes the sign before it."""
        seen = printable(text.replace("\ufe0f", ""))
        plain = "".join(_escaped(char) if char in self.reserved else char for char in seen)
        return plain.encode("ascii", "backslashreplace").decode() if self.ascii_only else plain

    def cut(self, text: str, cells: int) -> str:
        """As much of a text as fits, with a sign where it goes on."""
        if cell_len(text) <= cells:
            return text
        kept = set_cell_size(text, max(cells - len(self.more), 0)).rstrip()
        return kept + self.more[: max(cells, 0)]


UNICODE = Pen(
    bar="┣", line="━", chain="╞", double="═", shade="░", arrow="►", begun="◄", late="◆", outranked="○", current="●",
    tick="┬", axis="─", more="…", reserved="┣╞░►◄◆○●", ascii_only=False,
)  # fmt: skip
ASCII = Pen(
    bar="|", line="-", chain="|", double="=", shade=":", arrow=">", begun="<", late="*", outranked="!", current="@",
    tick="+", axis="-", more="..", reserved="|", ascii_only=True,
)  # fmt: skip


def _escaped(char: str) -> str:
    return f"\\x{ord(char):02x}" if char.isascii() else char.encode("unicode_escape").decode()
