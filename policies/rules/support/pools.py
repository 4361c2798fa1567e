"""What the requirements of a NodePool let Karpenter launch."""

import re
from collections.abc import Callable, Iterator

from .reading import Node

CAPACITY_TYPE = "karpenter.sh/capacity-type"
ARCH = "kubernetes.io/arch"
CATEGORY = "karpenter.k8s.aws/instance-category"
FAMILY = "karpenter.k8s.aws/instance-family"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
GPU_MAKER = "karpenter.k8s.aws/instance-gpu-manufacturer"
GPU_NAME = "karpenter.k8s.aws/instance-gpu-name"
ACCELERATOR_KEY = re.compile(r"karpenter\.k8s\.aws/instance-(?:gpu|accelerator)-[a-z-]+")
ACCELERATED_CATEGORIES = frozenset({"g", "gr", "p", "inf", "trn", "dl", "vt"})
ACCELERATED_TYPE = re.compile(r"(?:g|gr|p|inf|trn|dl|vt)[0-9][a-z0-9-]*(?:\..+)?")
GPU_CATEGORIES = ("g", "gr", "p")
NVIDIA_TYPE = re.compile(r"(?!g4ad)(?:g|gr|p)[0-9][a-z0-9-]*(?:\..+)?")
NVIDIA_GPU = re.compile(r"(?!radeon).+")
NVIDIA_VALUES = {FAMILY: NVIDIA_TYPE, INSTANCE_TYPE: NVIDIA_TYPE, GPU_NAME: NVIDIA_GPU}
"""What values say GPUs of NVIDIA; of AWS's others, g4ad has AMD's Radeon."""
REMOVING_EFFECTS = frozenset({"NoSchedule", "NoExecute"})
PASSING_TAINTS = frozenset(
    {
        "karpenter.sh/disrupted",
        "karpenter.sh/unregistered",
        "node.cloudprovider.kubernetes.io/uninitialized",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/memory-pressure",
        "node.kubernetes.io/network-unavailable",
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/out-of-service",
        "node.kubernetes.io/pid-pressure",
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/unschedulable",
    }
)
"""Keys of taints that come and go with a node's condition."""


def requirements(spec: Node, key: str) -> Iterator[Node]:
    """The requirements of a pool on one key.

    Raises:
        CannotJudgeError: If the requirements cannot be read.
    """
    for node in spec.at("template.spec.requirements").items():
        if node["key"].text() == key:
            yield node


def values(node: Node) -> list[str]:
    """The values of a requirement.

    Raises:
        CannotJudgeError: If they cannot be read.
    """
    return [text for text in (value.text() for value in node["values"].items()) if text is not None]


def may_have(spec: Node, key: str, value: str) -> bool:
    """Whether the requirements and labels of a pool leave a value possible.

    Raises:
        CannotJudgeError: If they cannot be read.
    """
    label = spec.at("template.metadata.labels")[key].text()
    return (label is None or label == value) and all(_allows(node, value) for node in requirements(spec, key))


def _allows(node: Node, value: str) -> bool:
    operator = node["operator"].text()
    if operator == "In":
        return value in values(node)
    if operator == "NotIn":
        return value not in values(node)
    return operator != "DoesNotExist"


def accelerated(spec: Node) -> bool:
    """Whether a pool may launch instances with GPUs or other accelerators: it asks for them, or excludes nothing.

    Raises:
        CannotJudgeError: If the requirements cannot be read.
    """
    excluded = False
    for node in spec.at("template.spec.requirements").items():
        key = node["key"].text() or ""
        operator = node["operator"].text()
        if ACCELERATOR_KEY.fullmatch(key):
            if operator not in {"DoesNotExist", "NotIn"}:
                return True
            excluded = excluded or (operator == "DoesNotExist" and "/instance-gpu-" in key)
        elif key == CATEGORY:
            excluded = excluded or _excludes(node, ACCELERATED_CATEGORIES.__contains__, GPU_CATEGORIES)
        elif key in {FAMILY, INSTANCE_TYPE}:
            excluded = excluded or _excludes(node, lambda text: ACCELERATED_TYPE.fullmatch(text) is not None, ())
    labels = spec.at("template.metadata.labels").entries()
    if any(key.startswith(("nvidia.com/gpu", "karpenter.k8s.aws/instance-gpu")) for key in labels):
        return True
    return not excluded


def _excludes(node: Node, is_accelerated: Callable[[str], bool], must_exclude: tuple[str, ...]) -> bool:
    operator = node["operator"].text()
    listed = values(node)
    if operator == "In":
        return bool(listed) and not any(is_accelerated(value) for value in listed)
    return operator == "NotIn" and bool(must_exclude) and all(value in listed for value in must_exclude)


def may_have_nvidia(spec: Node) -> bool:
    """Whether an accelerated pool may launch instances with GPUs of NVIDIA, and not only other accelerators.

    Raises:
        CannotJudgeError: If the requirements cannot be read.
    """
    listed = [
        (pattern, values(node))
        for key, pattern in NVIDIA_VALUES.items()
        for node in requirements(spec, key)
        if node["operator"].text() == "In"
    ]
    return (
        any(may_have(spec, CATEGORY, category) for category in GPU_CATEGORIES)
        and may_have(spec, GPU_MAKER, "nvidia")
        and all(any(pattern.fullmatch(text) for text in texts) for pattern, texts in listed)
    )


def tainted(spec: Node) -> bool:
    """Whether a pool keeps pods away that do not tolerate one of its taints; startup taints go away.

    Raises:
        CannotJudgeError: If the taints cannot be read.
    """
    return bool(taint_keys(spec))


def taint_keys(spec: Node) -> set[tuple[str | None, str | None, str | None]]:
    """The taints that keep pods away, as key, value and effect.

    Raises:
        CannotJudgeError: If the taints cannot be read.
    """
    return {
        (node["key"].text(), node["value"].text(), node["effect"].text())
        for node in spec.at("template.spec.taints").items()
        if node["effect"].text() in REMOVING_EFFECTS and node["key"].text() not in PASSING_TAINTS
    }
