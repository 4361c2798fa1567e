"""EventBridge hands an event to a queue only when the queue's policy lets it."""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING, Any

from ministack.core import iam_evaluator
from ministack.core.responses import get_account_id, get_region
from ministack.services import eventbridge, sqs

if TYPE_CHECKING:
    from lab.emulator.state import Lab

_SERVICE = "events.amazonaws.com"
_rule_arn: contextvars.ContextVar[str] = contextvars.ContextVar("lab_rule_arn", default="")


def install(lab: Lab) -> None:
    """Put the queue policy between rule and queue, as AWS does."""
    plain_target = eventbridge._invoke_target  # noqa: SLF001
    plain_queue = eventbridge._dispatch_to_sqs  # noqa: SLF001

    def invoke(target: dict[str, Any], event: dict[str, Any], rule: dict[str, Any], view: Any = None) -> None:
        token = _rule_arn.set(str(rule.get("Arn", "")))
        try:
            plain_target(target, event, rule, view)
        finally:
            _rule_arn.reset(token)

    def to_queue(spec: Any, payload: str, parameters: dict[str, Any] | None = None) -> None:
        queue_arn = str(spec)
        if allowed(queue_arn, _rule_arn.get()):
            plain_queue(spec, payload, parameters)
        else:
            lab.deny(_SERVICE, "sqs:SendMessage", queue_arn, "the queue's policy does not let EventBridge send to it")

    eventbridge._invoke_target = invoke  # noqa: SLF001
    eventbridge._dispatch_to_sqs = to_queue  # noqa: SLF001


def allowed(queue_arn: str, rule_arn: str) -> bool:
    """Whether the queue's own policy lets EventBridge send on behalf of a rule."""
    found = sqs.queue_policy_for_arn(queue_arn)
    if not found or not found[0]:
        return False
    context = iam_evaluator.EvalContext(
        principal_arn="*",
        principal_type="Service",
        principal_account="",
        action="sqs:SendMessage",
        resource_arn=queue_arn,
        region=get_region(),
        secure_transport=True,
        service_context={"aws:sourcearn": rule_arn, "aws:sourceaccount": get_account_id()},
    )
    decision: str = iam_evaluator.evaluate_resource_policy(found[0], context, service=_SERVICE).decision
    return decision == "Allow"
