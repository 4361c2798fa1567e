"""Every way in which one EC2NodeClass can be wrong, with what its author would suffer."""

import re
from typing import Any

import botocore.loaders
import pytest

from components.spec.checks import check_node_class
from components.spec.problems import Problem
from components.spec.volumes import SIZES, TYPES_WITH_IOPS

ID = "0123456789abcdef0"
AMIS = {"amis": {"amd64": f"ami-{ID}"}}
KUBERNETES = "1.36"
SSM = "/aws/service/eks/optimized-ami"
MIME = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nx\n--b--\n'


def alias(text: str, **fields: object) -> dict[str, Any]:
    return {"amiSelectorTerms": [{"alias": text}], **fields}


def terms(*each: dict[str, Any], **fields: object) -> dict[str, Any]:
    return {"amiSelectorTerms": list(each), **fields}


def with_amis(**fields: object) -> dict[str, Any]:
    return {**AMIS, **fields}


def volume(family: str = "AL2023", device: str = "/dev/xvda", **ebs: object) -> dict[str, Any]:
    return with_amis(amiFamily=family, blockDeviceMappings=[{"deviceName": device, "ebs": {"encrypted": True, **ebs}}])


def kubelet(**fields: object) -> dict[str, Any]:
    return with_amis(kubelet=fields)


def subnets(*each: dict[str, Any]) -> dict[str, Any]:
    return with_amis(subnetSelectorTerms=list(each))


def groups(*each: dict[str, Any]) -> dict[str, Any]:
    return with_amis(securityGroupSelectorTerms=list(each))


def reservations(*each: dict[str, Any]) -> dict[str, Any]:
    return with_amis(capacityReservationSelectorTerms=list(each))


def interface(card: int, device: int, kind: str = "interface") -> dict[str, Any]:
    return {"networkCardIndex": card, "deviceIndex": device, "interfaceType": kind}


def data(family: str, text: str) -> dict[str, Any]:
    return with_amis(amiFamily=family, userData=text)


