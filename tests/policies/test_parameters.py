from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from tests.policies import builders as b
from tests.policies.running import on_any, on_resource, on_stack

DATED = "amazon-eks-node-al2023-x86_64-standard-1.36-v20261101"
PARAMETER = f"/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/{DATED}/image_id"
SPOT = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]}
LEDGER = """\
schemaVersion: 1
amis:
  ami-0a1b2c3d4e5f60001:
    region: us-west-2
    architecture: amd64
    kubernetesVersion: "1.36"
    release: v20261101
    environments:
      dev: {status: in-use}
      staging: {status: approved}
      prod: {status: candidate}
"""


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    file = tmp_path / "ledger.yaml"
    file.write_text(LEDGER)
    return str(file)


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("name", DATED, DATED[:-3] + "*"),
        ("name", DATED, "amazon-eks-node-al2023-x86_64-standard-1.36"),
        ("alias", "al2023@v20261101", "al2023@latest"),
        ("ssmParameter", PARAMETER, PARAMETER.replace(DATED, "recommended")),
        ("ssmParameter", PARAMETER, "/own/v20261101"),
    ],
)
def test_what_may_pin_beside_an_id(kind: str, right: str, wrong: str) -> None:
    for value, passes in ((right, True), (wrong, False)):
        props = b.node_class(**{"spec/amiSelectorTerms": [{kind: value}]})
        outcome = on_resource("ami-pinned", b.CLASS_TYPE, props, config={"allow": [kind]})
        assert (outcome.violations == []) is passes, f"{value}: {outcome.violations}"


@pytest.mark.parametrize(
    ("environment", "says"), [("dev", ""), ("staging", ""), ("prod", "is candidate"), ("lab", "is unknown there")]
)
def test_only_what_is_approved_for_the_environment_may_run(ledger: str, environment: str, says: str) -> None:
    config = {"ledger": ledger, "environment": environment}
    for type_, props in ((b.CLASS_TYPE, b.node_class()), (b.TEMPLATE_TYPE, b.launch_template())):
        found = on_resource("ami-approved", type_, props, config=config).violations
        assert [says in message for message in found] == ([True] if says else []), found
    group = on_resource("ami-approved", b.GROUP_TYPE, b.node_group(), config=config).violations
    assert bool(group) is bool(says), "the system nodes run an AMI that nobody approved"


@pytest.mark.parametrize(
    ("term", "passes"),
    [
        ({"alias": "al2023@v20261101"}, True),
        ({"alias": "al2023@v20261102"}, False),
        ({"name": DATED}, True),
        ({"name": f"{DATED}x"}, False),
        ({"ssmParameter": PARAMETER}, True),
        ({"ssmParameter": "/own/parameter"}, False),
        ({"tags": {"a": "b"}}, False),
    ],
)
def test_what_is_pinned_without_an_id_is_found_by_name_or_release(term: dict[str, Any], passes: bool) -> None:
    props = b.node_class(**{"spec/amiSelectorTerms": [term]})
    outcome = on_resource("ami-approved", b.CLASS_TYPE, props, config={"environment": "lab"})
    assert (outcome.violations == []) is passes, outcome.violations


def test_clusters_of_two_versions_need_a_word() -> None:
    resources = [(b.CLUSTER_TYPE, name, b.cluster(version=name)) for name in ("1.35", "1.36")]
    assert len(on_stack("ami-approved-in-stack", resources).violations) == 2, "AMIs are compared with one cluster only"
    unknown = [
        (b.CLUSTER_TYPE, "cluster", b.cluster(version=UNKNOWN_STRING_VALUE)),
        (b.CLASS_TYPE, "a", b.node_class()),
    ]
    outcome = on_stack("ami-approved-in-stack", unknown)
    assert outcome.violations == [], "AMIs are compared with a version that nobody knows yet"
    assert outcome.advice == "cluster: not checked yet: version is unknown until update"
    config = {"kubernetesVersion": "1.36"}
    assert on_stack("ami-approved-in-stack", resources, config=config).violations == []


