"""Which Kubernetes objects a resource holds: also patches of one, and lists of several."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .reading import Node
from .wrapping import Resource

KUBERNETES = re.compile(r"kubernetes:(?:(?P<group>[a-z0-9.-]+)/)?v[0-9a-z]+:(?P<kind>[A-Za-z0-9]+)")
KARPENTER = frozenset({"karpenter.sh", "karpenter.k8s.aws"})
WORKLOADS = frozenset({"core", "apps", "batch", "extensions", ""})


@dataclass(frozen=True)
class Item:
    """A Kubernetes object.

    Attributes:
        kind: Its kind, such as `NodePool`.
        object: The object.
        partial: Whether it is a patch, in which a missing field says nothing.
        name: `metadata.name`, or the resource's name.
    """

    kind: str
    object: Node
    partial: bool
    name: str

    @property
    def spec(self) -> Node:
        """Its spec."""
        return self.object["spec"]


def objects(resource: Resource, groups: frozenset[str], *kinds: str) -> Iterator[Item]:
    """The objects of some kinds that a resource holds, whatever the version of their API.

    Args:
        resource: Any resource.
        groups: API groups, as Pulumi's types name them.
        kinds: Kinds, such as `NodePool`.
    """
    match = KUBERNETES.fullmatch(resource.type)
    if match is None or (match["group"] or "") not in groups:
        return
    for kind in kinds:
        if match["kind"] in {kind, f"{kind}Patch"}:
            yield Item(kind, resource.props, match["kind"] != kind, _name(resource.props, resource.name))
        elif match["kind"] == f"{kind}List":
            for item in resource.props["items"].items():
                yield Item(kind, item, partial=False, name=_name(item, resource.name))


def _name(node: Node, fallback: str) -> str:
    value = node.value
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else fallback
