"""YAML that is broken, hostile or treacherous becomes one readable mistake."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from muniment.config import ConfigurationError, load_project

HEAD = "entity: a\nkey: {id: string}\n"


def told(root: Path, entity: str | bytes) -> list[str]:
    """The mistakes of a project with one entity of this text."""
    (root / "muniment.yml").write_text("name: bank\nlake: {path: ./lake}\n", encoding="utf-8")
    (root / "entities").mkdir(exist_ok=True)
    (root / "entities" / "a.yml").write_bytes(entity if isinstance(entity, bytes) else entity.encode())
    with pytest.raises(ConfigurationError) as caught:
        load_project(root)
    return [str(mistake) for mistake in caught.value.mistakes]


def test_a_tab_is_named(tmp_path: Path) -> None:
    assert told(tmp_path, "entity: a\nkey:\n\tid: string\n") == ["entities/a.yml:3: a tab; YAML is indented with spaces, so replace it"]


def test_a_bracket_that_never_closes_has_its_line(tmp_path: Path) -> None:
    [mistake] = told(tmp_path, "entity: a\nkey: {id: string\nattributes: {}\n")
    assert mistake.startswith("entities/a.yml:3: this is not YAML")


def test_a_second_colon_is_named(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD + "description: that is: this\n") == [
        "entities/a.yml:3: this is not YAML: a second ':' in one line; put the text in quotes or indent the line as its neighbours"
    ]


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n---\n"])
def test_an_empty_file_is_a_mistake(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, text) == ["entities/a.yml:1: the file is empty; describe something in it or delete it"]


def test_a_list_is_not_an_entity(tmp_path: Path) -> None:
    assert told(tmp_path, "- entity: a\n") == ["entities/a.yml:1: a mapping (name: value) is expected, not a list or a single value"]


def test_another_encoding_has_its_line(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD.encode() + "owner: Jürgen\n".encode("latin-1")) == [
        "entities/a.yml:3: the file is not UTF-8; save it as UTF-8"
    ]


def test_a_control_character_has_its_line(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD + "owner: \x07\n") == ["entities/a.yml:3: a control character; YAML is printable text, so delete it"]


def test_a_folder_that_looks_like_the_file_is_no_crash(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_project(tmp_path / "nowhere")
    assert [str(mistake) for mistake in caught.value.mistakes] == [
        "nowhere:1: the file cannot be read (No such file or directory); check that it exists and that you may read it"
    ]


def test_a_pipe_named_like_a_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "entities").mkdir()
    os.mkfifo(tmp_path / "entities" / "b.yml")
    assert told(tmp_path, "") == ["entities/a.yml:1: the file is empty; describe something in it or delete it"]


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD + "# padding\n" * 110_000) == ["entities/a.yml:1: the file is larger than 1,000,000 bytes; split it"]


def test_deep_nesting_is_refused_with_its_line(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD + "meta: {a: " + "[" * 5_000 + "]" * 5_000 + "}\n") == [
        "entities/a.yml:3: nested more than 32 deep; flatten it"
    ]


def test_aliases_that_multiply_are_refused(tmp_path: Path) -> None:
    levels = "".join(f"  l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 10)}]\n" for level in range(1, 9))
    [mistake] = told(tmp_path, HEAD + "meta:\n  l0: &l0 [x, x]\n" + levels)
    assert mistake.endswith("more than 50,000 values once aliases are written out; write less or split the file")


def test_an_alias_that_holds_itself_is_refused(tmp_path: Path) -> None:
    [mistake] = told(tmp_path, HEAD + "meta: &m\n  again: *m\n")
    assert mistake.endswith("nested more than 32 deep, or an alias that holds itself; flatten it")


def test_an_impossible_date_is_named(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD + "description: 2024-13-45\n") == [
        "entities/a.yml:3: description: '2024-13-45' looks like a timestamp and is none; write it in quotes if it is text"
    ]


def test_a_mapping_as_a_name_is_named(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD + "attributes:\n  ? {a: b}\n  : string\n") == [
        "entities/a.yml:4: attributes: a name is expected before ':', not a list or a mapping"
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ('"a\\nb"', "attributes.'a\\nb'"),
        ('"a\\u202Eb"', "attributes.'a\\u202eb'"),
        ('"\\e[31mred"', "attributes.'\\x1b[31mred'"),
        ("a`b", "attributes.'a`b'"),
        ('"a\'; drop table x"', "attributes.'a'; drop table x'"),
        ('""', "attributes.''"),
        ("x" * 129, f"attributes.{'x' * 60}…"),
    ],
)
def test_a_hostile_name_is_refused_and_cannot_draw_on_the_terminal(tmp_path: Path, name: str, shown: str) -> None:
    [mistake] = told(tmp_path, HEAD + f"attributes:\n  {name}: string\n")
    assert mistake.startswith(f"entities/a.yml:4: {shown}: ")
    assert mistake.isprintable()


def test_braces_in_a_value_are_shown_as_they_are(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD + 'kind: "{0.__class__}"\n') == [
        "entities/a.yml:3: kind: '{0.__class__}' is not a choice for 'kind'; write state or event"
    ]


def test_anchors_and_merges_mean_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "muniment.yml").write_text("name: bank\nlake: {path: ./lake}\ninclude: [a.yml]\n", encoding="utf-8")
    text = (
        "entity: a\nkey: {id: string}\nsources:\n  one: &one {load: full, sequence: [n]}\n"
        "  two: {<<: *one, load: partial}\n  three: {<<: [*one, {truncate: apply}]}\n"
    )
    (tmp_path / "a.yml").write_text(text, encoding="utf-8")
    [entity] = load_project(tmp_path).entities
    assert [(source.name, str(source.load), source.sequence, str(source.truncate)) for source in entity.sources] == [
        ("one", "full", ("n",), "quarantine"),
        ("two", "partial", ("n",), "quarantine"),
        ("three", "full", ("n",), "apply"),
    ]


def test_a_mistake_that_an_alias_brings_along_stands_where_it_was_written(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD + "sources:\n  one: &one\n    lod: full\n  two: *one\n") == [
        "entities/a.yml:5: sources.one.lod: unknown name; did you mean 'load'?",
        "entities/a.yml:5: sources.two.lod: unknown name; did you mean 'load'?",
    ]


def test_names_in_any_script_are_names(tmp_path: Path) -> None:
    (tmp_path / "muniment.yml").write_text("name: bank\nlake: {path: ./lake}\ninclude: [a.yml]\n", encoding="utf-8")
    text = "\ufeffentity: a\nkey: {ключ: string}\nattributes: {名前: string, größe: int}\nchecks: [{sql: 名前 is not null}]\n"
    (tmp_path / "a.yml").write_text(text, encoding="utf-8")
    [entity] = load_project(tmp_path).entities
    assert [attribute.name for attribute in entity.attributes] == ["名前", "größe"]
