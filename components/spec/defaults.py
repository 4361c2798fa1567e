"""The defaults of NodePools and EC2NodeClasses: those of the walkthrough, and a floor on the instance generation.

Without the floor Karpenter may choose a c1.xlarge: slow, old, and cheap only at first sight.
"""

from __future__ import annotations

from typing import Any, Final

DEFAULT_NODE_CLASS: Final = "default"
DEFAULT_EXPIRE_AFTER: Final = "720h"
DEFAULT_CONSOLIDATION_POLICY: Final = "WhenEmptyOrUnderutilized"
DEFAULT_CONSOLIDATE_AFTER: Final = "1m"
DEFAULT_CPU_LIMIT: Final = "1000"
DEFAULT_AMI_FAMILY: Final = "AL2023"
DEFAULT_DISK_SIZE: Final = "50Gi"
"""Room for images, logs and emptyDir volumes. Karpenter's own 20Gi fills up with a handful of large images."""

BOTTLEROCKET_SYSTEM_DISK_SIZE: Final = "4Gi"
DISCOVERY_TAG: Final = "karpenter.sh/discovery"

ARCH: Final = "kubernetes.io/arch"
OS: Final = "kubernetes.io/os"
CAPACITY_TYPE: Final = "karpenter.sh/capacity-type"
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
ZONE: Final = "topology.kubernetes.io/zone"
CATEGORY: Final = "karpenter.k8s.aws/instance-category"
FAMILY: Final = "karpenter.k8s.aws/instance-family"
GENERATION: Final = "karpenter.k8s.aws/instance-generation"
CPU: Final = "karpenter.k8s.aws/instance-cpu"
MEMORY: Final = "karpenter.k8s.aws/instance-memory"
GPU_COUNT: Final = "karpenter.k8s.aws/instance-gpu-count"
GPU_MANUFACTURER: Final = "karpenter.k8s.aws/instance-gpu-manufacturer"


def requirement(key: str, operator: str, *values: str) -> dict[str, Any]:
    """One requirement as plain data."""
    return {"key": key, "operator": operator, "values": list(values)}


def default_requirements() -> list[dict[str, Any]]:
    """Requirements of a pool that names none and has no preset."""
    return [
        requirement(ARCH, "In", "amd64"),
        requirement(OS, "In", "linux"),
        requirement(CAPACITY_TYPE, "In", "on-demand"),
        requirement(CATEGORY, "In", "c", "m", "r"),
        requirement(GENERATION, "Gt", "2"),
    ]
