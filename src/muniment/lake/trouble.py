"""What Spark's errors say, whichever way they come: Spark's own, Py4J's, or Spark Connect's."""

from __future__ import annotations

import re

_JAVA_CAUSE = re.compile(r"^: (?:[\w.$]+\.)?([\w$]+(?:Exception|Error)): (.*)$", re.MULTILINE)
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")


def condition(error: BaseException) -> str:
    """Spark's name for the error, or nothing."""
    named = getattr(error, "getCondition", lambda: None)()
    found = None if named else _CONDITION.search(summary(error))
    return str(named or (found.group(1) if found else ""))


def summary(error: BaseException) -> str:
    """The error in one line, without the stack that Py4J puts into its text."""
    text = str(error).strip()
    java = _JAVA_CAUSE.search(text)
    return f"{java.group(1)}: {java.group(2)}" if java else (text.splitlines() or [type(error).__name__])[0]
