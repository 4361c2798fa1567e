"""Instances have what their launch template says, and take their volumes and interfaces with them."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.lab.emulator.world import AMD64, REGION, Emulator, World, refused

pytestmark = pytest.mark.lab


def test_instances_get_everything_that_the_launch_template_says(world: World) -> None:
    group, profile = world.security_group(), world.profile()
    template = world.template(profile, NetworkInterfaces=[{"DeviceIndex": 0, "Groups": [group]}])
    made = world.as_controller("ec2").create_fleet(**world.fleet_request(template, "m5.large"))
    found = world.instance(made["Instances"][0]["InstanceIds"][0])
    assert [one["GroupId"] for one in found["SecurityGroups"]] == [group], "Karpenter would see SecurityGroupDrift"
    assert found["IamInstanceProfile"]["Arn"].endswith(f"/{profile}")
    assert (found["MetadataOptions"]["HttpTokens"], found["ImageId"]) == ("required", AMD64)
    tags = {tag["Key"]: tag["Value"] for tag in found["Tags"]}
    assert tags.items() >= world.tags.items(), "Karpenter would not know its own instance"
    assert tags["aws:ec2launchtemplate:id"] == template
    ec2 = world.as_root("ec2")
    volume = ec2.describe_volumes(VolumeIds=[found["BlockDeviceMappings"][0]["Ebs"]["VolumeId"]])["Volumes"][0]
    assert (volume["Size"], volume["VolumeType"], volume["Encrypted"]) == (30, "gp3", True)
    assert {tag["Key"]: tag["Value"] for tag in volume["Tags"]} == world.tags
    interface = found["NetworkInterfaces"][0]
    assert interface["Groups"][0]["GroupId"] == group
    answer = ec2.describe_instance_attribute(InstanceId=found["InstanceId"], Attribute="userData")
    assert base64.b64decode(answer["UserData"]["Value"]) == b"hello", "no kubelet could read its labels"


def test_terminated_instances_leave_nothing(world: World) -> None:
    found = world.launch()
    ec2 = world.as_root("ec2")
    world.as_controller("ec2").terminate_instances(InstanceIds=[found["InstanceId"]])
    volumes = ec2.describe_volumes(Filters=[{"Name": "tag:eks:eks-cluster-name", "Values": [world.cluster]}])
    assert volumes["Volumes"] == [], "every node would leave a volume behind"
    eni = found["NetworkInterfaces"][0]["NetworkInterfaceId"]
    code, _ = refused(ec2.describe_network_interfaces, NetworkInterfaceIds=[eni])
    assert code == "InvalidNetworkInterfaceID.NotFound", "every node would leave an interface behind"


def test_the_fleet_takes_the_cheapest_type_and_says_which(world: World) -> None:
    request = world.fleet_request(world.template(world.profile()), "m5.xlarge", "m5.large", "c5.large")
    made = world.as_controller("ec2").create_fleet(**request)["Instances"][0]
    assert made["InstanceType"] == "c5.large"
    overrides = made["LaunchTemplateAndOverrides"]["Overrides"]
    assert overrides["InstanceType"] == "c5.large", "the controller panics without the overrides"
    assert overrides["SubnetId"] in world.subnets
    assert overrides["AvailabilityZone"].startswith(REGION)


def test_spot_instances_are_known_as_spot(world: World) -> None:
    found = world.launch("spot")
    assert found["InstanceLifecycle"] == "spot"
    assert found["SpotInstanceRequestId"].startswith("sir-"), "Karpenter would take it for on-demand"


def test_spot_prices_are_steady_and_below_on_demand(world: World) -> None:
    ask = {"InstanceTypes": ["m5.large"], "ProductDescriptions": ["Linux/UNIX"]}
    first = world.as_controller("ec2").describe_spot_price_history(**ask)["SpotPriceHistory"]
    again = world.as_controller("ec2").describe_spot_price_history(**ask)["SpotPriceHistory"]
    prices = {one["AvailabilityZone"]: float(one["SpotPrice"]) for one in first}
    assert prices == {one["AvailabilityZone"]: float(one["SpotPrice"]) for one in again}, "nodes would be replaced idly"
    assert all(0.02 < price < 0.05 for price in prices.values())


def test_shortages_are_reported_as_missing_capacity(world: World, emulator: Emulator) -> None:
    emulator.lab("shortages", {"shortages": [{"capacityType": "spot"}]})
    try:
        request = world.fleet_request(world.template(world.profile()), "m5.large", capacity="spot")
        made = world.as_controller("ec2").create_fleet(**request)
        assert not made["Instances"]
        codes = {error["ErrorCode"] for error in made["Errors"]}
        assert codes == {"InsufficientInstanceCapacity"}, "Karpenter could not fall back to on-demand"
        assert made["Errors"][0]["LaunchTemplateAndOverrides"]["Overrides"]["InstanceType"] == "m5.large"
    finally:
        emulator.lab("shortages", {"shortages": []})


def test_what_moto_lacks_is_answered(world: World) -> None:
    ec2 = world.as_controller("ec2")
    assert ec2.describe_capacity_reservations()["CapacityReservations"] == []
    assert ec2.describe_placement_groups()["PlacementGroups"] == []
    code, _ = refused(ec2.describe_launch_templates, LaunchTemplateNames=["karpenter.k8s.aws/none"])
    assert code == "InvalidLaunchTemplateName.NotFoundException", "Karpenter would never create its template"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"ImageId": "ami-0000000000000dead"}, "InvalidAMIID.NotFound"),
        ({"NetworkInterfaces": [{"DeviceIndex": 0, "Groups": ["sg-0000000000000dead"]}]}, "InvalidGroup.NotFound"),
        ({"IamInstanceProfile": {"Name": "none"}}, "InvalidParameterValue"),
    ],
)
def test_launches_with_something_that_is_not_there_are_refused(world: World, change: dict[str, Any], code: str) -> None:
    template = world.template(world.profile(), **change)
    found, text = refused(world.as_root("ec2").create_fleet, **world.fleet_request(template, "m5.large"))
    assert found == code, f"a wrong reference would launch all the same: {text}"


def test_a_newer_release_appears_when_it_is_published(world: World, emulator: Emulator) -> None:
    ssm = emulator.aws("ssm", region="eu-central-1")
    root = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/arm64/standard/recommended"
    before = ssm.get_parameter(Name=f"{root}/image_id")["Parameter"]["Value"]
    assert before == "ami-0a1b2c3d4e5f60002"
    emulator.lab("images/publish", {"release": "20261115"})
    after = ssm.get_parameter(Name=f"{root}/image_id")["Parameter"]["Value"]
    assert after == "ami-0b1b2c3d4e5f60002", "no AMI update could be played through"
    assert ssm.get_parameter(Name=f"{root}/release_version")["Parameter"]["Value"] == "1.36.0-20261115"
    images = emulator.aws("ec2", region="eu-central-1").describe_images(ImageIds=[before, after])["Images"]
    names = {image["ImageId"]: image["Name"] for image in images}
    assert names[after] == "amazon-eks-node-al2023-arm64-standard-1.36-v20261115"
    assert {image["OwnerId"] for image in images} == {"602401143452"}
    assert all(image["DeprecationTime"] for image in images)
    listed = ssm.get_parameters_by_path(Path=root.removesuffix("/recommended"), Recursive=True, MaxResults=10)
    assert len(listed["Parameters"]) == 10
    assert listed["NextToken"], "a page would look like the whole list"


def test_each_question_about_instance_types_has_its_own_answer(world: World) -> None:
    ec2 = world.as_controller("ec2")
    names = {"InstanceTypes": ["m5.large", "m6g.large"]}
    found = {one["InstanceType"] for one in ec2.describe_instance_types(**names)["InstanceTypes"]}
    assert found == set(names["InstanceTypes"])
    in_zone = ec2.describe_instance_type_offerings(
        LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": ["m5.large"]}]
    )["InstanceTypeOfferings"]
    assert {one["Location"] for one in in_zone} >= {f"{REGION}{zone}" for zone in "abc"}, "Karpenter would find no zone"
    again = {one["InstanceType"] for one in ec2.describe_instance_types(**names)["InstanceTypes"]}
    assert again == found


def test_an_image_can_be_deprecated_and_withdrawn(world: World, emulator: Emulator) -> None:
    ec2 = world.as_root("ec2")
    name = [{"Name": "name", "Values": ["amazon-eks-node-al2023-x86_64-neuron-1.34-v20261015"]}]
    image = ec2.describe_images(Filters=name)["Images"][0]["ImageId"]
    emulator.lab("images/deprecate", {"imageId": image, "deprecationTime": "2026-11-30T00:00:00.000Z"})
    found = ec2.describe_images(ImageIds=[image])["Images"][0]
    assert found["DeprecationTime"] == "2026-11-30T00:00:00.000Z"
    emulator.lab("images/withdraw", {"imageId": image})
    assert refused(ec2.describe_images, ImageIds=[image])[0] == "InvalidAMIID.NotFound"
    assert emulator.lab("images/withdraw", {})[0] == 400
