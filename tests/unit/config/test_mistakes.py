"""Each mistake has its own words, its file and its line."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from muniment.config import ConfigurationError, load_project

from tests.unit.config.capture_cases import CAPTURES
from tests.unit.config.cases import MARK, Case
from tests.unit.config.dimension_cases import DIMENSIONS, OF_BELIEF
from tests.unit.config.entity_cases import ENTITY
from tests.unit.config.load_cases import LOADS
from tests.unit.config.project_cases import PROJECT
from tests.unit.config.series_cases import SERIES
from tests.unit.config.source_cases import SOURCES

IN_ENTITIES = ENTITY | SOURCES | CAPTURES | DIMENSIONS | LOADS | SERIES

MUNIMENT_YML = """
name: bank
lake: {path: ./lake}
connections: {core_kafka: {servers: {env: KAFKA_SERVERS}}}
"""


def told(root: Path, files: dict[str, str]) -> list[str]:
    """The mistakes of a project made of these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_project(root)
    return [str(mistake) for mistake in caught.value.mistakes]


def expected(case: Case, file: str) -> str:
    """The line with the mark, and what is said about it."""
    lines = dedent(case.yaml).lstrip("\n").splitlines()
    [marked] = [number for number, line in enumerate(lines, start=1) if line.endswith(MARK)]
    return f"{file}:{marked}: {case.says}"


@pytest.mark.parametrize("title", IN_ENTITIES)
def test_a_mistake_in_an_entity_is_told_with_its_place(tmp_path: Path, title: str) -> None:
    case = IN_ENTITIES[title]
    found = told(tmp_path, {"muniment.yml": MUNIMENT_YML, "entities/customer.yml": case.yaml})
    assert found == [expected(case, "entities/customer.yml")]


@pytest.mark.parametrize("title", OF_BELIEF)
def test_a_mistake_in_a_dimension_of_belief_is_told_with_its_place(tmp_path: Path, title: str) -> None:
    case = OF_BELIEF[title]
    entity = "entity: player\nkey: {player_id: string}\n"
    found = told(tmp_path, {"muniment.yml": MUNIMENT_YML, "entities/player.yml": entity, "entities/dim.yml": case.yaml})
    assert found == [expected(case, "entities/dim.yml")]


@pytest.mark.parametrize("title", PROJECT)
def test_a_mistake_in_muniment_yml_is_told_with_its_place(tmp_path: Path, title: str) -> None:
    case = PROJECT[title]
    assert told(tmp_path, {"muniment.yml": case.yaml}) == [expected(case, "muniment.yml")]


def test_no_two_mistakes_share_their_words() -> None:
    words = [case.says.split(": ", 1)[-1] for case in (*IN_ENTITIES.values(), *OF_BELIEF.values(), *PROJECT.values())]
    not_paths = [text for text in words if not text.startswith("the path ")]
    assert len(not_paths) == len(set(not_paths)) >= 70


def test_a_file_with_five_mistakes_shows_five(tmp_path: Path) -> None:
    entity = """
    entity: customer
    key: {id: double}
    attributes:
      name: strnig
      status: string
    sources:
      crm: {lod: full}
    belief:
      rules:
        - {attributes: [name], rule: whoever}
        - {attributes: [sttus], rule: longest}
    """
    assert told(tmp_path, {"muniment.yml": MUNIMENT_YML, "entities/customer.yml": entity}) == [
        "entities/customer.yml:2: key.id: a key part cannot be double: equal numbers may differ in the last bit, "
        "so one entity could get two keys; write string, long or decimal(p,s)",
        "entities/customer.yml:4: attributes.name: there is no type 'strnig'; did you mean 'string'?",
        "entities/customer.yml:7: sources.crm.lod: unknown name; did you mean 'load'?",
        "entities/customer.yml:10: belief.rules[0].rule: 'whoever' is not a choice for 'rule'; "
        "write precedence, most_recent, most_complete, longest or most_frequent",
        "entities/customer.yml:11: belief.rules[1].attributes[0]: there is no attribute 'sttus'; did you mean 'status'?",
    ]


