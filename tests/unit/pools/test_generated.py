"""Pages and the schema that are generated from the models."""

import json
import re
from pathlib import Path

import pytest
import yaml

from components.spec import reference
from settings.schema import stack_schema

ROOT = Path(__file__).parents[3]
GENERATED = {f"docs/reference-{page}.md": make for page, make in reference.PAGES.items()}
GENERATED["schema/karpenter-eks.schema.json"] = stack_schema


@pytest.mark.parametrize("path", GENERATED)
def test_what_is_generated_is_up_to_date(path: str) -> None:
    assert (ROOT / path).read_text() == GENERATED[path](), f"{path} tells of another version than this one: make docs"


def test_a_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert reference.main(["node-pools"]) == 0
    assert capsys.readouterr().out == reference.node_pools()
    assert reference.main(["nodes"]) == 2
    assert "node-pools|node-classes" in capsys.readouterr().err


def test_every_field_of_the_reference_has_an_example_that_is_yaml() -> None:
    for page in (reference.node_pools(), reference.node_classes()):
        examples = [
            row.rsplit(" | ", 1)[1].removesuffix(" |").strip("`") for row in page.splitlines() if row[:3] == "| `"
        ]
        assert len(examples) > 40
        for example in examples:
            yaml.safe_load(example.replace("\\|", "|"))


def test_the_schema_knows_the_shipped_configurations() -> None:
    schema = json.loads(stack_schema())
    keys = schema["properties"]["config"]["properties"]
    for file in ROOT.glob("Pulumi.*.yaml"):
        for key, value in yaml.safe_load(file.read_text())["config"].items():
            if key.startswith("karpenter-eks:"):
                assert key in keys, f"an editor marks {key} in {file.name} as wrong"
                if key == "karpenter-eks:nodePools":
                    for entry in value.values():
                        assert set(entry) <= set(schema["$defs"]["NodePoolSpec"]["properties"])


def test_the_schema_has_no_pattern_that_only_python_understands() -> None:
    assert not re.search(r"\\\\[ZA]|\(\?P", stack_schema()), "editors take the pattern for another one, or fail on it"
