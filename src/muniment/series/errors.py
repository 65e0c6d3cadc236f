"""What a series may refuse."""

from __future__ import annotations

from muniment.errors import DataRefused, MunimentError, UserMistake


class BuildStopped(MunimentError):
    """A check, or a person, found something bad in the way of a target."""

    code = "MU-SERIES-001"
    what = "{series} {at}: nothing was built, because {bad} is marked bad: {reason}"
    do = "Land it again with good data, or, if it was good after all: muniment series unmark {series} {role} {when} --by NAME --reason WHY"
    exit_code = 1


class NoGoodBase(DataRefused):
    code = "MU-SERIES-002"
    what = "{series} {at}: nothing was built, because there is no good dump or target at or before it"
    do = "A dump is needed: muniment series land {series} dump {at} PATH"


class NothingBuilt(DataRefused):
    code = "MU-SERIES-003"
    what = "{series}: there is no good target{until}"
    do = "Build one: muniment series build {series} TIME"


class NoSuchPartition(UserMistake):
    code = "MU-SERIES-004"
    what = "{series} has no {role} in {when}"
    do = "There are: {known}."


class NotMarked(UserMistake):
    code = "MU-SERIES-005"
    what = "{series}: {place} is not marked, it is {quality}"
    do = "{advice}"


class ColumnsDiffer(DataRefused):
    code = "MU-SERIES-006"
    what = "{series} {place}: nothing was landed, because its columns are not those of the series: {problem}"
    do = "Mend the data, or declare the new column under 'columns' of the series."


class RowsRefused(DataRefused):
    code = "MU-SERIES-007"
    what = "{series} {place}: nothing was landed, because {rows} of its rows cannot be taken: {problems}"
    do = "A partition is taken as a whole: mend the rows and land it again."


class PartitionStopped(DataRefused):
    code = "MU-SERIES-008"
    what = "{series} {place}: nothing was kept, because it fails {checks}"
    do = "Mend the data, or let the check mark the partition ('on_fail: mark')."


class DataUnreadable(UserMistake):
    code = "MU-SERIES-009"
    what = "{series}: the data cannot be read: {problem}"
    do = "Give a DataFrame, a list of dicts, or a file or folder of csv, json, parquet or delta."