EBS = "blockDeviceMappings[0].ebs"
ERRORS = [
    # AMIs
    ({}, "amis", "names no AMI"),
    ({"amis": {}}, "amis", "at least one AMI"),
    ({"amis": {"amd64": "ami-latest"}}, "amis.amd64", "hexadecimal"),
    ({"amis": {"x86_64": f"ami-{ID}"}}, "amis.x86_64", "unknown field"),
    ({**AMIS, **alias("al2023@v20261101")}, "amiSelectorTerms", "together with amis"),
    (terms(), "amiSelectorTerms", "must not be empty"),
    (terms({}), "amiSelectorTerms[0]", "at least one of alias"),
    (terms({"owner": "self"}), "amiSelectorTerms[0]", "at least one of alias"),
    (terms({"id": f"ami-{ID}", "owner": "self"}), "amiSelectorTerms[0]", "id stands alone"),
    (terms({"alias": "al2023@v20261101", "name": "x"}), "amiSelectorTerms[0]", "alias stands alone"),
    (terms({"alias": "al2023@v20261101"}, {"id": f"ami-{ID}"}), "amiSelectorTerms", "an alias stands alone"),
    (terms({"name": "x", "owner": "me"}), "amiSelectorTerms[0].owner", "account id"),
    (terms({"name": "*"}), "amiSelectorTerms[0].name", "matches every AMI"),
    (terms({"tags": {"a": ""}}), "amiSelectorTerms[0].tags", "must not be empty"),
    (alias("al2023@latest"), "amiSelectorTerms[0].alias", "is not pinned"),
    (alias("bottlerocket@latest"), "amiSelectorTerms[0].alias", "is not pinned"),
    (alias("al2023@20261101"), "amiSelectorTerms[0].alias", "dated version"),
    (alias("al2023@v20260231"), "amiSelectorTerms[0].alias", "this date never was"),
    (alias("al2023@v20251103"), "amiSelectorTerms[0].alias", "is older than Kubernetes 1.36"),
    (alias("bottlerocket@2026"), "amiSelectorTerms[0].alias", "version of Bottlerocket"),
    (alias("ubuntu@v1"), "amiSelectorTerms[0].alias", "family@version"),
    (alias("al2023"), "amiSelectorTerms[0].alias", "family@version"),
    (alias("windows2022@v1"), "amiSelectorTerms[0].alias", "know only latest"),
    (alias("al2@v20240101"), "amiFamily", "Amazon Linux 2 has no EKS AMI"),
    (with_amis(amiFamily="AL2"), "amiFamily", "Amazon Linux 2 has no EKS AMI"),
    (with_amis(amiFamily="Ubuntu"), "amiFamily", "must be one of AL2"),
    (alias("al2023@v20261101", amiFamily="Bottlerocket"), "amiFamily", "does not fit the alias"),
    (terms({"name": "bottlerocket-aws-k8s-1.36-x86_64-v1.50.0-a1"}, amiFamily="AL2023"), "amiSelectorTerms[0].name",
     "names an AMI of Bottlerocket"),
    (terms({"ssmParameter": f"{SSM}/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"},
           amiFamily="Bottlerocket"), "amiSelectorTerms[0].ssmParameter", "names an AMI of AL2023"),
    (terms({"name": "amazon-eks-node-1.32-v20241121"}), "amiSelectorTerms[0].name", "names an AMI of AL2"),
    (terms({"name": "amazon-eks-node-al2023-x86_64-standard-1.37-v20261101"}), "amiSelectorTerms[0].name",
     "AMI for Kubernetes 1.37, which does not work with 1.36"),
    (terms({"name": "amazon-eks-node-al2023-arm64-nvidia-1.32-v20261101"}), "amiSelectorTerms[0].name",
     "AMI for Kubernetes 1.32, which does not work with 1.36"),
    (terms({"ssmParameter": f"ami-{ID}"}), "amiSelectorTerms[0].ssmParameter", "a name of an SSM parameter"),
    (terms({"ssmParameter": "https://x.org/x"}), "amiSelectorTerms[0].ssmParameter", "a name of an SSM parameter"),
    (terms({"name": "https://example.com/x"}), "amiSelectorTerms[0].name", "must be a name"),
    ({"amis": {"arm64": f"ami-{ID}"}, "amiFamily": "Windows2022"}, "amis", "at least one AMI for amd64"),
    # identity
    (with_amis(role="arn:aws:iam::123456789012:role/team/nodes"), "role", "not an ARN"),
    (with_amis(role="team/nodes"), "role", "without its path"),
    (with_amis(role="x" * 65), "role", "at most 64 characters"),
    (with_amis(role="a b"), "role", "letters, digits"),
    (with_amis(role=""), "role", "must not be empty"),
    (with_amis(role="a", instanceProfile="b"), "instanceProfile", "exactly one of role and instanceProfile"),
    (with_amis(instanceProfile="arn:aws:iam::123456789012:instance-profile/x"), "instanceProfile", "not an ARN"),
    # selectors
    (subnets(), "subnetSelectorTerms", "must not be empty"),
    (subnets({}), "subnetSelectorTerms[0]", "at least one of id, tags"),
    (subnets({"id": f"subnet-{ID}", "tags": {"a": "b"}}), "subnetSelectorTerms[0]", "id stands alone"),
    (subnets({"id": "subnet-1"}), "subnetSelectorTerms[0].id", "hexadecimal"),
    (subnets({"tags": {"": "x"}}), "subnetSelectorTerms[0].tags", "must not be empty"),
    (subnets({"tags": {}}), "subnetSelectorTerms[0].tags", "must not be empty"),
    (subnets({"tags": {"a": "b"}}, {"tags": {"a": "b"}}), "subnetSelectorTerms[1]", "stands twice"),
    (groups({"name": "x", "id": f"sg-{ID}"}), "securityGroupSelectorTerms[0]", "stands alone"),
    (groups({"tags": {"kubernetes.io/cluster/x": "owned"}}), "securityGroupSelectorTerms[0]", "every security group"),
    (groups({"name": "*"}), "securityGroupSelectorTerms[0]", "matches every one of the region's security groups"),
    (groups({"tags": {"*": "*"}}), "securityGroupSelectorTerms[0]", "matches every one of the region's security"),
    (groups({"name": f"sg-{ID}"}), "securityGroupSelectorTerms[0].name", "an id or an ARN matches nothing"),
    (terms({"name": f"ami-{ID}", "owner": "self"}), "amiSelectorTerms[0].name", "an id or an ARN matches nothing"),
    (terms({"name": "arn:aws:ec2:us-west-2::image/x"}), "amiSelectorTerms[0].name", "an id or an ARN matches nothing"),
    (with_amis(placementGroupSelector={"name": f"pg-{ID}"}), "placementGroupSelector.name", "an id or an ARN"),
    (reservations(), "capacityReservationSelectorTerms", "must not be empty"),
    (reservations({"ownerID": "123456789012"}), "capacityReservationSelectorTerms[0]", "only narrows"),
    (reservations({"ownerID": "1", "tags": {"a": "b"}}), "capacityReservationSelectorTerms[0].ownerID", "12 digits"),
    (reservations({"id": f"cr-{ID}", "tags": {"a": "b"}}), "capacityReservationSelectorTerms[0]", "id stands alone"),
    (with_amis(placementGroupSelector={}), "placementGroupSelector", "exactly one of name and id"),
    (with_amis(placementGroupSelector={"name": "x", "id": f"pg-{ID}"}), "placementGroupSelector", "exactly one of"),
    # volumes
    (with_amis(diskSize="50"), "diskSize", "a whole number and its unit"),
    (with_amis(diskSize="Ti"), "diskSize", "a whole number and its unit"),
    (with_amis(diskSize="10Gi"), "diskSize", "AMI needs 20Gi"),
    (with_amis(diskSize="40Gi", amiFamily="Windows2022"), "diskSize", "AMI needs 50Gi"),
    (volume(volumeSize="17Ti", volumeType="gp2"), f"{EBS}.volumeSize", "1 to 16384 GiB"),
    (with_amis(diskSize="50Gi", amiFamily="Custom", userData="x"), "diskSize", "volumes that only it knows"),
    ({**volume(volumeSize="50Gi"), "diskSize": "50Gi"}, "diskSize", "together with blockDeviceMappings"),
    (with_amis(blockDeviceMappings=[{}]), "blockDeviceMappings[0].deviceName", "required by EC2"),
    (with_amis(blockDeviceMappings=[{"deviceName": "/dev/xvda"}]), EBS, "required by EC2"),
    (volume(), f"{EBS}.volumeSize", "required without a snapshotID"),
    (volume(volumeSize="50Gi", volumeInitializationRate=200), f"{EBS}.volumeInitializationRate",
    "needs a snapshotID"),
    (volume(volumeSize="50Gi", kmsKeyID="alias/x", encrypted=False), f"{EBS}.encrypted",
    "must be true with a kmsKeyID"),
    (volume(volumeSize="50Gi", kmsKeyID="alias/x", encrypted=None), f"{EBS}.encrypted",
    "must be true with a kmsKeyID"),
    (volume(volumeSize="50Gi", kmsKeyID="nodes"), f"{EBS}.kmsKeyID", "a name that KMS knows"),
    (volume(volumeSize="50Gi", kmsKeyID="arn:aws:iam::123456789012:role/x"), f"{EBS}.kmsKeyID", "that KMS knows"),
    (volume(volumeSize="50Gi", volumeType="io1"), f"{EBS}.iops", "is required by EC2 for io1"),
    (volume(volumeSize="50Gi", volumeType="io2"), f"{EBS}.iops", "is required by EC2 for io2"),
    (volume(volumeSize="500Gi", volumeType="io1", iops=65000), f"{EBS}.iops", "io1 takes 100 to 64000"),
    (volume(volumeSize="125Gi", volumeType="st1"), f"{EBS}.volumeType", "it boots from there, and not from st1"),
    (volume("Bottlerocket", volumeSize="125Gi", volumeType="sc1"), f"{EBS}.volumeType", "it boots from there"),
    (volume(volumeSize="50Gi", volumeType="gp2", iops=3000), f"{EBS}.iops", "no iops of their own"),
    (volume(volumeSize="50Gi", volumeType="gp3", iops=80001), f"{EBS}.iops", "gp3 takes 3000 to 80000"),
    (volume(volumeSize="20Gi", volumeType="io1", iops=5000), f"{EBS}.iops", "at most 50 for each GiB"),
    (volume(volumeSize="50Gi", volumeType="gp2", throughput=200), f"{EBS}.throughput", "no throughput of their own"),
    (volume(volumeSize="50Gi", throughput=1000), f"{EBS}.throughput", "every 4 iops"),
    (volume(volumeSize="50Gi", throughput=100), f"{EBS}.throughput", "125 to 2000"),
    (volume(volumeSize="50Gi", volumeType="st1"), f"{EBS}.volumeSize", "125 to 16384 GiB"),
    (with_amis(blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "50Gi"}}] * 2),
     "blockDeviceMappings", "only once"),
    (with_amis(blockDeviceMappings=[{"deviceName": d, "rootVolume": True, "ebs": {"volumeSize": "50Gi"}}
                                    for d in ("/dev/xvda", "/dev/xvdb")]), "blockDeviceMappings",
                                    "at most one volume"),
    # kubelet
    (kubelet(evictionSoft={"memory.available": "5%"}), "kubelet.evictionSoftGracePeriod", "needs an entry here too"),
    (kubelet(evictionSoftGracePeriod={"memory.available": "5m"}), "kubelet.evictionSoft", "but no threshold"),
    (kubelet(evictionHard={"cpu.available": "5%"}), 'kubelet.evictionHard["cpu.available"]', "must be one of"),
    (kubelet(evictionHard={"memory.available": "x"}), 'kubelet.evictionHard["memory.available"]', "percentage"),
    (kubelet(kubeReserved={"cpu": "-1"}), "kubelet.kubeReserved.cpu", "not be negative"),
    (kubelet(imageGCHighThresholdPercent=80, imageGCLowThresholdPercent=80),
     "kubelet.imageGCHighThresholdPercent", "above"),
    (kubelet(imageGCHighThresholdPercent=70), "kubelet.imageGCHighThresholdPercent", "must be 81 to 100"),
    (kubelet(imageGCLowThresholdPercent=90), "kubelet.imageGCLowThresholdPercent", "must be 0 to 84"),
    (kubelet(evictionHard={"memory.available": "0"}), 'kubelet.evictionHard["memory.available"]', "above 0"),
    (kubelet(evictionHard={"memory.available": "-5Mi"}), 'kubelet.evictionHard["memory.available"]', "above 0"),
    (kubelet(clusterDNS=["dns"]), "kubelet.clusterDNS[0]", "IP address"),
    (kubelet(maxPods=0), "kubelet.maxPods", "no room"),
    (kubelet(maxPods="110"), "kubelet.maxPods", "whole number"),
    (kubelet(featureGates={}), "kubelet.featureGates", "unknown field"),
    # network
    (with_amis(networkInterfaces=[interface(0, 1)]), "networkInterfaces", "primary interface"),
    (with_amis(networkInterfaces=[interface(0, 0), interface(0, 0)]), "networkInterfaces", "only once"),
    (with_amis(networkInterfaces=[interface(0, 0), interface(1, 0, "efa-only"), interface(1, 1, "efa-only")]),
     "networkInterfaces", "at most one efa-only"),
    (with_amis(connectionTracking={}), "connectionTracking", "at least one"),
    (with_amis(connectionTracking={"udpTimeout": 61}), "connectionTracking.udpTimeout", "30 to 60"),
    (with_amis(metadataOptions={"httpPutResponseHopLimit": 65}), "metadataOptions.httpPutResponseHopLimit",
    "1 to 64"),
    # tags
    (with_amis(tags={"kubernetes.io/cluster/x": "owned"}), "tags", "set by Karpenter itself"),
    (with_amis(tags={"karpenter.sh/nodepool": "x"}), "tags", "set by Karpenter itself"),
    (with_amis(tags={"AWS:x": "y"}), "tags", "belong to AWS"),
    (with_amis(tags={"": "y"}), "tags", "1 to 128"),
    (with_amis(tags={"a;b": "y"}), "tags", "1 to 128"),
    (with_amis(tags={"a": "y" * 257}), "tags.a", "at most 256"),
    (with_amis(tags={f"t{i}": "x" for i in range(43)}), "tags", "at most 42"),
    # user data
    (data("AL2023", "echo hello"), "userData", "must be a shell script"),
    (data("AL2023", "\n#!/bin/bash\n"), "userData", "very first place"),
    (data("AL2023", "MIME-Version: 1.0\n\nx"), "userData", "needs a Content-Type"),
    (data("AL2023", "Content-Type: text/plain\n\nx"), "userData", "must be multipart, not text/plain"),
    (data("AL2023", f"\n{MIME}"), "userData", "very first place"),
    (data("AL2023", MIME.replace("--b--", "--b\n")), "userData", "end with --b--"),
    (data("AL2023", "Content-Type: multipart/mixed\n\nx"), "userData", "must name a boundary"),
    (data("AL2023", MIME.replace("--b--", "")), "userData", "end with --b--"),
    (data("AL2023", "#!/bin/bash\n" + "x" * 17_000), "userData", "at most 16384 bytes"),
    (data("Bottlerocket", "#!/bin/bash\n"), "userData", "must be TOML"),
    (data("Bottlerocket", "[plugins]\nx = 1\n"), "userData", "below [settings], not plugins"),
    (data("Bottlerocket", "settings = 1\n"), "userData", "must be a table"),
    (data("Windows2022", "<powershell>x</powershell>"), "userData", "without the <powershell> tags"),
    (with_amis(amiFamily="Custom"), "userData", "never joins the cluster"),
    (data("Custom", " "), "userData", "never joins the cluster"),
]  # fmt: skip

