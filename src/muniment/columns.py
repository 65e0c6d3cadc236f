"""System columns and the shapes of all tables, declared once. Types are Spark DDL; the comment is what a person reads in SQL."""

from __future__ import annotations

from typing import NamedTuple


class Col(NamedTuple):
    """One column of a table."""

    name: str
    type: str
    comment: str


# Random text: bounds of it say nothing.
RANDOM = frozenset({"assertion_id", "attr_hash", "record_hash", "salt", "row_digest"})

# What no two rows of a batch share, or hardly any: a dictionary of it costs more than it saves, and what does repeat is found by compression.
UNLIKE = RANDOM | {"sk", "source_event_ts", "effective_from", "effective_to", "source_effective_to", "statement_ts"}

# What rows are looked for by, beside their business key: of other columns no file says how small and how large they get.
SEARCHED = frozenset(
    {"sk", "source_system", "source_event_ts", "ingest_ts", "ingest_run_id", "effective_from", "effective_to", "last_seen_ts"}
)

ORIGIN = "struct<source: string, event_ts: timestamp, assertion_id: string>"
BELIEF_ORIGIN = "struct<source: string, event_ts: timestamp, assertion_id: string, rule: string>"
DATA_FILE = "struct<path: string, size: bigint, sha256: string>"
INPUT_FILE = "struct<path: string, size: bigint, sha256: string>"

# -- one assertion -------------------------------------------------------------------------------------------------

IDENTITY = (
    Col("assertion_id", "string", "What was said, by whom, of which key, for when: an exact repeat has the same id (R6)"),
    Col("sk", "string", "SHA-256 of the canonical business key (R1)"),
)

PROVENANCE = (
    Col("source_system", "string", "The source that said it"),
    Col("source_type", "string", "How it reached us: csv, json, parquet, delta, debezium, rows"),
    Col("source_path", "string", "File, table or topic it came from"),
    Col("source_file", "string", "The file's name, where there is one"),
    Col("ingest_run_id", "string", "The run that landed it (ops.run)"),
    Col("ingest_ts", "timestamp", "When it was received; known_at looks at this (R29)"),
    Col("first_receipt_ts", "timestamp", "When it first reached us, if it waited in quarantine before it landed (R29)"),
    Col("source_event_ts", "timestamp", "The time the source speaks for; on platform time the time of receipt (R10)"),
    Col("source_sequence", "array<decimal(38,0)>", "Order inside one instant of one source; nulls first (R6)"),
    Col("load_type", "string", "FULL, CHANGES or PARTIAL (R14)"),
    Col("op", "string", "insert, update or delete as the source said; upsert for a whole row without an operation"),
    Col("is_deleted", "boolean", "Stated true by a delete, false by an insert or a whole row, null where unstated (R13)"),
    Col("asserted", "array<string>", "The attributes this row really states, nulls included (R11)"),
)

SEALS = (
    Col("payload", "string", "JSON of fields that nobody declared"),
    Col("attr_hash", "string", "SHA-256 of the tracked attributes in canonical form, nulls left out (R2)"),
    Col("record_hash", "string", "SHA-256 of all the row states, untracked and unrounded values included (R6)"),
    Col("hash_version", "int", "The canonical form that the hashes were made with (R4)"),
    Col("precedence_rank", "int", "Rank of the source when this landed; higher wins"),
    Col("time_basis", "string", "SOURCE or PLATFORM (R10)"),
)

LOG_ONLY = (
    Col("salt", "string", "Random, so that an erased row cannot be guessed from its digest (R27)"),
    Col("row_digest", "string", "SHA-256 over salt and row; the run's digest covers it (R27)"),
)

HISTORY_ONLY = (
    Col("effective_from", "timestamp", "Start of the interval, inclusive (R5)"),
    Col("effective_to", "timestamp", "End of the interval over all sources, exclusive; null: open (R5)"),
    Col("is_current", "boolean", "The row that answers for the key now, derived from the chain (R7)"),
    Col("source_effective_to", "timestamp", "End of the interval in the chain of this row's own source"),
    Col("is_source_current", "boolean", "Last of its own source's chain and open"),
    Col("is_head", "boolean", "Last version of its key and source: the partition"),
    Col("first_seen_ts", "timestamp", "First receipt of an assertion that this version stands for"),
    Col("last_seen_ts", "timestamp", "Last receipt of an assertion that this version stands for"),
    Col("seen_count", "bigint", "How many rows this version stands for, exact repeats included"),
)

