"""ami-pinned: nodes run images that somebody chose, not the newest that exists."""

import re
from collections.abc import Iterator
from typing import Any

import pulumi_policy as policy

from .support.images import (
    CLUSTERS,
    FLEETS,
    IMAGE_FIELDS,
    MUST_NAME_ONE,
    NODE_GROUPS,
    TEMPLATES,
    Terms,
    class_terms,
    image_nodes,
    template_nodes,
)
from .support.reading import Node, each, judged
from .support.wrapping import About, Config, Finding, Resource, findings, resource_policy, stack_policy

AMI_ID = re.compile(r"ami-(?:[0-9a-f]{8}|[0-9a-f]{17})")
DATE = re.compile(r"(?<![0-9])20[0-9]{2}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12][0-9]|3[01])(?![0-9])")
ALIASES = (
    re.compile(r"(?:al2|al2023)@v20[0-9]{6}"),
    re.compile(r"bottlerocket@v?[0-9]+\.[0-9]+\.[0-9]+"),
)
RELEASES = (
    re.compile(r"[0-9]+\.[0-9]+\.[0-9]+-20[0-9]{6}"),
    re.compile(r"[0-9]+\.[0-9]+\.[0-9]+-[0-9a-f]{8}"),
    re.compile(r"[0-9]+\.[0-9]+-20[0-9]{2}\.[0-9]{2}\.[0-9]{2}"),
)
"""Releases of managed node groups: Amazon Linux, Bottlerocket, Windows."""
FIXED_VERSION = re.compile(r"[1-9][0-9]*")
SELECTORS = ("id", "name", "alias", "ssmParameter", "tags")
BY_ID = "must be an exact AMI id"
PIN = "name the id of an approved AMI, such as ami-0123456789abcdef0"

ABOUT = About(
    name="ami-pinned",
    description="EC2NodeClasses, launch templates, managed node groups and instances name exact AMIs",
    steps="Find the approved AMI of this environment in the ledger, and write its id as a plain value.",
    severity=policy.Severity.CRITICAL,
    parameters={
        "allow": {
            "type": "array",
            "items": {"type": "string", "enum": ["name", "alias", "ssmParameter"]},
            "default": [],
            "description": "What may pin an AMI beside its id: an exact dated name, alias or SSM path.",
        }
    },
)
IN_STACK = About(
    name="ami-pinned-in-stack",
    description="A managed node group without a release takes its AMI from a launch template of the stack",
    steps="State the group's releaseVersion, or set imageId in its launch template.",
    severity=policy.Severity.CRITICAL,
)


def check(resource: Resource, config: Config) -> Iterator[str]:
    """Yield what is wrong with the AMIs of one resource.

    Args:
        resource: Any resource.
        config: `allow`, what may pin an AMI beside its id.
    """
    yield from judged(_classes, resource, config)
    yield from judged(_images, resource)
    yield from judged(_templates, resource)
    if resource.type in NODE_GROUPS:
        yield from judged(_node_group, resource.props)
    elif resource.type in CLUSTERS:
        yield from judged(_auto_mode, resource.props)


def _classes(resource: Resource, config: Config) -> Iterator[str]:
    for terms in class_terms(resource):
        yield from judged(_terms, terms, config)


def _terms(terms: Terms, config: Config) -> Iterator[str]:
    items = terms.node.items()
    if not items and not (terms.partial and terms.node.absent):
        yield terms.node.problem("must select at least one AMI", PIN)
    yield from each(_term, items, config)


def _term(term: Node, config: Config) -> Iterator[str]:
    given = {name: node for name, node in term.entries().items() if name in SELECTORS and not node.absent}
    if not given:
        yield term.problem("selects by nothing", PIN)
    for name, node in given.items():
        yield from judged(FIELDS[name], node, config)


def _id(node: Node, _config: Config | None = None) -> Iterator[str]:
    if AMI_ID.fullmatch(node.text() or "") is None:
        yield node.problem(BY_ID, PIN)


def _name(node: Node, config: Config) -> Iterator[str]:
    text = node.text() or ""
    if "name" not in config["allow"]:
        yield node.problem(BY_ID, f"{PIN}, or allow exact dated names")
    elif "*" in text or "?" in text or DATE.search(text) is None:
        yield node.problem("must be one exact name with its date, without * and ?", PIN)


def _alias(node: Node, config: Config) -> Iterator[str]:
    exact = any(pattern.fullmatch(node.text() or "") for pattern in ALIASES)
    if not exact:
        yield node.problem("must name one full version", f"{PIN}; @latest and short versions move by themselves")
    elif "alias" not in config["allow"]:
        yield node.problem(BY_ID, f"{PIN}, or allow aliases of one version")


