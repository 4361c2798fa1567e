"""EKS as the stack meets it: clusters, node groups with real instances, access entries, add-ons."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.lab.emulator.world import AMD64, REGION, Emulator, World, refused, trust

pytestmark = pytest.mark.lab

TAINT = {"key": "CriticalAddonsOnly", "value": "true", "effect": "NO_SCHEDULE"}


def make_group(world: World, **more: Any) -> dict[str, Any]:
    request = {
        "clusterName": world.cluster,
        "nodegroupName": "system",
        "nodeRole": world.node_role,
        "subnets": world.subnets,
        "instanceTypes": ["m5.large"],
        "amiType": "AL2023_x86_64_STANDARD",
        "releaseVersion": "1.36.0-20261101",
        "scalingConfig": {"minSize": 1, "desiredSize": 2, "maxSize": 4},
        "labels": {"karpenter.sh/controller": "true"},
        "taints": [TAINT],
        **more,
    }
    return dict(world.as_root("eks").create_nodegroup(**request)["nodegroup"])


def nodes(world: World) -> list[dict[str, Any]]:
    """What a kubelet's stand-in sees of this cluster's running instances."""
    found = world.emulator.lab("instances")[1]
    return [one for one in found if one["clusterName"] == world.cluster and one["state"] == "running"]


def test_a_cluster_answers_the_real_control_plane_and_its_own_security_group(world: World) -> None:
    cluster = world.make_cluster()
    assert cluster["status"] == "ACTIVE"
    assert cluster["endpoint"] == "https://127.0.0.1:6443"
    assert base64.b64decode(cluster["certificateAuthority"]["data"]) == b"the lab's certificate authority"
    assert cluster["identity"]["oidc"]["issuer"].startswith(f"https://oidc.eks.{REGION}.amazonaws.com/id/")
    assert cluster["accessConfig"]["authenticationMode"] == "API"
    assert cluster["kubernetesNetworkConfig"]["serviceIpv4Cidr"] == "10.100.0.0/16", "AL2023 nodes need it"
    group_id = cluster["resourcesVpcConfig"]["clusterSecurityGroupId"]
    group = world.as_root("ec2").describe_security_groups(GroupIds=[group_id])["SecurityGroups"][0]
    tags = {tag["Key"]: tag["Value"] for tag in group["Tags"]}
    assert tags["aws:eks:cluster-name"] == world.cluster
    assert tags[f"kubernetes.io/cluster/{world.cluster}"] == "owned"
    assert group["VpcId"] == world.vpc == cluster["resourcesVpcConfig"]["vpcId"]
    assert group["IpPermissions"][0]["UserIdGroupPairs"][0]["GroupId"] == group_id


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": "1.12"}, "unsupported Kubernetes version"),
        ({"resourcesVpcConfig": {"subnetIds": ["subnet-dead", "subnet-beef"]}}, "does not exist"),
        ({"roleArn": "arn:aws:iam::123456789012:role/none"}, "could not be assumed"),
    ],
)
def test_a_cluster_that_eks_refuses_is_refused(world: World, change: dict[str, Any], words: str) -> None:
    request = {
        "name": world.cluster,
        "roleArn": world.cluster_role,
        "resourcesVpcConfig": {"subnetIds": world.subnets},
        **change,
    }
    code, text = refused(world.as_root("eks").create_cluster, **request)
    assert code == "InvalidParameterException"
    assert words in text


def test_a_protected_cluster_stays(world: World) -> None:
    world.make_cluster(deletionProtection=True)
    eks = world.as_root("eks")
    assert refused(eks.delete_cluster, name=world.cluster)[0] == "InvalidRequestException"
    update = eks.update_cluster_config(name=world.cluster, deletionProtection=False)["update"]
    assert eks.describe_update(name=world.cluster, updateId=update["id"])["update"]["status"] == "Successful"
    group = eks.describe_cluster(name=world.cluster)["cluster"]["resourcesVpcConfig"]["clusterSecurityGroupId"]
    eks.delete_cluster(name=world.cluster)
    assert refused(world.as_root("ec2").describe_security_groups, GroupIds=[group])[0] == "InvalidGroup.NotFound"
    assert refused(eks.describe_cluster, name=world.cluster)[0] == "ResourceNotFoundException"


def test_versions_go_up_one_by_one(world: World) -> None:
    world.make_cluster(version="1.34")
    eks = world.as_root("eks")
    assert refused(eks.update_cluster_version, name=world.cluster, version="1.36")[0] == "InvalidParameterException"
    eks.update_cluster_version(name=world.cluster, version="1.35")
    assert eks.describe_cluster(name=world.cluster)["cluster"]["version"] == "1.35"
    offered = [one["clusterVersion"] for one in eks.describe_cluster_versions()["clusterVersions"]]
    assert "1.36" in offered


def test_tags_set_later_show_on_the_cluster(world: World) -> None:
    arn = world.make_cluster()["arn"]
    eks = world.as_root("eks")
    eks.tag_resource(resourceArn=arn, tags={"karpenter.sh/discovery": world.cluster})
    assert eks.describe_cluster(name=world.cluster)["cluster"]["tags"] == {"karpenter.sh/discovery": world.cluster}
    eks.untag_resource(resourceArn=arn, tagKeys=["karpenter.sh/discovery"])
    assert eks.describe_cluster(name=world.cluster)["cluster"]["tags"] == {}


def test_a_node_group_starts_instances_that_a_kubelet_can_join(world: World) -> None:
    cluster = world.make_cluster()
    group = make_group(world)
    assert group["releaseVersion"] == "1.36.0-20261101"
    found = nodes(world)
    assert len(found) == 2, "the controller would have no node to run on"
    one = found[0]
    assert one["imageId"] == AMD64
    assert one["roleArn"] == world.node_role
    assert one["accessEntryType"] == "EC2_LINUX", "EKS lets a node group's role join by itself"
    assert one["securityGroupIds"] == [cluster["resourcesVpcConfig"]["clusterSecurityGroupId"]]
    assert "karpenter.sh/controller=true" in one["userData"]
    assert "--register-with-taints=CriticalAddonsOnly=true:NoSchedule" in one["userData"]
    assert {node["zone"] for node in found} == {f"{REGION}a", f"{REGION}b"}


def test_a_node_group_follows_its_size_and_leaves_nothing(world: World) -> None:
    world.make_cluster()
    make_group(world)
    eks = world.as_root("eks")
    names = {"clusterName": world.cluster, "nodegroupName": "system"}
    eks.update_nodegroup_config(**names, scalingConfig={"desiredSize": 3})
    assert len(nodes(world)) == 3
    eks.update_nodegroup_config(**names, scalingConfig={"desiredSize": 1})
    assert len(nodes(world)) == 1
    assert refused(eks.delete_cluster, name=world.cluster)[0] == "ResourceInUseException"
    eks.delete_nodegroup(**names)
    assert nodes(world) == [], "the system nodes would outlive the stack"
    profiles = world.as_root("iam").list_instance_profiles_for_role(RoleName=world.node_role.rpartition("/")[2])
    assert profiles["InstanceProfiles"] == []


def test_a_node_group_takes_its_launch_template(world: World) -> None:
    world.make_cluster()
    ec2 = world.as_root("ec2")
    made = ec2.create_launch_template(
        LaunchTemplateName=f"system-{world.cluster}",
        LaunchTemplateData={
            "MetadataOptions": {"HttpTokens": "required"},
            "TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "team", "Value": "platform"}]}],
        },
    )["LaunchTemplate"]
    group = make_group(world, launchTemplate={"id": made["LaunchTemplateId"], "version": "1"})
    assert group["launchTemplate"] == {
        "id": made["LaunchTemplateId"],
        "name": made["LaunchTemplateName"],
        "version": "1",
    }
    one = nodes(world)[0]
    assert one["tags"]["team"] == "platform"
    assert world.instance(one["instanceId"])["MetadataOptions"]["HttpTokens"] == "required"


def test_a_node_group_moves_to_a_newer_release(world: World, emulator: Emulator) -> None:
    world.make_cluster()
    make_group(world)
    emulator.lab("images/publish", {"release": "20261115"})
    before = {one["instanceId"] for one in nodes(world)}
    world.as_root("eks").update_nodegroup_version(
        clusterName=world.cluster, nodegroupName="system", releaseVersion="1.36.0-20261115"
    )
    after = nodes(world)
    assert {one["imageId"] for one in after} == {"ami-0b1b2c3d4e5f60001"}
    assert len(after) == 2
    assert not before & {one["instanceId"] for one in after}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"releaseVersion": "1.36.0-20200101"}, "is not valid for kubernetes version 1.36"),
        ({"scalingConfig": {"minSize": 3, "desiredSize": 2, "maxSize": 4}}, "desired capacity 2"),
        ({"subnets": ["subnet-dead"]}, "does not exist"),
        ({"nodeRole": "arn:aws:iam::123456789012:role/none"}, "does not exist"),
    ],
)
def test_a_node_group_that_eks_refuses_is_refused(world: World, change: dict[str, Any], words: str) -> None:
    world.make_cluster()
    code, text = refused(lambda **more: make_group(world, **more), **change)
    assert code == "InvalidParameterException"
    assert words in text


def test_access_entries_follow_eks_rules(world: World) -> None:
    world.make_cluster()
    eks = world.as_root("eks")
    entry = eks.create_access_entry(clusterName=world.cluster, principalArn=world.node_role, type="EC2_LINUX")
    assert entry["accessEntry"]["kubernetesGroups"] == ["system:nodes"]
    assert entry["accessEntry"]["username"] == "system:node:{{EC2PrivateDNSName}}"
    for change, words in (
        ({"principalArn": "arn:aws:iam::123456789012:role/none"}, "invalid principal"),
        ({"principalArn": world.cluster_role, "kubernetesGroups": ["system:masters"]}, "cannot start with system:"),
        ({"principalArn": world.cluster_role, "type": "EC2_LINUX", "kubernetesGroups": ["a"]}, "EC2_LINUX"),
    ):
        code, text = refused(eks.create_access_entry, clusterName=world.cluster, **change)
        assert code == "InvalidParameterException"
        assert words in text
    assert (
        refused(
            eks.associate_access_policy,
            clusterName=world.cluster,
            principalArn=world.node_role,
            policyArn="arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolice",
            accessScope={"type": "cluster"},
        )[0]
        == "InvalidParameterException"
    )


def test_access_entries_are_for_the_callers_that_iam_allows(world: World) -> None:
    world.make_cluster()
    entry = {"clusterName": world.cluster, "principalArn": world.node_role}
    world.as_root("eks").create_access_entry(**entry, type="EC2_LINUX")
    eks = world.as_controller("eks")
    assert refused(eks.describe_access_entry, **entry)[0] == "AccessDeniedException", "a path with an ARN slips through"
    assert refused(eks.delete_access_entry, **entry)[0] == "AccessDeniedException"


def test_addons_have_versions_and_defaults(world: World) -> None:
    world.make_cluster()
    eks = world.as_root("eks")
    versions = eks.describe_addon_versions(addonName="coredns", kubernetesVersion="1.36")["addons"][0]
    newest = versions["addonVersions"][0]["addonVersion"]
    assert eks.create_addon(clusterName=world.cluster, addonName="coredns")["addon"]["addonVersion"] == newest
    assert eks.describe_addon(clusterName=world.cluster, addonName="coredns")["addon"]["status"] == "ACTIVE"
    wrong = {"clusterName": world.cluster, "addonName": "kube-proxy", "addonVersion": "v1.0.0-eksbuild.1"}
    assert refused(eks.create_addon, **wrong)[0] == "InvalidParameterException"
    assert refused(eks.create_addon, clusterName=world.cluster, addonName="core-dns")[0] == "InvalidParameterException"


def test_an_association_needs_a_role_that_exists(world: World) -> None:
    world.make_cluster()
    code, _ = refused(
        world.as_root("eks").create_pod_identity_association,
        clusterName=world.cluster,
        namespace="kube-system",
        serviceAccount="karpenter",
        roleArn="arn:aws:iam::123456789012:role/none",
    )
    assert code == "InvalidParameterException"


def test_two_groups_of_one_role_share_the_access_entry(world: World) -> None:
    world.make_cluster()
    role = world.as_root("iam").create_role(
        RoleName=f"{world.cluster}-system", AssumeRolePolicyDocument=trust("ec2.amazonaws.com")
    )["Role"]["Arn"]
    for name in ("one", "two"):
        make_group(world, nodegroupName=name, nodeRole=role)
    entries = world.as_root("eks").list_access_entries(clusterName=world.cluster)["accessEntries"]
    assert entries.count(role) == 1


def test_tags_of_entries_and_associations_follow_later_changes(world: World) -> None:
    world.make_cluster()
    eks, place = world.as_root("eks"), {"clusterName": world.cluster}
    entry = eks.create_access_entry(**place, principalArn=world.node_role, type="EC2_LINUX")["accessEntry"]
    association = eks.create_pod_identity_association(
        **place, namespace="kube-system", serviceAccount="karpenter", roleArn=world.controller_role, tags={"a": "1"}
    )["association"]
    for arn in (entry["accessEntryArn"], association["associationArn"]):
        eks.tag_resource(resourceArn=arn, tags={"b": "2"})
    eks.untag_resource(resourceArn=association["associationArn"], tagKeys=["a"])
    shown = eks.describe_pod_identity_association(**place, associationId=association["associationId"])["association"]
    assert shown["tags"] == {"b": "2"}, "a change of the stack's tags would show in every preview"
    assert eks.list_tags_for_resource(resourceArn=association["associationArn"])["tags"] == {"b": "2"}
    found = eks.describe_access_entry(**place, principalArn=world.node_role)["accessEntry"]
    assert found["tags"] == {"b": "2"}
