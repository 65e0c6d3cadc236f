"""A setting's value: written down, or where the configuration says that it is kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from muniment.errors import UserMistake
from muniment.model.project import Reference, Setting


class SettingMissing(UserMistake):
    code = "MU-READ-006"
    what = "{setting} is to come from the {kind} {name}, which is not there"
    do = "Set it, or name another one under 'connections' or 'alerts' in muniment.yml."


def setting_text(name: str, value: Setting, environment: Mapping[str, str] = os.environ) -> str:
    """The value as text; a reference is followed."""
    if not isinstance(value, Reference):
        return str(value)
    if value.kind == "env":
        if value.name not in environment:
            raise SettingMissing(setting=name, kind="environment variable", name=value.name)
        return environment[value.name]
    try:
        return Path(value.name).read_text(encoding="utf-8").strip()
    except OSError:
        raise SettingMissing(setting=name, kind="file", name=value.name) from None
