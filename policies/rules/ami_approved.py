"""ami-approved: nodes run images that the ledger approves for this environment."""

from collections.abc import Iterator, Mapping
from typing import Any

import pulumi_policy as policy

from .support.images import CLUSTERS, NODE_GROUPS, class_terms, ids_of, unseen
from .support.kinds import KARPENTER, objects
from .support.ledger import LedgerError, approved, read, status
from .support.pools import ARCH, may_have
from .support.reading import CannotJudgeError, Node, judged
from .support.wrapping import About, Config, Finding, Resource, findings, resource_policy, stack_policy

Entries = Mapping[str, Mapping[str, Any]]
FAMILIES = (("AL2023", "AL2023"), ("AL2", "AL2"), ("BOTTLEROCKET", "Bottlerocket"), ("WINDOWS", "Windows"))
"""How types of AMIs begin, and the family that the ledger has for them."""
VARIANTS = {"NVIDIA": "nvidia", "GPU": "nvidia", "NEURON": "neuron", "FIPS": "fips"}
PROMOTE = "run `python -m ops ami status`, then approve or promote it"
PARAMETERS = {
    "ledger": {
        "type": "string",
        "default": "../amis/ledger.yaml",
        "description": "The ledger; a relative path starts at the folder of the pack.",
    },
    "environment": {
        "type": "string",
        "default": "",
        "description": "Environment whose approvals count; the name of the stack when empty.",
    },
    "region": {
        "type": "string",
        "default": "",
        "description": "Region of the nodes; that of the stack's AWS provider when empty.",
    },
    "kubernetesVersion": {
        "type": "string",
        "default": "",
        "description": "Kubernetes version of the nodes; that of the stack's cluster when empty.",
    },
}
ABOUT = About(
    name="ami-approved",
    description="Every pinned AMI stands in the ledger as approved for this environment",
    steps="Review the image, approve or promote it with `python -m ops ami`, and commit the ledger.",
    severity=policy.Severity.HIGH,
    level=policy.EnforcementLevel.ADVISORY,
    parameters=PARAMETERS,
)
IN_STACK = About(
    name="ami-approved-in-stack",
    description="Pinned AMIs fit the stack's region, its cluster's Kubernetes version, its NodePools' architectures",
    steps="Take an image that the ledger approves for this region, Kubernetes version and architecture.",
    severity=policy.Severity.HIGH,
    level=policy.EnforcementLevel.ADVISORY,
    parameters=PARAMETERS,
)


def check(resource: Resource, config: Config) -> Iterator[str]:
    """Yield what the ledger says against the AMIs of one resource.

    Args:
        resource: Any resource.
        config: Path of the ledger, environment, and region and Kubernetes version where they are known.
    """
    group = resource.type in NODE_GROUPS
    nodes = list(_visible_ids(resource))
    others = list(_terms_without_id(resource))
    unread = list(unseen(resource))
    if not nodes and not others and not group and not unread:
        return
    yield from unread
    try:
        entries = read(str(config["ledger"]))
    except LedgerError as error:
        yield error.message
        return
    environment = str(config["environment"]) or resource.stack
    region = str(config["region"]) or resource.region
    for node in nodes:
        yield from _entry(node, entries, environment, region, str(config["kubernetesVersion"]))
    for term in others:
        yield from judged(_other_term, term, entries, environment)
    if group:
        yield from judged(_release, resource.props, entries, environment, region)


def _visible_ids(resource: Resource) -> Iterator[Node]:
    try:
        yield from (node for node in ids_of(resource) if isinstance(node.value, str))
    except CannotJudgeError:
        return


def _terms_without_id(resource: Resource) -> Iterator[Node]:
    try:
        for terms in class_terms(resource):
            yield from (term for term in terms.node.items() if isinstance(term.value, dict) and term["id"].absent)
    except CannotJudgeError:
        return


def _other_term(term: Node, entries: Entries, environment: str) -> Iterator[str]:
    name, alias = term["name"].text(), term["alias"].text()
    parts = (term["ssmParameter"].text() or "").split("/")
    for entry in entries.values():
        named = entry.get("name")
        same = named is not None and (named == name or named in parts)
        if approved(entry, environment) and (same or alias == _alias(entry)):
            return
    yield term.problem(f"must be an AMI that the ledger approves for {environment or 'this environment'}", PROMOTE)


def _alias(entry: Mapping[str, Any]) -> str:
    return f"{str(entry.get('family')).lower()}@{entry.get('release')}"


def _entry(node: Node, entries: Entries, environment: str, region: str, version: str) -> Iterator[str]:
    entry = entries.get(str(node.value))
    if entry is None:
        yield node.problem("must stand in the ledger", "run `python -m ops ami resolve`, review it and approve it")
        return
    if not approved(entry, environment):
        found = status(entry, environment)
        yield node.problem(f"must be approved for {environment or 'this environment'}, but is {found}", PROMOTE)
    yield from _fits(node, entry, "region", region)
    yield from _fits(node, entry, "kubernetesVersion", version)