@pytest.mark.parametrize(("field", "wanted"), [("region", "eu-west-1"), ("kubernetesVersion", "1.37")])
def test_an_approval_holds_for_one_region_and_version(ledger: str, field: str, wanted: str) -> None:
    config = {"ledger": ledger, "environment": "dev", field: wanted}
    found = on_resource("ami-approved", b.CLASS_TYPE, b.node_class(), config=config).violations
    assert [f"must be of {field} {wanted}, but the ledger says" in message for message in found] == [True], found


@pytest.mark.parametrize(("stack", "passes"), [("dev", True), ("prod", False)])
def test_the_environment_is_the_stack_unless_said_otherwise(ledger: str, stack: str, passes: bool) -> None:
    found = on_resource("ami-approved", b.CLASS_TYPE, b.node_class(), config={"ledger": ledger}, stack=stack)
    assert (found.violations == []) is passes, f"another environment's approvals count: {found.violations}"
    assert passes or f"must be approved for {stack}" in found.violations[0]


@pytest.mark.parametrize(
    ("regions", "passes"),
    [(["us-west-2"], True), (["eu-west-1"], False), (["eu-west-1", "us-west-2"], True), ([], True)],
)
def test_node_classes_are_compared_with_the_region_of_the_stack(ledger: str, regions: list[str], passes: bool) -> None:
    clusters = [(b.CLUSTER_TYPE, f"cluster-{region}", b.cluster()) for region in regions]
    resources = [*clusters, (b.CLASS_TYPE, "class", b.node_class())]
    providers = {name: {"region": region} for (_, name, _), region in zip(clusters, regions, strict=True)}
    found = on_stack("ami-approved-in-stack", resources, config={"ledger": ledger}, providers=providers).violations
    assert (found == []) is passes, f"the class names an AMI that does not exist in this region: {found}"


