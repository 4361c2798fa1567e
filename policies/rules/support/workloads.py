"""The pods that a workload makes, whatever its kind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .kinds import WORKLOADS, Item, objects
from .reading import Node
from .wrapping import Resource

TEMPLATES = {
    "Deployment": "template",
    "StatefulSet": "template",
    "DaemonSet": "template",
    "ReplicaSet": "template",
    "ReplicationController": "template",
    "Job": "template",
    "CronJob": "jobTemplate.spec.template",
}
"""Where the pod template of each kind is, below its spec."""


@dataclass(frozen=True)
class Workload:
    """A workload.

    Attributes:
        item: The object.
        pod: What its pods are: an object with metadata and spec.
    """

    item: Item
    pod: Node


def workloads(resource: Resource) -> Iterator[Workload]:
    """The workloads that a resource holds; patches are judged with what they patch."""
    for item in objects(resource, WORKLOADS, "Pod", *TEMPLATES):
        if not item.partial:
            yield Workload(item, item.object if item.kind == "Pod" else item.spec.at(TEMPLATES[item.kind]))


def exempt(item: Item, namespaces: Sequence[str]) -> bool:
    """Whether an object stands in one of some namespaces; with none of them, its own does not matter.

    Raises:
        CannotJudgeError: If its namespace matters and is unknown.
    """
    return bool(namespaces) and namespace(item) in namespaces


def namespace(item: Item) -> str:
    """The namespace of an object; `default` when it names none."""
    return item.object.at("metadata.namespace").text() or "default"
