"""The configuration files of the pack, and the stack's own environments under them."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.spec.manifests import node_pool_manifest
from components.spec.presets import expand_node_pool
from tests.policies.builders import POOL_TYPE
from tests.policies.running import BY_NAME, on_resource, on_stack

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ("lab", "dev", "staging", "prod")
OF_POOLS = ("disruption-controls", "nodepool-limits", "capacity-separation")


def config_of(environment: str) -> dict[str, dict[str, Any]]:
    return json.loads((ROOT / "policies" / f"config.{environment}.json").read_text())  # type: ignore[no-any-return]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_configuration_names_every_rule_and_only_known_parameters(environment: str) -> None:
    config = config_of(environment)
    assert set(config) == set(BY_NAME), "a rule runs at a level that nobody chose, or a name is misspelt"
    for rule, values in config.items():
        schema = BY_NAME[rule].config_schema
        assert set(values) - {"enforcementLevel"} <= set(schema.properties if schema else ()), (
            f"{rule} ignores a parameter"
        )


def test_the_lab_is_judged_like_production() -> None:
    lab, prod = config_of("lab"), config_of("prod")
    for rule in BY_NAME:
        assert lab[rule]["enforcementLevel"] == prod[rule]["enforcementLevel"], f"{rule} is softer in the lab"


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_stack_s_own_pools_pass_the_rules_of_their_environment(environment: str) -> None:
    stack = yaml.safe_load((ROOT / f"Pulumi.{environment}.yaml").read_text())["config"]
    pools = {
        name: node_pool_manifest(name, expand_node_pool(name, entry))
        for name, entry in stack["karpenter-eks:nodePools"].items()
    }
    config = config_of(environment)
    for rule in OF_POOLS:
        if config[rule]["enforcementLevel"] == "mandatory":
            for name, manifest in pools.items():
                values = {key: value for key, value in config[rule].items() if key != "enforcementLevel"}
                found = on_resource(rule, POOL_TYPE, manifest, name=name, config=values).violations
                assert found == [], f"`pulumi preview` of {environment} is blocked by our own rule {rule}"
    values = {k: v for k, v in config["disruption-controls-in-stack"].items() if k != "enforcementLevel"}
    outcome = on_stack("disruption-controls-in-stack", [(POOL_TYPE, n, m) for n, m in pools.items()], config=values)
    assert outcome.violations == [], f"{environment} has Spot without a way out"
