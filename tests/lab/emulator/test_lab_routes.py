"""The lab's own routes, and two emulators side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.lab.emulator.conftest import free_port, start, wait_until_healthy
from tests.lab.emulator.world import Emulator, World, refused, trust

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.lab


@pytest.fixture
def second(tmp_path: Path) -> Iterator[Emulator]:
    """Another emulator with nothing in it."""
    emulator = Emulator(f"http://127.0.0.1:{free_port()}")
    process = start(tmp_path, int(emulator.endpoint.rpartition(":")[2]))
    try:
        wait_until_healthy(emulator, process, tmp_path)
        yield emulator
    finally:
        process.terminate()
        assert process.wait(timeout=10) == 0, "the lab could not be stopped cleanly"


def test_a_second_emulator_knows_nothing_of_the_first_and_ends_as_empty_as_it_began(
    world: World, second: Emulator
) -> None:
    untouched = second.lab("leftovers")[1]
    assert not any(untouched.values()), f"an empty account would look used: {untouched}"
    other = World.make(second)
    other.make_cluster()
    instance_id = other.launch()["InstanceId"]
    kinds = {kind for kind, names in second.lab("leftovers")[1].items() if names}
    assert kinds >= {"instances", "launchTemplates", "instanceProfiles", "volumes", "networkInterfaces", "roles"}
    assert kinds >= {"policies", "queues", "vpcs", "subnets", "securityGroups", "clusters"}
    _destroy(other, instance_id)
    left = second.lab("leftovers")[1]
    assert left == untouched, f"a clean destroy would be called dirty: {left}"
    assert world.as_root("sqs").get_queue_url(QueueName=world.cluster), "two labs would share their queues"


def _destroy(world: World, instance_id: str) -> None:
    ec2, iam, eks = world.as_root("ec2"), world.as_root("iam"), world.as_root("eks")
    ec2.terminate_instances(InstanceIds=[instance_id])
    for template in ec2.describe_launch_templates()["LaunchTemplates"]:
        ec2.delete_launch_template(LaunchTemplateId=template["LaunchTemplateId"])
    eks.delete_cluster(name=world.cluster)
    for profile in iam.list_instance_profiles()["InstanceProfiles"]:
        name = profile["InstanceProfileName"]
        for role in profile["Roles"]:
            iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName=role["RoleName"])
        iam.delete_instance_profile(InstanceProfileName=name)
    for role in iam.list_roles()["Roles"]:
        attached = iam.list_attached_role_policies(RoleName=role["RoleName"])["AttachedPolicies"]
        for policy in attached:
            iam.detach_role_policy(RoleName=role["RoleName"], PolicyArn=policy["PolicyArn"])
            iam.delete_policy(PolicyArn=policy["PolicyArn"])
        iam.delete_role(RoleName=role["RoleName"])
    world.as_root("sqs").delete_queue(QueueUrl=world.queue_url)
    mine = [{"Name": "vpc-id", "Values": [world.vpc]}]
    for group in ec2.describe_security_groups(Filters=mine)["SecurityGroups"]:
        if group["GroupName"] != "default":
            ec2.delete_security_group(GroupId=group["GroupId"])
    for subnet in world.subnets:
        ec2.delete_subnet(SubnetId=subnet)
    ec2.delete_vpc(VpcId=world.vpc)


def test_an_unknown_route_says_which_there_are(emulator: Emulator) -> None:
    status, answer = emulator.lab("nonsense")
    assert status == 404
    assert "leftovers" in answer["message"]


def test_prices_come_page_by_page_from_the_table(emulator: Emulator) -> None:
    import json

    pages = (
        emulator.aws("pricing")
        .get_paginator("get_products")
        .paginate(
            ServiceCode="AmazonEC2",
            Filters=[
                {"Type": "TERM_MATCH", "Field": "regionCode", "Value": "us-west-2"},
                {"Type": "TERM_MATCH", "Field": "productFamily", "Value": "Compute Instance"},
            ],
            PaginationConfig={"PageSize": 2},
        )
    )
    found = {}
    for page in pages:
        for text in page["PriceList"]:
            entry = json.loads(text)
            offer = next(iter(entry["terms"]["OnDemand"].values()))
            price = next(iter(offer["priceDimensions"].values()))["pricePerUnit"]["USD"]
            found[entry["product"]["attributes"]["instanceType"]] = float(price)
    assert found == {"m5.large": 0.096, "m5.xlarge": 0.192, "m6g.large": 0.077, "c5.large": 0.085}


def test_service_linked_roles_do_not_count_as_left(emulator: Emulator) -> None:
    iam = emulator.aws("iam")
    made = iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com")["Role"]
    assert made["RoleName"] == "AWSServiceRoleForEC2Spot"
    assert iam.get_role(RoleName=made["RoleName"])["Role"]["Arn"] == made["Arn"]
    code, _ = refused(iam.create_service_linked_role, AWSServiceName="spot.amazonaws.com")
    assert code == "InvalidInput", "a stack in an account that has the role already would fail only in AWS"
    iam.create_role(RoleName="left-behind", AssumeRolePolicyDocument=trust("ec2.amazonaws.com"))
    try:
        roles = emulator.lab("leftovers")[1]["roles"]
        assert "left-behind" in roles
        assert "AWSServiceRoleForEC2Spot" not in roles, "AWS keeps it for the account, on purpose"
    finally:
        iam.delete_role(RoleName="left-behind")
