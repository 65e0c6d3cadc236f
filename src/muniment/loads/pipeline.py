"""From a slice to the rows of a table: twelve steps, in order; `muniment plan` shows the same tuple."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from muniment.canon.encode import encode, encode_fields, encode_present, identifier
from muniment.canon.hashes import hashed, quoted
from muniment.canon.moment import of_run
from muniment.gate.cast import cast
from muniment.gate.examine import RAW
from muniment.gate.rows import FILE, UNREADABLE
from muniment.loads.recipe import INTERNAL, TYPED, UNFIT, Field, Recipe, found
from muniment.model.expression import AT
from muniment.model.load import VALIDITY, Load

_UNFIT = "array<struct<column: string, value: string>>"


def inject_transformations(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Change columns of the slice by the load's own expressions."""
    recipe.refuse_clashes(rows.schema)
    rows = rows.withColumn(AT, of_run(recipe.at, beside=quoted(next(name for name in rows.columns if name not in INTERNAL))))
    for name, value in recipe.load.transforms:
        recipe.need(value.reads, rows.columns, f"the transformation of '{name}'")
        rows = rows.withColumn(name, F.expr(value.sql))
    return rows


def add_calculated_columns(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Calculate columns from those of the slice and from each other, in order; text is read by the declared types, so that qty * price has numbers."""
    calculated = [(column.name, column.value) for column in recipe.load.columns if column.value]
    texts = _texts(rows, recipe) if calculated else {}
    rows = rows.withColumns({f"__text {raw}": quoted(raw) for raw in texts})
    rows = rows.withColumns({raw: cast(quoted(raw), T.StringType(), want).value for raw, want in texts.items()})
    for name, value in calculated:
        recipe.need(value.reads, rows.columns, f"'{name}'")
        rows = rows.withColumn(name, F.expr(value.sql))
    return rows.withColumns({raw: quoted(f"__text {raw}") for raw in texts}).drop(*(f"__text {raw}" for raw in texts))


def _texts(rows: DataFrame, recipe: Recipe) -> dict[str, str]:
    """Columns that came as text and are declared as something else."""
    plain = ((found(c.source or c.name, rows.columns) or found(c.name, rows.columns), c.type) for c in recipe.load.columns if not c.value)
    return {raw: want for raw, want in plain if raw and want != "string" and isinstance(rows.schema[raw].dataType, T.StringType)}


def hash_source(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Hash what the slice says, in the types and under the names it will be stored with, so that only another content is a change (R2, R4)."""
    fields = recipe.fields(rows.schema)
    told = [field for field in fields if not {field.name.casefold(), field.raw.casefold()} & recipe.volatile]
    typed = _typed(rows, fields)
    parts = [(field.name, encode_present(f"{TYPED}.{identifier(field.name)}", field.kind)) for field in told]
    return typed.withColumn(recipe.load.names.source_hash, hashed(encode_fields(parts)))


def _typed(rows: DataFrame, fields: tuple[Field, ...]) -> DataFrame:
    kinds = {field.name: field.dataType for field in rows.schema}
    casts = [(field, cast(quoted(field.raw), kinds[field.raw], field.kind.simpleString())) for field in fields]
    unfit = [F.when(done.failed, F.struct(F.lit(f.name).alias("column"), quoted(f.raw).cast("string").alias("value"))) for f, done in casts]
    return rows.withColumns(
        {
            TYPED: F.struct(*(done.value.alias(field.name) for field, done in casts)),
            UNFIT: F.array_compact(F.array(*unfit)).cast(_UNFIT),
        }
    )


def add_validity(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Begin a version at the time of processing (historic only; R5)."""
    names = recipe.load.names
    if not recipe.load.is_historic:
        return rows
    return rows.withColumns(
        {names.effective_from: F.col(AT), names.effective_to: F.lit(None).cast("timestamp"), names.is_current: F.lit(True)}
    )


def add_filename(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Say which file and which run the row came with."""
    names = recipe.load.names
    return rows.withColumns({names.source_file: quoted(FILE), names.ingest_run_id: F.lit(recipe.run_id)})


def make_key(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Hash the business key in canonical form (R1); null where a part is null, which refuses the slice."""
    recipe.need(_raw_key(recipe.load), rows.columns, "the key")
    kinds = {field.name: field.kind for field in recipe.fields(rows.schema)}
    parts = [(name, encode(f"{TYPED}.{identifier(name)}", kinds[name])) for name in recipe.load.key_names]
    whole = " AND ".join(f"{TYPED}.{identifier(name)} IS NOT NULL" for name in recipe.load.key_names)
    return rows.withColumn(recipe.load.names.sk, F.when(F.expr(whole), hashed(encode_fields(parts))))


def _raw_key(load: Load) -> list[str]:
    columns = {column.name: column for column in load.columns}
    return [columns[name].source or name if not columns[name].value else name for name in load.key_names]


def cast_columns(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Put values into the types they are stored in; those that would not go whole are remembered."""
    values = {field.raw: F.col(TYPED)[field.name] for field in recipe.fields(rows.schema)}
    return rows.withColumns(values).drop(TYPED)


def rename_columns(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Give columns their declared names."""
    declared = ((found(column.source, rows.columns), column.name) for column in recipe.load.columns if column.source)
    return rows.withColumnsRenamed({raw: name for raw, name in declared if raw is not None})


def flag_deleted(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Mark the rows that say their key is gone."""
    value = recipe.load.deleted
    if value is not None:
        recipe.need(value.reads, rows.columns, "'deleted'")
    gone: Column = F.coalesce(F.expr(value.sql), F.lit(False)) if value else F.lit(False)
    return rows.withColumn(recipe.load.names.is_deleted, gone)


def stamp_seen(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Say when the key was last in a slice."""
    return rows.withColumn(recipe.load.names.last_seen_ts, F.col(AT))


def normalise_names(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Give all other columns names that can be written down, and leave out what is not stored."""
    names = recipe.load.names
    system = recipe.load.system_columns
    kept = recipe.fields(rows.drop(*system).schema)
    recipe.need(recipe.load.partition, [field.name for field in kept], "the partition")
    renamed = [quoted(field.raw).alias(field.name) for field in kept]
    beside = [name for name in (UNFIT, UNREADABLE, RAW) if name in rows.columns]
    return rows.select(quoted(names.sk), *renamed, *(quoted(name) for name in system[1:]), *beside)


def keep_rows(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """Keep the rows for the looks that follow."""
    return recipe.keep(rows)


@dataclass(frozen=True, slots=True)
class Step:
    """One step, and the columns that it adds for a load."""

    run: Callable[..., DataFrame]
    adds: Callable[[Load], tuple[str, ...]] = lambda load: ()

    @property
    def name(self) -> str:
        return self.run.__name__


def _system(*names: str) -> Callable[[Load], tuple[str, ...]]:
    return lambda load: tuple(getattr(load.names, name) for name in names if name in load.system)


def _calculated(load: Load) -> tuple[str, ...]:
    return tuple(column.name for column in load.columns if column.value)


def _transformed(load: Load) -> tuple[str, ...]:
    return tuple(name for name, _ in load.transforms)


def _renamed(load: Load) -> tuple[str, ...]:
    return tuple(column.name for column in load.columns if column.source)


STEPS: tuple[Step, ...] = (
    Step(inject_transformations, _transformed),
    Step(add_calculated_columns, _calculated),
    Step(hash_source, _system("source_hash")),
    Step(add_validity, _system(*VALIDITY)),
    Step(add_filename, _system("source_file", "ingest_run_id")),
    Step(make_key, _system("sk")),
    Step(cast_columns),
    Step(rename_columns, _renamed),
    Step(flag_deleted, _system("is_deleted")),
    Step(stamp_seen, _system("last_seen_ts")),
    Step(normalise_names),
    Step(keep_rows),
)


def prepare(rows: DataFrame, *, recipe: Recipe) -> DataFrame:
    """All steps, one after the other."""
    for step in STEPS:
        rows = step.run(rows, recipe=recipe)
    return rows
