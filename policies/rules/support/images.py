"""Where an AMI stands in a resource, for every type that names one."""

from collections.abc import Iterator
from dataclasses import dataclass

from .kinds import objects
from .reading import Node, judged
from .wrapping import Resource

GROUPS = frozenset({"karpenter.k8s.aws"})
IMAGE_FIELDS = {
    "aws:ec2/launchTemplate:LaunchTemplate": "imageId",
    "aws:ec2/launchConfiguration:LaunchConfiguration": "imageId",
    "aws:ec2/instance:Instance": "ami",
    "aws:ec2/spotInstanceRequest:SpotInstanceRequest": "ami",
    "aws-native:ec2:LaunchTemplate": "launchTemplateData.imageId",
    "aws-native:ec2:Instance": "imageId",
    "aws-native:autoscaling:LaunchConfiguration": "imageId",
}
"""Field of the AMI by type."""
CLUSTERS = frozenset({"aws:eks/cluster:Cluster", "aws-native:eks:Cluster"})
TEMPLATES = frozenset({"aws:ec2/launchTemplate:LaunchTemplate", "aws-native:ec2:LaunchTemplate"})
MUST_NAME_ONE = frozenset(
    {
        "aws:ec2/launchConfiguration:LaunchConfiguration",
        "aws:ec2/spotInstanceRequest:SpotInstanceRequest",
        "aws-native:autoscaling:LaunchConfiguration",
    }
)
FLEETS = {
    "aws:ec2/spotFleetRequest:SpotFleetRequest": ("launchSpecifications", "ami"),
    "aws-native:ec2:SpotFleet": ("spotFleetRequestConfigData.launchSpecifications", "imageId"),
}
IN_CONFIGS = "launchTemplateConfigs[].launchTemplateSpecification"
IN_GROUPS = (
    "launchTemplate",
    "mixedInstancesPolicy.launchTemplate.launchTemplateSpecification",
    "mixedInstancesPolicy.launchTemplate.overrides[].launchTemplateSpecification",
)
TEMPLATE_USERS = {
    "aws:autoscaling/group:Group": IN_GROUPS,
    "aws-native:autoscaling:AutoScalingGroup": IN_GROUPS,
    "aws:ec2/fleet:Fleet": (IN_CONFIGS,),
    "aws-native:ec2:Ec2Fleet": (IN_CONFIGS,),
    "aws:ec2/spotFleetRequest:SpotFleetRequest": (IN_CONFIGS,),
    "aws-native:ec2:SpotFleet": (f"spotFleetRequestConfigData.{IN_CONFIGS}",),
}
"""Where groups and fleets name a launch template and its version; `[]` stands for each item of a list."""
NODE_GROUPS = {
    "aws:eks/nodeGroup:NodeGroup": "nodeGroupName",
    "aws-native:eks:Nodegroup": "nodegroupName",
}


@dataclass(frozen=True)
class Terms:
    """The AMI selector terms of an EC2NodeClass.

    Attributes:
        name: Name of the class.
        node: The list.
        partial: Whether the resource is a patch, which may leave them out.
    """

    name: str
    node: Node
    partial: bool


def class_terms(resource: Resource) -> Iterator[Terms]:
    """The AMI selector terms of every EC2NodeClass in a resource."""
    for item in objects(resource, GROUPS, "EC2NodeClass"):
        yield Terms(item.name, item.spec["amiSelectorTerms"], item.partial)


def image_nodes(resource: Resource) -> Iterator[Node]:
    """The AMI ids of launch templates, launch configurations and instances."""
    field = IMAGE_FIELDS.get(resource.type)
    if field is not None:
        yield resource.props.at(field)
    fleet = FLEETS.get(resource.type)
    if fleet is not None:
        for specification in resource.props.at(fleet[0]).items():
            yield specification[fleet[1]]


def template_nodes(resource: Resource) -> Iterator[Node]:
    """The launch templates that a group or a fleet names."""
    for path in TEMPLATE_USERS.get(resource.type, ()):
        yield from (node for node in _each(resource.props, path) if not node.absent)


def _each(node: Node, path: str) -> Iterator[Node]:
    before, several, after = path.partition("[].")
    found = node.at(before)
    if several:
        for item in found.items():
            yield item.at(after)
    else:
        yield found


def ids_of(resource: Resource) -> Iterator[Node]:
    """Every place in a resource where an AMI id stands and can be seen."""
    for terms in class_terms(resource):
        for term in terms.node.items():
            if not term["id"].absent:
                yield term["id"]
    for node in image_nodes(resource):
        if not node.absent:
            yield node


def unseen(resource: Resource) -> Iterator[str]:
    """Messages about AMI ids that cannot be read."""
    yield from judged(lambda: (text for node in ids_of(resource) for text in judged(_read, node)))


def _read(node: Node) -> Iterator[str]:
    node.text()
    yield from ()
