"""node-hardening: no pod reads the node's credentials, no volume is readable, no node is reachable from outside."""

from collections.abc import Callable, Iterator

import pulumi_policy as policy

from .support.images import FLEETS, NODE_GROUPS
from .support.kinds import Item, objects
from .support.reading import Node, each, judged
from .support.wrapping import About, Config, Resource, resource_policy

GROUPS = frozenset({"karpenter.k8s.aws"})
ROOT_DEVICES = frozenset({"/dev/xvda", "/dev/sda1"})
DEVICES = {
    "AL2": ("/dev/xvda",),
    "AL2023": ("/dev/xvda",),
    "Bottlerocket": ("/dev/xvda", "/dev/xvdb"),
    "Windows2019": ("/dev/sda1",),
    "Windows2022": ("/dev/sda1",),
    "Windows2025": ("/dev/sda1",),
}
"""Volumes that the images of a family have; Bottlerocket's second one holds images and pods."""
SUBNETS = frozenset({"aws:ec2/subnet:Subnet", "aws-native:ec2:Subnet"})
DISCOVERY = "karpenter.sh/discovery"
ABOUT = About(
    name="node-hardening",
    description="Nodes require IMDSv2 with a hop limit of 1, encrypt their volumes, and have no public address",
    steps="Set httpTokens required and httpPutResponseHopLimit 1, encrypted true on every volume, no public address.",
    severity=policy.Severity.HIGH,
    parameters={
        "hopLimitOf2": {
            "type": "array",
            "items": {"type": "string"},
            "default": [],
            "description": "EC2NodeClasses and AWS resources, by name, that may have a hop limit of 2.",
        }
    },
)


def check(resource: Resource, config: Config) -> Iterator[str]:
    """Yield what makes nodes less safe than they could be.

    Args:
        resource: Any resource.
        config: `hopLimitOf2`, the names of the exceptions.
    """
    for item in objects(resource, GROUPS, "EC2NodeClass"):
        most = 2 if item.name in config["hopLimitOf2"] else 1
        yield from judged(_class_metadata, item.spec["metadataOptions"], most)
        yield from judged(_class_volumes, item)
        yield from judged(_private, item.spec["associatePublicIPAddress"])
    most = 2 if resource.name in config["hopLimitOf2"] else 1
    if resource.type in NODE_GROUPS:
        yield from judged(_node_group, resource.props)
    elif resource.type in SUBNETS:
        yield from judged(_subnet, resource.props)
    elif resource.type in FLEETS:
        yield from judged(_fleet, resource.props.at(FLEETS[resource.type][0]))
    elif resource.type in JUDGES:
        yield from JUDGES[resource.type](resource.props, most)


def _class_metadata(options: Node, most: int) -> Iterator[str]:
    if options["httpTokens"].text() not in {None, "required"}:
        yield options["httpTokens"].problem("must be required", "set it, or leave it out: Karpenter requires tokens")
    yield from judged(_hops, options["httpPutResponseHopLimit"], most, True)


def _hops(node: Node, most: int, may_be_absent: bool) -> Iterator[str]:
    hops = node.number()
    if (hops is None and not may_be_absent) or (hops is not None and not 1 <= hops <= most):
        yield node.problem(f"must be at most {most}", "set it to 1, or name the exception under hopLimitOf2")


def _class_volumes(item: Item) -> Iterator[str]:
    mappings = item.spec["blockDeviceMappings"]
    items = mappings.items()
    family = item.spec["amiFamily"].text()
    if not items and family == "Custom":
        yield mappings.problem("amiFamily Custom must state its volumes", "map the root device with encrypted: true")
    yield from each(_class_volume, items)
    if not items:
        return
    devices = {node["deviceName"].text() for node in items}
    needed = DEVICES.get(family or _alias_family(item))
    if needed is None:
        if not ROOT_DEVICES & devices and not any(node["rootVolume"].flag() for node in items):
            yield mappings.problem("must map the root device", "add /dev/xvda with encrypted: true")
        return
    for device in needed:
        if device not in devices:
            what = "the volume of images and pods" if device == "/dev/xvdb" else "the root device"
            yield mappings.problem(f"must map {what}", f"add {device} with encrypted: true")


def _alias_family(item: Item) -> str:
    """The family that an alias names, where the class itself names none."""
    for term in item.spec["amiSelectorTerms"].items():
        start = (term["alias"].text() or "").partition("@")[0].lower()
        for family in DEVICES:
            if family.lower() == start:
                return family
    return ""


def _class_volume(mapping: Node) -> Iterator[str]:
    yield from _encrypted(mapping.at("ebs.encrypted"))


def _encrypted(node: Node) -> Iterator[str]:
    if node.flag() is not True:
        yield node.problem("must be true", "encrypt the volume")


def _private(node: Node) -> Iterator[str]:
    if node.flag():
        yield node.problem("must not be true", "place nodes in private subnets")