def _parameter(node: Node, config: Config) -> Iterator[str]:
    path = node.text() or ""
    own = path.startswith("/aws/service/") or ":parameter/aws/service/" in path
    if "ssmParameter" not in config["allow"]:
        yield node.problem(BY_ID, f"{PIN}; what a parameter says can change")
    elif "recommended" in path or "latest" in path or not own or DATE.search(path) is None:
        yield node.problem("must be the public parameter of one dated version", PIN)


def _tags(node: Node, _config: Config) -> Iterator[str]:
    yield node.problem(BY_ID, f"{PIN}; whoever tags an image chooses what runs")


FIELDS: dict[str, Any] = {"id": _id, "name": _name, "alias": _alias, "ssmParameter": _parameter, "tags": _tags}


def _images(resource: Resource) -> Iterator[str]:
    if resource.type not in IMAGE_FIELDS and resource.type not in FLEETS:
        return
    for node in image_nodes(resource):
        yield from judged(_image, node, resource)


def _image(node: Node, resource: Resource) -> Iterator[str]:
    if not node.absent:
        yield from _id(node)
    elif resource.type in MUST_NAME_ONE or resource.type in FLEETS:
        yield node.problem(BY_ID, PIN)
    elif resource.type.endswith(":Instance") and resource.props["launchTemplate"].absent:
        yield node.problem("must be an exact AMI id, here or in a launch template", PIN)
    elif resource.type.endswith(":Instance"):
        yield from _template_version(resource.props["launchTemplate"])


def _templates(resource: Resource) -> Iterator[str]:
    for node in template_nodes(resource):
        yield from judged(_template_version, node)


def _auto_mode(props: Node) -> Iterator[str]:
    node = props.at("computeConfig.enabled")
    if node.flag():
        yield node.problem("must not be true, since EKS Auto Mode chooses the AMIs of its nodes", "use NodePools")


def _by_template(props: Node) -> bool:
    """Whether a node group leaves its AMI to a launch template; EKS takes no amiType with an AMI of one's own."""
    kind = props["amiType"].text()
    if kind is None:
        return props["releaseVersion"].absent and not props["launchTemplate"].absent
    return kind.upper() == "CUSTOM"


def _node_group(props: Node) -> Iterator[str]:
    template = props["launchTemplate"]
    release = props["releaseVersion"]
    if _by_template(props):
        if template.absent:
            yield template.problem("amiType CUSTOM must come with a launch template", PIN)
        else:
            yield from judged(_template_version, template)
    elif not any(pattern.fullmatch(release.text() or "") for pattern in RELEASES):
        yield release.problem(
            "must be one release of the EKS-optimized AMI", "name it in full, such as 1.36.0-20261101"
        )


def _template_version(template: Node) -> Iterator[str]:
    version = template["version"]
    found = version.known()
    text = f"{found:g}" if isinstance(found, int | float) and not isinstance(found, bool) else version.text()
    if FIXED_VERSION.fullmatch(text or "") is None:
        yield version.problem("must be the number of one version", "write it instead of $Latest and $Default")


def check_stack(resources: list[Resource], _config: Config) -> Iterator[Finding]:
    """Yield node groups whose AMI neither a release nor a launch template of the stack pins.

    Args:
        resources: The resources of a stack.
        _config: Has no parameters.
    """
    templates = [resource for resource in resources if resource.type in TEMPLATES]
    for group in resources:
        if group.type in NODE_GROUPS:
            yield from findings(group, _group_in_stack(group, templates))


def _group_in_stack(group: Resource, templates: list[Resource]) -> Iterator[str]:
    if not _by_template(group.props):
        return
    template = group.props["launchTemplate"]
    own = [found for found in templates if found.urn in group.sources.get("launchTemplate", ())]
    own = own or [found for found in templates if _is(found, template)]
    if not own and group.props["amiType"].absent:
        yield template.problem(
            "must be a launch template of this stack, since the group names no release", "state its releaseVersion"
        )
    for found in own:
        if next(image_nodes(found)).absent:
            yield template.problem(f"must name an AMI where the group names no release, but {found.name} does not", PIN)


def _is(resource: Resource, template: Node) -> bool:
    identity = resource.props["id"].text() or resource.props["launchTemplateId"].text()
    return (identity is not None and template["id"].text() == identity) or (
        template["name"].text() is not None and template["name"].text() == resource.props["name"].text()
    )


POLICIES = [resource_policy(ABOUT, check), stack_policy(IN_STACK, check_stack)]
