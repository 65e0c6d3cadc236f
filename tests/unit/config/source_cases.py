"""Mistakes in the sources of an entity."""

from __future__ import annotations

from tests.unit.config.cases import Case

SOURCES: dict[str, Case] = {
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
    "a source's name that no table can have": Case(
        """
        entity: customer
        key: {id: string}
        sources:
          "crm; drop": {}  # <- here
        """,
        "sources.'crm; drop': 'crm; drop' cannot be a name here; use letters, digits and _, not a digit first, at most 64",
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
            read: {format: json, capture: "file:///etc"}  # <- here
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
    "a value left out": Case(
        """
        entity: customer
        key: {id: string}
        sources:  # <- here
        """,
        "sources: a mapping (name: value) is expected, not nothing; write, for example, sources: {crm: {load: full}}",
    ),
}
