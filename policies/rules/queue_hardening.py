"""queue-hardening: nobody reads or forges interruption notices on the way."""

from collections.abc import Iterator

import pulumi_policy as policy

from .support.iam import conditions, statements, texts
from .support.reading import CannotJudgeError, Node, NotChecked, judged
from .support.wrapping import About, Config, Finding, Resource, findings, resource_policy, stack_policy

QUEUE = "aws:sqs/queue:Queue"
QUEUE_POLICY = "aws:sqs/queuePolicy:QueuePolicy"
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
    if resource.type == QUEUE:
        yield from judged(_encryption, resource.props)
        if not resource.props["policy"].absent:
            yield from judged(_document, resource.props["policy"])
    elif resource.type == QUEUE_POLICY:
        yield from judged(_document, resource.props["policy"])


def _encryption(props: Node) -> Iterator[str]:
    key = props["kmsMasterKeyId"]
    managed = props["sqsManagedSseEnabled"]
    if key.absent or key.value == "":
        if managed.flag() is not True:
            yield managed.problem("must be true where there is no key", "set it")
        return
    if (key.text() or "").endswith("alias/aws/sqs"):
        yield key.problem("must not be the AWS managed key, which EventBridge may not use", "set sqsManagedSseEnabled")


def _document(node: Node) -> Iterator[str]:
    found = list(statements(node))
    denied = False
    for statement in found:
        effect = statement["Effect"].text()
        denied = denied or (effect == "Deny" and _denies_plain_http(statement))
        if effect == "Allow" and _everybody(statement) and not conditions(statement):
            yield f"{node.path}: found an Allow for everybody without a condition; must name who may; name the service"
    if not denied:
        yield f"{node.path}: found no denial of plain HTTP; must {DENIAL}; add the statement"


def _everybody(statement: Node) -> bool:
    principal = statement["Principal"]
    if isinstance(principal.value, dict):
        return "*" in texts(principal["AWS"])
    return "*" in texts(principal)


def _denies_plain_http(statement: Node) -> bool:
    condition = statement["Condition"].entries()
    boolean = condition.get("Bool")
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
        and bool(texts(statement["Resource"]))
    )


def check_stack(resources: list[Resource], _config: Config) -> Iterator[Finding]:
    """Yield queues without a policy.

    Args:
        resources: The resources of a stack.
        _config: Has no parameters.
    """
    policies = [resource for resource in resources if resource.type == QUEUE_POLICY]
    for queue in resources:
        if queue.type == QUEUE:
            yield from findings(queue, _has_policy(queue, policies))


def _has_policy(queue: Resource, policies: list[Resource]) -> Iterator[str]:
    if not queue.props["policy"].absent:
        return
    unknown = False
    for other in policies:
        if queue.urn in other.targets:
            return
        try:
            target = other.props["queueUrl"].text()
            if target is not None and target in {queue.props["url"].text(), queue.props["id"].text()}:
                return
        except CannotJudgeError:
            unknown = unknown or not other.targets
    if unknown:
        raise CannotJudgeError(NotChecked("not checked yet: whether a policy is its own is unknown until update"))
    yield f"policy: found nothing; every queue must have a policy; {DENIAL}"


POLICIES = [resource_policy(ABOUT, check), stack_policy(IN_STACK, check_stack)]
