"""What if: belief under other rules beside belief as it is, before anybody adopts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muniment.belief.resolution import resolve as believed
from muniment.canon.compare import same
from muniment.canon.hashes import quoted
from muniment.evidence.slots import IS_DELETED
from muniment.lake.tables import Lake
from muniment.model.entity import Entity
from muniment.model.tables import log_name
from muniment.steps.evidence import evidence_at
from muniment.steps.kept import keeping
from muniment.steps.overrides import override_version, overrides_at
from muniment.steps.position import newest
from muniment.steps.resolve import refuse_facts
from muniment.steps.ruling import belief_settings, what_changed, with_speakers

EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Example:
    """One attribute of one entity that would be believed otherwise now."""

    key: str
    attribute: str
    now: str | None
    then: str | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What another rule set would change."""

    entity: str
    rules: str  # what differs in the rules
    keys: int = 0  # all entities
    changed: int = 0  # entities of which something else would be believed now
    changed_ever: int = 0  # at any time
    attributes: Mapping[str, int] | None = None  # entities per attribute, now
    examples: tuple[Example, ...] = ()


def compare_rules(lake: Lake, entity: Entity, other: Entity) -> Comparison:
    """How many entities, which attributes, and a few examples; nothing is written."""
    refuse_facts(entity)
    rules = what_changed(belief_settings(entity), belief_settings(other)) or "the same rules"
    if not lake.table(log_name(entity)).exists():
        return Comparison(entity.name, rules)
    with keeping() as kept:
        one, two = (_belief(lake, each) for each in (entity, other))
        met = kept.now(_side_by_side(one, two, entity=entity))
        return _summed(met, entity, rules)


def _belief(lake: Lake, entity: Entity) -> DataFrame:
    whole = with_speakers(lake, entity)
    evidence = evidence_at(lake, whole, newest(lake, entity))
    return believed(evidence.assertions(), overrides_at(lake, whole, override_version(lake)), entity=whole, version=0)


def _side_by_side(one: DataFrame, two: DataFrame, *, entity: Entity) -> DataFrame:
    """Per key both beliefs of now, and whether they differ at any time."""
    names = [attribute.name for attribute in entity.attributes] + [IS_DELETED]
    sides = [_by_key(side, names, entity).withColumnRenamed("row", name) for side, name in ((one, "now"), (two, "then"))]
    one, two = (side.withColumnsRenamed({"all": f"_all{n}", "key": f"_key{n}"}) for n, side in enumerate(sides))
    ever = ~same(F.col("_all0"), F.col("_all1"))
    return one.join(two, "sk", "full").select("now", "then", F.coalesce("_key0", "_key1").alias("key"), ever.alias("ever"))


def _by_key(side: DataFrame, names: list[str], entity: Entity) -> DataFrame:
    """The last row of each key, and one text of all of them."""
    row = F.struct(*(quoted(name).cast("string").alias(f"v{n}") for n, name in enumerate(names)))
    key = F.concat_ws(", ", *(quoted(part.name).cast("string") for part in entity.key))
    each = F.to_json(F.struct("effective_from", row.alias("row")), {"timeZone": "UTC"})
    texts = F.sort_array(F.collect_list(each)).alias("all")
    return side.groupBy("sk").agg(F.min(key).alias("key"), F.max_by(row, "effective_from").alias("row"), texts)


def _summed(met: DataFrame, entity: Entity, rules: str) -> Comparison:
    names = [attribute.name for attribute in entity.attributes] + [IS_DELETED]
    differs = [~same(F.col(f"now.v{n}"), F.col(f"then.v{n}")) for n in range(len(names))]
    counts = [F.count_if(each).alias(f"n{n}") for n, each in enumerate(differs)]
    row = met.agg(
        F.count(F.lit(1)).alias("keys"), F.count_if(_any(differs)).alias("now"), F.count_if("ever").alias("ever"), *counts
    ).first()
    sums: dict[str, Any] = row.asDict() if row else {}
    found = {name: sums[f"n{n}"] for n, name in enumerate(names) if sums.get(f"n{n}")}
    told = [_example(n, name, each) for n, (name, each) in enumerate(zip(names, differs, strict=True))]
    shown = met.select("key", F.explode(F.array_compact(F.array(*told))).alias("e"))
    rows = shown.select("key", "e.*").orderBy("key", "attribute").limit(EXAMPLES).collect()
    examples = tuple(Example(each["key"], each["attribute"], each["now"], each["then"]) for each in rows)
    return Comparison(entity.name, rules, sums["keys"], sums["now"], sums["ever"], found, examples)


def _example(number: int, name: str, differs: Column) -> Column:
    sides = (F.col(f"now.v{number}").alias("now"), F.col(f"then.v{number}").alias("then"))
    return F.when(differs, F.struct(F.lit(name).alias("attribute"), *sides))


def _any(conditions: list[Column]) -> Column:
    return F.exists(F.array(*conditions), lambda each: each)
