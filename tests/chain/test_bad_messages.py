"""What a real topic may carry beside events: each bad message waits with its place in the topic, and the stream goes on (R19)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence

import pytest
from pyspark.sql import SparkSession

from muniment import clock
from muniment.arrival.envelope import GIANT
from muniment.project import Project

from examples.cdc.kafka import Kafka
from examples.cdc.processes import until
from examples.cdc.project import write_project

pytestmark = pytest.mark.chain
TOPIC = "bank.public.account"
ROOM = str(GIANT + 2**23)
Message = tuple[bytes | None, bytes | None, int]  # key, value, partition


def event(number: int, **values: str) -> bytes:
    """An account as the connector tells of it."""
    source = {"ts_us": clock.micros(clock.utc(f"2026-03-03T09:00:{number:02}")), "lsn": number}
    account = {"id": str(number), "owner": "Jane", "status": "open", "balance": "1.00", **values}
    return json.dumps({"op": "c", "before": None, "after": account, "source": source}, ensure_ascii=False).encode()


def key(number: int) -> bytes:
    return json.dumps({"id": str(number)}).encode()


GOOD: list[Message] = [(key(number), event(number), number % 3) for number in range(6)]
BAD: dict[str, Message] = {
    "unparsable": (key(10), b"\x00\x01 no event at all", 0),
    "truncated": (key(11), event(11)[:-60], 1),
    "wrongly encoded": (key(12), event(12, owner="Gäst").decode().encode("latin-1"), 2),
    "giant": (key(13), event(13, note="x" * GIANT), 0),
    "another thing": (key(14), b'{"hello": "world"}', 1),
    "a list": (None, b"[" + event(15) + b"]", 2),
}
TOMBSTONE: Message = (key(0), None, 0)


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    """A broker that takes what is far too large."""
    broker = Kafka(tmp_path_factory.mktemp("broker"), largest=int(ROOM))
    try:
        broker.start()
        yield broker
    finally:
        broker.stop()


def send(spark: SparkSession, kafka: Kafka, messages: Sequence[Message]) -> None:
    rows = spark.createDataFrame([(k, v, p, TOPIC) for k, v, p in messages], "key binary, value binary, partition int, topic string")
    sized = {"kafka.max.request.size": ROOM, "kafka.buffer.memory": str(2 * int(ROOM))}
    rows.coalesce(1).write.format("kafka").option("kafka.bootstrap.servers", kafka.servers).options(**sized).save()


def test_bad_messages_wait_with_topic_partition_and_offset_and_the_stream_goes_on(
    kafka: Kafka, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BANK_KAFKA", kafka.servers)
    project = Project.open(write_project(tmp_path_factory.mktemp("project")), spark=spark)
    send(spark, kafka, [*GOOD, *BAD.values(), TOMBSTONE])
    running = project.stream("account")
    try:
        until(lambda: sum(batch.landed.received for batch in running.batches) >= 13, what="first batch", seconds=240)
        send(spark, kafka, [(key(20), event(20), 1), (key(21), b"broken again", 1), (key(22), event(22), 1)])
        until(lambda: sum(batch.landed.received for batch in running.batches) >= 16, what="batch after it", seconds=240)
        assert running.is_running
    finally:
        running.stop()

    counts = [row["counts"] for row in project.runs("account").where("step = 'land'").collect()]
    assert all(each["received"] == each["landed"] + each["quarantined"] + each["ignored"] for each in counts)
    assert {name: sum(each[name] for each in counts) for name in ("received", "landed", "quarantined", "ignored")} == {
        "received": 16, "landed": 8, "quarantined": 7, "ignored": 1,
    }  # fmt: skip
    held = project.history("account").where("is_current").select("id").collect()
    assert sorted(row["id"] for row in held) == ["0", "1", "2", "20", "22", "3", "4", "5"]

    aside = project.quarantine("account").select("reason", "detail", "source_path", "source_file", "raw").collect()
    assert {(row["reason"], row["source_path"]) for row in aside} == {("unreadable", TOPIC)}
    places = {row["source_file"]: row for row in aside}
    assert sorted(places) == [f"{partition}/{offset:012}" for partition, offset in ((0, 2), (0, 3), (1, 2), (1, 3), (1, 5), (2, 2), (2, 3))]
    assert places["0/000000000003"]["detail"].startswith("larger than 16 MiB")
    assert "not UTF-8" in places["2/000000000002"]["detail"]
    kept = json.loads(places["2/000000000002"]["raw"])
    assert base64.b64decode(kept["value_base64"]) == BAD["wrongly encoded"][1]
    assert (kept["topic"], kept["partition"], kept["offset"]) == (TOPIC, 2, 2)
