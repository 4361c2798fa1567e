"""A running emulator, and one cluster's worth of AWS resources in it, as the 1.14 template makes them."""

from __future__ import annotations

import itertools
import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

REGION, ACCOUNT = "us-west-2", "123456789012"
AMD64 = "ami-0a1b2c3d4e5f60001"
_numbers = itertools.count(1)
_clients: dict[tuple[str, ...], Any] = {}


@dataclass(frozen=True)
class Keys:
    key: str = "test"
    secret: str = "test"
    token: str | None = None


@dataclass(frozen=True)
class Emulator:
    endpoint: str

    def aws(self, service: str, keys: Keys | None = None, region: str = REGION) -> Any:
        used = keys or Keys()
        place = (self.endpoint, service, used.key, region)
        if place not in _clients:
            _clients[place] = boto3.client(
                service,
                endpoint_url=self.endpoint,
                region_name=region,
                aws_access_key_id=used.key,
                aws_secret_access_key=used.secret,
                aws_session_token=used.token,
                config=Config(retries={"max_attempts": 1}),
            )
        return _clients[place]

    def lab(self, path: str, body: Any = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.endpoint}/_lab/{path}", data=data, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def healthy(self) -> bool:
        try:
            return self.lab("health")[0] == 200
        except OSError:
            return False


def trust(service: str, *actions: str, condition: dict[str, Any] | None = None) -> str:
    statement: dict[str, Any] = {
        "Effect": "Allow",
        "Principal": {"Service": service} if ":" not in service else {"AWS": service},
        "Action": list(actions or ("sts:AssumeRole",)),
    }
    if condition:
        statement["Condition"] = condition
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def refused(call: Any, /, **arguments: Any) -> tuple[str, str]:
    """The code and text with which AWS refuses a call."""
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


