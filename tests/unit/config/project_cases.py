"""Mistakes in muniment.yml."""

from __future__ import annotations

from tests.unit.config.cases import Case

PROJECT: dict[str, Case] = {
    "a password written down": Case(
        """
        name: bank
        lake: {path: ./lake}
        connections:
          core_kafka:
            servers: broker:9092
            password: hunter2  # <- here
        """,
        "connections.core_kafka.password: 'password' looks like a secret, and secrets are not written down; "
        "write {env: NAME} or {file: PATH}",
    ),
    "a login inside a setting of Kafka": Case(
        """
        name: bank
        lake: {path: ./lake}
        connections:
          core_kafka:
            sasl.jaas.config: "x"  # <- here
        """,
        "connections.core_kafka.'sasl.jaas.config': 'sasl.jaas.config' looks like a secret, and secrets are not written down; "
        "write {env: NAME} or {file: PATH}",
    ),
    "a token for an alert": Case(
        """
        name: bank
        lake: {path: ./lake}
        alerts:
          - log: {}
          - webhook: {url: {env: ALERT_URL}, token: abc}  # <- here
        """,
        "alerts[1].webhook.token: 'token' looks like a secret, and secrets are not written down; write {env: NAME} or {file: PATH}",
    ),
    "a secret for Spark": Case(
        """
        name: bank
        lake: {path: ./lake}
        spark:
          spark.hadoop.fs.s3a.secret.key: abc  # <- here
        """,
        "spark.'spark.hadoop.fs.s3a.secret.key': a secret does not belong here; Spark reads it from spark-defaults.conf or the environment",
    ),
    "a reference to nothing": Case(
        """
        name: bank
        lake: {path: ./lake}
        connections:
          core_kafka:
            password: {env: "not a name"}  # <- here
        """,
        "connections.core_kafka.password.env: 'not a name' is not the name of an environment variable, such as KAFKA_PASSWORD",
    ),
    "a file of secrets that climbs out": Case(
        """
        name: bank
        lake: {path: ./lake}
        connections:
          core_kafka:
            password: {file: ../password}  # <- here
        """,
        "connections.core_kafka.password.file: the path leaves the project's folder by '..'; "
        "put the data below it or name a place such as s3://…",
    ),
    "no lake": Case(
        """
        name: bank  # <- here
        """,
        "lake: 'lake' is missing; write lake: {path: ./lake}",
    ),
    "a lake without a place": Case(
        """
        name: bank
        lake: {}  # <- here
        """,
        "lake: a lake is below a path or in a catalog; write {path: ./lake} or {catalog: NAME}",
    ),
    "a lake in two places": Case(
        """
        name: bank
        lake: {path: ./lake}
        targets:
          prod:
            lake: {path: x, catalog: bank}  # <- here
        """,
        "targets.prod.lake.catalog: a lake is below a path or in a catalog, not both; keep one",
    ),
    "a lake that climbs out": Case(
        """
        name: bank
        lake: {path: ../lake}  # <- here
        """,
        "lake.path: the path leaves the project's folder by '..'; put the data below it or name a place such as s3://…",
    ),
    "schemas below a path": Case(
        """
        name: bank
        lake: {path: lake, schemas: {bronze: b}}  # <- here
        """,
        "lake.schemas: schemas are named in a catalog; below a path they are folders, so leave this out",
    ),
    "an alert that goes two ways": Case(
        """
        name: bank
        lake: {path: lake}
        alerts:
          - {log: {}, file: {path: a.jsonl}}  # <- here
        """,
        "alerts[0]: an alert goes one way, and this has 2; write one of log, file, webhook, command in each item",
    ),
    "no name": Case(
        """
        lake: {path: lake}  # <- here
        """,
        "name: 'name' is missing; write, for example, name: retail-bank",
    ),
    "a pattern that matches nothing": Case(
        """
        name: bank
        lake: {path: lake}
        include:
          - entitis/*.yml  # <- here
        """,
        "include[0]: 'entitis/*.yml' matches no file; write a pattern such as entities/*.yml, or take it out",
    ),
    "a pattern that climbs out": Case(
        """
        name: bank
        lake: {path: lake}
        include: [../*.yml]  # <- here
        """,
        "include[0]: the path leaves the project's folder by '..'; put the data below it or name a place such as s3://…",
    ),
    "a second document": Case(
        """
        name: bank
        lake: {path: lake}
        ---
        entity: customer  # <- here
        """,
        "one document is expected here; describe entities in files of their own",
    ),
    "an alert that does not say where it goes": Case(
        """
        name: bank
        lake: {path: ./lake}
        alerts:
          - {webhook: {token: {env: ALERT_TOKEN}}}  # <- here
        """,
        "alerts[0].webhook: an alert by webhook needs 'url'",
    ),
    "an alert with a setting that it does not have": Case(
        """
        name: bank
        lake: {path: ./lake}
        alerts:
          - {file: {path: alerts.jsonl, size: 3}}  # <- here
        """,
        "alerts[0].file.size: an alert by file has no 'size'; known: path",
    ),
}
