"""What is generated from the models is what people read."""

from __future__ import annotations

from pathlib import Path
from typing import get_type_hints

import pytest
import yaml

from settings.model import Settings
from settings.outputs import StackOutputs
from settings.reference import config_table, filled, outputs_table, project_config

ROOT = Path(__file__).parents[3]


def test_pulumi_yaml_declares_every_key_as_the_models_describe_it() -> None:
    project = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())
    assert project["config"] == project_config(), (
        "run `python -m settings.reference project` and bring Pulumi.yaml up to date"
    )


def test_the_project_runs_in_the_virtual_environment_of_make() -> None:
    project = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())
    assert project["name"] == "karpenter-eks"
    assert project["runtime"] == {"name": "python", "options": {"toolchain": "pip", "virtualenv": ".venv"}}


def test_no_key_is_required_or_typed_by_the_cli() -> None:
    for key, declared in project_config().items():
        assert "default" in declared, f"the CLI stops at a missing {key} before the program can tell all that is wrong"
        assert "type" not in declared, f"the CLI stops at a wrong {key} before the program can tell all that is wrong"


@pytest.mark.parametrize(
    "row",
    [
        "| `aws:region` | text | must be given | AWS region of everything. |",
        "| `cluster.systemNodes.diskSize` | a whole number of GiB from 20 to 16384 | 50 | Size of the encrypted gp3 "
        "root volume. |",
        "| `network.create.natGateways` | one of none, single, perZone | single |",
        "| `cluster.logTypes` | list of api, audit, authenticator, controllerManager, scheduler | [api, audit, "
        "authenticator] |",
        "| `cluster.secretsKey` | true or false | false |",
        "| `nodeRole.existing` | the name of an IAM role: no ARN, no path | the stack makes "
        "KarpenterNodeRole-&lt;cluster> |",
        "| `karpenter.timeoutSeconds` | a whole number of seconds from 30 to 3600 | 300 |",
        "| `cluster.addons.eks-pod-identity-agent.version` |",
    ],
)
def test_the_configuration_table_tells_key_value_default_and_meaning(row: str) -> None:
    assert row in config_table()


def test_every_key_has_a_row() -> None:
    table = config_table()
    for name, info in Settings.model_fields.items():
        assert f"| `{info.alias or name}` |" in table


def test_every_output_has_a_row_with_its_meaning() -> None:
    rows = outputs_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(get_type_hints(StackOutputs))
    assert all(len(row.split("|")[2].strip()) > 10 for row in rows), "an output has no text below it"


@pytest.mark.parametrize(("page", "table"), [("README.md", "outputs"), ("docs/reference-configuration.md", "config")])
def test_the_pages_hold_the_tables_of_today(page: str, table: str) -> None:
    text = (ROOT / page).read_text()
    assert f"<!-- {table}:begin -->" in text, f"{page} has lost its table"
    assert filled(text) == text, f"run `make docs`: the table of {page} is out of date"


def test_filling_changes_nothing_outside_the_markers() -> None:
    text = "a\n<!-- outputs:begin -->\nyesterday\n<!-- outputs:end -->\nb\n<!-- config:begin -->\n"
    found = filled(text)
    assert found.startswith("a\n<!-- outputs:begin -->\n\n| output |")
    assert found.endswith("<!-- outputs:end -->\nb\n<!-- config:begin -->\n"), (
        "half a marker swallows the rest of the file"
    )
    assert "yesterday" not in found
    assert filled(found) == found
