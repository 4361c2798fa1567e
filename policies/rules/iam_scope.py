"""iam-scope: a controller that can launch nodes can do no more than Karpenter's own template lets it."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

import pulumi_policy as policy

from .support.iam import bound_keys, conditions, statements, texts
from .support.reading import UNKNOWN, CannotJudgeError, Node, NotChecked, judged
from .support.wrapping import About, Config, Finding, Resource, findings, resource_policy, stack_policy

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
STARTING = frozenset({"ec2:createfleet", "ec2:requestspotfleet", "ec2:requestspotinstances", "ec2:runinstances"})
STARTED_FROM = frozenset({"image", "snapshot", "security-group", "subnet", "capacity-reservation", "placement-group"})
"""What the template lets launches use without a condition; what a launch makes must carry tags."""
LAUNCHING = ON_CONDITION | STARTING
"""Actions that are judged in everybody's policies."""
CONTROLLING = STARTING | {
    "ec2:createlaunchtemplate",
    "iam:addroletoinstanceprofile",
    "iam:createinstanceprofile",
}
"""Who has one of these is treated as Karpenter's controller: all that the policy allows is judged."""
HARMLESS = ON_CONDITION | {"iam:createservicelinkedrole"}
TAKING = re.compile(r"iam:(?!get|list).*|sts:assumerole.*")
"""Actions by which a holder gets other permissions, but for harmless ones."""
SCOPING_TAGS = ("aws:resourcetag/", "aws:requesttag/", "ec2:resourcetag/", "iam:resourcetag/", "ec2:createaction")
PASSING = frozenset({"iam:passedtoservice", "iam:associatedresourcearn"})
POLICIES_OF = {
    "aws:iam/policy:Policy": "policy",
    "aws:iam/rolePolicy:RolePolicy": "policy",
    "aws:iam/userPolicy:UserPolicy": "policy",
    "aws:iam/groupPolicy:GroupPolicy": "policy",
    "aws-native:iam:ManagedPolicy": "policyDocument",
    "aws-native:iam:RolePolicy": "policyDocument",
    "aws-native:iam:UserPolicy": "policyDocument",
    "aws-native:iam:GroupPolicy": "policyDocument",
}
HOLDERS = {
    "aws:iam/role:Role": ("inlinePolicies", "policy"),
    "aws-native:iam:Role": ("policies", "policyDocument"),
    "aws-native:iam:User": ("policies", "policyDocument"),
    "aws-native:iam:Group": ("policies", "policyDocument"),
}
"""Where inline policies stand, in those who have them."""
ATTACHMENTS = frozenset(
    {
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
        "aws:iam/policyAttachment:PolicyAttachment",
        "aws:iam/userPolicyAttachment:UserPolicyAttachment",
        "aws:iam/groupPolicyAttachment:GroupPolicyAttachment",
    }
)
JUDGED = ATTACHMENTS | set(POLICIES_OF) | set(HOLDERS)
NAMES = ("name", "namePrefix", "policyName", "managedPolicyName", "roleName", "userName", "groupName")
OWNERS = ("role", "roles", "user", "users", "group", "groups", "roleName", "userName", "groupName")
BROAD = re.compile(
    r"arn:[a-z-]+:iam::aws:policy/(?:[a-z-]+/)*"
    r"(?:AdministratorAccess.*|PowerUserAccess|ReadOnlyAccess|SystemAdministrator|SecretsManagerReadWrite"
    r"|.*FullAccess.*)"
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
IN_STACK = About(
    name="iam-scope-in-stack",
    description="Policies attached to Karpenter's roles are no broader than Karpenter's own template, whatever they "
    "are called",
    steps=ABOUT.steps,
    severity=policy.Severity.CRITICAL,
    parameters=ABOUT.parameters,
)


def check(resource: Resource, config: Config) -> Iterator[str]:
    """Yield what a policy allows beyond the template.

    Args:
        resource: Any resource.
        config: `moreActionsOnAnyResource`.
    """
    if resource.type not in JUDGED:
        return
    named = _is_karpenter(resource)
    messages = list(_messages(resource, named, config))
    yield from messages
    unknown = [node.path for node in _names(resource) if node.value is UNKNOWN]
    if unknown and not named and len(list(_messages(resource, True, config))) > len(messages):
        yield NotChecked(f"not checked yet: {unknown[0]} is unknown until update")


def _messages(resource: Resource, named: bool, config: Config) -> Iterator[str]:
    if resource.type in POLICIES_OF:
        yield from judged(_document, resource.props[POLICIES_OF[resource.type]], named, config)
    elif resource.type in HOLDERS:
        yield from judged(_inline, resource, named, config)
        yield from judged(_managed, resource.props["managedPolicyArns"], named)
    else:
        yield from judged(_attached, resource.props["policyArn"], named)
        yield from judged(_managed, resource.props["policyArns"], named)


def _names(resource: Resource) -> list[Node]:
    return [resource.props[field] for field in dict.fromkeys((*NAMES, *OWNERS))]


def _is_karpenter(resource: Resource) -> bool:
    """Whether a resource is Karpenter's by its name, its owner's, or that in its URN."""
    found = [resource.urn.rpartition("::")[2], resource.name, *(str(node.value) for node in _names(resource))]
    return "karpenter" in " ".join(found).lower()


def _inline(resource: Resource, named: bool, config: Config) -> Iterator[str]:
    field, document = HOLDERS[resource.type]
    for node in resource.props[field].items():
        yield from judged(lambda node=node: _document(node[document], named, config))


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
    whole = named or any(_allows(statement, CONTROLLING) for statement in allowing)
    for statement in allowing:
        if whole or _allows(statement, LAUNCHING):
            yield from judged(_statement, statement, config, whole)


def _allows(statement: Node, wanted: frozenset[str]) -> bool:
    try:
        if not statement["NotAction"].absent:
            return True
        actions = texts(statement["Action"])
    except CannotJudgeError:
        return True
    return any(_one_of(action, wanted) for action in actions)


def _one_of(action: str, wanted: frozenset[str]) -> bool:
    return any(fnmatchcase(each, action.lower()) for each in wanted)


def _statement(statement: Node, config: Config, whole: bool) -> Iterator[str]:
    for name in ("NotAction", "NotResource"):
        if not statement[name].absent:
            yield f"{statement.path}: found {name}; must list what it allows; {TEMPLATE}"
    resources = texts(statement["Resource"])
    allowed = ON_ANY_RESOURCE | {action.lower() for action in config["moreActionsOnAnyResource"]}
    for action in texts(statement["Action"]):
        if whole or _one_of(action, LAUNCHING):
            yield from _action(statement, action, resources, allowed)


def _action(statement: Node, action: str, resources: list[str], allowed: frozenset[str]) -> Iterator[str]:
    lower = action.lower()
    if ("*" in action or "?" in action) and lower not in allowed:
        yield f"{statement.path}: found action {action}; must name each action in full; {TEMPLATE}"
    elif any(_everything(resource) for resource in resources) and lower not in allowed:
        yield f"{statement.path}: found {action} on every resource; must name its resources; {TEMPLATE}"
    elif TAKING.fullmatch(lower) and lower not in HARMLESS | allowed:
        yield f"{statement.path}: found {action}, by which its holder can get more; must not be allowed; {TEMPLATE}"
    if _one_of(action, ON_CONDITION) or (_one_of(action, STARTING) and not all(map(_started_from, resources))):
        yield from _scoped(statement, action)
    if _one_of(action, frozenset({"iam:passrole"})):
        yield from _passed(statement, resources)


def _scoped(statement: Node, action: str) -> Iterator[str]:
    if not conditions(statement):
        yield f"{statement.path}: found {action} without a condition; must be scoped by one; {TEMPLATE}"
        return
    keys = bound_keys(statement)
    passing = action.lower() == "iam:passrole"
    if not (keys & PASSING if passing else any(key.startswith(SCOPING_TAGS) for key in keys)):
        by = "iam:PassedToService" if passing else "a tag"
        yield f"{statement.path}: found {action} under a condition that does not scope it; must be by {by}; {TEMPLATE}"


def _started_from(resource: str) -> bool:
    return resource.split(":", ARN_COLONS)[-1].partition("/")[0] in STARTED_FROM


def _everything(resource: str) -> bool:
    parts = resource.split(":", ARN_COLONS)
    return set(parts[-1]) <= {"*", "?", "/", ":"} or (len(parts) <= ARN_COLONS and "*" in resource)


def _passed(statement: Node, resources: list[str]) -> Iterator[str]:
    for resource in resources:
        role = resource.split(":", ARN_COLONS)[-1]
        if any(sign in role for sign in ("*", "?", "${")):
            yield f"{statement.path}: found iam:PassRole on {resource}; must name each role in full; {TEMPLATE}"


def check_stack(resources: list[Resource], config: Config) -> Iterator[Finding]:
    """Yield what Karpenter's roles get from policies that do not carry its name.

    Args:
        resources: The resources of a stack.
        config: As for `check`.
    """
    karpenter = {resource.urn for resource in resources if resource.type in HOLDERS and _safely_karpenter(resource)}
    attached: set[str] = set()
    for other in resources:
        owners = {urn for field in OWNERS for urn in other.sources.get(field, ())}
        if not (owners & karpenter or _safely_karpenter(other)):
            continue
        if other.type in ATTACHMENTS:
            attached |= {urn for field in ("policyArn", "policyArns") for urn in other.sources.get(field, ())}
            attached |= _by_arn(other, resources)
        elif other.type in POLICIES_OF:
            attached.add(other.urn)
    for resource in resources:
        if resource.urn in attached and resource.type in POLICIES_OF and not _safely_karpenter(resource):
            node = resource.props[POLICIES_OF[resource.type]]
            yield from findings(resource, judged(_document, node, True, config))


def _safely_karpenter(resource: Resource) -> bool:
    try:
        return _is_karpenter(resource)
    except CannotJudgeError:
        return False


def _by_arn(attachment: Resource, resources: list[Resource]) -> set[str]:
    listed = attachment.props["policyArns"].value
    wanted = [attachment.props["policyArn"].value, *(listed if isinstance(listed, list) else [])]
    return {
        each.urn
        for each in resources
        if each.type in POLICIES_OF
        and isinstance(each.props.value, dict)
        and isinstance(each.props.value.get("arn"), str)
        and each.props.value["arn"] in wanted
    }


POLICIES = [resource_policy(ABOUT, check), stack_policy(IN_STACK, check_stack)]