BELIEF_ONLY = (
    Col("effective_from", "timestamp", "Start of the interval, inclusive (R5)"),
    Col("effective_to", "timestamp", "End of the interval, exclusive; null: open (R5)"),
    Col("is_current", "boolean", "What is believed now: the partition"),
    Col("is_deleted", "boolean", "Whether the entity is believed to be gone (R21)"),
)

# -- a load of a complete set (R17) --------------------------------------------------------------------------------

LOAD = (
    Col("load_id", "string", "Source, scope and instant (R30)"),
    Col("source_system", "string", "The source whose complete set this is"),
    Col("load_ts", "timestamp", "The instant it speaks for"),
    Col("ingest_ts", "timestamp", "When it was received"),
    Col("ingest_run_id", "string", "The run that landed it"),
    Col("carried", "map<string,bigint>", "Keys per scope value; the one entry [] where the source has no scope"),
    Col("rows", "bigint", "Rows landed"),
    Col("files", "array<string>", "The files it came in"),
    Col("complete", "boolean", "False: its absence says nothing"),
    Col("note", "string", "Why it is not complete"),
    Col("load_sequence", "array<decimal(38,0)>", "A truncate's place inside its instant; null: before all rows of it (R6)"),
)

# -- bookkeeping ---------------------------------------------------------------------------------------------------

RUN = (
    Col("run_id", "string", "Sorts by the time it was made"),
    Col("step", "string", "land, release, derive, resolve, maintain, …"),
    Col("entity", "string", "What it worked on"),
    Col("source", "string", "Whose rows, for land"),
    Col("status", "string", "done, skipped, refused or failed"),
    Col("started_at", "timestamp", "The real clock"),
    Col("finished_at", "timestamp", "The real clock"),
    Col("seconds", "double", "Duration"),
    Col("received_at", "timestamp", "The time of receipt its rows carry (ingest_ts)"),
    Col("as_of", "timestamp", "The time given with the call"),
    Col("batch_id", "string", "The batch given with the call (R30)"),
    Col("content", "string", "Order-independent hash of what the rows state, to know a load again (R30)"),
    Col("counts", "map<string,bigint>", "received, landed, quarantined, ignored, skipped, …"),
    Col("reasons", "map<string,bigint>", "Rows set aside, by reason"),
    Col("files", f"array<{INPUT_FILE}>", "The files it took in, by place and content (R30)"),
    Col("headers", "string", "The load headers it wrote, as JSON (R17)"),
    Col("reads", "map<string,bigint>", "Table versions read"),
    Col("writes", "map<string,bigint>", "Table versions written"),
    Col("data_files", f"array<{DATA_FILE}>", "The log's data files it made, with digests (R27)"),
    Col("digest", "string", "Order-independent digest of the rows it appended (R27)"),
    Col("link", "string", "Its link of the hash chain; stands in the log's commit too (R27)"),
    Col("messages", "array<string>", "What it had to say"),
    Col("software", "string", "The version that did it"),
)

QUARANTINE = (
    Col("quarantine_id", "string", "Name it to release or reject it"),
    Col("entity", "string", "The entity it was meant for"),
    Col("source_system", "string", "Who said it"),
    Col("reason", "string", "Code of what is wrong with it"),
    Col("detail", "string", "What is wrong with it, in words"),
    Col("raw", "string", "What came, whole"),
    Col("source_type", "string", "How it reached us"),
    Col("source_path", "string", "File, table or topic"),
    Col("source_file", "string", "The file's name"),
    Col("as_of", "timestamp", "The time given with its load or read from its file's name"),
    Col("ingest_run_id", "string", "The run that received it"),
    Col("ingest_ts", "timestamp", "When it was received"),
)

