"""Mistakes that people make in an entity's file or in muniment.yml: the line is marked in the YAML, the message stands below it."""

from __future__ import annotations

from typing import NamedTuple

MARK = "# <- here"


class Case(NamedTuple):
    """One mistake: YAML with a mark in the line, and what is said about it."""

    yaml: str
    says: str


ENTITY: dict[str, Case] = {
    "a misspelt name": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            lod: full  # <- here
        """,
        "sources.crm.lod: unknown name; did you mean 'load'?",
    ),
    "a name that is like no other": Case(
        """
        entity: customer
        key: {id: string}
        history:
          zzz: 1  # <- here
        """,
        "history.zzz: unknown name; known here: completion, deletes, late, max_lateness, mixed_time",
    ),
    "a missing key": Case(
        """
        entity: customer  # <- here
        attributes: {name: string}
        """,
        "key: 'key' is missing; write, for example, key: {customer_id: string}",
    ),
    "an empty key": Case(
        """
        entity: customer
        key: {}  # <- here
        """,
        "key: an entity without a key is refused (R1); write, for example, key: {customer_id: string}",
    ),
    "a key that is a list": Case(
        """
        entity: customer
        key: [id]  # <- here
        """,
        "key: a mapping (name: value) is expected, not a list; write, for example, key: {customer_id: string}",
    ),
    "an unknown type": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          name: strnig  # <- here
        """,
        "attributes.name: there is no type 'strnig'; did you mean 'string'?",
    ),
    "a type of another database": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          name: {type: varchar}  # <- here
        """,
        "attributes.name.type: there is no type 'varchar'; write string",
    ),
    "a key part that is not exact": Case(
        """
        entity: customer
        key:
          id: double  # <- here
        """,
        "key.id: a key part cannot be double: equal numbers may differ in the last bit, so one entity could get two keys; "
        "write string, long or decimal(p,s)",
    ),
    "a key part that is a list": Case(
        """
        entity: customer
        key:
          id: array<string>  # <- here
        """,
        "key.id: a key part cannot be array<string>: it needs one plain value; name the fields inside as parts of their own",
    ),
    "a key part that may be null": Case(
        """
        entity: customer
        key:
          id:
            type: string
            nullable: true  # <- here
        """,
        "key.id.nullable: unknown name; a key part is never null, so there is nothing to say; leave it out (R1)",
    ),
    "an entity's name that no table can have": Case(
        """
        entity: my-customer  # <- here
        key: {id: string}
        """,
        "entity: 'my-customer' cannot be a name here; use letters, digits and _, not a digit first, at most 64",
    ),
    "a source's name that no table can have": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          "crm; drop": {}  # <- here
        """,
        "sources.'crm; drop': 'crm; drop' cannot be a name here; use letters, digits and _, not a digit first, at most 64",
    ),
    "an attribute's name that no column can have": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          first name: string  # <- here
        """,
        "attributes.'first name': 'first name' cannot be a column; use letters, digits and _ (any script), not a digit first, at most 128",
    ),
    "an attribute that takes the name of a system column": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          Is_Current: boolean  # <- here
        """,
        "attributes.Is_Current: 'Is_Current' is a column that Muniment keeps itself; choose another name and map it under 'columns'",
    ),
    "an attribute that is a key part": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          id: string  # <- here
        """,
        "attributes.id: 'id' is a key part already; leave it out here",
    ),
    "attributes that differ by case": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          Name: string
          name: string  # <- here
        """,
        "attributes.name: 'name' and 'Name' differ by letter case only, which SQL does not see; rename one",
    ),
    "an attribute twice": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          name: string
          status: string
          name: string  # <- here
        """,
        "attributes.name: 'name' is written twice, in lines 4 and 6; keep one of them",
    ),
    "rounding of text": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          name:
            type: string
            scale: 2  # <- here
        """,
        "attributes.name.scale: only numbers are rounded, and 'name' is string; leave scale out",
    ),
    "trimming of a number": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          balance:
            type: double
            trim: true  # <- here
        """,
        "attributes.balance.trim: only strings are trimmed, and 'balance' is double; leave trim out",
    ),
    "a scale beyond any number": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          balance:
            type: double
            scale: 99  # <- here
        """,
        "attributes.balance.scale: 99 is out of bounds; 'scale' must be from 0 to 38",
    ),
    "precedence that names nobody": Case(
        """
        entity: customer
        key: {id: string}
        precedence:
          - core
          - crmm  # <- here
        sources: {core: {}, crm: {}}
        """,
        "precedence[1]: there is no source 'crmm'; did you mean 'crm'?",
    ),
    "precedence that names a source twice": Case(
        """
        entity: customer
        key: {id: string}
        precedence: [core, crm, core]  # <- here
        sources: {core: {}, crm: {}}
        """,
        "precedence[2]: 'core' is named twice; a source has one place in the order",
    ),
    "a choice that does not exist": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            load: fulll  # <- here
        """,
        "sources.crm.load: 'fulll' is not a choice for 'load'; write full, changes or partial; did you mean 'full'?",
    ),
    "absence without a complete set": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            load: changes
            absence: deletes  # <- here
        """,
        "sources.crm.absence: only a complete set can lack a key (R17); write 'load: full' or 'absence: kept'",
    ),
    "absence with a time per row": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            load: full
            event_time: updated_at
            absence: deletes  # <- here
        """,
        "sources.crm.absence: a load whose absence deletes speaks for one instant, and a column gives each row its own (R17); "
        "for event_time write {file_name: …}, {given: as_of}, or leave it out",
    ),
    "absence in Debezium": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          core:
            read: {format: debezium, path: landing/core}
            absence: deletes  # <- here
        """,
        "sources.core.absence: Debezium sends changes, each at its own time, so a row that is not sent is not gone (R17); "
        "leave absence out, deletes come as events",
    ),
    "a full load in Debezium": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          core:
            read: {format: debezium, path: landing/core}
            load: full  # <- here
        """,
        "sources.core.load: Debezium sends changes, never a complete set; leave 'load' out",
    ),
    "no place to read from": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            read: {format: csv}  # <- here
        """,
        "sources.crm.read: it does not say where the rows are; add one of path, table, kafka, capture",
    ),
    "two places to read from": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            read:
              format: csv
              path: landing/crm
              table: raw.crm  # <- here
        """,
        "sources.crm.read.table: rows have one place, and here are 2 (path, table); keep one",
    ),
    "no format": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            read: {path: landing/crm}  # <- here
        """,
        "sources.crm.read.format: 'format' is missing; write, for example, format: csv",
    ),
    "a connection that does not exist": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          core:
            read:
              format: json
              kafka: {use: core_kafak, topic: t}  # <- here
        """,
        "sources.core.read.kafka.use: there is no connection 'core_kafak'; did you mean 'core_kafka'?",
    ),
    "a scope of a change stream": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {region: string}
        sources:
          core:
            read: {format: debezium, path: landing/core}
            truncate: apply
            scope: [region]  # <- here
        """,
        "sources.core.scope: a truncate empties the whole table, and nothing else of Debezium speaks of absence (R17); leave scope out",
    ),
    "no place to begin": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          core:
            read:
              format: json
              kafka:
                use: core_kafka
                topic: t
                start: yesterday  # <- here
        """,
        "sources.core.read.kafka.start: 'yesterday' is no place to begin; write earliest, latest, or a time in quotes: "
        '"2026-03-01T09:00:00Z"',
    ),
    "a path that climbs out": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            read: {format: csv, path: landing/../../secrets}  # <- here
        """,
        "sources.crm.read.path: the path leaves the project's folder by '..'; put the data below it or name a place such as s3://…",
    ),
    "a full path elsewhere": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            read: {format: csv, path: /etc}  # <- here
        """,
        "sources.crm.read.path: the path leaves the project's folder (it is a full path outside of it); "
        "put the data below it or name a place such as s3://…",
    ),
    "a full path elsewhere as an address": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            read: {format: csv, capture: "file:///etc"}  # <- here
        """,
        "sources.crm.read.capture: the path leaves the project's folder (it is a full path outside of it); "
        "put the data below it or name a place such as s3://…",
    ),
    "a path with a line break": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            read: {format: csv, path: "landing\\ncrm"}  # <- here
        """,
        "sources.crm.read.path: the path holds a control character, such as a line break; delete it",
    ),
    "a path with a NUL": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            read: {format: csv, path: "landing\\0"}  # <- here
        """,
        "sources.crm.read.path: the path holds a control character, such as a line break; delete it",
    ),
    "a marker that is a path": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            load: full
            complete: {unit: folder, marker: ../done}  # <- here
        """,
        "sources.crm.complete.marker: a marker is the plain name of a file in the load's folder, such as _SUCCESS",
    ),
    "a password among a reader's options": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            read: {format: csv, path: in, options: {dbPassword: x}}  # <- here
        """,
        "sources.crm.read.options.dbPassword: a secret does not belong here; put it into a connection as {env: NAME}",
    ),
    "a duration that is none": Case(
        """
        entity: customer
        key: {id: string}
        history:
          max_lateness: 30 dasy  # <- here
        """,
        "history.max_lateness: '30 dasy' is not a duration; did you mean 'days'?; "
        "write a whole number and a unit: 15 minutes, 26 hours, 30 days",
    ),
    "a duration that is a number": Case(
        """
        entity: customer
        key: {id: string}
        history:
          max_lateness: 30  # <- here
        """,
        "history.max_lateness: text is expected, not '30' (put text in quotes); write, for example, max_lateness: 30 days",
    ),
    "a time of day that is none": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            event_time: {file_name: "crm_%Y%m%d*", time: "25:00"}  # <- here
        """,
        'sources.crm.event_time.time: \'25:00\' is not a time of day; write hours and minutes in quotes, from "00:00" to "23:59"',
    ),
    "an unknown time zone": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            event_time:
              column: modified
              zone: Europe/Lodnon  # <- here
        """,
        "sources.crm.event_time.zone: there is no time zone 'Europe/Lodnon'; did you mean 'Europe/London'?",
    ),
    "a pattern without a date": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            event_time: {file_name: "crm_*"}  # <- here
        """,
        "sources.crm.event_time.file_name: 'crm_*' says nothing of a date; mark it with codes: %Y%m%d finds 20260301, * stands for anything",
    ),
    "a pattern with a code that does not exist": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            event_time: {file_name: "crm_%Y%Q"}  # <- here
        """,
        "sources.crm.event_time.file_name: '%Q' is no code for a part of a time; use %Y %m %d %H %M %S and * for anything",
    ),
    "a fraction above one": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            complete:
              min_fraction: 1.5  # <- here
        """,
        "sources.crm.complete.min_fraction: 1.5 is out of bounds; 'min_fraction' must be from 0 to 1",
    ),
    "no absences": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            complete:
              absences: 0  # <- here
        """,
        "sources.crm.complete.absences: 0 is out of bounds; 'absences' must be 1 or more",
    ),
    "a source that carries what nobody declared": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {status: string}
        sources:
          crm:
            carries:
              - staus  # <- here
        """,
        "sources.crm.carries[0]: there is no attribute 'staus'; did you mean 'status'?",
    ),
    "a source that carries the key": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            carries: [id]  # <- here
        """,
        "sources.crm.carries[0]: 'id' is a key part, which every row of 'crm' carries; leave it out",
    ),
    "a scope that nobody declared": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {region: string}
        sources:
          crm:
            scope: [regoin]  # <- here
        """,
        "sources.crm.scope[0]: there is no attribute 'regoin'; did you mean 'region'?",
    ),
    "a column mapped onto nothing": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {status: string}
        sources:
          crm:
            columns:
              cust_no: id
              stat: state  # <- here
        """,
        "sources.crm.columns.stat: there is no attribute 'state'; did you mean 'status'?",
    ),
    "a code with two meanings": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            op:
              column: op
              update: [u]
              delete: [d, u]  # <- here
        """,
        "sources.crm.op.delete[1]: 'u' already means update; a code has one meaning",
    ),
    "sources with and without a time": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm: {event_time: updated_at}
          web: {load: partial}  # <- here
        """,
        "sources.web: 'web' has no event_time and 'crm' has, so their rows cannot share one timeline (R10); "
        "give it an event_time, or write 'history: {mixed_time: true}'",
    ),
    "an unknown rule": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string}
        belief:
          rules:
            - {attributes: [name], rule: most_recents}  # <- here
        """,
        "belief.rules[0].rule: 'most_recents' is not a choice for 'rule'; "
        "write precedence, most_recent, most_complete, longest or most_frequent; did you mean 'most_recent'?",
    ),
    "a rule for an attribute that does not exist": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string}
        belief:
          rules:
            - {attributes: [nmae], rule: most_recent}  # <- here
        """,
        "belief.rules[0].attributes[0]: there is no attribute 'nmae'; did you mean 'name'?",
    ),
    "a rule for a key part": Case(
        """
        entity: customer
        key: {id: string}
        belief:
          rules:
            - {attributes: [id], rule: most_recent}  # <- here
        """,
        "belief.rules[0].attributes[0]: 'id' is a key part, which nobody decides; leave it out",
    ),
    "a rule for nothing": Case(
        """
        entity: customer
        key: {id: string}
        belief:
          rules:
            - {attributes: [], rule: most_recent}  # <- here
        """,
        "belief.rules[0].attributes: nothing stands here; name at least one, or leave it out; write, for example, attributes: [status]",
    ),
    "an attribute with two rules": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string, status: string}
        belief:
          rules:
            - {attributes: [name], rule: most_recent}
            - {attributes: [status, name], rule: longest}  # <- here
        """,
        "belief.rules[1].attributes[1]: 'name' already has a rule (line 6); keep one",
    ),
    "precedence without an order": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string}
        belief:
          rules:
            - {attributes: [name], rule: precedence}  # <- here
        """,
        "belief.rules[0]: this rule needs an order: add 'sources', strongest first, or 'precedence' to the entity",
    ),
    "a rule that listens to nobody": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string}
        sources: {core: {}}
        belief:
          rules:
            - {attributes: [name], rule: precedence, sources: [cor]}  # <- here
        """,
        "belief.rules[0].sources[0]: there is no source 'cor'; did you mean 'core'?",
    ),
    "deletion by nobody": Case(
        """
        entity: customer
        key: {id: string}
        sources: {core: {}}
        belief:
          deletion: {sources: [crm]}  # <- here
        """,
        "belief.deletion.sources[0]: there is no source 'crm'; declared: core",
    ),
    "a check that does not exist": Case(
        """
        entity: customer
        key: {id: string}
        checks:
          - {unique: id}  # <- here
        """,
        "checks[0]: this is no check; write one of not_null, accepted, fresh, sql, such as {not_null: name}",
    ),
    "two checks in one": Case(
        """
        entity: customer
        key: {id: string}
        checks:
          - not_null: id
            sql: id > 'a'  # <- here
        """,
        "checks[0].sql: only one of not_null, accepted, fresh, sql may stand here; keep one",
    ),
    "two ways to tell the time": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          crm:
            event_time:
              file_name: crm_%Y%m%d
              column: updated_at  # <- here
        """,
        "sources.crm.event_time.column: only one of column, file_name, given may stand here; keep one",
    ),
    "a check of nothing": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {name: string}
        checks:
          - {not_null: nam}  # <- here
        """,
        "checks[0].not_null: there is no attribute 'nam'; did you mean 'name'?",
    ),
    "the country that YAML takes for false": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {country: string}
        checks:
          - accepted:
              country: [SE, NO]  # <- here
        """,
        "checks[0].accepted.country[1]: 'country' is a string and YAML reads this as false; write the value in quotes",
    ),
    "freshness of nobody": Case(
        """
        entity: customer
        key: {id: string}
        sources: {core: {}}
        checks:
          - {fresh: {source: croe, within: 26 hours}}  # <- here
        """,
        "checks[0].fresh.source: there is no source 'croe'; did you mean 'core'?",
    ),
    "a condition with a wrong column": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {balance: double}
        checks:
          - {sql: "balnce >= 0"}  # <- here
        """,
        "checks[0].sql: there is no column 'balnce'; did you mean 'balance'?",
    ),
    "a condition that holds a query": Case(
        """
        entity: customer
        key: {id: string}
        checks:
          - {sql: "id in (select id from other)"}  # <- here
        """,
        "checks[0].sql: '(SELECT id FROM other)' is refused: a check judges one row, so it cannot hold a query",
    ),
    "a correction of state": Case(
        """
        entity: customer
        key: {id: string}
        attributes: {fixes: string}
        corrects: fixes  # <- here
        """,
        "corrects: only facts are corrected by other facts; write 'kind: event' or leave it out",
    ),
    "a correction by an attribute that does not exist": Case(
        """
        entity: payment
        kind: event
        key: {id: string}
        attributes: {fixes: string}
        corrects: fixs  # <- here
        """,
        "corrects: there is no attribute 'fixs'; did you mean 'fixes'?",
    ),
    "a name that YAML takes for true": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          on: boolean  # <- here
        """,
        "attributes.on: YAML reads this name as true or false; write it in quotes: 'on'",
    ),
    "a name that YAML takes for a number": Case(
        """
        entity: customer
        key: {id: string}
        attributes:
          2024: double  # <- here
        """,
        "attributes.2024: YAML reads this name as a number; write it in quotes: '2024'",
    ),
    "a value left out": Case(
        """
        entity: customer
        key: {id: string}
        sources:  # <- here
        """,
        "sources: a mapping (name: value) is expected, not nothing; write, for example, sources: {crm: {load: full}}",
    ),
    "a tag": Case(
        """
        entity: customer
        key: {id: string}
        description: !!python/object/apply:os.system [ls]  # <- here
        """,
        "description: the tag !!python/object/apply:os.system is refused; leave it out and write plain YAML",
    ),
    "a file of another family": Case(
        """
        dimension: dim_player  # <- here
        key: {player_id: string}
        """,
        "dimension: this version does not know files that describe a dimension yet; take the file out of 'include'",
    ),
    "a file that describes nothing": Case(
        """
        # a stray file
        colour: blue  # <- here
        """,
        "it does not say what it describes; begin with 'entity: NAME'",
    ),
}

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
}
