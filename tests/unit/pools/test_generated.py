"""Pages and the schema that are generated from the models."""

import json
import re
from pathlib import Path

import pytest
import yaml

from components.spec import reference
from components.spec.checks import check_fleet
from components.spec.presets import PRESETS
from settings.schema import stack_schema
from tests import generated
from tests.unit.pools import pages

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("path", generated.FILES)
def test_what_is_generated_is_up_to_date(path: str) -> None:
    text = (ROOT / path).read_text()
    assert text == generated.FILES[path](text), f"{path} tells of another version than this one: make docs"


def test_what_is_not_up_to_date_is_named_and_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    monkeypatch.setattr(generated, "FILES", {"a.md": lambda text: text or "new", "b.md": lambda _: "b"})
    (tmp_path / "b.md").write_text("b")
    assert generated.main([]) == 1
    assert capsys.readouterr().out == "a.md\n"
    assert generated.main(["--write"]) == 0
    assert (tmp_path / "a.md").read_text() == "new"
    assert generated.main([]) == 0


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


def test_every_configuration_on_the_page_is_one_that_the_checker_accepts() -> None:
    blocks = re.findall(r"```yaml\n(karpenter-eks:.*?)```", pages.PAGE.read_text(), re.DOTALL)
    assert len(blocks) > len(PRESETS)
    default = {"default": {"amis": {"amd64": "ami-0123456789abcdef0"}}}
    for block in blocks:
        shown = yaml.safe_load(block)
        problems = check_fleet(
            shown.get("karpenter-eks:nodePools", {}),
            {**default, **shown.get("karpenter-eks:nodeClasses", {})},
            kubernetes_version="1.36",
            node_overlays=shown.get("karpenter-eks:nodeOverlays"),
            capacity_buffers=shown.get("karpenter-eks:capacityBuffers"),
        )
        assert not problems, f"a reader who copies this gets an error: {[p.line() for p in problems]}\n{block}"


def test_a_recorded_lab_run_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    assert "no recording of a lab run yet" in pages.in_the_lab("general")
    node = {"instanceType": "c6a.large", "zone": "us-west-2a", "capacityType": "on-demand", "pods": 2}
    told = {"karpenter": "1.14.3", "kubernetes": "1.36", "nodePool": "general", "pods": 2, "secondsToRunning": 12.6}
    (tmp_path / "general.json").write_text(json.dumps({**told, "nodes": [node]}))
    text = pages.in_the_lab("general")
    assert (
        "2 pods of examples/workloads/general.yaml ran 13 s after they were created, on 1 node of pool general" in text
    )
    assert "| c6a.large | us-west-2a | on-demand | 2 |" in text