@dataclass
class World:
    """What one cluster has.

    Attributes:
        cluster: its name.
        subnets: three private subnets in three zones.
        node_role: ARN of KarpenterNodeRole.
        controller: session credentials of the controller's role.
    """

    emulator: Emulator
    cluster: str
    vpc: str
    subnets: list[str]
    node_role: str
    cluster_role: str
    controller_role: str
    queue_url: str
    queue_arn: str
    controller: Keys

    @classmethod
    def make(cls, emulator: Emulator) -> World:
        number = next(_numbers)
        name = f"lab-{number}"
        ec2, iam = emulator.aws("ec2"), emulator.aws("iam")
        vpc = ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"]
        subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.{number}.{index}.0/24", AvailabilityZone=f"{REGION}{zone}")[
                "Subnet"
            ]["SubnetId"]
            for index, zone in enumerate("abc")
        ]

        def role(role_name: str, service: str, *actions: str) -> str:
            made = iam.create_role(RoleName=role_name, AssumeRolePolicyDocument=trust(service, *actions))
            return str(made["Role"]["Arn"])

        node_role = role(f"KarpenterNodeRole-{name}", "ec2.amazonaws.com")
        cluster_role = role(f"{name}-cluster", "eks.amazonaws.com")
        controller = role(f"{name}-karpenter", f"arn:aws:iam::{ACCOUNT}:root")
        queue_url, queue_arn = cls._queue(emulator, name)
        text = (Path(__file__).parent / "template_policies.json").read_text()
        values = {
            "AWS::Partition": "aws",
            "AWS::Region": REGION,
            "AWS::AccountId": ACCOUNT,
            "ClusterName": name,
            "KarpenterNodeRole.Arn": node_role,
            "KarpenterInterruptionQueue.Arn": queue_arn,
        }
        for key, value in values.items():
            text = text.replace(f"${{{key}}}", value)
        for kind, document in json.loads(text).items():
            arn = iam.create_policy(PolicyName=f"{kind}-{name}", PolicyDocument=json.dumps(document))["Policy"]["Arn"]
            iam.attach_role_policy(RoleName=f"{name}-karpenter", PolicyArn=arn)
        keys = cls.session(emulator, controller)
        return cls(emulator, name, vpc, subnets, node_role, cluster_role, controller, queue_url, queue_arn, keys)

    @staticmethod
    def _queue(emulator: Emulator, name: str) -> tuple[str, str]:
        sqs = emulator.aws("sqs")
        url = sqs.create_queue(QueueName=name)["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        return url, arn

    @staticmethod
    def session(emulator: Emulator, role: str) -> Keys:
        found = emulator.aws("sts").assume_role(RoleArn=role, RoleSessionName="karpenter")["Credentials"]
        return Keys(found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"])

    def as_root(self, service: str) -> Any:
        return self.emulator.aws(service)

    def as_controller(self, service: str, region: str = REGION) -> Any:
        return self.emulator.aws(service, self.controller, region)

    @property
    def tags(self) -> dict[str, str]:
        """The tags that Karpenter puts on what it launches."""
        return {
            f"kubernetes.io/cluster/{self.cluster}": "owned",
            "eks:eks-cluster-name": self.cluster,
            "karpenter.sh/nodepool": "default",
            "karpenter.k8s.aws/ec2nodeclass": "default",
        }

    def specifications(self, *kinds: str, without: str = "") -> list[dict[str, Any]]:
        tags = [{"Key": k, "Value": v} for k, v in self.tags.items() if k != without]
        return [{"ResourceType": kind, "Tags": tags} for kind in kinds]

    def profile(self) -> str:
        """An instance profile as Karpenter makes it, with the node role inside."""
        iam, name = self.as_controller("iam"), f"{self.cluster}_{next(_numbers)}"
        tags = {**self.tags, "topology.kubernetes.io/region": REGION}
        iam.create_instance_profile(InstanceProfileName=name, Tags=[{"Key": k, "Value": v} for k, v in tags.items()])
        iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=self.node_role.rpartition("/")[2])
        return name

    def template(self, profile: str, **data: Any) -> str:
        """A launch template as Karpenter makes it."""
        made = self.as_controller("ec2").create_launch_template(
            LaunchTemplateName=f"karpenter.k8s.aws/{next(_numbers)}",
            LaunchTemplateData={
                "ImageId": AMD64,
                "IamInstanceProfile": {"Name": profile},
                "UserData": "aGVsbG8=",
                "NetworkInterfaces": [{"DeviceIndex": 0, "Groups": [self.security_group()]}],
                "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1},
                "BlockDeviceMappings": [
                    {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 30, "VolumeType": "gp3", "Encrypted": True}}
                ],
                **data,
            },
            TagSpecifications=self.specifications("launch-template"),
        )
        return str(made["LaunchTemplate"]["LaunchTemplateId"])

    def security_group(self) -> str:
        made = self.as_root("ec2").create_security_group(
            GroupName=f"nodes-{next(_numbers)}", Description="nodes", VpcId=self.vpc
        )
        return str(made["GroupId"])

    def fleet_request(self, template: str, *kinds: str, capacity: str = "on-demand", **more: Any) -> dict[str, Any]:
        overrides = [{"InstanceType": kind, "SubnetId": subnet} for kind in kinds for subnet in self.subnets]
        return {
            "Type": "instant",
            "LaunchTemplateConfigs": [
                {
                    "LaunchTemplateSpecification": {"LaunchTemplateId": template, "Version": "$Latest"},
                    "Overrides": overrides,
                }
            ],
            "TargetCapacitySpecification": {"DefaultTargetCapacityType": capacity, "TotalTargetCapacity": 1},
            "TagSpecifications": self.specifications("fleet", "instance", "volume", "network-interface"),
            **more,
        }

    def launch(self, capacity: str = "on-demand") -> dict[str, Any]:
        """One instance through a fleet, by the controller."""
        template = self.template(self.profile())
        made = self.as_controller("ec2").create_fleet(
            **self.fleet_request(template, "m5.large", "m5.xlarge", capacity=capacity)
        )
        instance_id = made["Instances"][0]["InstanceIds"][0]
        return self.instance(instance_id)

    def instance(self, instance_id: str) -> dict[str, Any]:
        found = self.as_root("ec2").describe_instances(InstanceIds=[instance_id])
        return dict(found["Reservations"][0]["Instances"][0])

    def make_cluster(self, **more: Any) -> dict[str, Any]:
        eks = self.as_root("eks")
        request = {
            "name": self.cluster,
            "version": "1.36",
            "roleArn": self.cluster_role,
            "resourcesVpcConfig": {"subnetIds": self.subnets},
            "accessConfig": {"authenticationMode": "API"},
            **more,
        }
        eks.create_cluster(**request)
        return dict(eks.describe_cluster(name=self.cluster)["cluster"])
