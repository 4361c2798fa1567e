"""What each component is for: the inputs that matter for security, for joining, and for finding each other."""

import json
from typing import Any

import pulumi
import pytest

from components.cluster import Cluster
from components.controller_role import ControllerRole
from components.interruption import InterruptionQueue
from components.karpenter import Karpenter
from components.network import Network
from components.node_class import NodeClass
from components.node_pool import NodePool
from components.node_role import NodeRole
from components.spec import iam_documents
from components.spec.events import EVENT_PATTERNS
from components.system_nodes import SystemNodes
from tests.unit.components.support import CLUSTER, ROLE, children, refused, run_components
from tests.unit.components.test_every_component import ARGUMENTS, maker
from tests.unit.program import Run


def made(component: type[pulumi.ComponentResource], **changes: Any) -> Run:
    return run_components(maker(component, "x", **changes))[0]


def test_the_network_s_children() -> None:
    endpoints_and_logs = {"interface_endpoints": [], "flow_log_retention_days": 30}
    run = made(Network, create={**ARGUMENTS[Network]["create"], **endpoints_and_logs})
    zones = ("a", "b")
    expected = {
        ("aws:ec2/vpc:Vpc", "x-vpc"),
        ("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup", "x-default-security-group"),
        ("aws:ec2/internetGateway:InternetGateway", "x-internet-gateway"),
        ("aws:ec2/routeTable:RouteTable", "x-public"),
        ("aws:ec2/route:Route", "x-public-internet"),
        ("aws:ec2/eip:Eip", "x-nat-a"),
        ("aws:ec2/natGateway:NatGateway", "x-nat-a"),
        ("aws:ec2/vpcEndpoint:VpcEndpoint", "x-endpoint-s3"),
        ("aws:cloudwatch/logGroup:LogGroup", "x-flow-logs"),
        ("aws:ec2/flowLog:FlowLog", "x-flow-logs"),
        *(("aws:ec2/subnet:Subnet", f"x-{kind}-{zone}") for kind in ("public", "private") for zone in zones),
        *(("aws:ec2/route:Route", f"x-private-{zone}-nat") for zone in zones),
        *(("aws:ec2/routeTable:RouteTable", f"x-private-{zone}") for zone in zones),
    }
    assert expected <= children(run), sorted(expected - children(run))


@pytest.mark.parametrize(("mode", "gateways", "routes"), [("none", 0, 0), ("single", 1, 2), ("perZone", 2, 2)])
def test_nat_gateways_by_choice(mode: str, gateways: int, routes: int) -> None:
    run = made(Network, create={**ARGUMENTS[Network]["create"], "nat_gateways": mode})
    assert len(run.of("aws:ec2/natGateway:NatGateway")) == gateways
    assert len([r for r in run.of("aws:ec2/route:Route") if "natGatewayId" in r.inputs]) == routes


def test_with_a_nat_gateway_for_each_zone_each_zone_uses_its_own() -> None:
    run = made(Network, create={**ARGUMENTS[Network]["create"], "nat_gateways": "perZone"})
    targets = {r.inputs["natGatewayId"] for r in run.of("aws:ec2/route:Route") if "natGatewayId" in r.inputs}
    assert len(targets) == 2, "the loss of one zone would cut off another"


def test_public_routes_outlive_the_gateway_that_draining_nodes_use() -> None:
    run = made(Network)
    needed = run.outlived_by(run.one("aws:ec2/natGateway:NatGateway").urn)
    for token, name in (
        ("aws:ec2/routeTableAssociation:RouteTableAssociation", "x-public-a"),
        ("aws:ec2/route:Route", "x-public-internet"),
    ):
        urn = run.one(token, name).urn
        assert urn in needed, f"{name} goes first, and Karpenter can no longer reach EC2 to end its instances"


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"create": {"cidr": "10.0.0.0/16", "nat_gateways": "none"}}, "create.zone_names"),
        ({"create": {**ARGUMENTS[Network]["create"], "flow_logs": 30}}, "create.flow_logs"),
        ({"create": {"zone_names": ["a", "b"]}}, "create.cidr"),
    ],
)
def test_keys_inside_a_network_s_arguments_are_checked_too(changes: dict[str, Any], path: str) -> None:
    assert path in refused(maker(Network, "x", **changes)), "a typo would silently leave a choice out"


