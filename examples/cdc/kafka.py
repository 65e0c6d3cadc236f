"""Kafka without ZooKeeper, and Debezium in a standalone Connect beside it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from examples.cdc.artefacts import CONNECT, KAFKA, classpath
from examples.cdc.processes import Server, free_port, listens, until

_CLUSTER = "bXVuaW1lbnQtY2hhaW4tMQ"
_JAVA = ("java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")


class Kafka:
    """One broker that is its own controller."""

    def __init__(self, folder: Path, *, partitions: int = 3, largest: int = 2**20) -> None:
        self.port, controller = free_port(), free_port()
        self._settings = folder / "kafka.properties"
        _write(self._settings, {**_broker(folder, self.port, controller, partitions), "message.max.bytes": str(largest)})
        self.server = Server("kafka", [*_JAVA, "-cp", classpath(KAFKA), "kafka.Kafka", str(self._settings)], folder / "kafka.log")

    @property
    def servers(self) -> str:
        """Where clients find it."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Format its folder and wait until it answers."""
        command = [*_JAVA, "-cp", classpath(KAFKA), "kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(self._settings)]
        subprocess.run(command, check=True, capture_output=True)
        self.server.start()
        until(lambda: listens(self.port), what="answer from Kafka", server=self.server)

    def stop(self) -> None:
        """End it at once: nobody needs its folder afterwards."""
        self.server.kill()


class Connect:
    """Connect with one connector; it may be killed and started again, and goes on from the offsets it last wrote."""

    def __init__(self, folder: Path, *, servers: str, connector: Mapping[str, str]) -> None:
        self.port = free_port()
        worker, connecting = folder / "connect.properties", folder / "connector.properties"
        _write(worker, _worker(folder, servers, self.port))
        _write(connecting, connector)
        command = [*_JAVA, "-cp", classpath(CONNECT), "org.apache.kafka.connect.cli.ConnectStandalone", str(worker), str(connecting)]
        self.server = Server("connect", command, folder / "connect.log")

    def start(self) -> None:
        """Start it; when it reads is for its database to say."""
        self.server.start()

    def kill(self) -> None:
        """End it at once."""
        self.server.kill()

    def stop(self) -> None:
        """End it well."""
        self.server.stop()


def debezium(*, port: int, prefix: str, tables: str) -> dict[str, str]:
    """A connector for some tables of a database, in the plain form that needs no schema beside each event."""
    return {
        "name": prefix,
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "plugin.name": "pgoutput",
        "database.hostname": "127.0.0.1",
        "database.port": str(port),
        "database.user": "postgres",
        "database.password": "",
        "database.dbname": "postgres",
        "topic.prefix": prefix,
        "table.include.list": tables,
        "publication.autocreate.mode": "filtered",
        "slot.name": prefix,
        "decimal.handling.mode": "string",
        "skipped.operations": "none",
        "poll.interval.ms": "100",
    }


def _broker(folder: Path, port: int, controller: int, partitions: int) -> dict[str, str]:
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "log.dirs": str(folder / "topics"),
        "num.partitions": str(partitions),
        "offsets.topic.num.partitions": "1",
        "offsets.topic.replication.factor": "1",
        "group.initial.rebalance.delay.ms": "0",
    }


def _worker(folder: Path, servers: str, port: int) -> dict[str, str]:
    plain = {
        f"{side}.converter{more}": value
        for side in ("key", "value")
        for more, value in (("", "org.apache.kafka.connect.json.JsonConverter"), (".schemas.enable", "false"))
    }
    return {
        "bootstrap.servers": servers,
        "listeners": f"http://127.0.0.1:{port}",
        "offset.storage.file.filename": str(folder / "connect.offsets"),
        "offset.flush.interval.ms": "1000",
        "plugin.discovery": "service_load",
        **plain,
    }


def _write(path: Path, settings: Mapping[str, str]) -> None:
    path.write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8")