def _metadata(options: Node, most: int) -> Iterator[str]:
    if options["httpTokens"].text() != "required":
        yield options["httpTokens"].problem("must be required", "set it")
    yield from judged(_hops, options["httpPutResponseHopLimit"], most, False)


def _template(props: Node, most: int) -> Iterator[str]:
    yield from judged(_metadata_of, props, most)
    yield from judged(_template_volumes, props)
    yield from judged(_interfaces, props)


def _metadata_of(props: Node, most: int) -> Iterator[str]:
    yield from _metadata(props["metadataOptions"], most)


def _template_volumes(props: Node) -> Iterator[str]:
    mappings = props["blockDeviceMappings"]
    items = mappings.items()
    roots = [node for node in items if node["deviceName"].text() in ROOT_DEVICES and not node["ebs"].absent]
    if not roots:
        yield mappings.problem("must map the root device", "add /dev/xvda with encrypted: true")
    yield from each(_template_volume, items)


def _template_volume(mapping: Node) -> Iterator[str]:
    if not mapping["ebs"].absent or (mapping["noDevice"].absent and mapping["virtualName"].absent):
        yield from _encrypted(mapping.at("ebs.encrypted"))


def _interfaces(props: Node) -> Iterator[str]:
    yield from each(_interface, props["networkInterfaces"].items())


def _interface(interface: Node) -> Iterator[str]:
    yield from _private(interface["associatePublicIpAddress"])


def _instance(props: Node, most: int) -> Iterator[str]:
    from_template = props.value.get("launchTemplate") is not None if isinstance(props.value, dict) else False
    yield from judged(_instance_metadata, props, most, from_template)
    yield from judged(_root_volume, props, from_template)
    yield from judged(_more_volumes, props)
    yield from judged(_own_address, props)


def _instance_metadata(props: Node, most: int, from_template: bool) -> Iterator[str]:
    if not (from_template and props["metadataOptions"].absent):
        yield from _metadata(props["metadataOptions"], most)


def _root_volume(props: Node, from_template: bool) -> Iterator[str]:
    volume = props["rootBlockDevice"]
    if not (from_template and volume.absent):
        yield from _encrypted(volume["encrypted"])


def _more_volumes(props: Node) -> Iterator[str]:
    yield from each(lambda node: _encrypted(node["encrypted"]), props["ebsBlockDevices"].items())


def _own_address(props: Node) -> Iterator[str]:
    yield from _private(props["associatePublicIpAddress"])


def _subnet(props: Node) -> Iterator[str]:
    public = props["mapPublicIpOnLaunch"]
    if public.flag() and DISCOVERY in _tag_names(props["tags"]):
        yield public.problem(f"must not be true where a tag {DISCOVERY} brings nodes", "tag private subnets only")


def _tag_names(tags: Node) -> set[str | None]:
    if isinstance(tags.known(), list):
        return {tag["key"].text() for tag in tags.items()}
    return set(tags.entries())


def _fleet(specifications: Node) -> Iterator[str]:
    if specifications.items():
        yield specifications.problem(
            "must be launchTemplateConfigs, since a launch specification cannot require IMDSv2", "use a launch template"
        )


def _node_group(props: Node) -> Iterator[str]:
    template = props["launchTemplate"]
    if template.absent:
        yield template.problem(
            "must be a launch template, without which neither IMDSv2 nor encryption can be required", "add one"
        )


def _native_template(props: Node, most: int) -> Iterator[str]:
    yield from judged(lambda: _template(props["launchTemplateData"], most))


def _native_instance(props: Node, most: int) -> Iterator[str]:
    from_template = props.value.get("launchTemplate") is not None if isinstance(props.value, dict) else False
    yield from judged(_instance_metadata, props, most, from_template)
    yield from judged(_interfaces, props)
    yield from judged(_native_volumes, props, from_template)


def _native_volumes(props: Node, from_template: bool) -> Iterator[str]:
    if not (from_template and props["blockDeviceMappings"].absent):
        yield from _template_volumes(props)


def _native_configuration(props: Node, most: int) -> Iterator[str]:
    yield from judged(_metadata_of, props, most)
    yield from judged(_template_volumes, props)
    yield from judged(_own_address, props)


JUDGES: dict[str, Callable[[Node, int], Iterator[str]]] = {
    "aws:ec2/launchTemplate:LaunchTemplate": _template,
    "aws-native:ec2:LaunchTemplate": _native_template,
    "aws:ec2/launchConfiguration:LaunchConfiguration": _instance,
    "aws:ec2/instance:Instance": _instance,
    "aws:ec2/spotInstanceRequest:SpotInstanceRequest": _instance,
    "aws-native:ec2:Instance": _native_instance,
    "aws-native:autoscaling:LaunchConfiguration": _native_configuration,
}
POLICIES = [resource_policy(ABOUT, check)]