DECISION = (
    Col("decision_id", "string", "Its own id"),
    Col("kind", "string", "release, reject or accept"),
    Col("entity", "string", "What it is about"),
    Col("target", "string", "The quarantined row or the load it decides on"),
    Col("made_by", "string", "Who"),
    Col("reason", "string", "Why"),
    Col("made_at", "timestamp", "When"),
    Col("run_id", "string", "The run that carried it out"),
)

CONTRACT = (
    Col("entity", "string", "The entity"),
    Col("source", "string", "The source"),
    Col("status", "string", "DEFENSIBLE, LIMITED_FALLBACK_ONLY or REJECT_FOR_AUTHORITATIVE_BRONZE (R18)"),
    Col("reasons", "array<string>", "Why"),
    Col("terms", "string", "The source's declaration, as JSON"),
    Col("assessed_at", "timestamp", "When this assessment began to hold"),
    Col("run_id", "string", "The run that found it"),
)

RULE_SET = (
    Col("entity", "string", "The entity"),
    Col("version", "int", "Counts from 1, for each kind"),
    Col("settings", "string", "What shapes its history, or decides belief, as JSON (R28)"),
    Col("made_at", "timestamp", "When a derived table was first made with it"),
    Col("kind", "string", "history or belief; null: history"),
    Col("made_by", "string", "Who, if somebody said so"),
    Col("reason", "string", "Why, or what changed"),
)

OVERRIDE = (
    Col("override_id", "string", "Name it to withdraw it"),
    Col("entity", "string", "The entity"),
    Col("sk", "string", "The key it is about"),
    Col("key", "string", "The same as people write it, as JSON"),
    Col("given", "map<string,string>", "Attributes and the values they are set to, as text"),
    Col("start_ts", "timestamp", "From when it holds, inclusive; null: from the beginning"),
    Col("end_ts", "timestamp", "Until when, exclusive; null: for good"),
    Col("made_by", "string", "Who"),
    Col("reason", "string", "Why"),
    Col("made_at", "timestamp", "When; known_at looks at this (R29)"),
    Col("withdraws", "string", "The override that this row ends; null: a row that sets values"),
)

PIN = (
    Col("name", "string", "Its name"),
    Col("entity", "string", "The entity"),
    Col("as_of", "timestamp", "The time it speaks for"),
    Col("known_at", "timestamp", "The time at which it remembers"),
    Col("rows", "bigint", "Live entities in it"),
    Col("digest", "string", "Order-independent digest of its rows"),
    Col("rule_version", "int", "The rules it was decided by (ops.rule_set)"),
    Col("log_version", "bigint", "The version of the log it was made from"),
    Col("log_link", "string", "The newest link of the log's hash chain then (R27)"),
    Col("made_by", "string", "Who, if somebody said so"),
    Col("reason", "string", "Why"),
    Col("made_at", "timestamp", "When"),
)

CAPTURE = (
    Col("capture_id", "string", "Entity, source and place"),
    Col("entity", "string", "The entity"),
    Col("source", "string", "The source: the vendor"),
    Col("path", "string", "The capture's folder"),
    Col("records_path", "string", "Its file of records"),
    Col("status", "string", "pending, success, failed, quarantined, skipped_duplicate or skipped_incomplete"),
    Col("reason", "string", "Why it is not simply a success"),
    Col("capture_mode", "string", "full_snapshot, incremental, history or delistings"),
    Col("complete", "boolean", "False: it is kept and never used"),
    Col("captured_at", "timestamp", "When the answer had come"),
    Col("effective_ts", "timestamp", "The instant it speaks for: the vendor's, else that of the capture"),
    Col("scope", "array<string>", "The scopes it speaks for, as load headers write them"),
    Col("record_count", "bigint", "Records in its file"),
    Col("expected_record_count", "bigint", "What the vendor announced"),
    Col("content_sha256", "string", "Canonical content, whatever the order and the compression"),
    Col("file_sha256", "string", "The bytes of its file"),
    Col("manifest_sha256", "string", "The bytes of its manifest"),
    Col("duplicate_of", "string", "The accepted capture before it, where that has the same content"),
    Col("scd2_new", "bigint", "Keys that were not in the accepted capture before it"),
    Col("scd2_modified", "bigint", "Keys whose tracked attributes differ from it"),
    Col("scd2_delisted", "bigint", "Keys of it that are gone"),
    Col("scd2_unchanged", "bigint", "Keys that are as they were"),
    Col("ingest_run_id", "string", "The run that landed it"),
    Col("registered_at", "timestamp", "When it was first noted"),
    Col("settled_at", "timestamp", "When this status was found"),
)

