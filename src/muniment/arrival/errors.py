"""What can be wrong with a place that rows should come from."""

from __future__ import annotations

from muniment.errors import DataRefused, UserMistake


class PlaceMissing(UserMistake):
    code = "MU-READ-001"
    what = "there is nothing at {path}"
    do = "Looked at {looked}. Give a file, a folder or a glob; relative paths start at the project's folder."


class PathLeavesProject(UserMistake):
    code = "MU-READ-002"
    what = "{path} leads out of {root}"
    do = "Copy the file into the project, or name its own place without '..' and without a link."


class NoPlace(UserMistake):
    code = "MU-READ-003"
    what = "{entity}.{source} has no place to read from"
    do = "Give the data with the call, or set 'read: {{format: …, path: …}}' for this source."


class NotReadHere(UserMistake):
    code = "MU-READ-004"
    what = "{entity}.{source}: {place} cannot be landed in this version"
    do = "Give the rows with the call, or read from a path or a table."


class BadRows(DataRefused):
    code = "MU-READ-005"
    what = "the rows given for {entity}.{source} cannot be taken: {problem}"
    do = "{advice}"


class ConnectorMissing(UserMistake):
    code = "MU-READ-007"
    what = "the topic {topic} cannot be read: Spark has no connector for Kafka here"
    do = """Add to muniment.yml, for the session that Muniment starts:
    spark:
      spark.jars.packages: "org.apache.spark:spark-sql-kafka-0-10_2.13:{version}"
  A session of your own takes the same setting on its builder. Where nothing can be downloaded, set spark.jars to the paths of
  spark-sql-kafka-0-10, spark-token-provider-kafka-0-10, kafka-clients and commons-pool2, with commas between them."""
