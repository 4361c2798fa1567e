"""Pools and classes that the rest of the stack would not carry."""

from __future__ import annotations

from typing import Any

import pytest

from settings.draft import Draft
from settings.fleet_checks import check_roles, check_zones, needed_gates
from tests.unit.settings.support import AMI, config, errors, told, warnings

SPOT = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"]}
AMD64 = {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}
ROLE = "arn:aws:iam::123456789012:role/team/gpu-nodes"


def test_a_role_that_the_controller_may_not_pass_is_refused() -> None:
    assert errors(config(nodeClasses={"default": {"role": "gpu-nodes"}})) == [
        'karpenter-eks:nodeClasses.default.role: found "gpu-nodes"; must be a role that the controller may pass: '
        "KarpenterNodeRole-my-cluster; remove it to use the stack's role, or add its ARN to "
        "controllerRole.extraNodeRoleArns"
    ], "every launch of the class fails with a denied iam:PassRole"


def test_a_role_in_the_pass_list_is_fine() -> None:
    data = config(nodeClasses={"default": {"role": "gpu-nodes"}}, controllerRole={"extraNodeRoleArns": [ROLE]})
    assert errors(data) == [], "a role with a path cannot be used"
    assert errors(config(nodeClasses={"default": {"role": "KarpenterNodeRole-my-cluster"}})) == []
    assert errors(config(nodeClasses={"default": {"role": "mine"}}, nodeRole={"existing": "mine"})) == []


def test_an_instance_profile_may_hold_another_role() -> None:
    [line] = warnings(config(nodeClasses={"default": {"instanceProfile": "gpu"}}))
    assert line == (
        'karpenter-eks:nodeClasses.default.instanceProfile: found "gpu"; the role in it must be '
        "KarpenterNodeRole-my-cluster, "
        "the only one that the controller may pass; if it holds another role, add that role's ARN to "
        "controllerRole.extraNodeRoleArns"
    )
    named = {"extraNodeRoleArns": [ROLE]}
    assert warnings(config(nodeClasses={"default": {"instanceProfile": "gpu"}}, controllerRole=named)) == []


def test_roles_wait_for_the_cluster_s_name() -> None:
    assert list(check_roles(Draft(config(nodeClasses={"default": {"role": "x"}})), None)) == []


def spot_hints(data: dict[str, Any]) -> list[str]:
    return [line for line in warnings(data) if line.startswith("karpenter-eks:spotServiceLinkedRole")]


@pytest.mark.parametrize("requirements", [[SPOT], [AMD64]])
def test_spot_needs_a_role_in_the_account(requirements: list[dict[str, Any]]) -> None:
    pools = {"batch": {"requirements": requirements}}
    [line] = spot_hints(config(nodePools=pools))
    assert line == (
        "karpenter-eks:spotServiceLinkedRole: found false; Spot (in batch) needs the role AWSServiceRoleForEC2Spot in "
        "the "
        "account; without it Karpenter takes every launch for lack of capacity; if `aws iam get-role --role-name "
        "AWSServiceRoleForEC2Spot` finds none, set this to true"
    ), "Spot launches fail as lack of capacity, and nothing else tells why"
    assert spot_hints(config(nodePools=pools, spotServiceLinkedRole=True)) == []


def test_pools_without_spot_get_no_hint() -> None:
    assert warnings(config()) == []
    without = {"key": "karpenter.sh/capacity-type", "operator": "NotIn", "values": ["spot"]}
    assert spot_hints(config(nodePools={"x": {"requirements": [without]}})) == []


def test_gates_follow_what_the_configuration_uses() -> None:
    assert needed_gates({"default": {}}, {}, {}) == frozenset()
    assert needed_gates({"s": {"replicas": 0}}, {"o": {}}, {"b": {}}) == {
        "staticCapacity",
        "nodeOverlay",
        "capacityBuffer",
    }


def test_a_gate_that_is_needed_cannot_be_off() -> None:
    data = config(nodePools={"s": {"replicas": 2}}, karpenter={"featureGates": {"staticCapacity": False}})
    assert (
        "karpenter-eks:karpenter.featureGates.staticCapacity: found false; must be on: the configuration has nodePools "
        "with "
        "replicas; remove the line (the stack switches the gate on), or remove what needs it"
    ) in errors(data), "the pool's nodes never come"
    data["karpenter"]["featureGates"]["staticCapacity"] = True
    assert not [line for line in errors(data) if "featureGates" in line]


@pytest.mark.parametrize("pools", [None, {}])
def test_a_stack_without_pools_says_so(pools: dict[str, Any] | None) -> None:
    data = config(nodePools=None)
    if pools is not None:
        data["nodePools"] = pools
    assert warnings(data) == [
        "karpenter-eks:nodePools: found nothing; without a pool Karpenter launches no node; add one, such as {default: "
        "{nodeClass: default}}"
    ]


