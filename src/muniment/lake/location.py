"""Where the lake's tables are: below a path, or in a catalog."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from muniment.lake.errors import BadLakeLocation, BadTableName
from muniment.model.project import LakeLocation

_NAME = re.compile(r"\w+\.\w+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
SCHEMAS = ("bronze", "silver", "gold", "ops")


@dataclass(frozen=True, slots=True)
class Location:
    """A lake by path (`base`, as Spark spells it) or by catalog; `local_folder` only where it is on a local disk."""

    base: str | None = None
    catalog: str | None = None
    schemas: Mapping[str, str] = field(default_factory=dict)
    local_folder: Path | None = None

    @classmethod
    def of(cls, declared: LakeLocation, root: Path) -> Location:
        """The place that a project declares; a path without a scheme is on the local disk, below `root` if relative."""
        if declared.catalog:
            return cls(catalog=declared.catalog, schemas=declared.schemas, local_folder=_folder(declared.files, root))
        if not declared.path:
            raise BadLakeLocation(problem="neither a path nor a catalog is set")
        folder = _folder(declared.path, root)
        return cls.at(folder) if folder else cls(base=declared.path.rstrip("/"))

    @classmethod
    def at(cls, folder: Path) -> Location:
        """A lake in a folder of this machine."""
        folder = folder.absolute()
        return cls(base=f"file:{folder}", local_folder=folder)

    def path(self, name: str) -> str | None:
        """Where a table is, for a lake by path."""
        schema, table = split(name)
        return f"{self.base}/{schema}/{table}" if self.base else None

    def folder(self, name: str) -> Path | None:
        """The same as a folder, for a lake by path on a local disk."""
        schema, table = split(name)
        return self.local_folder / schema / table if self.base and self.local_folder else None

    def beside(self, *parts: str) -> str | None:
        """A place for what is no table, such as how far a stream has read; none where only a catalog knows where files are."""
        below = self.base or (f"file:{self.local_folder}" if self.local_folder else None)
        return "/".join((below, *parts)) if below else None

    def identifier(self, name: str) -> str:
        """What stands for the table in SQL."""
        path = self.path(name)
        if path is not None:
            return f"delta.{quote(path)}"
        schema, table = split(name)
        return f"{self.namespace(schema)}.{quote(table)}"

    def namespace(self, schema: str) -> str:
        """The catalog's name for one of our schemas, in SQL."""
        return f"{quote(self.catalog or '')}.{quote(self.schemas.get(schema, schema))}"


def split(name: str) -> tuple[str, str]:
    """`bronze.customer_log` → its schema and its name; anything else is refused, so that no name leaves the lake."""
    if not _NAME.fullmatch(name):
        raise BadTableName(name=name)
    schema, table = name.split(".")
    return schema, table


def quote(identifier: str) -> str:
    """An identifier in SQL.

    >>> quote("a`b")
    '`a``b`'
    """
    return "`" + identifier.replace("`", "``") + "`"


def literal(text: str) -> str:
    r"""A text in SQL.

    >>> literal("it's")
    "'it\\'s'"
    """
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def local_path(uri: str) -> Path | None:
    """The local path that Spark spells `file:/…`, taken as it is written."""
    return Path("/" + uri.removeprefix("file:").lstrip("/")) if uri.startswith("file:") else None


def _folder(declared: str | None, root: Path) -> Path | None:
    """A declared place as a local folder: a file: URI, or a path without a scheme."""
    if declared is None:
        return None
    if declared.startswith("file:"):
        return Path(unquote(urlsplit(declared).path))
    return None if _SCHEME.match(declared) else (root / Path(declared).expanduser()).absolute()