@pytest.mark.parametrize("text", [None, "amis: [", "schemaVersion: 2\namis: {}", "[]", "schemaVersion: 1", "\x00"])
def test_a_ledger_that_cannot_be_read_approves_nothing(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "ledger.yaml"
    if text is not None:
        file.write_text(text)
    found = on_resource("ami-approved", b.CLASS_TYPE, b.node_class(), config={"ledger": str(file)}).violations
    assert [message.startswith("ledger: found ") for message in found] == [True], f"everything is approved: {found}"


def test_a_ledger_is_parsed_once_for_all_resources_and_again_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    load = yaml.safe_load

    def counted(text: str) -> Any:
        parsed.append(text)
        return load(text)

    monkeypatch.setattr(yaml, "safe_load", counted)
    file = tmp_path / "ledger.yaml"
    config = {"ledger": str(file), "environment": "dev"}
    for text, passes in ((LEDGER, True), ("schemaVersion: 2\n", False), (LEDGER.replace("in-use", "retired"), False)):
        file.write_text(text)
        found = [on_resource("ami-approved", b.CLASS_TYPE, b.node_class(), config=config) for _ in range(20)]
        assert {not each.violations for each in found} == {passes}, "an old ledger decides"
    assert len(parsed) == 3, "a preview of many node classes parses years of AMIs again for each of them, for minutes"


def test_the_cluster_s_version_and_the_pools_architectures_are_compared(ledger: str) -> None:
    pool = b.node_pool(
        **{"spec/template/spec/requirements/0": {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}}
    )
    resources = [
        (b.CLUSTER_TYPE, "cluster", b.cluster(version="1.37")),
        (b.CLASS_TYPE, "class", b.node_class()),
        (b.POOL_TYPE, "pool", pool),
    ]
    found = on_stack("ami-approved-in-stack", resources, config={"ledger": ledger}).violations
    assert [("1.37" in message, "arm64" in message) for message in found] == [(True, False), (False, True)], found


@pytest.mark.parametrize(
    ("changes", "setting"),
    [
        ({"spec/disruption/consolidateAfter": "1m"}, "consolidation"),
        ({"spec/template/spec/expireAfter": "2h"}, "expiry"),
    ],
)
def test_what_a_lower_environment_has_run_may_be_aggressive(changes: dict[str, Any], setting: str) -> None:
    for name, passes in (("default", True), ("other", False)):
        config = {"provenInLowerEnvironment": {name: [setting]}}
        outcome = on_resource("disruption-controls", b.POOL_TYPE, b.node_pool(**changes), config=config)
        assert (outcome.violations == []) is passes, outcome.violations


def test_a_floor_holds_even_for_what_is_proven() -> None:
    config = {
        "provenInLowerEnvironment": {"default": ["consolidation", "expiry"]},
        "minConsolidateAfter": "2m",
        "minExpireAfter": "3h",
    }
    props = b.node_pool(**{"spec/disruption/consolidateAfter": "1m", "spec/template/spec/expireAfter": "2h"})
    found = on_resource("disruption-controls", b.POOL_TYPE, props, config=config).violations
    assert [message.split("; ")[1] for message in found] == ["must not be under 3h", "must not be under 2m"]


def test_a_spot_pool_is_content_with_an_on_demand_sibling() -> None:
    taint = {"key": "batch", "effect": "NoSchedule"}
    spot = b.node_pool(
        **{"metadata/name": "spot", "spec/template/spec/requirements/1": SPOT, "spec/template/spec/taints": [taint]}
    )
    for sibling, passes in (
        (b.node_pool(), True),
        (b.node_pool(**{"spec/template/spec/taints": [{"key": "gpu", "effect": "NoSchedule"}]}), False),
    ):
        outcome = on_stack("disruption-controls-in-stack", [(b.POOL_TYPE, "a", spot), (b.POOL_TYPE, "b", sibling)])
        assert (outcome.violations == []) is passes, outcome.violations


def test_two_hops_are_an_exception_by_name() -> None:
    props = b.node_class(**{"spec/metadataOptions/httpPutResponseHopLimit": 2})
    for name, passes in (("default", True), ("gpu", False)):
        outcome = on_resource("node-hardening", b.CLASS_TYPE, props, config={"hopLimitOf2": [name]})
        assert (outcome.violations == []) is passes, outcome.violations


def test_other_cluster_parameters() -> None:
    props = b.cluster(
        **{"accessConfig/authenticationMode": "API_AND_CONFIG_MAP", "enabledClusterLogTypes": ["api"]},
    )
    config = {"authenticationModes": ["API", "API_AND_CONFIG_MAP"], "logTypes": ["api"]}
    assert on_any("cluster-hardening", b.CLUSTER_TYPE, props, config).violations == []
    assert len(on_any("cluster-hardening", b.CLUSTER_TYPE, props).violations) == 2


def test_a_queue_finds_its_policy_while_its_address_is_unknown() -> None:
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    resources = [
        (b.QUEUE_TYPE, "queue", b.queue(url=unknown)),
        (b.QUEUE_POLICY_TYPE, "policy", b.queue_policy(queueUrl=unknown)),
    ]
    linked = on_stack("queue-hardening-in-stack", resources, links={("policy", "queueUrl"): "queue"})
    assert (linked.violations, linked.advice) == ([], ""), "a first preview of a right queue complains"
    assert "not checked yet" in on_stack("queue-hardening-in-stack", resources).advice


@pytest.mark.parametrize("namespace", ["shop", "other"])
def test_namespaces_may_be_exempt(namespace: str) -> None:
    props = b.deployment(**{"spec/template/spec/containers/0/resources": {}})
    outcome = on_resource("workload-requests", b.DEPLOYMENT_TYPE, props, config={"exemptNamespaces": [namespace]})
    assert (outcome.violations == []) is (namespace == "shop")


def test_other_people_s_policies_are_left_alone() -> None:
    statement = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
    assert on_any("iam-scope", b.POLICY_TYPE, b.iam_policy(statement, name="reports")).violations == []
    assert (
        on_any("iam-scope", b.POLICY_TYPE, b.iam_policy({**statement, "Action": "*"}, name="reports")).violations != []
    )
