"""The roles of nodes and controller, and the interruption queue."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from components.spec.fields import STACK, Strict, doc

ROLE_NAME = r"^[\w+=,.@-]{1,64}$"
POLICY_ARN = r"^arn:aws[a-z-]*:iam::(aws|\d{12}):policy/\S+$"
IAM_PATH = r"^/([\x21-\x7e]{1,510}/)?$"


class RoleSettings(Strict):
    """What an account's rules may ask of any role."""

    permissions_boundary: str | None = doc(
        None,
        "ARN of the policy that bounds the role.",
        source=STACK,
        default_text="none",
        pattern=POLICY_ARN,
        allowed="the ARN of a managed policy",
        example="arn:aws:iam::123456789012:policy/boundary",
    )
    path: str | None = doc(
        None,
        "IAM path of the role and of the policies that are made for it.",
        source=STACK,
        default_text="/",
        pattern=IAM_PATH,
        example="/karpenter/",
        allowed="a path that begins and ends with a slash",
    )


class NodeRoleSettings(RoleSettings):
    """The role of the nodes that Karpenter launches."""

    existing: str | None = doc(
        None,
        "Name of a role that is there already; it needs the policies of a node, and trust for EC2.",
        source=STACK,
        default_text="the stack makes KarpenterNodeRole-<cluster>",
        pattern=ROLE_NAME,
        example="my-node-role",
        allowed="the name of an IAM role: no ARN, no path",
    )
    extra_policy_arns: tuple[str, ...] = doc(
        (),
        "Managed policies to attach beside the four that nodes need.",
        source=STACK,
        default_text="none",
        example="[arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy]",
        max_length=6,
        allowed="at most 6 ARNs of managed policies (IAM allows 10 to a role, nodes need 4)",
        strict=False,
    )


class ControllerRoleSettings(RoleSettings):
    """The role of Karpenter's controller; its six policies are those of Karpenter's own template."""

    extra_node_role_arns: tuple[str, ...] = doc(
        (),
        "ARNs of further roles that node classes use, by name or in an instance profile. Each needs an access entry "
        "of type EC2_LINUX.",
        source=STACK,
        default_text="only the stack's node role",
        example="[arn:aws:iam::123456789012:role/gpu-nodes]",
        strict=False,
    )
    extra_statements: tuple[dict[str, Any], ...] = doc(
        (),
        "IAM statements for a seventh policy, such as for a KMS key or for parameters of your own AMIs.",
        source=STACK,
        default_text="none",
        example="[{Effect: Allow, Action: [kms:Decrypt], Resource: [arn:aws:kms:us-west-2:123456789012:key/...]}]",
        strict=False,
    )


class InterruptionQueueSettings(Strict):
    """The queue that tells Karpenter of Spot interruptions, health events and state changes."""

    @model_validator(mode="before")
    @classmethod
    def _no_queue_of_your_own(cls, value: object) -> object:
        if isinstance(value, str):
            kind = "queue"
            message = (
                "must be a map: the stack makes the queue itself and hands its name to the controller, no ARN or URL"
            )
            raise PydanticCustomError(kind, message)
        return value

    enabled: bool = doc(
        True,
        "Makes the queue, its rules, and points the controller at it.",
        source=STACK,
        allowed="true or false",
        example="false",
    )
