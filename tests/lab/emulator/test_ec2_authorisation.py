"""The controller may do what the 1.14 template's policies say, and nothing else, in AWS's own words."""

from __future__ import annotations

import json

import pytest

from tests.lab.emulator.world import AMD64, REGION, Emulator, World, refused, trust

pytestmark = pytest.mark.lab


def test_the_controller_launches_tags_and_terminates_its_own_instance(world: World) -> None:
    ec2 = world.as_controller("ec2")
    instance_id = world.launch()["InstanceId"]
    ec2.create_tags(Resources=[instance_id], Tags=[{"Key": "Name", "Value": "node"}])
    ended = ec2.terminate_instances(InstanceIds=[instance_id])["TerminatingInstances"]
    assert ended[0]["CurrentState"]["Name"] == "shutting-down", "Karpenter could not take its nodes away"


@pytest.mark.parametrize("missing", ["karpenter.sh/nodepool", "eks:eks-cluster-name"])
def test_a_launch_template_without_the_required_tags_is_refused(world: World, missing: str) -> None:
    code, text = refused(
        world.as_controller("ec2").create_launch_template,
        LaunchTemplateName="untagged",
        LaunchTemplateData={"ImageId": AMD64},
        TagSpecifications=world.specifications("launch-template", without=missing),
    )
    assert code == "UnauthorizedOperation", "a missing request tag would only show in AWS"
    assert text == (
        "You are not authorized to perform this operation. "
        f"User: arn:aws:sts::123456789012:assumed-role/{world.cluster}-karpenter/karpenter is not authorized to "
        f"perform: ec2:CreateLaunchTemplate on resource: arn:aws:ec2:{REGION}:123456789012:launch-template/* "
        "because no identity-based policy allows the ec2:CreateLaunchTemplate action"
    ), "the EC2NodeClass would not show what AWS says"


def test_an_instance_of_another_cluster_cannot_be_terminated(world: World, emulator: Emulator) -> None:
    foreign = World.make(emulator).launch()["InstanceId"]
    code, text = refused(world.as_controller("ec2").terminate_instances, InstanceIds=[foreign])
    assert code == "UnauthorizedOperation", "one cluster's controller could end another cluster's nodes"
    assert f"instance/{foreign}" in text
    assert world.instance(foreign)["State"]["Name"] == "running"


def test_a_launch_template_of_another_cluster_cannot_be_used(world: World, emulator: Emulator) -> None:
    other = World.make(emulator)
    template = other.template(other.profile())
    request = world.fleet_request(template, "m5.large")
    code, text = refused(world.as_controller("ec2").create_fleet, **request)
    assert code == "UnauthorizedOperation", "one cluster's user data could be started by another's controller"
    assert f"launch-template/{template}" in text


@pytest.mark.parametrize("kind", ["fleet", "instance", "volume", "network-interface"])
def test_a_fleet_that_leaves_something_untagged_is_refused(world: World, kind: str) -> None:
    request = world.fleet_request(world.template(world.profile()), "m5.large")
    request["TagSpecifications"] = [one for one in request["TagSpecifications"] if one["ResourceType"] != kind]
    code, text = refused(world.as_controller("ec2").create_fleet, **request)
    assert code == "UnauthorizedOperation", f"an untagged {kind} would only be refused in AWS"
    assert f":{kind}/*" in text


def test_foreign_tags_on_own_instances_are_refused(world: World) -> None:
    instance_id = world.launch()["InstanceId"]
    tags = [{"Key": "cost-centre", "Value": "1"}]
    code, _ = refused(world.as_controller("ec2").create_tags, Resources=[instance_id], Tags=tags)
    assert code == "UnauthorizedOperation", "aws:TagKeys would not be looked at"


def test_reading_in_another_region_is_refused(world: World) -> None:
    code, text = refused(world.as_controller("ec2", "eu-west-1").describe_subnets)
    assert code == "UnauthorizedOperation", "aws:RequestedRegion would not be looked at"
    assert "perform: ec2:DescribeSubnets because" in text


@pytest.mark.parametrize("allowed", [True, False])
def test_dry_runs_answer_as_aws_does(world: World, allowed: bool) -> None:
    template = world.template(world.profile())
    if not allowed:
        _drop_action(world, "ec2:RunInstances")
    ec2 = world.as_controller("ec2")
    code, text = refused(
        ec2.run_instances,
        DryRun=True,
        MinCount=1,
        MaxCount=1,
        LaunchTemplate={"LaunchTemplateId": template, "Version": "$Latest"},
        InstanceType="m5.large",
        SubnetId=world.subnets[0],
        TagSpecifications=world.specifications("instance", "volume", "network-interface"),
    )
    expected = "DryRunOperation" if allowed else "UnauthorizedOperation"
    assert code == expected, f"the EC2NodeClass's validation would be wrong: {text}"
    fleet_code, fleet_text = refused(ec2.create_fleet, DryRun=True, **world.fleet_request(template, "m5.large"))
    assert fleet_code == expected, f"a fleet launches with RunInstances in the caller's name: {fleet_text}"
    if allowed:
        assert text == "Request would have succeeded, but DryRun flag is set."


