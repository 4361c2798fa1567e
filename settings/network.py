"""The network that the cluster lives in: made by the stack, or one that is there already."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from components.spec.fields import STACK, Strict, doc

InterfaceEndpoint = Literal[
    "autoscaling",
    "ec2",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "elasticloadbalancing",
    "kms",
    "logs",
    "monitoring",
    "sqs",
    "ssm",
    "sts",
]
"""AWS services, named as in `com.amazonaws.<region>.<service>`, that a cluster's nodes and controllers call."""

RETENTION_DAYS: Final = (
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
)  # fmt: skip
"""The only periods that CloudWatch Logs knows."""


def _retention(value: int) -> int:
    if value not in RETENTION_DAYS:
        kind = "retention"
        message = f"must be a period that CloudWatch Logs knows: {', '.join(map(str, RETENTION_DAYS))}"
        raise PydanticCustomError(kind, message)
    return value


class FlowLogs(Strict):
    """Records of the traffic in the network, kept in CloudWatch Logs."""

    retention_days: Annotated[int, AfterValidator(_retention)] = doc(
        30,
        "How long the records are kept.",
        source=STACK,
        unit="days",
        allowed="a period that CloudWatch Logs knows: 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365 and longer ones",
        example="30",
    )


class CreatedNetwork(Strict):
    """A VPC that the stack makes and owns."""

    cidr: str = doc(
        "10.0.0.0/16",
        "Range of the VPC. Each zone gets one big private and one small public subnet out of it.",
        source=STACK,
        allowed='a private IPv4 range written as "<network>/<16 to 20>"',
        example='"10.0.0.0/16"',
    )
    zones: int = doc(
        3,
        "In how many availability zones there are subnets.",
        source=STACK,
        allowed="2, 3 or 4",
        example="3",
        ge=2,
        le=4,
    )
    nat_gateways: Literal["none", "single", "perZone"] = doc(
        "single",
        "How private subnets reach the internet. `single` is one gateway for all zones: cheap, and gone with its zone. "
        "`perZone` survives the loss of a zone. `none` needs interface endpoints and mirrored images.",
        source=STACK,
        allowed="none, single or perZone",
        example="perZone",
    )
    interface_endpoints: tuple[InterfaceEndpoint, ...] = doc(
        (),
        "AWS services that are reached inside the VPC, without NAT. The gateway endpoint for S3 is always there.",
        source=STACK,
        default_text="none",
        example="[ecr.api, ecr.dkr]",
        strict=False,
    )
    flow_logs: FlowLogs | None = doc(
        None, "Switches flow logs on.", source=STACK, default_text="no flow logs", example="{retentionDays: 30}"
    )


class ExistingNetwork(Strict):
    """A VPC that is there already. The stack creates nothing in it and tags nothing in it."""

    vpc_id: str = doc(
        ...,
        "Id of the VPC.",
        source=STACK,
        pattern=r"^vpc-([0-9a-f]{8}|[0-9a-f]{17})$",
        allowed="the id of a VPC",
        example="vpc-0123456789abcdef0",
    )
    private_subnet_ids: tuple[str, ...] = doc(
        ...,
        "Subnets of nodes and of the control plane's network interfaces, in at least two zones. "
        "Node classes without subnet selectors launch in exactly these: no discovery tag is needed.",
        source=STACK,
        example="[subnet-0123456789abcdef0, subnet-0123456789abcdef1]",
        strict=False,
    )
    public_subnet_ids: tuple[str, ...] = doc(
        (),
        "Subnets of load balancers that face the internet.",
        source=STACK,
        default_text="none",
        example="[subnet-0123456789abcdef2, subnet-0123456789abcdef3]",
        strict=False,
    )


class NetworkSettings(Strict):
    """Exactly one of two modes; without either, the stack makes a network with the defaults."""

    create: CreatedNetwork | None = doc(
        None,
        "Make a VPC.",
        source=STACK,
        default_text="a VPC with these defaults, unless `existing` is given",
        example="{zones: 3, natGateways: perZone}",
    )
    existing: ExistingNetwork | None = doc(
        None,
        "Use a VPC that is there already.",
        source=STACK,
        default_text="none",
        example="{vpcId: vpc-..., privateSubnetIds: [subnet-..., subnet-...]}",
    )

    @property
    def created(self) -> CreatedNetwork | None:
        """The network to make, defaults included; None when an existing one is used."""
        if self.existing is not None:
            return None
        return self.create or CreatedNetwork()