WARNINGS = [
    (alias("windows2022@latest"), "amiSelectorTerms[0].alias", "cannot be pinned"),
    (terms({"name": "my-ami-*"}), "amiSelectorTerms[0].name", "is not pinned"),
    (terms({"ssmParameter": "/x"}), "amiSelectorTerms[0].ssmParameter", "another AMI"),
    (terms({"tags": {"a": "b"}}), "amiSelectorTerms[0].tags", "is not pinned"),
    (subnets({"tags": {"a": "b"}}, {"tags": {"c": "d"}}), "subnetSelectorTerms", "terms add up"),
    (
        terms({"name": "amazon-eks-node-al2023-x86_64-standard-1.35-v20261101"}),
        "amiSelectorTerms[0].name",
        "for Kubernetes 1.35, the cluster has 1.36",
    ),
    (subnets({"tags": {"*": "*"}}), "subnetSelectorTerms[0]", "matches every one of the region's subnets"),
    (subnets({"tags": {"karpenter.sh/discovery": "*"}}), "subnetSelectorTerms[0]", "of other clusters and VPCs"),
    (subnets({"tags": {"Name": "*"}}), "subnetSelectorTerms[0]", "of other clusters and VPCs"),
    (
        subnets({"id": f"subnet-{ID}"}, {"tags": {"kubernetes.io/role/internal-elb": "1"}}),
        "subnetSelectorTerms[1]",
        "of other clusters and VPCs",
    ),
    (groups({"tags": {"karpenter.sh/discovery": "*"}}), "securityGroupSelectorTerms[0]", "of other clusters and VPCs"),
    (
        groups({"tags": {"aws:eks:cluster-name": "*", "Name": "*"}}),
        "securityGroupSelectorTerms[0]",
        "of other clusters and VPCs",
    ),
    (
        kubelet(
            evictionHard={"memory.available": "10%"},
            evictionSoft={"memory.available": "5%"},
            evictionSoftGracePeriod={"memory.available": "2m"},
        ),
        'kubelet.evictionSoft["memory.available"]',
        "must be above evictionHard (10%)",
    ),
    (subnets({"tags": {"kubernetes.io/cluster/x": "*"}}), "subnetSelectorTerms[0]", "public subnets too"),
    (volume(volumeSize="50Gi", encrypted=False), f"{EBS}.encrypted", "clear text"),
    (volume(device="/dev/sdf", volumeSize="50Gi"), "blockDeviceMappings", "keeps images and pods on /dev/xvda"),
    (
        volume("Bottlerocket", "/dev/xvda", volumeSize="50Gi"),
        "blockDeviceMappings",
        "keeps images and pods on /dev/xvdb",
    ),
    (volume("Bottlerocket", "/dev/xvdb", volumeSize="50Gi"), "blockDeviceMappings", "gp2"),
    (with_amis(metadataOptions={"httpTokens": "optional"}), "metadataOptions.httpTokens", "credentials"),
    (with_amis(metadataOptions={"httpEndpoint": "disabled"}), "metadataOptions.httpEndpoint", "will not join"),
    (with_amis(amiFamily="Bottlerocket", kubelet={"podsPerCore": 10}), "kubelet.podsPerCore", "ignores"),
    (with_amis(amiFamily="Custom", userData="x", kubelet={"maxPods": 10}), "kubelet", "gets none of these"),
    (with_amis(amiFamily="Windows2022", instanceStorePolicy="RAID0"), "instanceStorePolicy", "ignores it"),
    (with_amis(amiFamily="Custom", userData="x", instanceStorePolicy="RAID0"), "instanceStorePolicy", "ignores it"),
]

