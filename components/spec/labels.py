"""Keys of labels and requirements: what Karpenter knows, what it keeps for itself.

Source: pkg/apis/v1/labels.go of sigs.k8s.io/karpenter@1.14.3 and karpenter-provider-aws@1.14.3; rules of the CRDs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from components.spec.model_problems import join
from components.spec.problems import Problem

_AWS: Final = "karpenter.k8s.aws"
AWS_LABELS: Final = frozenset(
    f"{_AWS}/{name}"
    for name in (
        "instance-tenancy",
        "capacity-reservation-type",
        "capacity-reservation-id",
        "capacity-reservation-interruptible",
        "ec2nodeclass",
        "instance-encryption-in-transit-supported",
        "instance-category",
        "instance-hypervisor",
        "instance-family",
        "instance-generation",
        "instance-local-nvme",
        "instance-size",
        "instance-cpu",
        "instance-cpu-manufacturer",
        "instance-cpu-sustained-clock-speed-mhz",
        "instance-memory",
        "instance-ebs-bandwidth",
        "instance-network-bandwidth",
        "instance-gpu-name",
        "instance-gpu-manufacturer",
        "instance-gpu-count",
        "instance-gpu-memory",
        "instance-accelerator-name",
        "instance-accelerator-manufacturer",
        "instance-accelerator-count",
        "instance-capability-flex",
        "placement-group-id",
        "placement-group-partition",
    )
)
WELL_KNOWN: Final = AWS_LABELS | {
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "topology.k8s.aws/zone-id",
    "node.kubernetes.io/instance-type",
    "node.kubernetes.io/windows-build",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "karpenter.sh/capacity-type",
}
NORMALIZED: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}
"""Old names of well-known labels; Karpenter reads them as the new ones."""

KNOWN_VALUES: Final = {
    "karpenter.sh/capacity-type": frozenset({"spot", "on-demand", "reserved"}),
    "kubernetes.io/arch": frozenset({"amd64", "arm64"}),
    "kubernetes.io/os": frozenset({"linux", "windows"}),
    f"{_AWS}/instance-tenancy": frozenset({"default", "dedicated"}),
    f"{_AWS}/capacity-reservation-type": frozenset({"default", "capacity-block"}),
    f"{_AWS}/capacity-reservation-interruptible": frozenset({"true", "false"}),
    f"{_AWS}/instance-hypervisor": frozenset({"nitro", "xen", ""}),
    f"{_AWS}/instance-cpu-manufacturer": frozenset({"aws", "intel", "amd"}),
    f"{_AWS}/instance-gpu-manufacturer": frozenset({"nvidia", "amd", "habana", "qualcomm"}),
    f"{_AWS}/instance-encryption-in-transit-supported": frozenset({"true", "false"}),
    f"{_AWS}/instance-capability-flex": frozenset({"true", "false"}),
}
"""Labels with a closed set of values. The API server takes any: a misspelt one is a pool that never launches."""

NUMERIC: Final = frozenset(
    f"{_AWS}/{name}"
    for name in (
        "instance-generation",
        "instance-local-nvme",
        "instance-cpu",
        "instance-cpu-sustained-clock-speed-mhz",
        "instance-memory",
        "instance-ebs-bandwidth",
        "instance-network-bandwidth",
        "instance-gpu-count",
        "instance-gpu-memory",
        "instance-accelerator-count",
        "placement-group-partition",
    )
)

_RESERVED: Final = {
    "karpenter.sh/nodepool": "Karpenter sets it itself",
    "kubernetes.io/hostname": "every node has its own",
}
_RESTRICTED_DOMAINS: Final = ("karpenter.sh", _AWS)


def normalized(key: str) -> str:
    """The key under which Karpenter knows a label."""
    return NORMALIZED.get(key, key)


def restriction(key: str, *, allow_node_pool: bool = False) -> str | None:
    """Why a key may not be used in labels and requirements; None when it may."""
    if key == "karpenter.sh/nodepool" and allow_node_pool:
        return None
    if key in _RESERVED:
        return f"{key} is reserved: {_RESERVED[key]}"
    domain = key.split("/", maxsplit=1)[0]
    if key in WELL_KNOWN or "/" not in key:
        return None if key not in _RESTRICTED_DOMAINS else f"{key} is a domain of Karpenter's own"
    for restricted in _RESTRICTED_DOMAINS:
        if domain.endswith(restricted):
            return f"labels of {restricted} belong to Karpenter, except the well-known ones"
    return None


def check_labels(path: str, labels: Mapping[str, str]) -> Iterator[Problem]:
    """Problems of the labels of a pool's nodes."""
    for key, value in labels.items():
        if (reason := restriction(key)) is not None:
            yield Problem(join(path, key), value, reason, "use a key of your own, such as example.com/team")
        elif (known := KNOWN_VALUES.get(normalized(key))) is not None and value not in known:
            yield Problem(join(path, key), value, f"must be one of {', '.join(sorted(known))}", "correct the value")
