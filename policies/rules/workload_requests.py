"""workload-requests: Karpenter launches for what pods ask for, so pods must ask for what they need."""

from collections.abc import Iterator

import pulumi_policy as policy

from .support.kinds import WORKLOADS, objects
from .support.quantities import quantity
from .support.reading import Node, each, judged
from .support.workloads import Workload, namespace, workloads
from .support.wrapping import About, Config, Resource, resource_policy

ABOUT = About(
    name="workload-requests",
    description="Containers request CPU and memory, and limit memory",
    steps="Set resources.requests.cpu, resources.requests.memory and resources.limits.memory on every container.",
    severity=policy.Severity.MEDIUM,
    parameters={
        "exemptNamespaces": {
            "type": "array",
            "items": {"type": "string"},
            "default": [],
            "description": "Namespaces that are not judged.",
        }
    },
)
NEEDED = (("requests", "cpu"), ("requests", "memory"), ("limits", "memory"))


def check(resource: Resource, config: Config) -> Iterator[str]:
    """Yield containers that do not say what they need.

    Args:
        resource: Any resource.
        config: `exemptNamespaces`.
    """
    for workload in workloads(resource):
        yield from judged(_workload, workload, config)
    for patch in objects(resource, WORKLOADS, "Deployment", "StatefulSet", "DaemonSet"):
        if patch.partial:
            yield from judged(_patch, patch.spec.at("template.spec.containers"))


def _patch(containers: Node) -> Iterator[str]:
    for container in containers.items():
        for part, name in NEEDED:
            yield from judged(_positive, container.at(f"resources.{part}.{name}"))


def _workload(workload: Workload, config: Config) -> Iterator[str]:
    if namespace(workload.item) in config["exemptNamespaces"]:
        return
    spec = workload.pod["spec"]
    containers = spec["containers"]
    if not containers.items():
        yield containers.problem("must be a list of containers", "state them, so that their requests can be judged")
    for field in ("containers", "initContainers"):
        yield from judged(_containers, spec[field], spec["resources"])


def _containers(containers: Node, of_pod: Node) -> Iterator[str]:
    yield from each(_container, containers.items(), of_pod)


def _container(container: Node, of_pod: Node) -> Iterator[str]:
    resources = container["resources"]
    for part, name in NEEDED:
        yield from judged(_stated, resources, of_pod, part, name)


def _stated(resources: Node, of_pod: Node, part: str, name: str) -> Iterator[str]:
    node = resources.at(f"{part}.{name}")
    candidates = [node, of_pod.at(f"{part}.{name}")]
    if part == "requests":
        candidates[1:1] = [resources.at(f"limits.{name}")]
    given = next((candidate for candidate in candidates if not candidate.absent), None)
    if given is None:
        yield node.problem("must be stated", "state what the container needs, such as cpu 100m or memory 128Mi")
    else:
        yield from _positive(given)


def _positive(node: Node) -> Iterator[str]:
    found = quantity(node)
    if found is not None and found <= 0:
        yield node.problem("must be more than 0", "state what the container needs")


POLICIES = [resource_policy(ABOUT, check)]