FINE = [
    AMIS,
    {"amis": {"amd64": f"ami-{ID}", "arm64": f"ami-{ID}"}, "role": None},
    alias("al2023@v20261101"),
    alias("al2023@v20261101", amiFamily="AL2023"),
    alias("bottlerocket@v1.50.0"),
    alias("bottlerocket@1.50.0", amiFamily="Bottlerocket"),
    terms({"name": "my-ami", "owner": "self"}),
    terms({"id": f"ami-{ID}"}, {"id": "ami-01234567"}),
    with_amis(amiFamily="Bottlerocket", diskSize="100Gi"),
    with_amis(amiFamily="Windows2025", diskSize="100G"),
    with_amis(role="My_Role+=,.@-"),
    with_amis(instanceProfile="my-profile"),
    subnets({"id": f"subnet-{ID}"}, {"id": "subnet-01234567"}),
    subnets({"tags": {"a": "b", "c": "*"}}),
    subnets({"tags": {"kubernetes.io/role/internal-elb": "1", "karpenter.sh/discovery": "mine"}}),
    subnets({"tags": {"karpenter.sh/discovery/mine": "*"}}),
    subnets({"tags": {"Name": "mine-*"}}),
    groups({"name": "nodes"}, {"id": f"sg-{ID}"}),
    groups({"tags": {"kubernetes.io/cluster/x": "*", "team": "a"}}),
    reservations({"id": f"cr-{ID}"}, {"instanceMatchCriteria": "targeted", "ownerID": "123456789012"}),
    with_amis(placementGroupSelector={"name": "x"}),
    volume(volumeSize="100Gi", volumeType="gp3", iops=6000, throughput=500, kmsKeyID="alias/x"),
    volume(volumeSize="58Ti", iops=80_000, throughput=2000),
    volume(snapshotID=f"snap-{ID}", volumeInitializationRate=200),
    volume(volumeSize="1Ti", volumeType="io2", iops=256000),
    volume(
        volumeSize="100Gi", kmsKeyID="arn:aws-cn:kms:cn-north-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
    ),
    volume(volumeSize="100Gi", kmsKeyID="mrk-1234abcd12ab34cd56ef1234567890ab"),
    terms({"name": "amazon-eks-node-al2023-x86_64-standard-1.36-v20261101", "owner": "amazon"}),
    terms({"name": "bottlerocket-aws-k8s-1.36-nvidia-aarch64-v1.50.0-a1"}, amiFamily="Bottlerocket"),
    terms({"name": "my-team-1.20-image"}),
    kubelet(maxPods=110, clusterDNS=["10.100.0.10", "fd00::a"], kubeReserved={"cpu": "100m"}),
    kubelet(evictionSoft={"memory.available": "10%"}, evictionSoftGracePeriod={"memory.available": "2m"}),
    kubelet(imageGCHighThresholdPercent=85, imageGCLowThresholdPercent=80),
    kubelet(imageGCHighThresholdPercent=81),
    kubelet(imageGCLowThresholdPercent=84),
    kubelet(
        evictionHard={"memory.available": "0%", "nodefs.available": "1Gi", "imagefs.available": "5%"},
        evictionSoft={"memory.available": "5%", "nodefs.available": "10%", "imagefs.available": "10%"},
        evictionSoftGracePeriod={"memory.available": "2m", "nodefs.available": "2m", "imagefs.available": "2m"},
    ),
    with_amis(networkInterfaces=[interface(0, 0), interface(1, 0, "efa-only")]),
    with_amis(networkInterfaces=[]),
    with_amis(connectionTracking={"tcpEstablishedTimeout": 3600}),
    with_amis(tags={"team": "payments", "Name": "ä b"}),
    with_amis(instanceStorePolicy="RAID0", detailedMonitoring=True, associatePublicIPAddress=False, ipPrefixCount=1),
    with_amis(cpuOptions={"nestedVirtualization": "enabled"}, context="x"),
    data("AL2023", "#!/bin/bash\necho hello\n"),
    data("AL2023", "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n"),
    data("AL2023", MIME),
    data("AL2023", MIME.replace("--b--", "--b")),
    data("Bottlerocket", '[settings.kernel]\nlockdown = "integrity"\n'),
    data("Windows2022", "Write-Host hello"),
    data("Custom", "anything"),
]


