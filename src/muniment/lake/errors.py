"""What can go wrong with the lake, each with its code and the way out."""

from __future__ import annotations

from muniment.errors import DataRefused, InfrastructureFailed, UserMistake


class TableUnreadable(InfrastructureFailed):
    """Something is where the table should be, but it cannot be read; never taken for "no table" (R26)."""

    code = "MU-LAKE-001"
    what = "{table} cannot be read: {problem}"
    do = "Look at {place}. Nothing was written; a table that cannot be read is never taken for one that does not exist."


class ColumnTypeChanged(UserMistake):
    """A column that exists has another type than the one declared now."""

    code = "MU-LAKE-002"
    what = "{table}: column {column} is {found}, but {expected} is declared"
    do = "Give the attribute its old type again, or declare a new attribute under another name; stored evidence is never recast."


class WriteConflict(InfrastructureFailed):
    """Other writers kept changing what this one had read."""

    code = "MU-LAKE-003"
    what = "gave up after {attempts} attempts, because another writer changed the same table each time: {conflict}"
    do = "Nothing of this attempt was written. Run it again when the other writer is done."


class LakeBusy(InfrastructureFailed):
    """Another process holds the lake."""

    code = "MU-LAKE-004"
    what = "the lake {folder} is held by process {pid} on {host}, {who}, since {since}; waited {waited} s"
    do = "Wait until it is done and run again. The lock goes away with its process."


class UnsafeRetention(UserMistake):
    """Vacuuming so short a time would take files from readers at work."""

    code = "MU-LAKE-005"
    what = "{table}: refusing to vacuum what is younger than {least}; asked for {asked}"
    do = "Ask for {least} or more: readers and older versions still need these files."


class CommitNotFound(InfrastructureFailed):
    """A write came back, but its commit is not in the table's log."""

    code = "MU-LAKE-006"
    what = "{table}: the commit of {txn} is not in the log"
    do = "Run it again: the same transaction is never written twice."


class BadTableName(UserMistake):
    """A table name that is not schema.name."""

    code = "MU-LAKE-007"
    what = "'{name}' is not the name of a table"
    do = "Write it as schema.name, such as bronze.customer_log, with letters, digits and underscores."


class VersionGone(DataRefused):
    """A version of a table that its log no longer has, or never had."""

    code = "MU-LAKE-008"
    what = "{table} has no version {version} in its log"
    do = "The log of {table} knows the versions {known}."


class BadLakeLocation(UserMistake):
    """A lake that is neither a path nor a catalog."""

    code = "MU-LAKE-009"
    what = "the lake has no place: {problem}"
    do = "Set 'lake: {{path: ./lake}}' or 'lake: {{catalog: name, schemas: …}}' in muniment.yml."


class JavaMissing(InfrastructureFailed):
    """Spark needs a Java that is not there or too old."""

    code = "MU-JAVA-001"
    what = "Spark needs Java 17 or newer, and {problem}"
    do = "Install a JDK 17 or 21, and set JAVA_HOME to it if it is not the first on PATH."


class SessionUnfit(InfrastructureFailed):
    """The session handed over lacks something Delta needs."""

    code = "MU-SPARK-001"
    what = "this Spark session cannot be used: {problem}"
    do = "{advice}"


class SparkFailed(InfrastructureFailed):
    """Spark did not start."""

    code = "MU-SPARK-002"
    what = "Spark did not start: {problem}"
    do = "{advice}"


class TableMissing(UserMistake):
    """A table that has not been made yet."""

    code = "MU-LAKE-010"
    what = "there is no table {table} yet"
    do = "Run the step that makes it: land for a log, derive for a history, resolve for belief."


class Outrun(InfrastructureFailed):
    """Another writer took this number of the transaction; `with_retry` computes again."""

    code = "MU-LAKE-011"
    what = "{table}: another writer has made version {txn_version} of {txn}"
    do = "Compute again from what the table holds now."
