"""What the names and rules of an entity must agree on; each rule is a small function, and the tuple at the end is the list."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from muniment.columns import RESERVED
from muniment.config.check_rules import Checked, judge_checks
from muniment.config.entity_shape import AttributeShape
from muniment.config.mistakes import Place
from muniment.config.subject import EntitySubject, Finding, Findings, no_such
from muniment.model.belief import RuleName
from muniment.model.entity import Kind
from muniment.model.types import is_number


def key_is_there(subject: EntitySubject) -> Findings:
    if subject.document.names("key") == () and subject.sound("key"):
        yield ("key",), "an entity without a key is refused (R1); write, for example, key: {customer_id: string}"


def columns_are_free(subject: EntitySubject) -> Findings:
    for group in ("key", "attributes"):
        for name in subject.document.names(group) or ():
            if name.casefold() in RESERVED:
                yield (group, name), f"'{name}' is a column that Muniment keeps itself; choose another name and map it under 'columns'"


def columns_differ(subject: EntitySubject) -> Findings:
    seen: dict[str, tuple[str, str]] = {}
    for group in ("key", "attributes"):
        for name in subject.document.names(group) or ():
            folded = unicodedata.normalize("NFKC", name).casefold()
            first_group, first = seen.setdefault(folded, (group, name))
            if (first_group, first) != (group, name):
                yield (group, name), _clash(name, first, in_key=first_group == "key" and group == "attributes")


def _clash(name: str, first: str, *, in_key: bool) -> str:
    if name != first:
        return f"'{name}' and '{first}' differ by letter case only, which SQL does not see; rename one"
    return f"'{name}' is a key part already; leave it out here" if in_key else f"'{name}' is there twice; keep one"


def rounding_fits(subject: EntitySubject) -> Findings:
    for name, attribute in subject.shape.attributes.items():
        if not isinstance(attribute, AttributeShape):
            continue
        if attribute.scale is not None and not is_number(attribute.type):
            yield ("attributes", name, "scale"), f"only numbers are rounded, and '{name}' is {attribute.type}; leave scale out"
        if attribute.trim and attribute.type != "string":
            yield ("attributes", name, "trim"), f"only strings are trimmed, and '{name}' is {attribute.type}; leave trim out"


def precedence_names_sources(subject: EntitySubject) -> Findings:
    precedence = subject.shape.precedence
    yield from subject.unknown("source", precedence, known=subject.document.names("sources"), at=("precedence",))
    yield from _twice(precedence, ("precedence",))


def _twice(sources: list[str], at: Place) -> Findings:
    for index, name in enumerate(sources):
        if name in sources[:index]:
            yield (*at, index), f"'{name}' is named twice; a source has one place in the order"


def corrects_is_for_events(subject: EntitySubject) -> Findings:
    corrects = subject.shape.corrects
    if corrects is None:
        return
    if subject.shape.kind is not Kind.EVENT and subject.sound("kind"):
        yield ("corrects",), "only facts are corrected by other facts; write 'kind: event' or leave it out"
    known = subject.document.names("attributes")
    if known is not None and corrects not in known:
        yield ("corrects",), no_such("attribute", corrects, known)


def rules_name_attributes(subject: EntitySubject) -> Findings:
    key, known = subject.document.names("key") or (), subject.document.names("attributes")
    for place, attribute in _ruled(subject):
        if attribute in key:
            yield place, f"'{attribute}' is a key part, which nobody decides; leave it out"
        elif known is not None and attribute not in known:
            yield place, no_such("attribute", attribute, known)


def rules_do_not_overlap(subject: EntitySubject) -> Findings:
    seen: dict[str, int] = {}
    for place, attribute in _ruled(subject):
        rule = int(place[2])
        if seen.setdefault(attribute, rule) != rule:
            yield place, f"'{attribute}' already has a rule (line {subject.line('belief', 'rules', seen[attribute])}); keep one"


def _ruled(subject: EntitySubject) -> list[Finding]:
    """Every attribute of every rule and its place."""
    rules = enumerate(subject.shape.belief.rules)
    return [(("belief", "rules", i, "attributes", j), name) for i, rule in rules for j, name in enumerate(rule.attributes)]


def rules_name_sources(subject: EntitySubject) -> Findings:
    known = subject.document.names("sources")
    deletion = subject.shape.belief.deletion
    if deletion is not None:
        yield from subject.unknown("source", deletion.sources, known=known, at=("belief", "deletion", "sources"))
    for index, rule in enumerate(subject.shape.belief.rules):
        at: Place = ("belief", "rules", index, "sources")
        yield from subject.unknown("source", rule.sources, known=known, at=at)
        yield from _twice(rule.sources, at)


def precedence_has_an_order(subject: EntitySubject) -> Findings:
    for index, rule in enumerate(subject.shape.belief.rules):
        at: Place = ("belief", "rules", index)
        ordered = rule.sources or subject.shape.precedence
        if rule.rule is RuleName.PRECEDENCE and not ordered and subject.sound("precedence") and subject.sound(*at):
            yield at, "this rule needs an order: add 'sources', strongest first, or 'precedence' to the entity"


def checks_can_be_made(subject: EntitySubject) -> Findings:
    shape = subject.shape
    checked = Checked(shape.checks, {**shape.key, **shape.attributes}, subject.columns(), subject.document.names("sources"))
    yield from judge_checks(subject, checked)


ENTITY_RULES: tuple[Callable[[EntitySubject], Findings], ...] = (
    key_is_there,
    columns_are_free,
    columns_differ,
    rounding_fits,
    precedence_names_sources,
    corrects_is_for_events,
    rules_name_attributes,
    rules_do_not_overlap,
    rules_name_sources,
    precedence_has_an_order,
    checks_can_be_made,
)
