"""What must hold for the AWS account's side: region, tags, accounts, roles and their statements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from components.spec.model_problems import join
from components.spec.problems import ABSENT, Problem
from settings.draft import Draft
from settings.identities import ControllerRoleSettings, NodeRoleSettings

_REGION: Final = re.compile(r"^[a-z]{2,4}(-[a-z]+)+-\d{1,2}\Z")
_ACCOUNT: Final = re.compile(r"^\d{12}\Z")
_ROLE_ARN: Final = re.compile(r"^arn:[^:]+:iam::\d{12}:role/\S+\Z")
_DISCOVERY: Final = ("karpenter.sh/", "karpenter.k8s.aws/", "kubernetes.io/cluster/", "kubernetes.io/role/", "eks:")
_LONGEST_TAG_KEY: Final = 128
_LONGEST_TAG_VALUE: Final = 256
_LONGEST_POLICY: Final = 6144
_STATEMENT_KEYS: Final = ("Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Condition")


def check_region(region: str | None) -> Iterator[Problem]:
    """Problems of `aws:region`, which is not below `karpenter-eks:`.

    Args:
        region: The value, or None.
    """
    if region is None or not _REGION.match(region):
        found = ABSENT if region is None else region
        yield Problem("aws:region", found, "must be an AWS region", "run: pulumi config set aws:region us-west-2")


def check_tags(draft: Draft) -> Iterator[Problem]:
    """Problems of `tags`."""
    tags = draft.value("tags")
    if not isinstance(tags, Mapping):
        return
    for key, value in tags.items():
        path = join("tags", key)
        if key.startswith(_DISCOVERY):
            yield Problem(
                path,
                value,
                "must not be a tag that Karpenter, EKS or load balancers select by: everywhere, it selects too much",
                "remove it; the stack sets it where it belongs",
            )
        elif key.lower().startswith("aws:"):
            yield Problem(path, value, "must not begin with aws:, which AWS keeps for itself", "choose another key")
        elif len(key) > _LONGEST_TAG_KEY or len(str(value)) > _LONGEST_TAG_VALUE:
            yield Problem(
                path,
                value,
                f"must have a key of at most {_LONGEST_TAG_KEY} and a value of at most {_LONGEST_TAG_VALUE} characters",
                "shorten it",
            )


def check_accounts(draft: Draft) -> Iterator[Problem]:
    """Problems of `allowedAccountIds`."""
    accounts = draft.value("allowedAccountIds")
    for index, account in enumerate(accounts if isinstance(accounts, list) else []):
        if isinstance(account, str) and not _ACCOUNT.match(account):
            yield Problem(
                f"allowedAccountIds[{index}]",
                account,
                "must be an account id of 12 digits",
                'write for example "123456789012"',
            )


def check_node_role(draft: Draft) -> Iterator[Problem]:
    """Problems of `nodeRole`."""
    role = draft.part(NodeRoleSettings, "nodeRole")
    if role is None or role.existing is None:
        return
    for key in ("extraPolicyArns", "permissionsBoundary", "path"):
        if draft.has_own("nodeRole", key):
            yield Problem(
                f"nodeRole.{key}",
                draft.value("nodeRole", key),
                "must not be given with nodeRole.existing: the stack does not change a role that it did not make",
                "remove one of the two",
            )


def check_controller_role(draft: Draft) -> Iterator[Problem]:
    """Problems of `controllerRole`."""
    role = draft.part(ControllerRoleSettings, "controllerRole")
    if role is None:
        return
    for index, arn in enumerate(role.extra_node_role_arns):
        if not _ROLE_ARN.match(arn):
            yield Problem(
                f"controllerRole.extraNodeRoleArns[{index}]",
                arn,
                "must be the ARN of an IAM role",
                "write for example arn:aws:iam::123456789012:role/gpu-nodes",
            )
    for index, statement in enumerate(role.extra_statements):
        yield from _check_statement(f"controllerRole.extraStatements[{index}]", statement)
    size = len(json.dumps({"Statement": role.extra_statements, "Version": "2012-10-17"}, separators=(",", ":")))
    if size > _LONGEST_POLICY:
        yield Problem(
            "controllerRole.extraStatements",
            f"{size} characters",
            f"must fit into one managed policy of {_LONGEST_POLICY} characters",
            "shorten the statements, or attach a policy of your own to the role",
        )


def _check_statement(path: str, statement: Mapping[str, Any]) -> Iterator[Problem]:
    for key in statement:
        if key not in _STATEMENT_KEYS:
            yield Problem(
                f"{path}.{key}",
                statement[key],
                "is no key of an identity policy's statement",
                f"the keys are {', '.join(_STATEMENT_KEYS)}",
            )
    if statement.get("Effect") not in ("Allow", "Deny"):  # a list is no member of a set
        yield Problem(f"{path}.Effect", statement.get("Effect", ABSENT), "must be Allow or Deny", "write Effect: Allow")
    for key in ("Action", "Resource"):
        if (key in statement) == (f"Not{key}" in statement):
            yield Problem(
                path,
                sorted(statement),
                f"must have exactly one of {key} and Not{key}",
                f"write for example {key}: {'[kms:Decrypt]' if key == 'Action' else '[arn:aws:kms:...]'}",
            )
    if statement.get("Effect") == "Allow":
        yield from _check_breadth(path, statement)


def _check_breadth(path: str, statement: Mapping[str, Any]) -> Iterator[Problem]:
    """Statements that would make the controller an administrator."""
    actions = _texts(statement.get("Action"))
    everywhere = "*" in _texts(statement.get("Resource")) or "NotResource" in statement
    wide = [action for action in actions if action in {"*", "*:*", "iam:*"}]
    if wide or "NotAction" in statement:
        yield Problem(
            f"{path}.{'Action' if wide else 'NotAction'}",
            statement.get("Action", statement.get("NotAction")),
            "must not allow everything: the controller's token would be the account's",
            "name the actions that are needed",
        )
    elif everywhere and any(action.lower() in {"iam:passrole", "sts:assumerole"} for action in actions):
        yield Problem(
            f"{path}.Resource",
            statement.get("Resource", statement.get("NotResource")),
            "must name the roles: with any role the controller could give itself every right in the account",
            "write the roles' ARNs; for node roles use controllerRole.extraNodeRoleArns",
        )


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
