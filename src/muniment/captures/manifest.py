"""`_manifest.json`: what a capture is, whether it is complete and why not, and what proves it later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from muniment import __version__, clock
from muniment.captures.errors import CaptureDamaged
from muniment.captures.pages import Mode, mode_of
from muniment.errors import UnknownName

FILE = "_manifest.json"
JSONL, PARQUET = "jsonl.gz", "parquet"
_REQUIRED = ("vendor", "dataset", "capture_mode", "record_format", "complete", "captured_at_us", "record_count", "records_file_sha256")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One capture; the names are those of the file."""

    vendor: str
    dataset: str
    data_type: str
    capture_mode: str
    record_format: str
    captured_at_us: int
    vendor_effective_ts_us: int | None = None
    api_endpoint: str = ""
    request_params: Mapping[str, Any] = field(default_factory=dict)
    record_count: int = 0
    expected_record_count: int | None = None
    records_content_sha256: str = ""
    records_file_sha256: str = ""
    partitions: Mapping[str, str] = field(default_factory=dict)
    complete: bool = False  # only a capture that ended well says otherwise
    reason: str | None = None  # why it is not complete
    format_note: str | None = None  # why its records are not in the format that was asked for
    scope: Sequence[str] = ()  # the scopes it speaks for, as load headers write them
    scope_given: str | None = None  # the one that came with the call
    natural_key: Sequence[str] = ()
    repeated_keys: Mapping[str, int] = field(default_factory=dict)
    repeated_count: int = 0
    content_version: int = 0
    pages: Sequence[Mapping[str, Any]] = ()
    started_at_us: int | None = None
    schema_version: int = 2
    software: str = __version__

    @property
    def mode(self) -> Mode:
        return mode_of(self.capture_mode)

    @property
    def effective(self) -> datetime:
        """The instant it speaks for: the vendor's, else that of the capture; never the start of a day."""
        return _moment(self.vendor_effective_ts_us if self.vendor_effective_ts_us is not None else self.captured_at_us)

    @property
    def captured_at(self) -> datetime:
        return _moment(self.captured_at_us)

    def text(self) -> str:
        """As it stands in the file."""
        return json.dumps(asdict(self), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def read_manifest(text: str, *, path: str) -> Manifest:
    """A manifest as it was written, by Muniment or by others; a name that is not known is left alone."""
    try:
        found = json.loads(text)
    except ValueError:
        raise CaptureDamaged(path=path, problem="its manifest is not JSON") from None
    missing = [name for name in _REQUIRED if not isinstance(found, dict) or name not in found]
    if missing:
        raise CaptureDamaged(path=path, problem=f"its manifest lacks {', '.join(missing)}")
    if not isinstance(found["complete"], bool):
        raise CaptureDamaged(path=path, problem="its manifest does not say plainly whether it is complete")
    known = {name: value for name, value in found.items() if name in Manifest.__dataclass_fields__}
    try:
        manifest = Manifest(**{"data_type": found["dataset"], **known})
        manifest.mode, manifest.effective, manifest.captured_at  # noqa: B018 - all of them can be read
    except (TypeError, ValueError, OverflowError, UnknownName) as error:
        raise CaptureDamaged(path=path, problem=f"its manifest cannot be read: {error}") from None
    return manifest


def _moment(micros: int) -> datetime:
    found = clock.from_micros(micros)
    if found is None:
        raise ValueError("no time")
    return found
