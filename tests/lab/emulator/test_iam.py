"""IAM's limits and its order of deleting, as AWS has them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.lab.emulator.world import Emulator, World, refused, trust

pytestmark = pytest.mark.lab

NODE_POLICIES = (
    "AmazonEKS_CNI_Policy",
    "AmazonEKSWorkerNodePolicy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonSSMManagedInstanceCore",
    "AmazonEKSClusterPolicy",
)


def document(characters: int) -> str:
    """A policy of exactly so many characters without white space."""
    empty = json.dumps(_policy(""), separators=(",", ":"))
    return json.dumps(_policy("x" * (characters - len(empty))), indent=2)


def _policy(name: str) -> dict[str, Any]:
    statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": f"arn:aws:s3:::{name}"}
    return {"Version": "2012-10-17", "Statement": [statement]}


def test_managed_policies_may_have_6144_characters_and_no_more(world: World) -> None:
    iam = world.as_root("iam")
    iam.create_policy(PolicyName=f"fits-{world.cluster}", PolicyDocument=document(6144))
    code, text = refused(iam.create_policy, PolicyName=f"big-{world.cluster}", PolicyDocument=document(6145))
    assert (code, text) == ("LimitExceeded", "Cannot exceed quota for PolicySize: 6144")


@pytest.mark.parametrize("length", [64, 65])
def test_role_names_may_have_64_characters(emulator: Emulator, length: int) -> None:
    iam, name = emulator.aws("iam"), "r" * length
    if length == 64:
        iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust("ec2.amazonaws.com"))
        iam.delete_role(RoleName=name)
    else:
        code, _ = refused(iam.create_role, RoleName=name, AssumeRolePolicyDocument=trust("ec2.amazonaws.com"))
        assert code == "ValidationError", "a name that AWS refuses would pass every test"


def test_a_role_takes_ten_policies(world: World) -> None:
    iam, role = world.as_root("iam"), f"{world.cluster}-karpenter"
    for number in range(5):
        arn = iam.create_policy(PolicyName=f"{world.cluster}-{number}", PolicyDocument=document(200))["Policy"]["Arn"]
        if number < 4:
            iam.attach_role_policy(RoleName=role, PolicyArn=arn)
    code, text = refused(iam.attach_role_policy, RoleName=role, PolicyArn=arn)
    assert (code, text) == ("LimitExceeded", "Cannot exceed quota for PoliciesPerRole: 10")


@pytest.mark.parametrize("name", NODE_POLICIES)
def test_the_managed_policies_of_the_template_can_be_attached(world: World, name: str) -> None:
    role = world.node_role.rpartition("/")[2]
    arn = f"arn:aws:iam::aws:policy/{name}"
    world.as_root("iam").attach_role_policy(RoleName=role, PolicyArn=arn)
    assert world.as_root("iam").get_policy(PolicyArn=arn)["Policy"]["Arn"] == arn


def test_an_unknown_managed_policy_is_refused(world: World) -> None:
    code, _ = refused(
        world.as_root("iam").attach_role_policy,
        RoleName=world.node_role.rpartition("/")[2],
        PolicyArn="arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolice",
    )
    assert code == "NoSuchEntity", "a typo in an ARN would only show in AWS"


def test_a_role_in_an_instance_profile_cannot_be_deleted(world: World) -> None:
    profile, role = world.profile(), world.node_role.rpartition("/")[2]
    code, text = refused(world.as_root("iam").delete_role, RoleName=role)
    assert code == "DeleteConflict"
    assert "must remove role" in text
    world.as_controller("iam").remove_role_from_instance_profile(InstanceProfileName=profile, RoleName=role)
    world.as_controller("iam").delete_instance_profile(InstanceProfileName=profile)
    world.as_root("iam").delete_role(RoleName=role)
