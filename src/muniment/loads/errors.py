"""What a load may refuse; a slice goes in whole or not at all."""

from __future__ import annotations

from muniment.errors import DataRefused, UserMistake


class DuplicateKeys(DataRefused):
    code = "MU-LOAD-001"
    what = "{load}: {keys} keys are in the slice more than once, such as {examples}; nothing was loaded"
    do = "Mend the slice, or name in 'key' what tells these rows apart."


class KeyMissing(DataRefused):
    code = "MU-LOAD-002"
    what = "{load}: {rows} rows of the slice have a null in their key ({key}); nothing was loaded"
    do = "Mend the slice: a row without a key cannot be found again (R1)."


class ValuesUnfit(DataRefused):
    code = "MU-LOAD-003"
    what = "{load}: {rows} rows of the slice have values that do not go into their column whole, such as {column} = {value}; nothing was loaded"
    do = "{column} is {type}. Mend the slice, or load into a column of another name and type; nothing is cut off or rounded."


class TimeGoesBack(DataRefused):
    code = "MU-LOAD-004"
    what = "{load}: the processing time {at} is before {last}, the last one; nothing was loaded"
    do = "Give a time that is not earlier (at=, --at), or none for now."


class SchemaDrifted(DataRefused):
    code = "MU-LOAD-005"
    what = "{load}: the slice has other columns than the table: {differences}; nothing was loaded"
    do = "Set 'drift: evolve' to take new columns in or 'drift: ignore' to leave them out, or mend the slice."


class TooManyMissing(DataRefused):
    code = "MU-LOAD-006"
    what = "{load}: the slice lacks {missing} of the {all} rows in its window, more than 'max_deleted: {share}' allows; nothing was loaded"
    do = "If they are really gone, set 'max_deleted' higher; if the slice is not complete, mend it."


class SliceLacks(DataRefused):
    code = "MU-LOAD-007"
    what = "{load}: {what} needs the column '{column}', which the slice does not have{hint}; nothing was loaded"
    do = "The slice has: {known}."


class NamesClash(DataRefused):
    code = "MU-LOAD-008"
    what = "{load}: the slice's column '{column}' would be called '{name}', {problem}; nothing was loaded"
    do = "Give it another name: columns: {{NAME: {{type: …, from: {column}}}}}, or set 'prefix' for the columns of Muniment."


class SliceRefused(DataRefused):
    code = "MU-LOAD-009"
    what = "{load}: the slice cannot be {done}: {problem}; nothing was loaded"
    do = "{advice}"


class ChecksFailed(DataRefused):
    code = "MU-LOAD-011"
    what = "{load}: rows of the slice fail {checks}; nothing was loaded"
    do = "Mend the slice, or let the check set the rows aside ('on_fail: quarantine')."


class BadWatermark(UserMistake):
    code = "MU-LOAD-010"
    what = "{load}: {problem}"
    do = "{advice}"
