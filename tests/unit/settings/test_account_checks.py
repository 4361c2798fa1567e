"""Region, tags, accounts, roles and their statements."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.settings.support import config, errors

STATEMENT = {"Effect": "Allow", "Action": ["kms:Decrypt"], "Resource": ["arn:aws:kms:us-west-2:123456789012:key/k"]}
PATH = "karpenter-eks:controllerRole.extraStatements[0]"


@pytest.mark.parametrize(("region", "found"), [(None, "nothing"), ("", '""'), ("us-west-2a", '"us-west-2a"')])
def test_a_region_is_needed(region: str | None, found: str) -> None:
    assert errors(config(), region) == [
        f"aws:region: found {found}; must be an AWS region; run: pulumi config set aws:region us-west-2"
    ]


@pytest.mark.parametrize("region", ["us-west-2", "us-gov-east-1", "cn-northwest-1", "ap-southeast-4", "eusc-de-east-1"])
def test_every_partition_has_regions(region: str) -> None:
    assert errors(config(), region) == []


@pytest.mark.parametrize(
    "key", ["karpenter.sh/discovery", "kubernetes.io/cluster/my-cluster", "kubernetes.io/role/elb"]
)
def test_tags_that_something_selects_by_are_refused(key: str) -> None:
    [line] = errors(config(tags={key: "my-cluster"}))
    assert line.startswith(
        f'karpenter-eks:tags["{key}"]: found "my-cluster"; must not be a tag that Karpenter, EKS or load'
    ), "nodes get several security groups, and load balancers stop working"


def test_tags_are_what_aws_takes() -> None:
    assert errors(config(tags={"aws:x": "y"})) == [
        'karpenter-eks:tags["aws:x"]: found "y"; must not begin with aws:, which AWS keeps for itself; choose another '
        "key"
    ]
    [line] = errors(config(tags={"k": "v" * 257}))
    assert "must have a key of at most 128 and a value of at most 256 characters" in line
    assert errors(config(tags={"team": "platform", "k" * 128: "v" * 256})) == []


def test_an_account_is_twelve_digits() -> None:
    assert errors(config(allowedAccountIds=["123456789012", "1234"])) == [
        'karpenter-eks:allowedAccountIds[1]: found "1234"; must be an account id of 12 digits; write for example '
        '"123456789012"'
    ]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("extraPolicyArns", ["arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy"]),
        ("permissionsBoundary", "arn:aws:iam::123456789012:policy/boundary"),
        ("path", "/x/"),
    ],
)
def test_an_existing_role_is_not_changed(key: str, value: object) -> None:
    [line] = errors(config(nodeRole={"existing": "my-role", key: value}))
    assert line.startswith(f"karpenter-eks:nodeRole.{key}: found "), "people believe that the stack changed their role"
    assert "must not be given with nodeRole.existing" in line
    assert errors(config(nodeRole={key: value})) == []


def statement(**changes: Any) -> list[str]:
    found = {key: value for key, value in {**STATEMENT, **changes}.items() if value is not None}
    return errors(config(controllerRole={"extraStatements": [found]}))


def test_statements_of_an_identity_policy_pass() -> None:
    assert statement(Sid="Keys", Condition={"StringEquals": {"kms:ViaService": "ec2.us-west-2.amazonaws.com"}}) == []
    assert statement(Effect="Deny", Action=None, NotAction="kms:*") == []


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"Principal": "*"},
            f'{PATH}.Principal: found "*"; is no key of an identity policy\'s statement; the keys are Sid, Effect, '
            f"Action, "
            "NotAction, Resource, NotResource, Condition",
        ),
        ({"Effect": "allow"}, f'{PATH}.Effect: found "allow"; must be Allow or Deny; write Effect: Allow'),
        ({"Effect": None}, f"{PATH}.Effect: found nothing; must be Allow or Deny; write Effect: Allow"),
        (
            {"Resource": None},
            f'{PATH}: found ["Action", "Effect"]; must have exactly one of Resource and NotResource; write for example '
            f"Resource: "
            "[arn:aws:kms:...]",
        ),
        (
            {"Effect": "Deny", "NotAction": "s3:*"},
            f'{PATH}: found ["Action", "Effect", "NotAction", "Resource"]; must have exactly one of Action and '
            f"NotAction; write "
            "for example Action: [kms:Decrypt]",
        ),
        (
            {"Action": "*"},
            f"{PATH}.Action: found \"*\"; must not allow everything: the controller's token would be the account's; "
            f"name the "
            "actions that are needed",
        ),
        (
            {"Action": None, "NotAction": "s3:*"},
            f'{PATH}.NotAction: found "s3:*"; must not allow everything: the controller\'s token would be the '
            f"account's; name "
            "the actions that are needed",
        ),
        (
            {"Action": ["iam:PassRole"], "Resource": "*"},
            f'{PATH}.Resource: found "*"; must name the roles: with any role the controller could give itself every '
            f"right in the "
            "account; write the roles' ARNs; for node roles use controllerRole.extraNodeRoleArns",
        ),
        (
            {"Action": "sts:AssumeRole", "Resource": None, "NotResource": "arn:aws:iam::123456789012:role/x"},
            f'{PATH}.Resource: found "arn:aws:iam::123456789012:role/x"; must name the roles: with any role the '
            f"controller could "
            "give itself every right in the account; write the roles' ARNs; for node roles use "
            "controllerRole.extraNodeRoleArns",
        ),
    ],
)
def test_statements_that_iam_refuses_or_nobody_wants(changes: dict[str, Any], line: str) -> None:
    assert statement(**changes) == [line]


def test_statements_fit_one_policy() -> None:
    [line] = statement(Resource=[f"arn:aws:kms:us-west-2:123456789012:key/{n:036}" for n in range(100)])
    assert "must fit into one managed policy of 6144 characters" in line, (
        "IAM refuses the policy in the middle of the update"
    )


def test_extra_roles_are_arns() -> None:
    assert errors(config(controllerRole={"extraNodeRoleArns": ["gpu-nodes"]})) == [
        'karpenter-eks:controllerRole.extraNodeRoleArns[0]: found "gpu-nodes"; must be the ARN of an IAM role; write '
        "for example "
        "arn:aws:iam::123456789012:role/gpu-nodes"
    ]