PREFIXES = {"addons": {"vpc-cni": {"configuration": {"env": {"ENABLE_PREFIX_DELEGATION": "true"}}}}}


def test_prefix_delegation_goes_with_max_pods() -> None:
    [line] = warnings(config(cluster=PREFIXES))
    assert line == (
        "karpenter-eks:nodeClasses.default.kubelet.maxPods: found nothing; with prefix delegation in vpc-cni Karpenter "
        "still "
        "counts the pods of plain addresses; write 110"
    ), "nodes are paid for and half empty"
    assert warnings(config(cluster=PREFIXES, nodeClasses={"default": {"kubelet": {"maxPods": 110}}})) == []
    [line] = warnings(config(nodeClasses={"default": {"kubelet": {"maxPods": 110}}}))
    assert line.startswith("karpenter-eks:nodeClasses.default.kubelet.maxPods: found 110; pods beyond the addresses")


@pytest.mark.parametrize("kubelet", [None, "x", {}])
def test_an_unreadable_kubelet_is_no_hint(kubelet: object) -> None:
    data = config(nodeClasses={"default": {"kubelet": kubelet}})
    assert not [line for line in warnings(data) if "maxPods" in line]


def test_mistakes_of_pools_and_classes_are_told_with_the_rest() -> None:
    data = config(
        nodePools={"default": {"limits": {"cpu": "many"}}, "Gpu": {}},
        nodeClasses={"default": {"diskSize": "10"}, "spare": {"amis": {"amd64": AMI}, "amiFamly": "AL2023"}},
    )
    paths = {line.split(": found")[0] for line in errors(data)}
    assert {
        "karpenter-eks:nodePools.default.limits.cpu",
        "karpenter-eks:nodePools.Gpu",
        "karpenter-eks:nodeClasses.default.diskSize",
        "karpenter-eks:nodeClasses.spare.amiFamly",
    } <= paths


def test_an_unreadable_controller_section_makes_up_nothing() -> None:
    data = config(controllerRole={"x": 1}, karpenter={"featureGates": {"x": True}}, nodePools={"s": {"replicas": 1}})
    paths = {line.split(": found")[0] for line in errors(data)}
    assert {"karpenter-eks:controllerRole.x", "karpenter-eks:karpenter.featureGates.x"} <= paths
    assert told(data)[0] is None


def zone(*values: str, key: str = "topology.kubernetes.io/zone") -> dict[str, Any]:
    places = {"key": key, "operator": "In", "values": list(values)}
    on_demand = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
    return config(nodePools={"default": {"requirements": [AMD64, on_demand, places]}})


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("topology.kubernetes.io/zone", ["us-east-1a"]),
        ("topology.kubernetes.io/zone", ["us-west-2"]),
        ("topology.kubernetes.io/zone", ["us-west-22a", "eu-west-1a"]),
        ("failure-domain.beta.kubernetes.io/zone", ["eu-west-1a"]),
        ("topology.kubernetes.io/region", ["eu-west-1"]),
    ],
)
def test_a_pool_in_another_region_is_refused(key: str, values: list[str]) -> None:
    [line] = errors(zone(*values, key=key))
    assert "nodePools.default.requirements[2].values" in line, "the message points to another requirement"
    assert "must lie in the stack's region, us-west-2: the pool never launches a node" in line, (
        "pods stay pending, and no error shows why"
    )


def test_one_zone_of_another_region_is_a_warning() -> None:
    data = zone("us-west-2a", "us-east-1a")
    assert errors(data) == []
    [line] = warnings(data)
    assert 'found ["us-east-1a"]' in line
    assert "they never match" in line


@pytest.mark.parametrize("value", ["us-west-2a", "us-west-2-lax-1a", "us-west-2-wl1-las-wlz-1"])
def test_zones_of_the_region_are_fine(value: str) -> None:
    assert told(zone(value))[1] == [], "a zone, a local zone or a Wavelength zone of the region is refused"
    assert told(zone("us-west-2", key="topology.kubernetes.io/region"))[1] == []


def test_zones_wait_for_the_region_and_for_requirements_that_can_be_read() -> None:
    assert list(check_zones(Draft(zone("x")), None)) == []
    odd: list[Any] = ["x", {"operator": "In", "key": "topology.kubernetes.io/zone", "values": 5}]
    assert list(check_zones(Draft(config(nodePools={"default": {"requirements": odd}})), "us-west-2")) == []


def test_an_entry_with_nothing_after_its_name_is_an_empty_one() -> None:
    assert told(config(nodePools={"default": None}))[1] == [], "`default:` is the walkthrough's pool, and is refused"
    [line] = errors(config(nodeClasses={"default": None}))
    assert "AMIs are pinned, and yours are still to be chosen" in line, "the class is called missing instead"