def test_a_wrong_value_is_told_once_and_not_again_by_what_depends_on_it(tmp_path: Path) -> None:
    entity = """
    entity: customer
    key: {id: string}
    precedence: [core, crm]
    sources:
      core: {read: {path: landing}, load: ful, absence: deletes}
      crm: 7
    """
    assert told(tmp_path, {"muniment.yml": MUNIMENT_YML, "entities/customer.yml": entity}) == [
        "entities/customer.yml:5: sources.core.load: 'ful' is not a choice for 'load'; write full, changes or partial; did you mean 'full'?",
        "entities/customer.yml:5: sources.core.read.format: 'format' is missing; write, for example, format: csv",
        "entities/customer.yml:6: sources.crm: a mapping (name: value) is expected, not '7' (put text in quotes)",
    ]


def test_mistakes_of_all_files_come_together_sorted_by_file_and_line(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        {
            "muniment.yml": "nam: bank\nlake: {path: ./lake}\n",
            "entities/b.yml": "entity: b\nkey: {id: strin}\n",
            "entities/a.yml": "entity: a\nkey: {id: string}\nkinds: state\nzzz: 1\n",
        },
    )
    assert [line.split(": ")[0] for line in found] == [
        "entities/a.yml:3",
        "entities/a.yml:4",
        "entities/b.yml:2",
        "muniment.yml:1",
        "muniment.yml:1",
    ]


def test_two_entities_of_one_name_are_a_mistake_across_files(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        {
            "muniment.yml": MUNIMENT_YML,
            "entities/a.yml": "entity: customer\nkey: {id: string}\n",
            "entities/b.yml": "# again\nentity: Customer\nkey: {id: string}\n",
        },
    )
    assert found == ["entities/b.yml:2: entity: there is an entity of this name already, in entities/a.yml:1; rename one"]


def test_the_error_has_a_code_a_count_and_advice(tmp_path: Path) -> None:
    (tmp_path / "muniment.yml").write_text("name: bank\nlake: {}\nspark: []\n", encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_project(tmp_path / "muniment.yml")
    first, *_, last = str(caught.value).splitlines()
    assert first == "MU-CONF-001 2 mistakes in the configuration"
    assert last.strip().startswith("Nothing was read or written.")
    assert caught.value.exit_code == 2


def test_a_target_that_nobody_declared_is_a_mistake(tmp_path: Path) -> None:
    text = "name: bank\nlake: {path: ./lake}\ntargets:\n  prod: {lake: {catalog: bank}}\n"
    (tmp_path / "muniment.yml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_project(tmp_path, target="prd")
    assert [str(mistake) for mistake in caught.value.mistakes] == [
        "muniment.yml:3: targets: there is no target 'prd'; did you mean 'prod'?"
    ]


def test_a_path_that_leaves_by_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    outside.mkdir()
    root.mkdir()
    (root / "landing").symlink_to(outside)
    entity = "entity: a\nkey: {id: string}\nsources:\n  crm:\n    read: {format: csv, path: landing/crm}\n"
    assert told(root, {"muniment.yml": MUNIMENT_YML, "entities/a.yml": entity}) == [
        "entities/a.yml:5: sources.crm.read.path: the path leaves the project's folder by a symbolic link (landing); "
        "put the data below it or name a place such as s3://…"
    ]


def test_an_included_file_that_is_a_link_to_elsewhere_is_refused(tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside.yml"
    outside.write_text("entity: a\nkey: {id: string}\n", encoding="utf-8")
    (root / "entities").mkdir(parents=True)
    (root / "entities" / "a.yml").symlink_to(outside)
    assert told(root, {"muniment.yml": "name: bank\nlake: {path: lake}\ninclude: [entities/*.yml]\n"}) == [
        "muniment.yml:3: include[0]: 'entities/a.yml' is a link that leaves the project's folder; put the file below it"
    ]
