"""Sessions: ours suits one machine, the user's own is checked and left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muniment.lake import jars, java, session
from muniment.lake.errors import JavaMissing, SessionUnfit

WHOLE = {"spark.sql.extensions": f"x.Y,{session.EXTENSION}", "spark.sql.catalog.spark_catalog": session.CATALOG}


def test_our_session_has_delta_and_speaks_utc(spark: SparkSession) -> None:
    assert session.adopt(spark) is spark
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"


def test_our_session_leaves_nothing_in_the_working_directory(spark: SparkSession) -> None:
    warehouse = spark.conf.get("spark.sql.warehouse.dir")

    assert warehouse is not None
    assert not Path(warehouse.removeprefix("file:")).is_relative_to(Path.cwd())


def test_a_session_is_fit_with_delta_among_its_extensions() -> None:
    session.check("4.0.1", lambda name: WHOLE[name])


@pytest.mark.parametrize(
    ("lacks", "line"),
    [
        ("spark.sql.extensions", f'.config("spark.sql.extensions", "{session.EXTENSION}")'),
        ("spark.sql.catalog.spark_catalog", f'.config("spark.sql.catalog.spark_catalog", "{session.CATALOG}")'),
    ],
)
def test_a_session_without_a_setting_is_refused_with_the_line_to_add(lacks: str, line: str) -> None:
    with pytest.raises(SessionUnfit) as refused:
        session.check("4.2.0", lambda name: "" if name == lacks else WHOLE[name])

    assert lacks in refused.value.text()
    assert line in refused.value.advice()


def test_a_session_without_delta_is_told_everything_at_once() -> None:
    with pytest.raises(SessionUnfit) as refused:
        session.check("4.2.0", lambda _: "")

    assert all(name in refused.value.advice() for name in session.NEEDED)


def test_an_older_spark_is_refused() -> None:
    with pytest.raises(SessionUnfit, match=r"Spark 3\.5\.4"):
        session.check("3.5.4", lambda name: WHOLE[name])


def test_settings_of_the_project_go_first_and_its_packages_come_beside_delta() -> None:
    merged = session.merge(
        {"spark.jars": "delta.jar", "spark.driver.memory": "4g", **session.NEEDED},
        {"spark.driver.memory": "9g", "spark.jars.packages": "a:b:1", "spark.sql.extensions": "x.Y"},
    )

    assert merged["spark.driver.memory"] == "9g"
    assert merged["spark.jars.packages"] == f"{jars.coordinate()},a:b:1"
    assert merged["spark.sql.extensions"] == f"{session.EXTENSION},x.Y"
    assert "spark.jars" not in merged


def test_jars_of_the_project_come_beside_those_of_delta() -> None:
    assert session.merge({"spark.jars": "delta.jar"}, {"spark.jars": "mine.jar"})["spark.jars"] == "delta.jar,mine.jar"


@pytest.mark.parametrize(
    ("theirs", "merged"),
    [
        ("-Xss4m", "-XX:+UseParallelGC -Da=b -Xss4m"),
        ("-XX:+UseZGC -Xss4m", " -Da=b -XX:+UseZGC -Xss4m"),
    ],
)
def test_java_gets_the_options_of_both_but_only_one_collector(theirs: str, merged: str) -> None:
    name = "spark.driver.extraJavaOptions"

    assert session.merge({name: "-XX:+UseParallelGC -Da=b"}, {name: theirs})[name] == merged


def test_the_cache_is_where_the_environment_says() -> None:
    assert jars.cache({"MUNIMENT_CACHE": "/x"}) == Path("/x/ivy")
    assert jars.cache({}) == Path.home() / ".cache" / "muniment" / "ivy"


def test_the_cache_has_all_of_delta_or_counts_as_empty(spark: SparkSession, tmp_path: Path) -> None:
    whole = jars.cached(jars.cache())
    assert whole is not None
    needed = {jar for jar in whole if "delta-storage" in jar.name}
    assert len(needed) == 1

    (tmp_path / "jars").mkdir()
    (tmp_path / "cache").symlink_to(jars.cache() / "cache")
    for jar in set(whole) - needed:
        (tmp_path / "jars" / jar.name).symlink_to(jar)

    assert jars.cached(tmp_path) is None


@pytest.mark.parametrize(
    ("answer", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('java version "1.8.0_392"', 8),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.", None),
    ],
)
def test_the_version_of_java_is_read_from_its_answer(answer: str, major: int | None) -> None:
    assert java.major_version(answer) == major


def test_a_java_that_is_too_old_is_refused_in_one_line() -> None:
    with pytest.raises(JavaMissing) as refused:
        java.judge('openjdk version "11.0.2" 2019-01-15', command="/opt/java/bin/java")

    assert refused.value.text() == "Spark needs Java 17 or newer, and /opt/java/bin/java is Java 11"
    assert "JAVA_HOME" in refused.value.advice()


def test_without_java_there_is_one_line_that_says_what_to_install() -> None:
    with pytest.raises(JavaMissing, match="no java on PATH"):
        java.check({"PATH": ""})


def test_a_java_home_without_java_is_named(tmp_path: Path) -> None:
    with pytest.raises(JavaMissing, match=str(tmp_path)):
        java.check({"JAVA_HOME": str(tmp_path), "PATH": os.environ["PATH"]})
