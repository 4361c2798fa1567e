"""The example application's own decisions: which outputs it takes, and which nodes it asks for."""

from __future__ import annotations

import importlib.util
from typing import Any

import pulumi
import pytest
import yaml

from settings.outputs import SCHEMA_VERSION
from tests.unit.program import ROOT

FOLDER = ROOT / "examples" / "app-stack"


@pytest.fixture(scope="module")
def program() -> Any:
    spec = importlib.util.spec_from_file_location("app_stack", FOLDER / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_reads_the_outputs_of_today(program: Any) -> None:
    assert program.check_schema(float(SCHEMA_VERSION)) == SCHEMA_VERSION, "the example stops at today's platform"


def test_the_example_stops_at_outputs_that_it_does_not_know(program: Any) -> None:
    with pytest.raises(
        pulumi.RunError, match=r"^platform: found schemaVersion 2; must be 1; bring this program up to date$"
    ):
        program.check_schema(2.0)


def test_pods_land_on_the_named_pool_or_anywhere(program: Any) -> None:
    assert program.node_selector(["default"], "") == {}
    assert program.node_selector(["batch", "default"], "batch") == {"karpenter.sh/nodepool": "batch"}


def test_a_pool_that_is_not_there_is_refused(program: Any) -> None:
    with pytest.raises(pulumi.RunError) as raised:
        program.node_selector(["default", "batch"], "gpu")
    assert str(raised.value) == 'nodePool: found "gpu"; must be a pool of the platform; write one of batch, default'


def test_the_example_uses_no_default_provider() -> None:
    content = yaml.safe_load((FOLDER / "Pulumi.dev.yaml").read_text())["config"]
    assert content["pulumi:disable-default-providers"] == ["*"]