CAPTURE_CHANGE = (
    Col("capture_id", "string", "The capture that shows it (ops.capture)"),
    Col("entity", "string", "The entity"),
    Col("source", "string", "The source"),
    Col("natural_key", "string", "The key as people write it, as JSON"),
    Col(
        "change_type",
        "string",
        "new_listing, modification, delisting, or conflict: delisted by a list and listed by the snapshot beside it",
    ),
    Col("effective_ts", "timestamp", "When it took effect"),
    Col("changed_columns", "map<string,struct<old: string, new: string>>", "Tracked attributes that differ"),
    Col("prev_snapshot_path", "string", "The accepted capture before it"),
    Col("curr_snapshot_path", "string", "The capture that shows it"),
)

WATERMARK = (
    Col("load", "string", "The load"),
    Col("column", "string", "The column that it follows"),
    Col("value", "string", "How far the source was read, as text; null: to be read from its beginning"),
    Col("type", "string", "The column's type, by which the text is read"),
    Col("before", "string", "The value before this one"),
    Col("kind", "string", "moved by a load, or reset by a person"),
    Col("processed_at", "timestamp", "The processing time of the load that moved it"),
    Col("made_at", "timestamp", "The real clock"),
    Col("made_by", "string", "Who reset it"),
    Col("reason", "string", "Why"),
    Col("run_id", "string", "The run that moved it (ops.run)"),
)

PARTITION = (
    Col("partition_id", "string", "Its own id"),
    Col("series", "string", "The series"),
    Col("role", "string", "dump, delta or target"),
    Col("start_ts", "timestamp", "Start of its day or hour, inclusive"),
    Col("end_ts", "timestamp", "End of it, exclusive"),
    Col("generation", "int", "How often this role and time was made; the last one has the place"),
    Col("base", "string", "A target: the target or dump it was made from"),
    Col("deltas", "array<string>", "A target: the deltas that were applied to its base, in order"),
    Col("rows", "bigint", "Rows in it"),
    Col("deletes", "bigint", "A delta: how many of them say that a row is gone"),
    Col("checksum", "string", "Order-independent checksum of its rows"),
    Col("sums", "array<decimal(20,0)>", "What the checksum is made of: sums of row digests"),
    Col("quality", "string", "What its checks said: good, or bad; later marks are in ops.mark"),
    Col("table_version", "bigint", "The version of the table that holds its rows"),
    Col("produced_by", "string", "The run that made it (ops.run)"),
    Col("produced_at", "timestamp", "When"),
)

MARK = (
    Col("mark_id", "string", "Its own id"),
    Col("verb", "string", "mark, unmark (it was good after all) or clear (another has its place)"),
    Col("family", "string", "series or entity"),
    Col("name", "string", "Which series or entity"),
    Col("target", "string", "The partition or the run it is about"),
    Col("place", "string", "The same as people call it"),
    Col("effect", "string", "On a run: hold or exclude"),
    Col("made_by", "string", "Who, or which check"),
    Col("reason", "string", "Why"),
    Col("made_at", "timestamp", "When; known_at looks at this (R29)"),
)

OPS = {"run": RUN, "quarantine": QUARANTINE, "decision": DECISION, "contract": CONTRACT, "rule_set": RULE_SET, "override": OVERRIDE}

RESERVED = frozenset(col.name for group in (IDENTITY, PROVENANCE, SEALS, LOG_ONLY, HISTORY_ONLY) for col in group) | {
    "origin",
    "stated",
    "contested",
    "rule_version",
    "last_order",
}