def test_an_existing_network_without_subnets_is_refused() -> None:
    def make(opts: pulumi.ResourceOptions) -> None:
        existing: Any = {"vpc_id": "vpc-1", "public_subnet_ids": []}
        Network("x", {"cluster_name": CLUSTER, "region": "us-west-2", "existing": existing}, opts)

    assert "must be given" in refused(make)["existing.private_subnet_ids"]


def test_no_security_group_has_inline_rules_and_the_default_one_has_none() -> None:
    run = made(Network)
    default = run.one("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup")
    assert default.inputs["ingress"] == default.inputs["egress"] == []
    group = run.one("aws:ec2/securityGroup:SecurityGroup")
    assert not {"ingress", "egress"} & set(group.inputs), "inline and separate rules delete each other"
    [rule] = run.of("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
    assert (rule.inputs["cidrIpv4"], rule.inputs["fromPort"]) == ("10.0.0.0/16", 443)


def test_private_subnets_are_known_only_once_they_have_a_way_out() -> None:
    def make(opts: pulumi.ResourceOptions) -> dict[str, Any]:
        network = Network("x", ARGUMENTS[Network], opts)  # type: ignore[arg-type]
        pulumi.ComponentResource("t:t:T", "t", {}, pulumi.ResourceOptions())
        return {"ids": network.private_subnet_ids}

    _, values = run_components(make)
    assert values["ids"] == ["x-private-a-id", "x-private-b-id"], "routes' ids would be taken for subnets"


def test_an_existing_network_makes_nothing() -> None:
    existing = {"vpc_id": "vpc-1", "private_subnet_ids": ["subnet-1", "subnet-2"], "public_subnet_ids": []}

    def make(opts: pulumi.ResourceOptions) -> dict[str, Any]:
        network = Network("x", {"cluster_name": CLUSTER, "region": "us-west-2", "existing": existing}, opts)  # type: ignore[typeddict-item]
        return {"vpc": network.vpc_id, "private": network.private_subnet_ids, "public": network.public_subnet_ids}

    run, values = run_components(make)
    assert children(run) == {("karpenter-eks:index:Network", "x")}, "somebody else's network would be changed"
    assert values == {"vpc": "vpc-1", "private": ["subnet-1", "subnet-2"], "public": []}


@pytest.mark.parametrize(
    ("changes", "path", "text"),
    [
        ({"existing": {"private_subnet_ids": ["a", "b"]}}, "create", "exactly one"),
        ({"create": {**ARGUMENTS[Network]["create"], "cidr": "10.0.0.0/8"}}, "create.cidr", "/16 to /20"),
        ({"create": {**ARGUMENTS[Network]["create"], "zone_names": ["a"]}}, "create.zone_names", "2 to 4"),
        ({"create": {**ARGUMENTS[Network]["create"], "zone_names": ["a", "a"]}}, "create.zone_names", "different"),
        ({"create": {**ARGUMENTS[Network]["create"], "nat_gateways": "two"}}, "create.nat_gateways", "perZone"),
    ],
)
def test_a_network_that_cannot_be_made_is_refused(changes: dict[str, Any], path: str, text: str) -> None:
    assert text in refused(maker(Network, "x", **changes))[path]


def test_an_existing_network_in_one_subnet_is_refused() -> None:
    def make(opts: pulumi.ResourceOptions) -> None:
        existing: Any = {"vpc_id": "vpc-1", "private_subnet_ids": ["a"], "public_subnet_ids": []}
        Network("x", {"cluster_name": CLUSTER, "region": "us-west-2", "existing": existing}, opts)

    assert "at least 2" in refused(make)["existing.private_subnet_ids"]


def test_an_add_on_or_a_key_of_it_that_nobody_knows_is_refused() -> None:
    found = refused(maker(Cluster, "x", addons={"vpc-cnii": {}, "coredns": {"verison": "v1"}}))
    assert set(found) == {"addons.vpc-cnii", "addons.coredns.verison"}, "a pinned version would not be applied"


def test_administrators_that_are_no_arns_or_share_a_name_are_refused() -> None:
    roles = ["platform", "arn:aws:iam::123456789012:role/a/b", "arn:aws:iam::123456789012:role/a-b"]
    found = refused(maker(Cluster, "x", administrators=roles))
    assert "must be the ARN" in found["administrators[0]"]
    assert "must differ" in found["administrators[2]"], "the engine would stop at a URN that is there twice"
    assert set(found) == {"administrators[0]", "administrators[2]"}


def test_the_cluster_s_endpoint_is_private_and_its_nodes_join_by_access_entries() -> None:
    run = made(Cluster)
    inputs = run.one("eks:index:Cluster").inputs
    assert inputs["endpointPrivateAccess"] is True
    assert inputs["authenticationMode"] == "API", "nodes would need aws-auth"
    assert inputs["publicAccessCidrs"] == ["203.0.113.0/24"]
    assert inputs["skipDefaultNodeGroup"] is inputs["skipDefaultSecurityGroups"] is inputs["deletionProtection"] is True
    assert inputs["corednsAddonOptions"]["enabled"] is False, "two owners would fight over CoreDNS"
    assert inputs["clusterTags"] == {"karpenter.sh/discovery": CLUSTER}
    assert "tags" not in inputs, "a tag of everything would put the discovery tag on every security group"


def test_without_ranges_there_is_no_public_endpoint() -> None:
    arguments = {k: v for k, v in ARGUMENTS[Cluster].items() if k != "public_access_cidrs"}
    run, _ = run_components(lambda opts: Cluster("x", arguments, opts) and None)  # type: ignore[arg-type]
    assert run.one("eks:index:Cluster").inputs["endpointPublicAccess"] is False, "the world could reach the API server"
    assert "must name at least one" in refused(maker(Cluster, "x", public_access_cidrs=[]))["public_access_cidrs"]


def test_the_discovery_tag_is_on_the_cluster_s_own_security_group() -> None:
    tag = made(Cluster).one("aws:ec2/tag:Tag").inputs
    assert tag == {"resourceId": "sg-0123456789abcdef0", "key": "karpenter.sh/discovery", "value": CLUSTER}


def test_administrators_get_the_policy_through_an_entry() -> None:
    run = made(Cluster)
    entry = run.one("aws:eks/accessEntry:AccessEntry").inputs
    association = run.one("aws:eks/accessPolicyAssociation:AccessPolicyAssociation").inputs
    assert entry["type"] == "STANDARD"
    assert association["policyArn"] == "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    assert association["principalArn"] == entry["principalArn"] == "arn:aws:iam::123456789012:role/team/platform"


def test_core_dns_runs_on_the_system_nodes_with_the_user_s_configuration() -> None:
    addon = made(Cluster).one("aws:eks/addon:Addon", "x-coredns").inputs
    configuration = json.loads(addon["configurationValues"])
    assert configuration["replicaCount"] == 2
    assert configuration["nodeSelector"] == {"karpenter.sh/controller": "true"}
    assert {"key": "CriticalAddonsOnly", "operator": "Exists"} in configuration["tolerations"], "DNS would never start"
    assert addon["addonVersion"] == "v1.12.0-eksbuild.1"


def test_a_secrets_key_is_rotated_and_used() -> None:
    run = made(Cluster)
    assert run.one("aws:kms/key:Key").inputs["enableKeyRotation"] is True
    assert "encryptionConfigKeyArn" in run.one("eks:index:Cluster").inputs
    assert not made(Cluster, secrets_key=False).of("aws:kms/key:Key")


def test_system_nodes_keep_ordinary_pods_off_and_are_hardened() -> None:
    run = made(SystemNodes)
    group = run.one("aws:eks/nodeGroup:NodeGroup")
    assert group.inputs["taints"] == [{"key": "CriticalAddonsOnly", "value": "true", "effect": "NO_SCHEDULE"}]
    assert group.inputs["labels"] == {"karpenter.sh/controller": "true"}
    assert group.inputs["releaseVersion"] == "1.36.0-20261101", "nodes would change with every update"
    assert group.ignore_changes == ("scalingConfig.desiredSize",), "the stack would fight with whoever scales"
    template = run.one("aws:ec2/launchTemplate:LaunchTemplate").inputs
    assert template["metadataOptions"]["httpTokens"] == "required"
    assert template["metadataOptions"]["httpPutResponseHopLimit"] == 1
    assert all(m["ebs"]["encrypted"] == "true" for m in template["blockDeviceMappings"])
    assert not {"imageId", "userData"} & set(template), "EKS would not add its own user data"


def test_bottlerocket_has_two_volumes() -> None:
    run = made(SystemNodes, ami_type="BOTTLEROCKET_x86_64")
    mappings = run.one("aws:ec2/launchTemplate:LaunchTemplate").inputs["blockDeviceMappings"]
    sizes = {mapping["deviceName"]: mapping["ebs"]["volumeSize"] for mapping in mappings}
    assert sizes == {"/dev/xvda": 4, "/dev/xvdb": 50}, "the disk size would go to the system's volume"


def test_sizes_that_leave_karpenter_without_a_node_are_refused() -> None:
    assert "at least 1" in refused(maker(SystemNodes, "x", min_size=0))["min_size"]
    assert "must not fall" in refused(maker(SystemNodes, "x", desired_size=11))["desired_size"]


def test_the_node_role_has_four_policies_and_joins_as_a_node() -> None:
    run = made(NodeRole)
    assert run.one("aws:iam/role:Role").inputs["name"] == "KarpenterNodeRole-my-cluster"
    attached = {
        r.inputs["policyArn"].rsplit("/", 1)[-1] for r in run.of("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    }
    assert attached == set(iam_documents.NODE_POLICIES)
    entry = run.one("aws:eks/accessEntry:AccessEntry").inputs
    assert entry["type"] == "EC2_LINUX", "nodes would launch and never join"
    assert not {"kubernetesGroups", "userName"} & set(entry)


def test_further_policies_of_the_node_role_are_attached_once() -> None:
    extra = ["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore", "arn:aws:iam::1:policy/own"]
    run = made(NodeRole, extra_policy_arns=extra, permissions_boundary="arn:aws:iam::1:policy/b", path="/p/")
    assert len(run.of("aws:iam/rolePolicyAttachment:RolePolicyAttachment")) == 5, "removing one would detach both"
    assert run.one("aws:iam/role:Role").inputs["permissionsBoundary"] == "arn:aws:iam::1:policy/b"


def test_more_policies_than_iam_attaches_are_refused() -> None:
    policies = [f"arn:aws:iam::123456789012:policy/p{number}" for number in range(7)]
    assert "at most 6" in refused(maker(NodeRole, "x", extra_policy_arns=policies))["extra_policy_arns"]
    assert made(NodeRole, extra_policy_arns=policies[:6]), "six are within IAM's quota"


def test_an_existing_node_role_is_only_let_in() -> None:
    run = made(NodeRole, existing_role_name="theirs", spot_service_linked_role=True)
    assert not run.of("aws:iam/role:Role")
    assert run.one("aws:eks/accessEntry:AccessEntry").inputs["principalArn"].endswith("role/theirs")
    assert run.one("aws:iam/serviceLinkedRole:ServiceLinkedRole").retained, "other clusters of the account need it"


@pytest.mark.parametrize("given", ["arn:aws:iam::1:role/team/name", "team/name"])
def test_an_arn_or_path_in_place_of_a_role_s_name_is_refused(given: str) -> None:
    reason = refused(maker(NodeRole, "x", existing_role_name=given))["existing_role_name"]
    assert reason.endswith("pass name"), reason


def test_policies_cannot_be_added_to_somebody_else_s_role() -> None:
    problems = refused(maker(NodeRole, "x", existing_role_name="theirs", extra_policy_arns=["arn:aws:iam::1:policy/o"]))
    assert "somebody else" in problems["extra_policy_arns"]


def test_the_controller_gets_each_policy_of_its_own_and_then_the_association() -> None:
    run = made(ControllerRole)
    policies = run.of("aws:iam/policy:Policy")
    assert len(policies) == 6, "one policy would pass IAM's limit"
    association = run.one("aws:eks/podIdentityAssociation:PodIdentityAssociation")
    attachments = {r.urn for r in run.of("aws:iam/rolePolicyAttachment:RolePolicyAttachment")}
    assert attachments <= association.dependencies, "the controller could start before it may do anything"
    assert association.inputs["serviceAccount"] == "karpenter"
    passed = json.loads(run.one("aws:iam/policy:Policy", "x-iam-integration").inputs["policy"])["Statement"][0]
    assert passed["Resource"] == ROLE


def test_without_a_queue_there_is_no_policy_for_one() -> None:
    arguments = {k: v for k, v in ARGUMENTS[ControllerRole].items() if k != "queue_arn"}
    run, _ = run_components(lambda opts: ControllerRole("x", arguments, opts) and None)  # type: ignore[arg-type]
    assert len(run.of("aws:iam/policy:Policy")) == 5


def test_extra_statements_are_a_policy_of_their_own() -> None:
    statement = {"Effect": "Allow", "Action": "kms:Decrypt", "Resource": "arn:aws:kms:us-west-2:1:key/k"}
    run = made(ControllerRole, extra_statements=[statement], permissions_boundary="arn:aws:iam::1:policy/b", path="/p/")
    document = json.loads(run.one("aws:iam/policy:Policy", "x-extra").inputs["policy"])
    assert document["Statement"] == [statement]
    assert all(r.inputs["path"] == "/p/" for r in run.of("aws:iam/policy:Policy"))


@pytest.mark.parametrize(
    ("changes", "path", "text"),
    [
        ({"node_role_arns": []}, "node_role_arns", "launch no node"),
        ({"node_role_arns": ["name"]}, "node_role_arns[0]", "ARN of a role"),
        ({"extra_statements": [{"Sid": "x" * 7000}]}, "extra_statements", "6144"),
    ],
)
def test_a_controller_role_that_iam_or_ec2_would_refuse(changes: dict[str, Any], path: str, text: str) -> None:
    assert text in refused(maker(ControllerRole, "x", **changes))[path]


def test_roles_that_make_a_policy_too_long_stop_the_update_with_its_name() -> None:
    roles = [f"arn:aws:iam::123456789012:role/{'r' * 60}{number}" for number in range(60)]
    with pytest.raises(pulumi.RunError, match="IAMIntegration"):
        made(ControllerRole, node_role_arns=roles)


def test_the_queue_is_encrypted_and_every_rule_fills_it() -> None:
    run = made(InterruptionQueue)
    queue = run.one("aws:sqs/queue:Queue").inputs
    assert queue["sqsManagedSseEnabled"] is True
    assert (queue["name"], queue["messageRetentionSeconds"]) == (CLUSTER, 300)
    patterns = {r.name: json.loads(r.inputs["eventPattern"]) for r in run.of("aws:cloudwatch/eventRule:EventRule")}
    assert patterns == {f"x-{kind}": dict(pattern) for kind, pattern in EVENT_PATTERNS.items()}
    targets = {r.inputs["arn"] for r in run.of("aws:cloudwatch/eventTarget:EventTarget")}
    assert len(run.of("aws:cloudwatch/eventTarget:EventTarget")) == 5
    assert len(targets) == 1, "a rule would send elsewhere"


def test_two_clusters_rules_do_not_meet() -> None:
    def make(opts: pulumi.ResourceOptions) -> None:
        InterruptionQueue("one", {"cluster_name": "a"}, opts)
        InterruptionQueue("two", {"cluster_name": "b"}, opts)

    run, _ = run_components(make)
    names = [r.inputs["name"] for r in run.of("aws:cloudwatch/eventRule:EventRule")]
    assert len(set(names)) == 10, "the second cluster of a region could not be made"


def test_the_crds_come_first_at_the_same_version_and_the_controller_brings_none() -> None:
    run = made(Karpenter)
    crds = run.one("kubernetes:helm.sh/v3:Release", "x-crd")
    controller = run.one("kubernetes:helm.sh/v3:Release", "x")
    assert crds.urn in controller.dependencies, "the controller would crash: it finds no NodePool kind"
    assert crds.inputs["version"] == controller.inputs["version"] == "1.14.3"
    assert crds.inputs["chart"] == "oci://public.ecr.aws/karpenter/karpenter-crd"
    assert controller.inputs["skipCrds"] is True
    assert "repositoryOpts" not in controller.inputs, "an OCI chart has no repository"
    assert controller.inputs["values"]["settings"]["clusterName"] == CLUSTER


def test_a_chart_in_a_folder_has_the_folder_s_version() -> None:
    controller = made(Karpenter, chart_repository="./charts").one("kubernetes:helm.sh/v3:Release", "x")
    assert controller.inputs["chart"] == "charts/karpenter"
    assert "version" not in controller.inputs


@pytest.mark.parametrize(
    "given", ["arn:aws:sqs:us-west-2:1:my-queue", "https://sqs.us-west-2.amazonaws.com/1/my-queue"]
)
def test_a_queue_s_arn_or_url_is_refused_with_its_name(given: str) -> None:
    assert refused(maker(Karpenter, "x", queue_name=given))["queue_name"].endswith("pass my-queue")


def test_values_that_the_stack_owns_are_refused() -> None:
    problems = refused(maker(Karpenter, "x", values={"settings": {"clusterName": "other"}}))
    assert "values.settings.clusterName" in problems


def test_pools_and_classes_wait_until_karpenter_finds_them_usable() -> None:
    for component, token in (
        (NodeClass, "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"),
        (NodePool, "kubernetes:karpenter.sh/v1:NodePool"),
    ):
        resource = made(component).one(token)
        annotations = resource.inputs["metadata"]["annotations"]
        assert annotations["pulumi.com/waitFor"] == "condition=Ready", "a pool that launches nothing would look fine"
        assert resource.inputs["metadata"]["name"] == "default", "a generated name would replace the pool"


def test_a_class_takes_the_stack_s_role_unless_it_has_its_own() -> None:
    token = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
    assert made(NodeClass).one(token).inputs["spec"]["role"] == "KarpenterNodeRole-my-cluster"
    spec = {**ARGUMENTS[NodeClass]["spec"], "role": "own-role"}
    assert made(NodeClass, spec=spec).one(token).inputs["spec"]["role"] == "own-role"


def test_mistakes_in_an_entry_are_told_by_the_component_too() -> None:
    assert any("expireAfter" in path for path in refused(maker(NodePool, "x", spec={"expireAfter": "1 day"})))
    assert any("amiFamily" in path for path in refused(maker(NodeClass, "x", spec={"amiFamily": "AL3"})))
