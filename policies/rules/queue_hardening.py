"""queue-hardening: nobody reads or forges interruption notices on the way."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

import pulumi_policy as policy

from .support.iam import bound_keys, conditions, statements, texts
from .support.reading import CannotJudgeError, Node, NotChecked, judged
from .support.wrapping import About, Config, Finding, Resource, findings, resource_policy, stack_policy

QUEUES = frozenset({"aws:sqs/queue:Queue", "aws-native:sqs:Queue"})
QUEUE_POLICIES = {
    "aws:sqs/queuePolicy:QueuePolicy": ("policy", "queueUrl"),
    "aws-native:sqs:QueuePolicy": ("policyDocument", "queues"),
    "aws-native:sqs:QueueInlinePolicy": ("policyDocument", "queue"),
}
"""Where the document stands, and the addresses of the queues."""
WHO = frozenset(
    {
        "aws:principalaccount",
        "aws:principalarn",
        "aws:principalorgid",
        "aws:principalorgpaths",
        "aws:sourceaccount",
        "aws:sourcearn",
        "aws:sourceorgid",
        "aws:sourceorgpaths",
        "aws:sourceowner",
        "aws:sourcevpc",
        "aws:sourcevpce",
        "aws:userid",
    }
)
"""Keys of conditions that say who may."""
DENIAL = 'deny sqs:* to principal "*" where aws:SecureTransport is false'
ABOUT = About(
    name="queue-hardening",
    description="Queues are encrypted, refuse plain HTTP, and are not open to everybody",
    steps=f"Set sqsManagedSseEnabled, and add a statement to the queue's policy: {DENIAL}.",
    severity=policy.Severity.HIGH,
)
IN_STACK = About(
    name="queue-hardening-in-stack",
    description="Every queue has a policy, which refuses plain HTTP",
    steps=f"Add an aws.sqs.QueuePolicy: {DENIAL}.",
    severity=policy.Severity.HIGH,
)


def check(resource: Resource, _config: Config) -> Iterator[str]:
    """Yield what is wrong with a queue, or with the policy of one.

    Args:
        resource: Any resource.
        _config: Has no parameters.
    """
    if resource.type in QUEUES:
        yield from judged(_encryption, resource.props)
        if not resource.props["policy"].absent:
            name = resource.props["name"].value
            yield from judged(_document, resource.props["policy"], [name] if isinstance(name, str) else [])
    elif resource.type in QUEUE_POLICIES:
        document, address = QUEUE_POLICIES[resource.type]
        yield from judged(_document, resource.props[document], _names(resource.props[address]))
        yield from judged(_address, resource.props[address])


def _address(node: Node) -> Iterator[str]:
    texts(node)
    yield from ()


def _names(addresses: Node) -> list[str]:
    values = addresses.value if isinstance(addresses.value, list) else [addresses.value]
    return [value.rpartition("/")[2] for value in values if isinstance(value, str) and "/" in value]


def _encryption(props: Node) -> Iterator[str]:
    key = props["kmsMasterKeyId"]
    managed = props["sqsManagedSseEnabled"]
    if key.absent or key.value == "":
        if managed.flag() is not True:
            yield managed.problem("must be true where there is no key", "set it")
        return
    if (key.text() or "").endswith("alias/aws/sqs"):
        yield key.problem("must not be the AWS managed key, which EventBridge may not use", "set sqsManagedSseEnabled")


def _document(node: Node, queues: list[str]) -> Iterator[str]:
    denied = False
    for statement in statements(node):
        effect = statement["Effect"].text()
        denied = denied or (effect == "Deny" and _denies_plain_http(statement, queues))
        if effect == "Allow" and _open(statement):
            yield from _named(statement, node)
    if not denied:
        yield f"{node.path}: found no denial of plain HTTP; must {DENIAL}; add the statement"


def _named(statement: Node, document: Node) -> Iterator[str]:
    if not conditions(statement):
        yield f"{document.path}: found an Allow for everybody without a condition; must name who may; name the service"
    elif not bound_keys(statement) & WHO:
        yield (
            f"{document.path}: found an Allow for everybody whose condition names nobody; must name who may; "
            "name the service, or tie aws:SourceArn or aws:PrincipalOrgID"
        )


def _open(statement: Node) -> bool:
    principal = statement["Principal"]
    if isinstance(principal.value, dict):
        return any("*" in texts(each) for each in principal.entries().values())
    return "*" in texts(principal) or not statement["NotPrincipal"].absent


def _everybody(statement: Node) -> bool:
    principal = statement["Principal"]
    if isinstance(principal.value, dict):
        return "*" in texts(principal["AWS"])
    return "*" in texts(principal)


def _denies_plain_http(statement: Node, queues: list[str]) -> bool:
    condition = statement["Condition"].entries()
    boolean = condition.get("Bool", condition.get("BoolIfExists"))
    if boolean is None or len(condition) != 1:
        return False
    keys = {key.lower(): value for key, value in boolean.entries().items()}
    transport = keys.get("aws:securetransport")
    if transport is None or len(keys) != 1:
        return False
    value = texts(transport) if not isinstance(transport.value, bool) else [str(transport.value)]
    return (
        [text.lower() for text in value] == ["false"]
        and _everybody(statement)
        and bool({"sqs:*", "*"} & {action.lower() for action in texts(statement["Action"])})
        and _covers(texts(statement["Resource"]), queues)
    )


def _covers(resources: list[str], queues: list[str]) -> bool:
    """Whether a statement is about all these queues; with unknown queues, about any."""
    patterns = [resource.rpartition(":")[2].rpartition("/")[2] for resource in resources]
    return bool(patterns) and all(any(fnmatchcase(queue, pattern) for pattern in patterns) for queue in queues)


def check_stack(resources: list[Resource], _config: Config) -> Iterator[Finding]:
    """Yield queues without a policy.

    Args:
        resources: The resources of a stack.
        _config: Has no parameters.
    """
    policies = [resource for resource in resources if resource.type in QUEUE_POLICIES]
    for queue in resources:
        if queue.type in QUEUES:
            yield from findings(queue, _has_policy(queue, policies))


def _has_policy(queue: Resource, policies: list[Resource]) -> Iterator[str]:
    if not queue.props["policy"].absent:
        return
    unknown = False
    for other in policies:
        field = QUEUE_POLICIES[other.type][1]
        sources = other.sources.get(field, frozenset())
        if queue.urn in sources:
            return
        try:
            own = {queue.props[name].text() for name in ("url", "id", "queueUrl")}
            if own & set(texts(other.props[field])):
                return
        except CannotJudgeError:
            unknown = unknown or not sources
    if unknown:
        raise CannotJudgeError(NotChecked("not checked yet: whether a policy is its own is unknown until update"))
    yield f"policy: found nothing; every queue must have a policy; {DENIAL}"


POLICIES = [resource_policy(ABOUT, check), stack_policy(IN_STACK, check_stack)]
