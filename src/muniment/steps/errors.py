"""What a step may refuse."""

from __future__ import annotations

from muniment.errors import DataRefused, InfrastructureFailed, UserMistake


class CheckStopped(DataRefused):
    code = "MU-CHECK-001"
    what = "{entity} from {source}: {rows} rows fail {checks}; nothing was landed"
    do = "Mend the data, or let the check quarantine the rows ('on_fail: quarantine')."


class FilesUnreadable(DataRefused):
    code = "MU-LAND-001"
    what = "{entity} from {source}: the rows cannot be read: {problem}"
    do = "Mend the file or the read options of this source."


class MixedTime(DataRefused):
    code = "MU-LAND-002"
    what = "{entity}: {source} has no source time, but the entity is kept on source time"
    do = "Declare 'event_time' for the source, or 'history: {{mixed_time: true}}' for the entity (R10)."


class AsOfMissing(UserMistake):
    code = "MU-LAND-003"
    what = "{entity}.{source} takes its time from the call, and none was given"
    do = "Give as_of (on the command line --as-of)."


class NothingToDecide(UserMistake):
    code = "MU-DECIDE-001"
    what = "{entity}: {problem}"
    do = "{advice}"


class HistoryShapeChanged(DataRefused):
    code = "MU-DERIVE-001"
    what = "{entity}: settings that shape its history have changed since it was derived: {settings}"
    do = "Run 'muniment rebuild {entity}', which would change {keys} of {all} keys, or set them back (R28)."


class LateRefused(DataRefused):
    code = "MU-LATE-001"
    what = "{entity} from {source}: nothing was landed, because this entity only goes forward: {examples}"
    do = "Set 'late: repair' for this entity, or rebuild it from captures in order."


class StreamRefused(DataRefused):
    code = "MU-STREAM-001"
    what = "{entity}: {source} cannot be a stream, because the gate rejects it: {reasons}"
    do = "Mend the source, or land its rows by hand: they wait in quarantine (R18)."


class NothingToStream(UserMistake):
    code = "MU-STREAM-002"
    what = "{entity} has no source that a stream could read"
    do = "Set 'read' with a path or a topic for one of: {sources}."


class NoCheckpointPlace(UserMistake):
    code = "MU-STREAM-003"
    what = "there is no place to keep how far the streams of {entity} have read"
    do = "Set 'files' for the lake in muniment.yml: a folder beside the catalog."


class StreamFailed(InfrastructureFailed):
    code = "MU-STREAM-004"
    what = "{entity} from {source}: the stream ended: {problem}"
    do = "Start it again: it goes on where it was, and adds nothing twice."


class NothingKnown(UserMistake):
    code = "MU-KEY-001"
    what = "nothing was ever said of {entity} {key}"
    do = "Keys are compared exactly; 'muniment history {entity}' shows those there are."


class PinTaken(UserMistake):
    code = "MU-PIN-001"
    what = "{entity} has a pin '{name}' already, for {as_of} as known at {known_at}"
    do = "A pin never changes: give the new one another name."


class PinDiffers(DataRefused):
    code = "MU-PIN-002"
    what = "{entity} pin '{name}': made again from the log it is not what was kept: digest {found} instead of {kept}"
    do = "Run 'muniment verify {entity}': either the log or the pin was edited."


class EmptySet(DataRefused):
    code = "MU-DIM-001"
    what = "{dimension}: no row of a complete set could be taken, so every member would be gone; nothing was applied"
    do = "Look whether the set is what you meant, or apply it with absence='kept'."


class OriginalRefused(DataRefused):
    code = "MU-DIM-002"
    what = "{dimension}: rows would change {columns}, which never change: {examples}; nothing was applied"
    do = "Mend the rows, or write 'on_change: keep' to keep the first value and record the attempt."


class DimensionShapeChanged(DataRefused):
    code = "MU-DIM-003"
    what = "{dimension}: settings that shape it have changed since it was made: {settings}"
    do = "Run 'muniment dimension rebuild {dimension}', or set them back (R28)."


class NotGiven(UserMistake):
    code = "MU-DIM-004"
    what = "{dimension} shows what is believed of {entity}, so it takes no rows"
    do = "Leave the rows out, or land them as evidence of {entity}."


class NotBelieved(UserMistake):
    code = "MU-DIM-005"
    what = "{dimension}: nothing is believed of {columns}, because {entity} has no such attribute"
    do = "Give the columns the names that {entity} has, or add the attributes to {entity} and resolve it."