def problems(entry: dict[str, Any], severity: str, version: str = KUBERNETES) -> list[Problem]:
    return [problem for problem in check_node_class("x", entry, version) if problem.severity == severity]


@pytest.mark.parametrize(("entry", "path", "rule"), ERRORS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_class_that_would_fail_later_is_refused_now(entry: dict[str, Any], path: str, rule: str) -> None:
    found = problems(entry, "error")
    assert any(p.path.startswith(f"nodeClasses.x.{path}") and rule in p.rule for p in found), (
        f"{entry} would fail or be misread after `pulumi up`; the checker only says {[p.line() for p in found]}"
    )


@pytest.mark.parametrize(("entry", "path", "rule"), WARNINGS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_doubtful_class_is_let_through_with_a_warning(entry: dict[str, Any], path: str, rule: str) -> None:
    assert not problems(entry, "error"), "a mere doubt would stop a deployment"
    found = problems(entry, "warning")
    assert any(p.path == f"nodeClasses.x.{path}" and rule in p.rule for p in found), (
        f"{entry} does something that nobody wants, and nobody is told: {[p.line() for p in found]}"
    )


@pytest.mark.parametrize("entry", FINE, ids=str)
def test_a_good_class_is_let_through_in_silence(entry: dict[str, Any]) -> None:
    found = check_node_class("x", entry, KUBERNETES)
    assert not found, f"a good class is complained about: {[p.line() for p in found]}"


def test_amazon_linux_2_passes_where_it_still_exists() -> None:
    entry = {"amiFamily": "AL2", "amis": {"amd64": f"ami-{ID}"}, "userData": "#!/bin/bash\n"}
    assert not problems(entry, "error", "1.32"), "Kubernetes 1.32 still has AMIs of Amazon Linux 2"
    for text in ("echo", "MIME-Version: 1.0\n\nx"):
        assert problems({**entry, "userData": text}, "error", "1.32"), "cloud-init would ignore this user data"
    assert not problems({**entry, "userData": MIME}, "error", "1.32")


def test_windows_server_2025_waits_for_kubernetes_1_35() -> None:
    entry = {"amiFamily": "Windows2025", "amis": {"amd64": f"ami-{ID}"}}
    assert problems(entry, "error", "1.34")[0].remedy == "write Windows2022"
    assert not problems(entry, "error", "1.35")


def test_a_version_that_nobody_knows_yet_is_no_obstacle() -> None:
    assert not problems(alias("al2023@v20200101"), "error", "1.40"), (
        "the checker would stop every class on a Kubernetes version that is newer than itself"
    )


def test_an_arn_is_refused_with_the_name_to_write_instead() -> None:
    found = problems(with_amis(role="arn:aws:iam::123456789012:role/team/nodes"), "error")
    assert found[0].remedy == "write nodes", "the reader has to find out what the name in the ARN is"


def test_a_broken_family_brings_no_echoes() -> None:
    paths = [problem.path for problem in check_node_class("x", {**AMIS, "amiFamily": "AL2022"}, KUBERNETES)]
    assert paths == ["nodeClasses.x.amiFamily"], "one mistake is told in several places"


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("amiSelectorTerms", [{"alis": "al2023@v20261101"}], "[0].alis"),
        ("amiSelectorTerms", [None], "[0]"),
        ("subnetSelectorTerms", [{"id": 5}], "[0].id"),
        ("securityGroupSelectorTerms", [{"tags": {"a": 1}}], "[0].tags.a"),
    ],
)
def test_a_wrong_item_of_a_list_is_told_once(field: str, value: object, place: str) -> None:
    entry = {field: value} if field == "amiSelectorTerms" else {**AMIS, field: value}
    paths = [problem.path for problem in check_node_class("x", entry, KUBERNETES)]
    assert paths == [f"nodeClasses.x.{field}{place}"], "one mistake is told as an empty list and as missing AMIs too"


