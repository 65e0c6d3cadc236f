"""The shape of what people write, as pydantic models: the same models make the JSON Schema that editors use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationInfo, model_validator

from muniment.config.names import NAME, PROJECT_NAME, check_name, check_part_name, check_project_name, check_variable

Name = Annotated[str, AfterValidator(check_name), Field(json_schema_extra={"pattern": NAME})]
Scalar = str | int | float | bool


class Shape(BaseModel):
    """A mapping with known names; notes for people may stand in each."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    # A value that keeps the rest readable when a required one is wrong, so that all mistakes are found at once.
    stand_ins: ClassVar[Mapping[str, object]] = {}

    description: str | None = Field(None, description="What it is, for people")
    owner: str | None = Field(None, description="Who answers for it")
    tags: list[str] = Field([], description="Words to select by", examples=[["finance", "daily"]])
    meta: dict[str, Any] = Field({}, description="Anything else worth noting")

    @model_validator(mode="before")
    @classmethod
    def _note_shape(cls, data: Any, info: ValidationInfo) -> Any:
        """Tells the caller which shape a mapping was taken for, so that it can name the names known there."""
        if isinstance(info.context, dict):
            info.context[id(data)] = cls
        return data


class EnvReference(Shape):
    """A value that an environment variable holds."""

    env: Annotated[str, AfterValidator(check_variable)] = Field(description="The environment variable", examples=["KAFKA_PASSWORD"])


class FileReference(Shape):
    """A value that a file holds."""

    file: str = Field(description="The file", examples=["/run/secrets/kafka"])


def _setting_form(value: Any) -> str:
    if not isinstance(value, Mapping):
        return "a value"
    return "from a file" if "file" in value else "from the environment"


Setting = Annotated[
    Annotated[Scalar, Tag("a value")] | Annotated[EnvReference, Tag("from the environment")] | Annotated[FileReference, Tag("from a file")],
    Discriminator(_setting_form),
]
Settings = dict[str, Setting]


class SchemasShape(Shape):
    """Names of the schemas in the catalog, where they differ from ours."""

    bronze: Annotated[str, AfterValidator(check_part_name)] | None = Field(None, description="Evidence")
    silver: Annotated[str, AfterValidator(check_part_name)] | None = Field(None, description="Belief")
    gold: Annotated[str, AfterValidator(check_part_name)] | None = Field(None, description="Dimensions")
    ops: Annotated[str, AfterValidator(check_part_name)] | None = Field(None, description="Bookkeeping")


class LakeShape(Shape):
    """Where the tables are: below a path, or in a catalog."""

    path: str | None = Field(None, description="A folder or an address such as s3://bucket/lake", examples=["./lake"])
    catalog: Annotated[str, AfterValidator(check_part_name)] | None = Field(None, description="A catalog", examples=["bank"])
    schemas: SchemasShape | None = Field(None, description="Schemas in the catalog", examples=[{"bronze": "crm_bronze"}])
    files: str | None = Field(None, description="Where a catalog's lake keeps what is no table", examples=["s3://bank/crm"])


class TargetShape(Shape):
    """Another place for the same project."""

    lake: LakeShape = Field(description="Where its tables are", examples=[{"path": "./lake"}])


class AlertShape(Shape):
    """Whom to tell: exactly one of the ways."""

    log: Settings | None = Field(None, description="To the log", examples=[{}])
    file: Settings | None = Field(None, description="To a file", examples=[{"path": "alerts.jsonl"}])
    webhook: Settings | None = Field(None, description="To an address", examples=[{"url": {"env": "ALERT_URL"}}])
    command: Settings | None = Field(None, description="To a program", examples=[{"run": "notify"}])

    def ways(self) -> dict[str, Settings]:
        """The ways that are written down."""
        found = {name: getattr(self, name) for name in ("log", "file", "webhook", "command")}
        return {name: settings for name, settings in found.items() if settings is not None}


class ProjectShape(Shape):
    """muniment.yml"""

    stand_ins: ClassVar[Mapping[str, object]] = {"name": "project"}

    name: Annotated[str, AfterValidator(check_project_name), Field(json_schema_extra={"pattern": PROJECT_NAME})] = Field(
        description="The project's name", examples=["retail-bank"]
    )
    include: list[str] = Field(
        ["entities/*.yml"], description="Files that describe entities, from this folder", examples=[["entities/*.yml"]]
    )
    lake: LakeShape | None = Field(None, description="Where the tables are: the default target", examples=[{"path": "./lake"}])
    targets: dict[Name, TargetShape] = Field({}, description="Other places, by name", examples=[{"prod": {"lake": {"catalog": "bank"}}}])
    connections: dict[Name, Settings] = Field(
        {}, description="Systems to talk to, by name", examples=[{"core_kafka": {"servers": {"env": "KAFKA_SERVERS"}}}]
    )
    alerts: list[AlertShape] = Field([], description="Whom to tell when something is wrong", examples=[[{"log": {}}]])
    spark: dict[str, Scalar] = Field(
        {}, description="Settings for the session Muniment starts itself", examples=[{"spark.driver.memory": "4g"}]
    )
