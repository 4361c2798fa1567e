"""iam-scope: a controller that can launch nodes can do no more than Karpenter's own template lets it."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

import pulumi_policy as policy

from .support.iam import conditions, statements, texts
from .support.reading import CannotJudgeError, Node, judged
from .support.wrapping import About, Config, Resource, resource_policy

ON_ANY_RESOURCE = frozenset(
    {
        "arc-zonal-shift:getmanagedresource",
        "ec2:describecapacityreservations",
        "ec2:describeimages",
        "ec2:describeinstances",
        "ec2:describeinstancestatus",
        "ec2:describeinstancetypeofferings",
        "ec2:describeinstancetypes",
        "ec2:describelaunchtemplates",
        "ec2:describeplacementgroups",
        "ec2:describesecuritygroups",
        "ec2:describespotpricehistory",
        "ec2:describesubnets",
        "iam:listinstanceprofiles",
        "pricing:getproducts",
    }
)
"""Actions that the template of Karpenter 1.14 allows on every resource."""
ON_CONDITION = frozenset(
    {
        "ec2:createlaunchtemplate",
        "ec2:createtags",
        "ec2:deletelaunchtemplate",
        "ec2:terminateinstances",
        "iam:addroletoinstanceprofile",
        "iam:createinstanceprofile",
        "iam:deleteinstanceprofile",
        "iam:passrole",
        "iam:removerolefrominstanceprofile",
        "iam:taginstanceprofile",
    }
)
"""Actions that the template never allows without a condition."""
LAUNCHING = ON_CONDITION | {"ec2:runinstances", "ec2:createfleet"}
"""Who has one of these is treated as Karpenter's controller."""
POLICIES_OF = {
    "aws:iam/policy:Policy": "policy",
    "aws:iam/rolePolicy:RolePolicy": "policy",
    "aws:iam/userPolicy:UserPolicy": "policy",
    "aws:iam/groupPolicy:GroupPolicy": "policy",
    "aws-native:iam:ManagedPolicy": "policyDocument",
    "aws-native:iam:RolePolicy": "policyDocument",
}
ATTACHMENTS = frozenset(
    {"aws:iam/rolePolicyAttachment:RolePolicyAttachment", "aws:iam/policyAttachment:PolicyAttachment"}
)
ROLE = "aws:iam/role:Role"
BROAD = re.compile(
    r"arn:[a-z-]+:iam::aws:policy/(?:job-function/)?"
    r"(?:AdministratorAccess.*|PowerUserAccess|IAMFullAccess|AmazonEC2FullAccess|SystemAdministrator)"
)
ARN_COLONS = 5
TEMPLATE = "take the statement of Karpenter's template"
ABOUT = About(
    name="iam-scope",
    description="No policy that can launch nodes is broader than Karpenter's own template",
    steps="Scope the statement as Karpenter's CloudFormation template of the same version does.",
    severity=policy.Severity.CRITICAL,
    parameters={
        "moreActionsOnAnyResource": {
            "type": "array",
            "items": {"type": "string"},
            "default": [],
            "description": "Actions allowed on every resource beside those of Karpenter's template.",
        }
    },
)


def check(resource: Resource, config: Config) -> Iterator[str]:
    """Yield what a policy allows beyond the template.

    Args:
        resource: Any resource.
        config: `moreActionsOnAnyResource`.
    """
    named = "karpenter" in f"{resource.urn.rpartition('::')[2]} {resource.name}".lower()
    if resource.type in POLICIES_OF:
        named = named or "karpenter" in str(resource.props["name"].value).lower()
        yield from judged(_document, resource.props[POLICIES_OF[resource.type]], named, config)
    elif resource.type == ROLE:
        named = named or "karpenter" in str(resource.props["name"].value).lower()
        yield from judged(_inline, resource.props, named, config)
        yield from judged(_managed, resource.props["managedPolicyArns"], named)
    elif resource.type in ATTACHMENTS:
        roles = f"{resource.props['role'].value} {resource.props['roles'].value}"
        yield from judged(_attached, resource.props["policyArn"], named or "karpenter" in roles.lower())


def _inline(props: Node, named: bool, config: Config) -> Iterator[str]:
    for node in props["inlinePolicies"].items():
        yield from judged(lambda node=node: _document(node["policy"], named, config))


def _managed(node: Node, named: bool) -> Iterator[str]:
    for item in node.items():
        yield from judged(_attached, item, named)


def _attached(node: Node, named: bool) -> Iterator[str]:
    text = node.text()
    if named and text is not None and BROAD.fullmatch(text):
        yield node.problem("is broader than all that Karpenter needs", TEMPLATE)


def _document(node: Node, named: bool, config: Config) -> Iterator[str]:
    allowing = []
    if node.absent:
        return
    for statement in statements(node):
        try:
            if statement["Effect"].text() != "Deny":
                allowing.append(statement)
        except CannotJudgeError as error:
            yield error.message
    if not named and not any(_launches(statement) for statement in allowing):
        return
    for statement in allowing:
        yield from judged(_statement, statement, config)


def _launches(statement: Node) -> bool:
    try:
        if not statement["NotAction"].absent:
            return True
        actions = [action.lower() for action in texts(statement["Action"])]
    except CannotJudgeError:
        return True
    return any(fnmatchcase(launching, action) for action in actions for launching in LAUNCHING)


def _statement(statement: Node, config: Config) -> Iterator[str]:
    for name in ("NotAction", "NotResource"):
        if not statement[name].absent:
            yield f"{statement.path}: found {name}; must list what it allows; {TEMPLATE}"
    actions = texts(statement["Action"])
    resources = texts(statement["Resource"])
    allowed = ON_ANY_RESOURCE | {action.lower() for action in config["moreActionsOnAnyResource"]}
    conditional = conditions(statement)
    for action in actions:
        lower = action.lower()
        if ("*" in action or "?" in action) and lower not in allowed:
            yield f"{statement.path}: found action {action}; must name each action in full; {TEMPLATE}"
        elif any(_everything(resource) for resource in resources) and lower not in allowed:
            yield f"{statement.path}: found {action} on every resource; must name its resources; {TEMPLATE}"
        if not conditional and any(fnmatchcase(name, lower) for name in ON_CONDITION):
            yield f"{statement.path}: found {action} without a condition; must be scoped by one; {TEMPLATE}"
        if fnmatchcase("iam:passrole", lower):
            yield from _passed(statement, resources)


def _everything(resource: str) -> bool:
    parts = resource.split(":", ARN_COLONS)
    return set(parts[-1]) <= {"*", "?", "/", ":"} or (len(parts) <= ARN_COLONS and "*" in resource)


def _passed(statement: Node, resources: list[str]) -> Iterator[str]:
    for resource in resources:
        role = resource.rpartition(":")[2]
        if "*" in role or "?" in role:
            yield f"{statement.path}: found iam:PassRole on {resource}; must name each role in full; {TEMPLATE}"


POLICIES = [resource_policy(ABOUT, check)]