def test_an_entry_that_is_no_map_is_refused() -> None:
    nothing: Any = "default"
    assert check_node_class("x", nothing, KUBERNETES)[0].rule == "must be a map"
    assert "lower-case" in check_node_class("X", AMIS, KUBERNETES)[0].rule


def told_by_ec2(member: str) -> dict[str, tuple[int, int]]:
    """Least and most of a member of EbsBlockDevice, by volume type, as EC2's API model tells it."""
    model = botocore.loaders.Loader().load_service_model("ec2", "service-2")
    text = re.sub(r"(\s|<[^>]+>)+", " ", model["shapes"]["EbsBlockDevice"]["members"][member]["documentation"])
    ranges = re.findall(r"((?:\w+ and )?\w+)\s*:\s*([\d,]+)\s*-\s*([\d,]+)", text)
    return {
        kind: (int(least.replace(",", "")), int(most.replace(",", "")))
        for kinds, least, most in ranges
        for kind in kinds.split(" and ")
    }


def test_volumes_may_be_as_large_and_as_fast_as_ec2_makes_them() -> None:
    speeds = {kind: bounds[:2] for kind, bounds in TYPES_WITH_IOPS.items()}
    assert told_by_ec2("Iops") == speeds, "a volume that EC2 makes is refused here, or one that it refuses is not"
    assert told_by_ec2("VolumeSize") == SIZES, "a volume that EC2 makes is refused here, or one that it refuses is not"
