"""What is in use cannot be deleted, so that a destroy in the wrong order fails here as it fails in AWS."""

from __future__ import annotations

import base64

import pytest

from tests.lab.emulator.world import AMD64, World, refused

pytestmark = pytest.mark.lab


def test_networks_come_apart_in_the_right_order_only(world: World) -> None:
    ec2 = world.as_root("ec2")
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=world.vpc)
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    nat = ec2.create_nat_gateway(SubnetId=world.subnets[0], AllocationId=address)["NatGateway"]["NatGatewayId"]
    assert refused(ec2.delete_subnet, SubnetId=world.subnets[0])[0] == "DependencyViolation"
    ec2.delete_nat_gateway(NatGatewayId=nat)
    ec2.release_address(AllocationId=address)
    for subnet in world.subnets:
        ec2.delete_subnet(SubnetId=subnet)
    assert refused(ec2.delete_vpc, VpcId=world.vpc)[0] == "DependencyViolation", "the internet gateway is still there"
    ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=world.vpc)
    ec2.delete_internet_gateway(InternetGatewayId=gateway)
    ec2.delete_vpc(VpcId=world.vpc)


def test_a_clusters_subnets_stay_until_the_cluster_is_gone(world: World) -> None:
    world.make_cluster()
    ec2 = world.as_root("ec2")
    code, _ = refused(ec2.delete_subnet, SubnetId=world.subnets[0])
    assert code == "DependencyViolation", "a destroy that takes the network first would hang in AWS only"
    world.as_root("eks").delete_cluster(name=world.cluster)
    for subnet in world.subnets:
        ec2.delete_subnet(SubnetId=subnet)


def test_a_security_group_in_use_stays(world: World) -> None:
    ec2 = world.as_root("ec2")
    found = world.launch()
    group = found["SecurityGroups"][0]["GroupId"]
    assert refused(ec2.delete_security_group, GroupId=group)[0] == "DependencyViolation"
    other = world.security_group()
    pair = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
    ec2.authorize_security_group_ingress(GroupId=other, IpPermissions=pair)
    ec2.terminate_instances(InstanceIds=[found["InstanceId"]])
    assert refused(ec2.delete_security_group, GroupId=group)[0] == "DependencyViolation", "a rule still names it"
    ec2.delete_security_group(GroupId=other)
    ec2.delete_security_group(GroupId=group)


def test_a_default_group_cannot_be_deleted(world: World) -> None:
    ec2 = world.as_root("ec2")
    mine = [{"Name": "vpc-id", "Values": [world.vpc]}, {"Name": "group-name", "Values": ["default"]}]
    group = ec2.describe_security_groups(Filters=mine)["SecurityGroups"][0]["GroupId"]
    assert refused(ec2.delete_security_group, GroupId=group)[0] == "CannotDelete"


@pytest.mark.parametrize("size", [16384, 16385])
def test_user_data_has_at_most_16_kib(world: World, size: int) -> None:
    ec2 = world.as_root("ec2")
    request = {
        "LaunchTemplateName": f"data-{world.cluster}",
        "LaunchTemplateData": {"ImageId": AMD64, "UserData": base64.b64encode(b"x" * size).decode()},
    }
    if size == 16384:
        ec2.create_launch_template(**request)
    else:
        code, text = refused(ec2.create_launch_template, **request)
        assert (code, text) == ("InvalidUserData.Malformed", "User data is limited to 16384 bytes")


def test_zones_need_no_opt_in(world: World) -> None:
    wanted = [{"Name": "opt-in-status", "Values": ["opt-in-not-required"]}]
    zones = world.as_root("ec2").describe_availability_zones(Filters=wanted)["AvailabilityZones"]
    assert len(zones) >= 3
    assert {zone["OptInStatus"] for zone in zones} == {"opt-in-not-required"}
