"""What is wrong only when pools, classes, overlays and buffers are looked at together."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.spec.checks import check_fleet
from components.spec.presets import PRESETS
from components.spec.problems import Problem
from tests.lab.differential.class_configurations import NODE_CLASSES
from tests.lab.differential.configurations import JUNK, NODE_POOLS
from tests.lab.differential.extra_configurations import CAPACITY_BUFFERS, NODE_OVERLAYS

AMD, ARM = "ami-0123456789abcdef0", "ami-0fedcba9876543210"
BOTH = {"amis": {"amd64": AMD, "arm64": ARM}}
CLASSES: dict[str, dict[str, Any]] = {
    "default": BOTH,
    "gpu": {"amis": {"amd64": AMD}},
    "reserved": {**BOTH, "capacityReservationSelectorTerms": [{"tags": {"purpose": "batch"}}]},
    "windows": {"amis": {"amd64": AMD}, "amiFamily": "Windows2022"},
    "amd-only": {"amis": {"amd64": AMD}},
    "by-alias": {"amiSelectorTerms": [{"alias": "al2023@v20261101"}]},
    "by-name": {"amiSelectorTerms": [{"name": "x"}], "amiFamily": "AL2023"},
    "custom": {"amis": {"amd64": AMD}, "amiFamily": "Custom", "userData": "x"},
}


def requirement(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def arch(*values: str) -> dict[str, Any]:
    return requirement("kubernetes.io/arch", "In", *values)


CAPACITY = "karpenter.sh/capacity-type"
ON_DEMAND = requirement(CAPACITY, "In", "on-demand")
PLAIN = (arch("amd64"), ON_DEMAND)
FAMILY = "karpenter.k8s.aws/instance-family"
ZONE = "topology.kubernetes.io/zone"


def check(pools: dict[str, Any], classes: dict[str, Any] | None = None, **others: Any) -> list[Problem]:
    return check_fleet(pools, CLASSES if classes is None else classes, kubernetes_version="1.36", **others)


def told(problems: list[Problem], path: str, rule: str, severity: str = "error") -> bool:
    return any(p.path == path and rule in p.rule and p.severity == severity for p in problems)


def test_all_presets_together_are_let_through_in_silence() -> None:
    problems = check({preset: {"preset": preset} for preset in PRESETS})
    assert not problems, f"the product's own presets are complained about: {[p.line() for p in problems]}"


def test_a_pool_of_a_missing_class_is_refused() -> None:
    problems = check({"a": {"nodeClass": "defualt"}, "b": {"nodeClass": "zzz"}})
    assert told(problems, "nodePools.a.nodeClass", "no such node class"), "the pool would never be Ready"
    assert problems[0].remedy == "did you mean default?"
    assert "add it to nodeClasses" in problems[1].remedy


def test_a_pool_of_a_class_with_mistakes_is_not_told_that_the_class_is_missing() -> None:
    problems = check({"a": {}}, {"default": {"amis": {"amd64": "x"}}})
    assert [p.path for p in problems] == ["nodeClasses.default.amis.amd64"]


@pytest.mark.parametrize("node_class", ["amd-only", "windows"])
def test_an_architecture_that_no_ami_of_the_class_serves_is_refused(node_class: str) -> None:
    problems = check({"a": {"nodeClass": node_class, "requirements": [arch("arm64"), ON_DEMAND]}})
    assert told(problems, "nodePools.a.requirements", "has AMIs for amd64 only"), "the pool would never launch a node"


@pytest.mark.parametrize(
    "requirements",
    [
        [requirement(FAMILY, "In", "m7g")],
        [requirement("node.kubernetes.io/instance-type", "In", "m7g.large", "c8g.large")],
        [requirement("karpenter.k8s.aws/instance-cpu-manufacturer", "In", "aws")],
        [requirement("kubernetes.io/arch", "NotIn", "amd64")],
    ],
    ids=str,
)
def test_instances_that_no_ami_of_the_class_serves_are_refused(requirements: list[dict[str, Any]]) -> None:
    pool = {"nodeClass": "amd-only", "requirements": [*requirements, ON_DEMAND]}
    assert told(check({"a": pool}), "nodePools.a.requirements", "has AMIs for amd64 only"), (
        "the pool asks for Graviton without naming its architecture, and never launches a node"
    )
    assert not check({"a": {**pool, "nodeClass": "default"}})


def test_instances_of_one_architecture_need_only_its_ami() -> None:
    pool = {
        "nodeClass": "amd-only",
        "requirements": [arch("amd64", "arm64"), requirement(FAMILY, "In", "m5"), ON_DEMAND],
    }
    assert not check({"a": pool}), "a warning about an AMI that no instance would use"


@pytest.mark.parametrize("node_class", ["by-alias", "by-name", "default"])
def test_an_architecture_that_an_ami_may_serve_is_let_through(node_class: str) -> None:
    assert not check({"a": {"nodeClass": node_class, "requirements": [arch("arm64"), ON_DEMAND]}})


@pytest.mark.parametrize("node_class", ["default", "by-alias", "by-name", "custom-both"])
def test_two_architectures_that_nobody_asked_for_are_a_warning(node_class: str) -> None:
    classes = {**CLASSES, "custom-both": {**BOTH, "amiFamily": "Custom", "userData": "x"}}
    problems = check({"a": {"nodeClass": node_class, "requirements": [ON_DEMAND]}}, classes)
    assert told(problems, "nodePools.a.requirements", "of one architecture may land", "warning"), (
        "pods with an amd64 image crash on a Graviton node, only now and then"
    )
    both = {"nodeClass": node_class, "requirements": [arch("amd64", "arm64"), ON_DEMAND]}
    assert not check({"a": both}, classes), "who names both has thought of it"
    one = {"nodeClass": node_class, "requirements": [requirement(FAMILY, "In", "m7i"), ON_DEMAND]}
    assert not check({"a": one}, classes), "instances of one architecture need no word about it"
    label = {"nodeClass": node_class, "requirements": [ON_DEMAND], "labels": {"kubernetes.io/arch": "amd64"}}
    assert not check({"a": label}, classes), "a label says it, too"


SUBNET = {"id": "subnet-0123456789abcdef0"}


@pytest.mark.parametrize(
    ("terms", "pool"),
    [
        ([SUBNET], {}),
        ([SUBNET], {"requirements": [ON_DEMAND, requirement(ZONE, "In", "us-west-2a", "us-west-2b")]}),
    ],
    ids=str,
)
def test_a_single_subnet_under_a_pool_for_every_zone_is_a_warning(terms: list[Any], pool: dict[str, Any]) -> None:
    problems = check({"a": pool}, {"default": {**BOTH, "subnetSelectorTerms": terms}})
    assert told(problems, "nodeClasses.default.subnetSelectorTerms", "one subnet is one zone", "warning"), (
        "all nodes land in one zone, and nobody notices before that zone fails"
    )


@pytest.mark.parametrize(
    ("fields", "pool"),
    [
        ({"subnetSelectorTerms": [SUBNET]}, {"requirements": [*PLAIN, requirement(ZONE, "In", "us-west-2a")]}),
        ({"subnetSelectorTerms": [SUBNET]}, {"labels": {"topology.k8s.aws/zone-id": "usw2-az1"}}),
        ({"subnetSelectorTerms": [SUBNET], "placementGroupSelector": {"name": "x"}}, {}),
        ({"subnetSelectorTerms": [SUBNET], "capacityReservationSelectorTerms": [{"tags": {"a": "b"}}]}, {}),
        ({"subnetSelectorTerms": [SUBNET, {"id": "subnet-0fedcba9876543210"}]}, {}),
        ({"subnetSelectorTerms": [SUBNET, {"tags": {"a": "b"}}]}, {}),
        ({"subnetSelectorTerms": [{"tags": {"a": "b"}}]}, {}),
    ],
    ids=str,
)
def test_subnets_of_one_zone_on_purpose_or_of_several_are_let_through(
    fields: dict[str, Any], pool: dict[str, Any]
) -> None:
    problems = check({"a": pool}, {"default": {**BOTH, **fields}})
    assert not problems, f"a warning that its reader cannot act on: {[each.line() for each in problems]}"


def test_one_of_two_architectures_without_an_ami_is_a_warning() -> None:
    pool = {"nodeClass": "amd-only", "requirements": [arch("amd64", "arm64"), ON_DEMAND]}
    assert told(check({"a": pool}), "nodePools.a.requirements", "has no AMI for arm64", "warning")
    silent = {"nodeClass": "amd-only", "requirements": [ON_DEMAND]}
    assert not check({"a": silent}), "a pool that names no architecture takes what the class has"


def test_a_linux_pool_of_a_windows_class_is_refused() -> None:
    problems = check({"a": {"nodeClass": "windows"}})
    assert told(problems, "nodePools.a.requirements", "class windows starts windows"), "no node would ever fit"
    windows = {"nodeClass": "windows", "requirements": [requirement("kubernetes.io/os", "In", "windows"), ON_DEMAND]}
    assert not check({"a": windows})
    assert told(check({"a": {**windows, "nodeClass": "default"}}), "nodePools.a.requirements", "starts linux")
    assert not check({"a": {**windows, "nodeClass": "custom"}}), "only its owner knows what a Custom AMI runs"


def test_reserved_capacity_without_reservations_is_refused() -> None:
    reserved = requirement(CAPACITY, "In", "reserved")
    mixed = requirement(CAPACITY, "In", "reserved", "on-demand")
    path, rule = "nodePools.a.requirements", "selects no capacity reservation"
    assert told(check({"a": {"requirements": [reserved]}}), path, rule), "the pool would never launch a node"
    assert told(check({"a": {"requirements": [mixed]}}), path, rule, "warning"), "the reservation stays unused"
    assert not check({"a": {"nodeClass": "reserved", "requirements": [reserved, arch("amd64")]}})


def test_one_pinned_ami_for_pools_with_and_without_gpus_is_a_warning() -> None:
    pools = {"a": {}, "b": {"preset": "gpu", "nodeClass": "default"}}
    assert told(check(pools), "nodeClasses.default.amis", "either the nvidia variant or the standard one", "warning")
    assert not check({**pools, "a": {"nodeClass": "by-alias"}}), "each class has its own AMI"


def test_pools_that_shadow_each_other_at_equal_weight_are_a_warning() -> None:
    smaller = {"requirements": [arch("amd64"), ON_DEMAND, requirement(FAMILY, "In", "m5", "m6i")]}
    larger = {"requirements": [arch("amd64"), ON_DEMAND]}
    path, rule = "nodePools.a.weight", "pool b can launch too"
    assert told(check({"a": smaller, "b": larger}), path, rule, "warning"), "chance decides where pods land"
    assert len(check({"a": larger, "b": larger})) == 1, "two equal pools are told once"


@pytest.mark.parametrize(
    "difference",
    [
        {"weight": 10},
        {"labels": {"team": "a"}},
        {"taints": [{"key": "workload", "value": "batch-spot", "effect": "NoSchedule"}]},
        {"requirements": [arch("arm64"), ON_DEMAND]},
        {"requirements": [arch("amd64"), ON_DEMAND, requirement("topology.kubernetes.io/zone", "In", "us-west-2a")],
         "weight": 1},
        {"replicas": 1},
    ],
    ids=str,
)  # fmt: skip
def test_pools_that_differ_for_pods_do_not_shadow_each_other(difference: dict[str, Any]) -> None:
    pools = {"a": {"requirements": [arch("amd64"), ON_DEMAND]}}
    pools["b"] = {**pools["a"], **difference}
    assert not check(pools)


def test_pools_in_different_zones_do_not_shadow_each_other() -> None:
    zone = "topology.kubernetes.io/zone"
    base = [arch("amd64"), ON_DEMAND]
    pools = {name: {"requirements": [*base, requirement(zone, "In", f"us-west-2{name}")]} for name in ("a", "b")}
    assert not check(pools)
    wide = {"requirements": [*base, requirement(zone, "In", "us-west-2a", "us-west-2b")]}
    assert told(check({**pools, "c": wide}), "nodePools.a.weight", "pool c can launch too", "warning")


OVERLAY = {"requirements": [requirement(FAMILY, "In", "m7i")], "price": "0.1"}


@pytest.mark.parametrize(
    ("change", "path", "rule"),
    [
        ({"requirements": [{"key": FAMILY, "operator": "In"}]}, "requirements[0].values", "at least one value"),
        ({"requirements": [requirement(FAMILY, "Exists", "x")]}, "requirements[0].values", "takes no values"),
        ({"requirements": [requirement(FAMILY, "Gt", "x")]}, "requirements[0].values", "one whole number"),
        ({"requirements": [requirement("karpenter.sh/x", "In", "x")]}, "requirements[0].key", "belong to Karpenter"),
        (
            {"requirements": [requirement("karpenter.k8s.aws/instance-tenancy", "In", "default")]},
            "requirements[0].key",
            "overlays cannot ask",
        ),
        (
            {"requirements": [requirement("karpenter.sh/nodepool", "In", "default", "gone")]},
            "requirements[0].values",
            "no such NodePool; there are default",
        ),
        ({"priceAdjustment": "+10%"}, "priceAdjustment", "together with price"),
        ({"price": ".5"}, "price", "digits"),
        ({"price": None, "priceAdjustment": "10%"}, "priceAdjustment", "-15%"),
        ({"capacity": {"cpu": "1"}}, "capacity.cpu", "Karpenter knows cpu itself"),
        ({"capacity": {"example.com/x": "-1"}}, 'capacity["example.com/x"]', "not be negative"),
        ({"weight": 0}, "weight", "1 to 10000"),
        ({"requirements": None}, "requirements", "is required"),
    ],
)
def test_an_overlay_that_karpenter_would_refuse_is_refused(change: dict[str, Any], path: str, rule: str) -> None:
    overlay = {key: value for key, value in {**OVERLAY, **change}.items() if value is not None}
    problems = check({"default": {}}, node_overlays={"x": overlay})
    assert told(problems, f"nodeOverlays.x.{path}", rule), f"told instead: {[p.line() for p in problems]}"


def test_good_overlays_are_let_through() -> None:
    pool = {"requirements": [requirement("karpenter.sh/nodepool", "In", "default"),
                             requirement("karpenter.k8s.aws/instance-cpu", "Gte", "4")],
            "priceAdjustment": "-15%", "capacity": {"example.com/fpga": 1}, "weight": 10}  # fmt: skip
    assert not check({"default": {}}, node_overlays={"x": OVERLAY, "y": pool})
    idle: dict[str, Any] = {"requirements": []}
    assert told(check({}, node_overlays={"x": idle}), "nodeOverlays.x", "changes nothing", "warning")


WEB = {"apiGroup": "apps", "kind": "Deployment", "name": "web"}


@pytest.mark.parametrize(
    ("spec", "path", "rule"),
    [
        ({"replicas": 1}, "spec", "exactly one of podTemplateRef and scalableRef"),
        ({"scalableRef": WEB, "podTemplateRef": {"name": "x"}, "replicas": 1}, "spec", "exactly one of"),
        ({"podTemplateRef": {"name": "x"}, "percentage": 10}, "spec.percentage", "is a share of the workload"),
        ({"podTemplateRef": {"name": "x"}, "percentage": 10}, "spec.replicas", "required with podTemplateRef"),
        ({"scalableRef": WEB}, "spec.replicas", "nothing tells how large"),
        ({"scalableRef": WEB, "limits": {"cpu": "-1"}}, "spec.limits.cpu", "not be negative"),
        ({"scalableRef": {**WEB, "kind": "Job"}, "replicas": 1}, "spec.scalableRef.kind", "must be one of Deployment"),
    ],
)
def test_a_buffer_that_would_stay_empty_is_refused(spec: dict[str, Any], path: str, rule: str) -> None:
    problems = check({}, capacity_buffers={"x": {"spec": spec}})
    assert told(problems, f"capacityBuffers.x.{path}", rule), f"told instead: {[p.line() for p in problems]}"


def test_good_buffers_are_let_through() -> None:
    buffers: dict[str, dict[str, Any]] = {
        "a": {"namespace": "shop", "spec": {"scalableRef": WEB, "percentage": 20}},
        "b": {"spec": {"podTemplateRef": {"name": "x"}, "limits": {"cpu": 20}}},
    }
    assert not check({}, capacity_buffers=buffers)
    assert told(
        check({}, capacity_buffers={"c": {"namespace": "A", **buffers["b"]}}), "capacityBuffers.c.namespace", "63"
    )
    assert told(
        check({}, capacity_buffers={"C": buffers["b"]}, node_overlays={"D": OVERLAY}), "nodeOverlays.D", "lower"
    )


POOLS = st.dictionaries(st.sampled_from(["a", "b", "B"]), st.one_of(NODE_POOLS, JUNK), max_size=2)
CLASSES_AS_WRITTEN = st.dictionaries(st.sampled_from(["default", "gpu"]), st.one_of(NODE_CLASSES, JUNK), max_size=2)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    POOLS,
    CLASSES_AS_WRITTEN,
    st.dictionaries(st.just("x"), st.one_of(NODE_OVERLAYS, JUNK)),
    st.dictionaries(st.just("x"), st.one_of(CAPACITY_BUFFERS, JUNK)),
)
def test_whatever_is_written_the_answer_is_a_list_of_problems(
    pools: Any, classes: Any, overlays: Any, buffers: Any
) -> None:
    problems = check(pools, classes, node_overlays=overlays, capacity_buffers=buffers)
    for problem in problems:
        assert all((problem.path, problem.rule, problem.remedy)), "a mistake is told without saying where, why or how"
        assert "\n" not in problem.line(), "one mistake fills several lines"
