"""A cluster, a role for nodes and instances, made by hand: what the stack makes, without the stack."""

import json
import time
from collections.abc import Callable
from typing import Any

from tests.support import Lab

CLUSTER = "hand-made"
AMD64, ARM64 = "ami-0a1b2c3d4e5f60001", "ami-0a1b2c3d4e5f60002"
USER_DATA = """MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    flags: ['--node-labels="FLAGS"']
--//--
"""


def eventually(what: str, found: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait until something is found, and return it."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, what
        time.sleep(0.3)
    return value


def trust(service: str, *actions: str) -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": list(actions or ("sts:AssumeRole",))}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


class World:
    """The hand-made things of one lab."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.core: Any = lab.cluster.core
        self.apps: Any = lab.cluster.apps
        self.ec2, self.eks, self.iam = lab.aws("ec2"), lab.aws("eks"), lab.aws("iam")
        vpc = self.ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
        self.subnets = [
            self.ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.20.{i}.0/24", AvailabilityZone=f"us-west-2{zone}")[
                "Subnet"
            ]["SubnetId"]
            for i, zone in enumerate("ab")
        ]
        role = self.role("cluster", "eks.amazonaws.com")
        self.eks.create_cluster(
            name=CLUSTER,
            version="1.36",
            roleArn=role,
            resourcesVpcConfig={"subnetIds": self.subnets},
            accessConfig={"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True},
        )

    def role(self, name: str, service: str, *actions: str) -> str:
        made = self.iam.create_role(RoleName=f"{CLUSTER}-{name}", AssumeRolePolicyDocument=trust(service, *actions))
        return str(made["Role"]["Arn"])

    def node_role(self, name: str, *, entry: bool) -> str:
        """Name of an instance profile whose role may, or may not, join the cluster."""
        arn = self.role(name, "ec2.amazonaws.com")
        self.iam.create_instance_profile(InstanceProfileName=f"{CLUSTER}-{name}")
        self.iam.add_role_to_instance_profile(InstanceProfileName=f"{CLUSTER}-{name}", RoleName=arn.rpartition("/")[2])
        if entry:
            self.allow(arn)
        return f"{CLUSTER}-{name}"

    def allow(self, role: str) -> None:
        self.eks.create_access_entry(clusterName=CLUSTER, principalArn=role, type="EC2_LINUX")

    def launch(self, profile: str, *, labels: str = "team=a", kind: str = "m5.large", image: str = AMD64) -> str:
        """Launch an instance as Karpenter does, and return its id."""
        made = self.ec2.run_instances(
            ImageId=image,
            InstanceType=kind,
            MinCount=1,
            MaxCount=1,
            SubnetId=self.subnets[0],
            IamInstanceProfile={"Name": profile},
            UserData=USER_DATA.replace("FLAGS", labels),
            TagSpecifications=[
                {"ResourceType": "instance", "Tags": [{"Key": "eks:eks-cluster-name", "Value": CLUSTER}]}
            ],
        )
        return str(made["Instances"][0]["InstanceId"])

    def end(self, instance: str) -> None:
        self.ec2.terminate_instances(InstanceIds=[instance])

    def node_of(self, instance: str) -> Any:
        found = self.core.list_node().items
        return next((n for n in found if (n.spec.provider_id or "").endswith(f"/{instance}")), None)

    def refused(self) -> dict[str, str]:
        file = self.lab.folder / "refused-nodes.json"
        found: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
        return found