def test_a_profile_with_another_role_cannot_be_launched_or_filled(world: World) -> None:
    root = world.as_root("iam")
    other = f"admin-{world.cluster}"
    root.create_role(RoleName=other, AssumeRolePolicyDocument=trust("ec2.amazonaws.com"))
    mine = world.profile()
    code, text = refused(
        world.as_controller("iam").add_role_to_instance_profile,
        InstanceProfileName=_empty_profile(world),
        RoleName=other,
    )
    assert code == "AccessDenied", "a compromised controller could give any role to a node"
    assert f"perform: iam:PassRole on resource: arn:aws:iam::123456789012:role/{other}" in text
    root.remove_role_from_instance_profile(InstanceProfileName=mine, RoleName=world.node_role.rpartition("/")[2])
    root.add_role_to_instance_profile(InstanceProfileName=mine, RoleName=other)
    template = world.template(mine)
    code, text = refused(world.as_controller("ec2").create_fleet, **world.fleet_request(template, "m5.large"))
    assert code == "UnauthorizedOperation", "a launch would pass a role that the controller may not pass"
    assert "iam:PassRole" in text


def test_an_unfamiliar_profile_cannot_be_touched(world: World) -> None:
    name = f"foreign-{world.cluster}"
    world.as_root("iam").create_instance_profile(InstanceProfileName=name)
    code, text = refused(world.as_controller("iam").delete_instance_profile, InstanceProfileName=name)
    assert code == "AccessDenied", "the tags of instance profiles would not be looked at"
    assert "iam:DeleteInstanceProfile" in text


def test_other_clusters_queues_and_shifts_are_out_of_reach(world: World, emulator: Emulator) -> None:
    other = World.make(emulator)
    other.make_cluster()
    world.make_cluster()
    world.as_controller("eks").describe_cluster(name=world.cluster)
    code, _ = refused(world.as_controller("eks").describe_cluster, name=other.cluster)
    assert code == "AccessDeniedException"
    world.as_controller("sqs").get_queue_url(QueueName=world.cluster)
    code, _ = refused(world.as_controller("sqs").receive_message, QueueUrl=other.queue_url)
    assert code == "AccessDenied", "one controller could empty another's queue"
    arn = f"arn:aws:eks:{REGION}:123456789012:cluster/"
    shift = world.as_controller("arc-zonal-shift").get_managed_resource
    assert refused(shift, resourceIdentifier=arn + world.cluster)[0] == "ResourceNotFoundException"
    assert refused(shift, resourceIdentifier=arn + other.cluster)[0] == "AccessDeniedException"


def test_public_parameters_and_prices_are_readable(world: World) -> None:
    name = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"
    assert world.as_controller("ssm").get_parameter(Name=name)["Parameter"]["Value"] == AMD64
    world.as_root("ssm").put_parameter(Name="/mine", Value="x", Type="String")
    assert refused(world.as_controller("ssm").get_parameter, Name="/mine")[0] == "AccessDeniedException"
    world.as_controller("pricing", "us-east-1").get_products(ServiceCode="AmazonEC2", Filters=[])


def test_denials_are_kept_for_people_to_read(world: World, emulator: Emulator) -> None:
    emulator.lab("denials/clear", {})
    refused(world.as_controller("ec2").describe_vpcs)
    refused(world.as_controller("iam").list_roles)
    found = [(one["action"], one["principal"].split("/")[1]) for one in emulator.lab("denials")[1]]
    who = f"{world.cluster}-karpenter"
    assert found == [("ec2:DescribeVpcs", who), ("iam:ListRoles", who)], "nobody could see what was refused"


def test_a_permissions_boundary_narrows_the_controller(world: World) -> None:
    iam = world.as_root("iam")
    document = {"Statement": [{"Effect": "Allow", "Action": "eks:*", "Resource": "*"}], "Version": "2012-10-17"}
    arn = iam.create_policy(PolicyName=f"boundary-{world.cluster}", PolicyDocument=json.dumps(document))["Policy"][
        "Arn"
    ]
    world.as_controller("ec2").describe_subnets()
    iam.put_role_permissions_boundary(RoleName=f"{world.cluster}-karpenter", PermissionsBoundary=arn)
    assert refused(world.as_controller("ec2").describe_subnets)[0] == "UnauthorizedOperation"


def _empty_profile(world: World) -> str:
    name = world.profile()
    world.as_root("iam").remove_role_from_instance_profile(
        InstanceProfileName=name, RoleName=world.node_role.rpartition("/")[2]
    )
    return name


def _drop_action(world: World, action: str) -> None:
    iam, name = world.as_root("iam"), f"KarpenterControllerNodeLifecyclePolicy-{world.cluster}"
    arn = f"arn:aws:iam::123456789012:policy/{name}"
    document = iam.get_policy_version(PolicyArn=arn, VersionId="v1")["PolicyVersion"]["Document"]
    for statement in document["Statement"]:
        if isinstance(statement["Action"], list):
            statement["Action"] = [one for one in statement["Action"] if one != action]
    iam.create_policy_version(PolicyArn=arn, PolicyDocument=json.dumps(document), SetAsDefault=True)