def _fits(node: Node, entry: Mapping[str, Any], field: str, wanted: str) -> Iterator[str]:
    has = str(entry.get(field, "nothing"))
    if wanted and has != wanted:
        yield node.problem(f"must be of {field} {wanted}, but the ledger says {has}", "take the AMI that fits")


def _release(props: Node, entries: Entries, environment: str, region: str) -> Iterator[str]:
    release = props["releaseVersion"]
    kind = (props["amiType"].text() or "").upper()
    text = release.text()
    if text is None or kind == "CUSTOM":
        return
    architecture = "arm64" if "ARM_64" in kind else "amd64"
    family, variant = _image_of(kind)
    for entry in entries.values():
        if (
            _is_release(entry, text)
            and entry.get("architecture") == architecture
            and entry.get("family", family) == family
            and entry.get("variant", variant) == variant
            and (not region or entry.get("region") == region)
            and approved(entry, environment)
        ):
            return
    yield release.problem(
        f"must be the release of an {architecture} AMI approved for {environment or 'this environment'}"
        f"{'' if (family, variant) == ('AL2023', 'standard') else f', of {family}, {variant}'}",
        PROMOTE,
    )


def _image_of(kind: str) -> tuple[str, str]:
    """Family and variant of a node group's type of AMI; EKS takes Amazon Linux 2023 where nothing is said."""
    family = next((family for start, family in FAMILIES if kind.startswith(f"{start}_")), kind or "AL2023")
    return family, next((name for word, name in VARIANTS.items() if word in kind.split("_")), "standard")


def _is_release(entry: Mapping[str, Any], text: str) -> bool:
    if "releaseVersion" in entry:
        return str(entry["releaseVersion"]) == text
    short, _, date = text.rpartition("-")
    return entry.get("release") == f"v{date}" and short.startswith(f"{entry.get('kubernetesVersion')}.")


def check_stack(resources: list[Resource], config: Config) -> Iterator[Finding]:
    """Yield the AMIs that do not fit the cluster, and NodePools without an AMI for their architecture.

    Args:
        resources: The resources of a stack.
        config: As for `check`.
    """
    try:
        entries = read(str(config["ledger"]))
    except LedgerError:
        return
    version = str(config["kubernetesVersion"])
    if not version:
        clusters = [resource for resource in resources if resource.type in CLUSTERS]
        for cluster in clusters:
            yield from findings(cluster, _version(cluster, clusters))
        stated = {
            cluster.props["version"].value for cluster in clusters if isinstance(cluster.props["version"].value, str)
        }
        version = stated.pop() if len(stated) == 1 else ""
    region = "" if config["region"] else _region(resources)
    for resource in resources:
        for node in _visible_ids(resource):
            entry = entries.get(str(node.value))
            if entry is not None:
                yield from findings(resource, _fits(node, entry, "kubernetesVersion", version))
                if not resource.region:
                    yield from findings(resource, _fits(node, entry, "region", region))
    yield from _architectures(resources, entries)


def _region(resources: list[Resource]) -> str:
    """The region that all AWS resources of a stack are in, if it is one."""
    found = {resource.region for resource in resources if resource.region}
    return found.pop() if len(found) == 1 else ""


def _version(cluster: Resource, clusters: list[Resource]) -> Iterator[str]:
    node = cluster.props["version"]
    if node.text() is None:
        yield node.problem("must be stated, so that AMIs can be compared with it", "state it, such as 1.36")
    if any(other.props["version"].value != node.value for other in clusters):
        yield node.problem("differs from another cluster's, so that AMIs fit one of them", "set kubernetesVersion")


def _architectures(resources: list[Resource], entries: Entries) -> Iterator[Finding]:
    covered: dict[str, set[str]] = {}
    for resource in resources:
        nodes = list(_visible_ids(resource))
        for item in objects(resource, KARPENTER, "EC2NodeClass") if nodes else ():
            found = {str(entries[str(node.value)].get("architecture")) for node in nodes if node.value in entries}
            if all(node.value in entries for node in nodes):
                covered[item.name] = found
    for resource in resources:
        yield from findings(resource, _pool(resource, covered))


def _pool(resource: Resource, covered: Mapping[str, set[str]]) -> Iterator[str]:
    for pool in objects(resource, KARPENTER, "NodePool"):
        reference = pool.spec.at("template.spec.nodeClassRef.name")
        name = reference.text()
        if name is None or name not in covered:
            continue
        for architecture in ("amd64", "arm64"):
            asked = any(
                True for node in pool.spec.at("template.spec.requirements").items() if node["key"].value == ARCH
            )
            if asked and may_have(pool.spec, ARCH, architecture) and architecture not in covered[name]:
                yield reference.problem(
                    f"must have an AMI for {architecture}, which the pool asks for", "add its id to the class"
                )


POLICIES = [resource_policy(ABOUT, check), stack_policy(IN_STACK, check_stack)]
