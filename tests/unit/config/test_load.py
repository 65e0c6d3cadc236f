"""A good project becomes the model it describes, whatever file it is spread over."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from shutil import copytree

import pytest

from muniment.config import load_project
from muniment.model.attribute import Attribute, KeyPart
from muniment.model.belief import Belief, BeliefRule, Nulls, RuleName
from muniment.model.check import Accepted, Fresh, NotNull, OnFail, SqlCheck
from muniment.model.entity import Completion, Deletes, Entity, HistorySettings, Kind, Late
from muniment.model.info import Info
from muniment.model.project import Alert, Connection, LakeLocation, ProjectModel, Reference, Target
from muniment.model.source import (
    Absence,
    ColumnTime,
    Complete,
    FileNameTime,
    Format,
    GivenTime,
    Kafka,
    LoadType,
    NullMeans,
    OnShort,
    Ops,
    Read,
    Source,
    Truncate,
    Undeclared,
    Unit,
)

BANK = Path(__file__).parent / "bank"

CUSTOMER = Entity(
    name="customer",
    key=(KeyPart("customer_id", "string"),),
    attributes=(
        Attribute("name", "string"),
        Attribute("status", "string"),
        Attribute("region", "string", trim=True),
        Attribute("street", "string"),
        Attribute("postcode", "string"),
        Attribute("balance", "double", scale=6),
        Attribute("tax_id", "string", sensitive=True, info=Info("National number")),
        Attribute("last_synced_at", "timestamp", track=False),
    ),
    kind=Kind.STATE,
    precedence=("core", "crm"),
    history=HistorySettings(Completion.SOURCE_TIME, Deletes.VERSION, Late.REPAIR, timedelta(days=30)),
    sources=(
        Source(
            "crm",
            read=Read(Format.CSV, path="landing/crm", options={"header": "true"}),
            event_time=FileNameTime("crm_%Y%m%d*", "18:00", "Europe/London"),
            load=LoadType.FULL,
            carries=("name", "status", "region"),
            absence=Absence.DELETES,
            complete=Complete(Unit.FOLDER, "_SUCCESS", 0.6, allow_empty=False, absences=2, on_short=OnShort.HOLD),
            scope=("region",),
            columns={"cust_no": "customer_id", "stat": "status", "state": "status"},
            undeclared=Undeclared.QUARANTINE,
            info=Info("What the branches type in"),
        ),
        Source(
            "core",
            read=Read(Format.DEBEZIUM, kafka=Kafka("core_kafka", "bank.public.customer", "earliest")),
            event_time=ColumnTime("__debezium.time", "unix_us"),
            load=LoadType.CHANGES,
            complete=Complete(allow_empty=True),
            sequence=("__debezium.position", "__debezium.within", "__debezium.order"),
            op=Ops("__debezium.op", insert=("c", "r"), update=("u",), delete=("d",)),
            truncate=Truncate.APPLY,
        ),
        Source(
            "events",
            read=Read(Format.JSON, path="landing/events"),
            load=LoadType.PARTIAL,
            event_time=ColumnTime("updated_at"),
            sequence=("lsn",),
            op=Ops("op", insert=("c", "r"), update=("u",), delete=("d",)),
            null_means=NullMeans.VALUE,
        ),
        Source("branch", event_time=ColumnTime("modified", "dd/MM/yyyy HH:mm", "Europe/London")),
        Source("registry", event_time=GivenTime()),
    ),
    belief=Belief(
        (
            BeliefRule(("status",), RuleName.PRECEDENCE, ("core", "crm")),
            BeliefRule(("street", "postcode"), RuleName.MOST_RECENT, together=True),
            BeliefRule(("name", "balance"), RuleName.MOST_RECENT, nulls=Nulls.COMPETE),
        ),
        deletion_sources=("core",),
    ),
    checks=(
        NotNull("name"),
        Accepted("status", ("Active", "Closed"), OnFail.QUARANTINE),
        Fresh("core", timedelta(hours=26)),
        SqlCheck("`balance` >= 0"),
    ),
    info=Info("A person or a company that has an account", "data office", ("pii", "daily"), {"domain": "crm", "retention_years": 7}),
)

PAYMENT = Entity(
    name="payment",
    key=(KeyPart("payment_id", "bigint"), KeyPart("line", "int")),
    attributes=(Attribute("amount", "decimal(18,2)"), Attribute("corrected_payment", "bigint")),
    sources=(Source("core", load=LoadType.CHANGES),),
    kind=Kind.EVENT,
    corrects="corrected_payment",
)

BRANCH = Entity(
    name="branch",
    key=(KeyPart("code", "string"),),
    attributes=(),
    sources=(Source("registry", event_time=ColumnTime("valid_from")), Source("spreadsheet")),
    history=HistorySettings(mixed_time=True),
)

PROD = LakeLocation(catalog="bank", schemas={"bronze": "crm_bronze", "silver": "crm", "ops": "crm_ops"}, files="s3://bank/crm")


def bank(lake: LakeLocation) -> ProjectModel:
    """What the files of the bank describe."""
    return ProjectModel(
        name="retail-bank",
        root=BANK,
        lake=lake,
        entities=(CUSTOMER, PAYMENT, BRANCH),
        targets=(Target("prod", PROD),),
        connections=(
            Connection(
                "core_kafka",
                {
                    "servers": Reference("env", "KAFKA_SERVERS"),
                    "password": Reference("env", "KAFKA_PASSWORD"),
                    "certificate": Reference("file", "/run/secrets/ca"),
                    "retries": 3,
                },
            ),
        ),
        alerts=(Alert("log", {}), Alert("webhook", {"url": Reference("env", "ALERT_URL")})),
        spark={"spark.driver.memory": "4g", "spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "2"},
        info=Info("Customers and payments of a small bank"),
    )


def test_the_whole_example_becomes_the_model_it_describes() -> None:
    assert load_project(BANK) == bank(LakeLocation(path="./lake"))


def test_a_target_brings_its_own_lake() -> None:
    assert load_project(BANK / "muniment.yml", target="prod") == bank(PROD)


def test_a_project_may_be_named_by_text_and_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copytree(BANK, tmp_path / "bank")
    monkeypatch.chdir(tmp_path)
    assert load_project("bank").root == tmp_path / "bank"


def test_a_project_without_a_file_for_entities_has_none(tmp_path: Path) -> None:
    (tmp_path / "muniment.yml").write_text("name: empty\nlake: {path: s3://bucket/lake}\n", encoding="utf-8")
    assert load_project(tmp_path).entities == ()


def test_the_lake_may_be_anywhere_when_its_path_is_written_out(tmp_path: Path) -> None:
    (tmp_path / "muniment.yml").write_text("name: far\nlake: {path: /mnt/lake}\n", encoding="utf-8")
    assert load_project(tmp_path).lake == LakeLocation(path="/mnt/lake")


def test_a_file_that_two_patterns_match_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "muniment.yml").write_text('name: a\nlake: {path: lake}\ninclude: ["*.yml", "**/*.yml"]\n', encoding="utf-8")
    (tmp_path / "one.yml").write_text("entity: one\nkey: {id: string}\n", encoding="utf-8")
    assert [entity.name for entity in load_project(tmp_path).entities] == ["one"]


def test_reading_configuration_does_not_import_spark() -> None:
    code = "import sys, muniment.config, muniment.expressions; sys.exit('pyspark' in sys.modules or 'py4j' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False, env={"PYTHONPATH": str(BANK.parents[3] / "src")})
    assert done.returncode == 0
