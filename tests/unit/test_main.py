"""The whole program, under mocks: what it registers, in which order things may go, and what it tells other stacks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pulumi
import pytest

from settings.outputs import StackOutputs
from tests.unit.program import AMI_AMD64, ROOT, Registered, Run, run, stack_configuration

STACKS = ("dev", "staging", "prod", "lab")
GOLDEN = ROOT / "tests" / "golden" / "urns"
DISCOVERY = "karpenter.sh/discovery"


@cache
def whole(stack: str) -> Run:
    return run(stack_configuration(stack), stack=stack)


def changed(**sections: Any) -> dict[str, Any]:
    """The dev stack's configuration with some of its sections replaced."""
    return {**stack_configuration("dev"), **{f"karpenter-eks:{key}": value for key, value in sections.items()}}


def leaves(value: object) -> Iterator[str]:
    """Every text in a resource's inputs, keys included."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("stack", STACKS)
def test_urns_are_those_of_the_golden_list(stack: str, request: pytest.FixtureRequest) -> None:
    path: Path = GOLDEN / f"{stack}.txt"
    found = "".join(f"{urn}\n" for urn in whole(stack).urns)
    if request.config.getoption("update_golden", default=False):
        path.write_text(found)
    assert path.read_text() == found, (
        f"a resource of {stack} changed its identity: an update would replace it. Give it an alias and a line in the "
        "upgrade notes, or run pytest --update-golden if nothing is deployed yet"
    )


@pytest.mark.parametrize("stack", STACKS)
def test_a_second_run_is_the_first(stack: str) -> None:
    again = run(stack_configuration(stack), stack=stack)
    first = whole(stack)
    assert again.urns == first.urns
    by_urn = {resource.urn: resource.inputs for resource in again.resources}
    for resource in first.resources:
        assert by_urn[resource.urn] == resource.inputs, f"{resource.short} changes although nothing changed"


@pytest.mark.parametrize("stack", STACKS)
def test_a_first_preview_knows_enough(stack: str) -> None:
    assert run(stack_configuration(stack), stack=stack, preview=True).urns == whole(stack).urns, (
        "the first preview shows other resources than the update makes"
    )


def test_a_first_preview_shows_policies_the_pools_and_amis_in_plain_text() -> None:
    preview = run(stack_configuration("prod"), stack="prod", preview=True)
    for resource in preview.of("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"):
        assert resource.inputs["spec"]["amiSelectorTerms"][0] == {"id": AMI_AMD64}, (
            "policies cannot judge AMIs in a preview"
        )
    for resource in preview.of("kubernetes:karpenter.sh/v1:NodePool"):
        assert not [text for text in leaves(resource.inputs) if text == pulumi.runtime.rpc.UNKNOWN]


def path_of(run_: Run, resource: Registered) -> set[str]:
    return {urn.rpartition("::")[2] for urn in run_.outlived_by(resource.urn)}


@pytest.mark.parametrize("stack", STACKS)
def test_nodes_go_before_everything_that_ends_them(stack: str) -> None:
    """A resource is deleted before what it depends on. So each of these must be needed, directly or not."""
    found = whole(stack)
    pools = found.of("kubernetes:karpenter.sh/v1:NodePool")
    classes = found.of("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass")
    controller = found.one("kubernetes:helm.sh/v3:Release", "karpenter")
    assert pools
    assert classes
    for pool in pools:
        needed = found.outlived_by(pool.urn)
        assert {c.urn for c in classes} & needed, (
            f"{pool.short}: its class may go first, and its nodes could not be replaced"
        )
        assert controller.urn in needed, f"{pool.short}: the controller may go first, and its nodes stay and cost money"
    for node_class in classes:
        assert controller.urn in found.outlived_by(node_class.urn), (
            "the class's finalizer waits for a controller that is gone"
        )


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize(
    ("token", "consequence"),
    [
        ("eks:index:Cluster", "the API server goes before the release"),
        (
            "aws:eks/podIdentityAssociation:PodIdentityAssociation",
            "the controller loses its role while nodes still run",
        ),
        ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "the controller may no longer end instances"),
        ("aws:iam/policy:Policy", "the controller may no longer end instances"),
        ("aws:eks/accessEntry:AccessEntry", "nodes are thrown out of the cluster before they are drained"),
        ("aws:sqs/queue:Queue", "the controller restarts for ever without its queue"),
        ("aws:sqs/queuePolicy:QueuePolicy", "interruptions of the last nodes are lost"),
        ("aws:cloudwatch/eventTarget:EventTarget", "interruptions of the last nodes are lost"),
        ("aws:eks/nodeGroup:NodeGroup", "the controller has no node to run on"),
        ("aws:eks/addon:Addon", "the controller has no DNS or no credentials"),
        ("aws:ec2/tag:Tag", "nodes that are replaced meanwhile get no security group"),
        ("aws:ec2/natGateway:NatGateway", "nodes cannot reach the API server and are never drained"),
        ("aws:ec2/route:Route", "nodes cannot reach the API server and are never drained"),
        ("aws:ec2/subnet:Subnet", "the network goes while instances are in it"),
        ("aws:ec2/vpc:Vpc", "the network goes while instances are in it"),
        ("kubernetes:helm.sh/v3:Release", "the CRDs go, and with them every NodePool at once"),
    ],
)
def test_what_the_controller_needs_outlives_it(stack: str, token: str, consequence: str) -> None:
    found = whole(stack)
    node_class = found.of("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass")[0]
    needed = found.outlived_by(node_class.urn)
    # Public subnets without a NAT gateway are for load balancers; no node needs them.
    of_nodes = [r for r in found.of(token) if r.type != "aws:ec2/subnet:Subnet" or "-private-" in r.name]
    missing = [resource.short for resource in of_nodes if resource.urn not in needed]
    assert found.of(token)
    assert missing == [], consequence


@pytest.mark.parametrize("stack", STACKS)
def test_the_cluster_outlives_its_nodes_and_the_network_outlives_the_cluster(stack: str) -> None:
    found = whole(stack)
    cluster = found.one("eks:index:Cluster")
    assert cluster.urn in found.outlived_by(found.one("aws:eks/nodeGroup:NodeGroup").urn)
    assert cluster.urn in found.outlived_by(found.one("pulumi:providers:kubernetes").urn)
    needed = found.outlived_by(cluster.urn)
    for token in ("aws:ec2/natGateway:NatGateway", "aws:ec2/route:Route", "aws:ec2/vpc:Vpc"):
        assert {resource.urn for resource in found.of(token)} <= needed, f"{token} goes while the cluster still runs"


@pytest.mark.parametrize("stack", STACKS)
def test_the_agent_is_there_before_nodes_and_nodes_before_dns(stack: str) -> None:
    found = whole(stack)
    group = found.one("aws:eks/nodeGroup:NodeGroup")
    assert found.one("aws:eks/addon:Addon", "cluster-eks-pod-identity-agent").urn in found.outlived_by(group.urn)
    assert group.urn in found.outlived_by(found.one("aws:eks/addon:Addon", "cluster-coredns").urn)


@pytest.mark.parametrize("stack", STACKS)
def test_every_resource_has_the_provider_that_the_program_made(stack: str) -> None:
    for resource in whole(stack).resources:
        if resource.type.startswith("pulumi:providers:") or not resource.custom:
            continue
        package = resource.type.partition(":")[0]
        assert f"pulumi:providers:{package}::" in resource.provider, (
            f"{resource.short} is made by a default provider: in the account or cluster that the machine points at"
        )


@pytest.mark.parametrize("stack", STACKS)
def test_the_cluster_and_its_inside_use_our_providers(stack: str) -> None:
    found = whole(stack)
    kubernetes = found.one("pulumi:providers:kubernetes")
    assert kubernetes.inputs["clusterIdentifier"] == f"us-west-2/{found.outputs['clusterName']}", (
        "another kubeconfig replaces the provider, and with it every NodePool and node"
    )
    assert found.one("pulumi:providers:aws").inputs["region"] == "us-west-2"
    for token in ("kubernetes:helm.sh/v3:Release", "kubernetes:karpenter.sh/v1:NodePool"):
        assert all(kubernetes.urn in resource.provider for resource in found.of(token))


def test_the_kubernetes_provider_s_identity_is_known_in_a_preview() -> None:
    preview = run(stack_configuration("dev"), preview=True)
    assert preview.one("pulumi:providers:kubernetes").inputs["clusterIdentifier"] == "us-west-2/karpenter-dev", (
        "a preview of a changed cluster shows every NodePool as replaced"
    )


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_asks_to_be_replaced(stack: str) -> None:
    for resource in whole(stack).resources:
        assert resource.triggers == (), f"{resource.short} is replaced by changes that need no replacement"


@pytest.mark.parametrize("stack", STACKS)
def test_the_discovery_tag_is_on_private_subnets_and_one_security_group_only(stack: str) -> None:
    found = whole(stack)
    tagged = [r.name for r in found.resources if DISCOVERY in (r.inputs.get("tags") or {})]
    private = [r.name for r in found.of("aws:ec2/subnet:Subnet") if "-private-" in r.name]
    assert sorted(tagged) == sorted(private), "Karpenter launches nodes in public subnets, or in none"
    groups = [r for r in found.of("aws:ec2/tag:Tag") if r.inputs["key"] == DISCOVERY]
    assert [r.inputs["resourceId"] for r in groups] == ["sg-0123456789abcdef0"]
    assert DISCOVERY not in found.one("pulumi:providers:aws").inputs["defaultTags"], "every security group gets the tag"


@pytest.mark.parametrize("stack", STACKS)
def test_no_output_was_formatted_into_a_text(stack: str) -> None:
    for resource in whole(stack).resources:
        for text in leaves(resource.inputs):
            assert "Calling __str__" not in text, f"{resource.short} has an error message for a value"
            assert "<pulumi.output" not in text, f"{resource.short} has an object's address for a value"


@pytest.mark.parametrize("stack", STACKS)
def test_roles_and_groups_have_one_owner_for_what_is_in_them(stack: str) -> None:
    found = whole(stack)
    for role in found.of("aws:iam/role:Role"):
        assert not {"managedPolicyArns", "inlinePolicies"} & set(role.inputs), "attachments flip-flop with every update"
    for group in found.of("aws:ec2/securityGroup:SecurityGroup"):
        assert not {"ingress", "egress"} & set(group.inputs), "rules delete each other with every update"


def test_other_partitions_have_no_arn_of_this_one() -> None:
    china = {**stack_configuration("dev"), "aws:region": "cn-north-1"}
    for resource in run(china).resources:
        wrong = [text for text in leaves(resource.inputs) if "arn:aws:" in text]
        assert wrong == [], f"{resource.short} names something that is not in China"


def test_the_outputs_are_the_documented_ones() -> None:
    found = whole("prod")
    assert set(found.outputs) == set(StackOutputs.__annotations__)
    assert found.outputs["schemaVersion"] == 1
    assert found.secret_outputs == {"kubeconfig"}, "the kubeconfig is printed by every `pulumi up`"
    assert found.outputs["nodePoolNames"] == ["arm", "batch", "customer-facing", "default"]
    assert found.outputs["nodeClassNames"] == ["default"]
    assert found.outputs["interruptionQueueName"] == "karpenter-prod", "an ARN where the name belongs"
    content = json.loads(found.outputs["kubeconfig"])
    assert content["users"][0]["user"]["exec"]["args"][:4] == ["eks", "get-token", "--cluster-name", "karpenter-prod"]


def test_without_a_queue_nothing_speaks_of_one() -> None:
    found = run(changed(interruptionQueue={"enabled": False}))
    assert not [r for r in found.resources if "sqs" in r.type or "cloudwatch" in r.type]
    assert found.outputs["interruptionQueueName"] is None
    assert found.outputs["interruptionQueueArn"] is None
    values = found.one("kubernetes:helm.sh/v3:Release", "karpenter").inputs["values"]
    assert values["settings"]["interruptionQueue"] == "", "the controller waits for a queue that nobody made"
    assert not [r for r in found.of("aws:iam/policy:Policy") if "interruption" in r.name]


def test_an_existing_network_is_left_alone_and_selected_by_id() -> None:
    subnets = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
    found = run(changed(network={"existing": {"vpcId": "vpc-0123456789abcdef0", "privateSubnetIds": subnets}}))
    made = {r.type for r in found.resources if r.type.startswith("aws:ec2/")}
    assert made == {"aws:ec2/tag:Tag", "aws:ec2/launchTemplate:LaunchTemplate"}, (
        "the stack changes somebody else's network"
    )
    [tag] = found.of("aws:ec2/tag:Tag")
    assert tag.inputs["resourceId"] == "sg-0123456789abcdef0", "another cluster's discovery tag is overwritten"
    spec = found.one("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass").inputs["spec"]
    assert spec["subnetSelectorTerms"] == [{"id": subnet} for subnet in subnets], "Karpenter finds no subnet"
    assert found.outputs["privateSubnetIds"] == subnets


def test_own_subnet_selectors_win_over_the_existing_network_s() -> None:
    own = [{"tags": {"team": "a"}}]
    network = {"existing": {"vpcId": "vpc-01234567", "privateSubnetIds": ["subnet-01234567", "subnet-01234568"]}}
    classes = {"default": {"amis": {"amd64": AMI_AMD64}, "subnetSelectorTerms": own}}
    found = run(changed(network=network, nodeClasses=classes))
    assert found.one("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass").inputs["spec"]["subnetSelectorTerms"] == own


def test_an_existing_role_is_used_everywhere() -> None:
    found = run(changed(nodeRole={"existing": "our-nodes"}))
    arn = "arn:aws:iam::123456789012:role/our-nodes"
    assert found.outputs["nodeRoleArn"] == arn
    assert found.one("aws:eks/accessEntry:AccessEntry").inputs["principalArn"] == arn, "nodes launch and never join"
    assert found.one("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass").inputs["spec"]["role"] == "our-nodes"
    passed = found.one("aws:iam/policy:Policy", "controller-iam-integration").inputs["policy"]
    policies = "".join(r.inputs["policy"] for r in found.of("aws:iam/policy:Policy"))
    assert arn in passed + policies, "the controller may not pass the role"
    assert "KarpenterNodeRole-karpenter-dev" not in policies


def test_further_node_roles_may_be_passed() -> None:
    arn = "arn:aws:iam::123456789012:role/team/gpu-nodes"
    found = run(changed(controllerRole={"extraNodeRoleArns": [arn], "path": "/karpenter/"}))
    statements = [
        statement
        for policy in found.of("aws:iam/policy:Policy")
        for statement in json.loads(policy.inputs["policy"])["Statement"]
        if "iam:PassRole" in statement["Action"]
    ]
    assert [sorted(statement["Resource"]) for statement in statements] == [
        sorted([arn, "arn:aws:iam::123456789012:role/KarpenterNodeRole-karpenter-dev"])
    ], "pass-role is wider or narrower than the roles in use"
    assert {policy.inputs["path"] for policy in found.of("aws:iam/policy:Policy")} == {"/karpenter/"}


FLOW_LOGS = {"retentionDays": 7}
KMS = {"Effect": "Allow", "Action": "kms:Decrypt", "Resource": "arn:aws:kms:us-west-2:1:key/k"}
BOUNDARY = "arn:aws:iam::123456789012:policy/boundary"


def test_every_choice_reaches_its_resource() -> None:
    found = run(
        changed(
            tags={"team": "platform"},
            allowedAccountIds=["123456789012"],
            network={"create": {"zones": 2, "natGateways": "perZone", "flowLogs": FLOW_LOGS, "cidr": "10.1.0.0/16"}},
            nodeRole={"permissionsBoundary": BOUNDARY, "path": "/n/", "extraPolicyArns": ["arn:aws:iam::aws:policy/P"]},
            controllerRole={
                "permissionsBoundary": BOUNDARY,
                "path": "/c/",
                "extraStatements": [KMS],
            },
            karpenter={
                "namespace": "karpenter",
                "replicas": 1,
                "resources": {"cpu": "2", "memory": "2Gi"},
                "featureGates": {"nodeRepair": True, "spotToSpotConsolidation": False},
                "timeoutSeconds": 60,
                "logLevel": "debug",
                "values": {"serviceMonitor": {"enabled": True}},
                "chartRepository": "oci://mirror.example.com/karpenter",
            },
            spotServiceLinkedRole=True,
        )
    )
    provider = found.one("pulumi:providers:aws").inputs
    assert json.loads(provider["defaultTags"])["tags"] == {"team": "platform"}
    assert json.loads(provider["allowedAccountIds"]) == ["123456789012"]
    assert len(found.of("aws:ec2/natGateway:NatGateway")) == 2
    assert found.one("aws:ec2/vpc:Vpc").inputs["cidrBlock"] == "10.1.0.0/16"
    assert found.one("aws:cloudwatch/logGroup:LogGroup").inputs["retentionInDays"] == 7
    for name, path in (("node-role", "/n/"), ("controller", "/c/")):
        role = found.one("aws:iam/role:Role", name)
        assert (role.inputs["permissionsBoundary"], role.inputs["path"]) == (BOUNDARY, path)
    assert found.one("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "node-role-P")
    assert "kms:Decrypt" in found.one("aws:iam/policy:Policy", "controller-extra").inputs["policy"]
    release = found.one("kubernetes:helm.sh/v3:Release", "karpenter").inputs
    assert (release["namespace"], release["timeout"], release["chart"]) == (
        "karpenter",
        60,
        "oci://mirror.example.com/karpenter/karpenter",
    )
    values = release["values"]
    assert (values["replicas"], values["logLevel"]) == (1, "debug")
    assert values["controller"]["resources"]["limits"] == {"cpu": "2", "memory": "2Gi"}
    assert values["settings"]["featureGates"] == {"nodeRepair": True, "spotToSpotConsolidation": False}
    assert values["serviceMonitor"] == {"enabled": True}
    assert found.one("aws:eks/podIdentityAssociation:PodIdentityAssociation").inputs["namespace"] == "karpenter"
    assert found.one("aws:iam/serviceLinkedRole:ServiceLinkedRole").retained, (
        "destroying one stack breaks Spot for all others"
    )


def test_every_choice_of_the_cluster_reaches_it() -> None:
    admin = "arn:aws:iam::123456789012:role/platform"
    cluster = {
        "name": "my-cluster",
        "version": "1.35",
        "publicAccess": {"cidrs": ["203.0.113.0/24"]},
        "logTypes": ["audit"],
        "secretsKey": True,
        "deletionProtection": True,
        "zonalShift": True,
        "administrators": [admin],
        "systemNodes": {
            "instanceTypes": ["m7g.large"],
            "amiType": "AL2023_ARM_64_STANDARD",
            "releaseVersion": "1.35.3-20261101",
            "minSize": 2,
            "desiredSize": 3,
            "maxSize": 4,
            "diskSize": 80,
        },
        "addons": {"coredns": {"version": "v1.12.0-eksbuild.1", "configuration": {"replicaCount": 3}}},
    }
    found = run(changed(cluster=cluster))
    eks = found.one("eks:index:Cluster").inputs
    assert (eks["name"], eks["version"], eks["publicAccessCidrs"]) == ("my-cluster", "1.35", ["203.0.113.0/24"])
    assert (eks["enabledClusterLogTypes"], eks["deletionProtection"]) == (["audit"], True)
    assert eks["encryptionConfigKeyArn"].endswith("key/cluster-secrets")
    group = found.one("aws:eks/nodeGroup:NodeGroup").inputs
    assert group["scalingConfig"] == {"minSize": 2, "desiredSize": 3, "maxSize": 4}
    assert (group["amiType"], group["releaseVersion"], group["instanceTypes"]) == (
        "AL2023_ARM_64_STANDARD",
        "1.35.3-20261101",
        ["m7g.large"],
    )
    coredns = found.one("aws:eks/addon:Addon", "cluster-coredns").inputs
    assert coredns["addonVersion"] == "v1.12.0-eksbuild.1"
    assert json.loads(coredns["configurationValues"])["replicaCount"] == 3
    association = found.one("aws:eks/accessPolicyAssociation:AccessPolicyAssociation")
    assert association.inputs["principalArn"] == admin
    values = found.one("kubernetes:helm.sh/v3:Release", "karpenter").inputs["values"]
    assert values["settings"]["enableZonalShift"] is True


def test_a_static_pool_switches_its_feature_gate_on() -> None:
    found = run(changed(nodePools={"fixed": {"replicas": 2}}))
    values = found.one("kubernetes:helm.sh/v3:Release", "karpenter").inputs["values"]
    assert values["settings"]["featureGates"] == {"staticCapacity": True}, "the pool's nodes never come"


def test_a_region_with_too_few_zones_is_told_before_anything_is_made() -> None:
    with pytest.raises(pulumi.RunError) as raised:
        run(changed(network={"create": {"zones": 4}}), zones=2)
    assert str(raised.value) == (
        "karpenter-eks:network.create.zones: found 4; us-west-2 has 2 zones that EKS can use: us-west-2a, us-west-2b; "
        "write 2"
    )


def test_a_stack_without_pools_is_a_stack() -> None:
    found = run(changed(nodePools={}, nodeClasses={}))
    assert found.outputs["nodePoolNames"] == []
    assert found.one("kubernetes:helm.sh/v3:Release", "karpenter")


def test_logical_names_hold_no_account_region_or_version() -> None:
    for resource in whole("prod").resources:
        assert not re.search(r"us-west-2|123456789012|1\.36|1\.14|arn:", resource.name), (
            f"{resource.short} gets another identity elsewhere or after an upgrade"
        )


def test_the_program_is_short_and_decides_nothing() -> None:
    lines = (ROOT / "__main__.py").read_text().splitlines()
    assert len(lines) <= 80, "the program has become a place where things are decided"
