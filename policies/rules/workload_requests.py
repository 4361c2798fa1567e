"""workload-requests: Karpenter launches for what pods ask for, so pods must ask for what they need."""

from collections.abc import Iterator

import pulumi_policy as policy

from .support.kinds import WORKLOADS, Item, objects
from .support.quantities import quantity
from .support.reading import Node, each, judged
from .support.workloads import TEMPLATES, Workload, exempt, workloads
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
    for patch in objects(resource, WORKLOADS, "Pod", *TEMPLATES):
        if patch.partial:
            yield from judged(_patch, patch, config)


def _patch(patch: Item, config: Config) -> Iterator[str]:
    if exempt(patch, config["exemptNamespaces"]):
        return
    pod = patch.object if patch.kind == "Pod" else patch.spec.at(TEMPLATES[patch.kind])
    for field in ("containers", "initContainers"):
        yield from each(_patched, pod["spec"][field].items())


def _patched(container: Node) -> Iterator[str]:
    resources = container["resources"]
    for part, name in NEEDED:
        yield from judged(_positive_at, resources, f"{part}.{name}")


def _positive_at(resources: Node, path: str) -> Iterator[str]:
    yield from _positive(resources.at(path))


def _workload(workload: Workload, config: Config) -> Iterator[str]:
    if exempt(workload.item, config["exemptNamespaces"]):
        return
    spec = workload.pod["spec"]
    containers = spec["containers"]
    if not containers.items():
        yield containers.problem("must be a list of containers", "state them, so that their requests can be judged")
    for field in ("containers", "initContainers"):
        yield from judged(_containers, spec, field)


def _containers(pod: Node, field: str) -> Iterator[str]:
    yield from each(_container, pod[field].items(), pod)


def _container(container: Node, pod: Node) -> Iterator[str]:
    resources = container["resources"]
    for part, name in NEEDED:
        yield from judged(_stated, resources, pod, part, name)


def _stated(resources: Node, pod: Node, part: str, name: str) -> Iterator[str]:
    node = resources.at(f"{part}.{name}")
    candidates = [node, pod.at(f"resources.{part}.{name}")]
    if part == "requests":
        candidates[1:1] = [resources.at(f"limits.{name}")]
        limit = pod.at(f"resources.limits.{name}")
        if not limit.absent and not _any_requests(pod, name):
            candidates.append(limit)
    given = next((candidate for candidate in candidates if not candidate.absent), None)
    if given is None:
        yield node.problem("must be stated", "state what the container needs, such as cpu 100m or memory 128Mi")
    else:
        yield from _positive(given)


def _any_requests(pod: Node, name: str) -> bool:
    """Whether a container requests something; if so, Kubernetes takes their sum, not the limit of the whole pod."""
    containers = [*pod["containers"].items(), *pod["initContainers"].items()]
    return any(
        not one["resources"].at(f"{part}.{name}").absent for one in containers for part in ("requests", "limits")
    )


def _positive(node: Node) -> Iterator[str]:
    found = quantity(node)
    if found is not None and found <= 0:
        yield node.problem("must be more than 0", "state what the container needs")


POLICIES = [resource_policy(ABOUT, check)]
