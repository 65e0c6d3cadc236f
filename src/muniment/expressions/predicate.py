"""Expressions from the configuration: parsed, judged node by node against a list of what is allowed, and written anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from muniment.expressions.allowed import (
    EITHER,
    NAMED,
    NODES,
    REASONS,
    REFUSED_NAMES,
    REFUSED_NODES,
    TRUTH_NAMES,
    TRUTHS,
    VALUE_REASONS,
    is_now,
)
from muniment.model.expression import AT, Value
from muniment.model.names import hint
from muniment.model.types import canonical

MAX_LENGTH = 4_000
MAX_NESTING = 40
CHECK, VALUE = "a check", "an expression"
_NOUNS = {CHECK: ("condition", "several checks"), VALUE: ("expression", "several columns")}


def check_predicate(text: str, names: Collection[str] | None) -> str:
    """The predicate over these columns (None: nobody knows them yet) in a normal, safe form of Spark SQL; a ValueError says what is wrong.

    >>> check_predicate("Balance>=0 and status in ('a')", ["balance", "status"])
    "`balance` >= 0 AND `status` IN ('a')"
    """
    tree = _judged(text, _known(names), kind=CHECK)
    if not _is_truth(tree):
        raise ValueError(f"'{text}' is not a condition; it must be true or false for a row, such as balance >= 0")
    return _written(tree, _known(names))


def check_value(text: str, names: Collection[str] | None = None) -> Value:
    """The expression over these columns (None: nobody knows them yet) in the same form; `now()` means the time of processing.

    >>> check_value("Qty*price").sql
    '`Qty` * `price`'
    """
    tree = _judged(text, _known(names), kind=VALUE)
    reads = frozenset(column.name for column in tree.find_all(exp.Column))
    timed = tree.transform(lambda node: exp.column(AT) if is_now(node) else node)
    return Value(_written(timed, _known(names)), reads, any(is_now(node) for node in tree.walk()))


def _known(names: Collection[str] | None) -> Mapping[str, str] | None:
    return None if names is None else {name.casefold(): name for name in names}


def _judged(text: str, known: Mapping[str, str] | None, *, kind: str) -> exp.Expr:
    try:
        tree = _parse(text, kind)
        for node in tree.walk():
            _judge(node, known, kind)
        return tree
    except RecursionError:
        noun, several = _NOUNS[kind]
        raise ValueError(f"the {noun} is nested too deeply; split it into {several}") from None


def _written(tree: exp.Expr, known: Mapping[str, str] | None) -> str:
    """Columns in the spelling they were declared with, in backticks, so that no word of SQL is taken for something else."""
    for column in tree.find_all(exp.Column):
        name = column.name if known is None else known.get(column.name.casefold(), column.name)
        column.set("this", exp.to_identifier(name, quoted=True))
    return tree.sql(dialect="spark", comments=False)


def _parse(text: str, kind: str) -> exp.Expr:
    noun, several = _NOUNS[kind]
    _refuse_size(text, noun, several)
    try:
        _refuse_neighbours(text)
        trees = [tree for tree in sqlglot.parse(text, dialect="spark") if tree is not None]
    except SqlglotError as error:
        raise ValueError(f"'{text}' is not SQL: {_first_problem(error)}") from None
    if len(trees) != 1:
        such = "balance >= 0" if kind is CHECK else "qty * price"
        raise ValueError(f"exactly one {noun} is expected" + ("; leave out what follows ';'" if trees else f", such as {such}"))
    return trees[0]


def _refuse_neighbours(text: str) -> None:
    """Two texts side by side mean a quote inside one text in some versions of Spark and one long text in others."""
    kinds = [token.token_type for token in sqlglot.tokenize(text, dialect="spark")]
    if (TokenType.STRING, TokenType.STRING) in pairwise(kinds):
        raise ValueError("two texts stand side by side; write a quote inside a text as \\' and join texts with ||")


def _refuse_size(text: str, noun: str, several: str) -> None:
    if len(text) > MAX_LENGTH:
        raise ValueError(f"the {noun} is longer than {MAX_LENGTH:,} characters; split it into {several}")
    if text.count("(") > MAX_NESTING or text.count("[") > MAX_NESTING:
        raise ValueError(f"the {noun} has more than {MAX_NESTING} brackets; split it into {several}")


def _first_problem(error: SqlglotError) -> str:
    details: list[dict[str, object]] = getattr(error, "errors", [])
    if not details:
        return str(error).splitlines()[0]
    return f"it cannot be read at column {details[0]['col']}, near '{details[0]['highlight']}'"


def _judge(node: exp.Expr, known: Mapping[str, str] | None, kind: str) -> None:
    if kind is VALUE and is_now(node):
        return
    if isinstance(node, exp.Column):
        _judge_column(node, known, kind)
    elif isinstance(node, exp.Anonymous):
        if node.name.lower() not in NAMED:
            raise ValueError(_refusal(node.name.lower(), kind))
    elif type(node) not in NODES:
        raise ValueError(_refusal_of(node, kind))
    elif isinstance(node, exp.DataType):
        canonical(node.sql(dialect="spark"))


def _judge_column(node: exp.Column, known: Mapping[str, str] | None, kind: str) -> None:
    if node.args.get("table"):
        raise ValueError(f"'{node.sql(dialect='spark')}' has a dot; name a column of this entity alone")
    if known is not None and node.name.casefold() in known:
        return
    if node.name.lower() in REFUSED_NAMES and not node.this.quoted:
        raise ValueError(_refusal(node.name.lower(), kind))
    if known is None:
        if node.name.startswith("__"):
            raise ValueError(f"'{node.name}' is a name that Muniment uses itself; rename the column")
        return
    suggestion = hint(node.name, known.values()) or f"; known: {', '.join(known.values())}"
    raise ValueError(f"there is no column '{node.name}'{suggestion}")


def _refusal(name: str, kind: str) -> str:
    among = f"it is not among the functions {kind} may use"
    return f"'{name}' is refused: {_reason(REFUSED_NAMES[name], kind) if name in REFUSED_NAMES else among}"


def _reason(name: str, kind: str) -> str:
    words = {**REASONS, **VALUE_REASONS} if kind is VALUE else REASONS
    return words[name].format(kind=kind)


def _refusal_of(node: exp.Expr, kind: str) -> str:
    shown = node.sql(dialect="spark", comments=False)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
    for kinds, reason in REFUSED_NODES:
        if isinstance(node, kinds):
            return f"'{shown}' is refused: {_reason(reason, kind)}"
    name = type(node).__name__.lower()
    if name.startswith(("current", "session")):
        return f"'{shown}' is refused: {REASONS['outside']}"
    return f"'{shown}' is refused: {kind} may use comparisons, and/or/not, arithmetic, like, in, between, case, cast and plain functions"


def _is_truth(node: exp.Expr) -> bool:
    if isinstance(node, exp.Paren):
        return _is_truth(node.this)
    if isinstance(node, exp.Cast):
        return node.to.is_type("boolean")
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in TRUTH_NAMES
    return isinstance(node, (*TRUTHS, *EITHER))
