"""A predicate from the configuration: parsed, judged node by node against a list of what is allowed, and written anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from muniment.expressions.allowed import EITHER, NAMED, NODES, REASONS, REFUSED_NAMES, REFUSED_NODES, TRUTH_NAMES, TRUTHS
from muniment.model.names import hint
from muniment.model.types import canonical

MAX_LENGTH = 4_000
MAX_NESTING = 40


def check_predicate(text: str, names: Collection[str]) -> str:
    """The predicate over these columns in a normal, safe form of Spark SQL; a ValueError says what is wrong with it.

    >>> check_predicate("Balance>=0 and status in ('a')", ["balance", "status"])
    "`balance` >= 0 AND `status` IN ('a')"
    """
    try:
        return _checked(text, names)
    except RecursionError:
        raise ValueError("the condition is nested too deeply; split it into several checks") from None


def _checked(text: str, names: Collection[str]) -> str:
    tree = _parse(text)
    known = {name.casefold(): name for name in names}
    for node in tree.walk():
        _judge(node, known)
    if not _is_truth(tree):
        raise ValueError(f"'{text}' is not a condition; it must be true or false for a row, such as balance >= 0")
    return _quoted(tree, known).sql(dialect="spark", comments=False)


def _parse(text: str) -> exp.Expr:
    _refuse_size(text)
    try:
        _refuse_neighbours(text)
        trees = [tree for tree in sqlglot.parse(text, dialect="spark") if tree is not None]
    except SqlglotError as error:
        raise ValueError(f"'{text}' is not SQL: {_first_problem(error)}") from None
    if len(trees) != 1:
        raise ValueError("exactly one condition is expected" + ("; leave out what follows ';'" if trees else ", such as balance >= 0"))
    return trees[0]


def _refuse_neighbours(text: str) -> None:
    """Two texts side by side mean a quote inside one text in some versions of Spark and one long text in others."""
    kinds = [token.token_type for token in sqlglot.tokenize(text, dialect="spark")]
    if (TokenType.STRING, TokenType.STRING) in pairwise(kinds):
        raise ValueError("two texts stand side by side; write a quote inside a text as \\' and join texts with ||")


def _refuse_size(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise ValueError(f"the condition is longer than {MAX_LENGTH:,} characters; split it into several checks")
    if text.count("(") > MAX_NESTING or text.count("[") > MAX_NESTING:
        raise ValueError(f"the condition has more than {MAX_NESTING} brackets; split it into several checks")


def _first_problem(error: SqlglotError) -> str:
    details: list[dict[str, object]] = getattr(error, "errors", [])
    if not details:
        return str(error).splitlines()[0]
    return f"it cannot be read at column {details[0]['col']}, near '{details[0]['highlight']}'"


def _judge(node: exp.Expr, known: Mapping[str, str]) -> None:
    if isinstance(node, exp.Column):
        _judge_column(node, known)
    elif isinstance(node, exp.Anonymous):
        if node.name.lower() not in NAMED:
            raise ValueError(_refusal(node.name.lower()))
    elif type(node) not in NODES:
        raise ValueError(_refusal_of(node))
    elif isinstance(node, exp.DataType):
        canonical(node.sql(dialect="spark"))


def _judge_column(node: exp.Column, known: Mapping[str, str]) -> None:
    if node.args.get("table"):
        raise ValueError(f"'{node.sql(dialect='spark')}' has a dot; name a column of this entity alone")
    if node.name.casefold() in known:
        return
    if node.name.lower() in REFUSED_NAMES:
        raise ValueError(_refusal(node.name.lower()))
    suggestion = hint(node.name, known.values()) or f"; known: {', '.join(known.values())}"
    raise ValueError(f"there is no column '{node.name}'{suggestion}")


def _refusal(name: str) -> str:
    reason = REASONS[REFUSED_NAMES[name]] if name in REFUSED_NAMES else "it is not among the functions a check may use"
    return f"'{name}' is refused: {reason}"


def _refusal_of(node: exp.Expr) -> str:
    shown = node.sql(dialect="spark", comments=False)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
    for kinds, reason in REFUSED_NODES:
        if isinstance(node, kinds):
            return f"'{shown}' is refused: {REASONS[reason]}"
    name = type(node).__name__.lower()
    if name.startswith(("current", "session")):
        return f"'{shown}' is refused: {REASONS['outside']}"
    return f"'{shown}' is refused: a check may use comparisons, and/or/not, arithmetic, like, in, between, case, cast and plain functions"


def _is_truth(node: exp.Expr) -> bool:
    if isinstance(node, exp.Paren):
        return _is_truth(node.this)
    if isinstance(node, exp.Cast):
        return node.to.is_type("boolean")
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in TRUTH_NAMES
    return isinstance(node, (*TRUTHS, *EITHER))


def _quoted(tree: exp.Expr, known: Mapping[str, str]) -> exp.Expr:
    """Columns in the spelling they were declared with, in backticks, so that no word of SQL is taken for something else."""
    for column in tree.find_all(exp.Column):
        column.set("this", exp.to_identifier(known[column.name.casefold()], quoted=True))
    return tree
