"""The Node that a kubelet would register for an instance."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from lab.kwok import NODE_ANNOTATION
from lab.user_data import Registration

KUBELET_VERSION = "v1.36.3"
UNREGISTERED = {"key": "karpenter.sh/unregistered", "effect": "NoExecute"}
MEMORY_SHARE = 0.93
"""Of an instance's memory, what its operating system sees: hypervisor and firmware keep the rest."""
EVICTION_MEBIBYTES = 100
ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
GPU_RESOURCES = {"NVIDIA": "nvidia.com/gpu", "AMD": "amd.com/gpu", "Habana": "habana.ai/gaudi"}
NODE_GROUP_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}


def resources(instance_type: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Capacity and allocatable of a node, by the rules of the EKS-optimized AMI.

    Args:
        instance_type: One entry of EC2's DescribeInstanceTypes.

    Returns:
        Two maps of a resource's name to its quantity.
    """
    cpus = int(instance_type["VCpuInfo"]["DefaultVCpus"])
    memory = int(instance_type["MemoryInfo"]["SizeInMiB"] * MEMORY_SHARE)
    network = instance_type["NetworkInfo"]
    pods = network["MaximumNetworkInterfaces"] * (network["Ipv4AddressesPerInterface"] - 1) + 2
    kept = _kept_millicpus(cpus)
    left = memory - (11 * pods + 255) - EVICTION_MEBIBYTES
    common = {"pods": str(pods), "ephemeral-storage": "47Gi", **_devices(instance_type)}
    capacity = {"cpu": str(cpus), "memory": f"{memory}Mi", **common}
    return capacity, {**common, "cpu": f"{cpus * 1000 - kept}m", "memory": f"{max(left, 0)}Mi"}


def _devices(instance_type: Mapping[str, Any]) -> dict[str, str]:
    """What device plugins would add: accelerators and fabric adapters, without those that the type has none of."""
    found: Counter[str] = Counter()
    for gpu in instance_type.get("GpuInfo", {}).get("Gpus", []):
        found[GPU_RESOURCES.get(gpu.get("Manufacturer", ""), "")] += gpu["Count"]
    for device in instance_type.get("NeuronInfo", {}).get("NeuronDevices", []):
        found["aws.amazon.com/neuron"] += device["Count"]
        found["aws.amazon.com/neuroncore"] += device["Count"] * device["CoreInfo"]["Count"]
    found["vpc.amazonaws.com/efa"] += instance_type["NetworkInfo"].get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)
    return {name: str(count) for name, count in found.items() if name and count}


def _kept_millicpus(cpus: int) -> int:
    """CPU that the AMI keeps for the kubelet: 6 % of the first core, 1 %, 0.5 % of two, 0.25 % of the rest."""
    shares = [60, 10, 5, 5]
    return int(sum(shares[:cpus]) + max(cpus - len(shares), 0) * 2.5)


def node(instance: Mapping[str, Any], instance_type: Mapping[str, Any], registered: Registration) -> dict[str, Any]:
    """The Node object of an instance.

    Args:
        instance: What the emulated AWS says of it.
        instance_type: EC2's description of its type.
        registered: Labels and taints that its user data or its node group gives it.
    """
    zone = instance["zone"]
    architecture = next(ARCHITECTURES[name] for name in architectures(instance_type) if name in ARCHITECTURES)
    name = instance["privateDnsName"]
    capacity, allocatable = resources(instance_type)
    taints = list(registered.taints)
    if "karpenter.sh/nodepool" in registered.labels and UNREGISTERED["key"] not in {t["key"] for t in taints}:
        taints.append(dict(UNREGISTERED))
    return {
        "metadata": {
            "name": name,
            "annotations": {**NODE_ANNOTATION, "lab.karpenter-eks/instance": instance["instanceId"]},
            "labels": {
                **registered.labels,
                "kubernetes.io/arch": architecture,
                "kubernetes.io/os": "linux",
                "kubernetes.io/hostname": name,
                "node.kubernetes.io/instance-type": instance["instanceType"],
                "topology.kubernetes.io/zone": zone,
                "topology.kubernetes.io/region": zone[:-1],
            },
        },
        "spec": {"providerID": f"aws:///{zone}/{instance['instanceId']}", "taints": taints},
        "status": {
            "capacity": capacity,
            "allocatable": allocatable,
            "nodeInfo": _info(architecture),
            "addresses": [
                {"type": "InternalIP", "address": instance["privateIp"]},
                {"type": "Hostname", "address": name},
            ],
        },
    }


def _info(architecture: str) -> dict[str, str]:
    return {
        "architecture": architecture,
        "operatingSystem": "linux",
        "kubeletVersion": KUBELET_VERSION,
        "kubeProxyVersion": KUBELET_VERSION,
        "containerRuntimeVersion": "containerd://2.1.0",
        "kernelVersion": "6.12.0",
        "osImage": "stand-in",
        "machineID": "",
        "systemUUID": "",
        "bootID": "",
    }


def architectures(instance_type: Mapping[str, Any]) -> list[str]:
    """What an instance type can run, by EC2's names: one entry of DescribeInstanceTypes."""
    return list(instance_type["ProcessorInfo"]["SupportedArchitectures"])


def refusal(
    instance: Mapping[str, Any], instance_type: Mapping[str, Any], image_architecture: str | None
) -> str | None:
    """Why an instance would never become a node, or None.

    Args:
        instance: What the emulated AWS says of it.
        instance_type: EC2's description of its type.
        image_architecture: Architecture of its AMI, or None where the AMI is gone.
    """
    role = instance["roleArn"]
    if not role:
        return "it has no instance profile with a role, so its kubelet cannot authenticate"
    if instance["accessEntryType"] != "EC2_LINUX":
        found = instance["accessEntryType"] or "none"
        cluster = instance["clusterName"]
        return (
            f"its kubelet is Unauthorized: the role {role} has no access entry of type EC2_LINUX on the cluster "
            f"{cluster} (found: {found})"
        )
    can_run = architectures(instance_type)
    if image_architecture is not None and image_architecture not in can_run:
        return (
            f"it does not boot: its AMI {instance['imageId']} is {image_architecture}, "
            f"its type {instance['instanceType']} runs {' and '.join(can_run)} only"
        )
    return None
