"""The network: a VPC of our own, or the subnets of one that is there."""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

import pulumi
import pulumi_aws as aws

from components.arguments import check_args, child_options, key_problems
from components.flow_logs import FlowLogs
from components.spec.cidr import Plan, plan
from components.spec.network_checks import check_network
from components.spec.problems import Problem
from components.spec.tags import private_subnet_tags, public_subnet_tags


class CreateArgs(TypedDict):
    """A network to make."""

    cidr: str
    "IPv4 range of the VPC, /16 to /20."
    zone_names: Sequence[str]
    "Availability zones of the subnets, 2 to 4."
    nat_gateways: Literal["none", "single", "perZone"]
    "How nodes reach the internet."
    interface_endpoints: NotRequired[Sequence[str]]
    "AWS services to reach inside the VPC, such as `ecr.api`. Each costs by the hour and zone."
    flow_log_retention_days: NotRequired[int]
    "Keep flow logs for so many days; absent means none."


class ExistingArgs(TypedDict):
    """A network that is there; nothing is made or tagged in it."""

    vpc_id: str
    "Id of the VPC."
    private_subnet_ids: Sequence[str]
    "Subnets of the nodes, in two zones or more. Tag them `karpenter.sh/discovery: <cluster>` yourself."
    public_subnet_ids: Sequence[str]
    "Subnets of load balancers that face the internet; may be empty."


class NetworkArgs(TypedDict):
    """Arguments of Network: exactly one of `create` and `existing`."""

    cluster_name: str
    "Name of the cluster that discovers the subnets."
    region: str
    "AWS region of the network."
    create: NotRequired[CreateArgs]
    "Make a network."
    existing: NotRequired[ExistingArgs]
    "Use a network that is there."


class Network(pulumi.ComponentResource):
    """Subnets in which nodes can start: private ones with a way out, public ones for load balancers.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    vpc_id: pulumi.Output[str]
    "Id of the VPC."
    private_subnet_ids: pulumi.Output[list[str]]
    "Private subnets. Known once their way out is there, so that whatever uses them outlives neither NAT nor routes."
    public_subnet_ids: pulumi.Output[list[str]]
    "Public subnets; empty in an existing network without any."

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:Network", name, {}, opts)
        check_args(NetworkArgs, args, (*_key_problems(args), *check_network(args)))
        self._name, self._opts, self._region = name, opts, args["region"]
        self._cluster = args["cluster_name"]
        if "create" in args:
            self._create(args["create"])
        elif "existing" in args:
            existing = args["existing"]
            self.vpc_id = pulumi.Output.from_input(existing["vpc_id"])
            self.private_subnet_ids = pulumi.Output.from_input(list(existing["private_subnet_ids"]))
            self.public_subnet_ids = pulumi.Output.from_input(list(existing["public_subnet_ids"]))
        self.register_outputs(
            {
                "vpc_id": self.vpc_id,
                "private_subnet_ids": self.private_subnet_ids,
                "public_subnet_ids": self.public_subnet_ids,
            }
        )

    def _create(self, args: CreateArgs) -> None:
        zones = {zone.removeprefix(self._region).lstrip("-") or zone: zone for zone in args["zone_names"]}
        ranges = plan(args["cidr"], len(zones))
        self._vpc = aws.ec2.Vpc(
            f"{self._name}-vpc",
            cidr_block=args["cidr"],
            enable_dns_support=True,
            enable_dns_hostnames=True,
            tags={"Name": self._cluster},
            opts=self._child(),
        )
        # Nothing uses the default group; without rules nothing can come to use it by accident either.
        aws.ec2.DefaultSecurityGroup(
            f"{self._name}-default-security-group", vpc_id=self._vpc.id, ingress=[], egress=[], opts=self._child()
        )
        public = self._public_subnets(zones, ranges)
        way_out = self._nat(args["nat_gateways"], public)
        private, tables, routes = self._private_subnets(zones, ranges, way_out)
        endpoints = self._endpoints(args, private, tables)
        if "flow_log_retention_days" in args:
            FlowLogs(
                f"{self._name}-flow-logs",
                {
                    "vpc_id": self._vpc.id,
                    "cluster_name": self._cluster,
                    "retention_days": args["flow_log_retention_days"],
                },
                self._child(),
            )
        self.vpc_id = self._vpc.id
        self.public_subnet_ids = pulumi.Output.all(*(subnet.id for subnet in public.values()))
        needed = [resource.id for resource in (*routes, *endpoints)]
        ids = [subnet.id for subnet in private.values()]
        self.private_subnet_ids = pulumi.Output.all(*ids, *needed).apply(lambda found: found[: len(ids)])

    def _child(self, **more: Any) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions.merge(child_options(self, self._opts), pulumi.ResourceOptions(**more))

    def _public_subnets(self, zones: dict[str, str], ranges: Plan) -> dict[str, aws.ec2.Subnet]:
        gateway = aws.ec2.InternetGateway(
            f"{self._name}-internet-gateway",
            vpc_id=self._vpc.id,
            tags={"Name": self._cluster},
            opts=self._child(),
        )
        table = aws.ec2.RouteTable(
            f"{self._name}-public",
            vpc_id=self._vpc.id,
            tags={"Name": f"{self._cluster}-public"},
            opts=self._child(),
        )
        self._internet_route = aws.ec2.Route(
            f"{self._name}-public-internet",
            route_table_id=table.id,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=gateway.id,
            opts=self._child(),
        )
        subnets = {}
        self._public_associations: dict[str, aws.ec2.RouteTableAssociation] = {}
        for (key, zone), cidr in zip(zones.items(), ranges.public, strict=False):
            subnets[key] = aws.ec2.Subnet(
                f"{self._name}-public-{key}",
                vpc_id=self._vpc.id,
                availability_zone=zone,
                cidr_block=cidr,
                map_public_ip_on_launch=False,
                tags=public_subnet_tags(f"{self._cluster}-public-{key}"),
                opts=self._subnet_options(),
            )
            self._public_associations[key] = aws.ec2.RouteTableAssociation(
                f"{self._name}-public-{key}",
                subnet_id=subnets[key].id,
                route_table_id=table.id,
                opts=self._child(),
            )
        return subnets

    def _subnet_options(self) -> pulumi.ResourceOptions:
        """EKS and load balancer controllers tag subnets with the cluster; their tag is not ours to remove."""
        return self._child(ignore_changes=[f'tags["kubernetes.io/cluster/{self._cluster}"]'])

    def _nat(self, mode: str, public: dict[str, aws.ec2.Subnet]) -> dict[str, aws.ec2.NatGateway]:
        """NAT gateways by the zone that they stand in."""
        keys = {"none": [], "single": list(public)[:1], "perZone": list(public)}[mode]
        gateways = {}
        for key in keys:
            address = aws.ec2.Eip(
                f"{self._name}-nat-{key}",
                domain="vpc",
                tags={"Name": f"{self._cluster}-nat-{key}"},
                opts=self._child(),
            )
            gateways[key] = aws.ec2.NatGateway(
                f"{self._name}-nat-{key}",
                allocation_id=address.id,
                subnet_id=public[key].id,
                tags={"Name": f"{self._cluster}-{key}"},
                # A destroy must not cut the gateway off while Karpenter still drains nodes behind it.
                opts=self._child(depends_on=[self._internet_route, self._public_associations[key]]),
            )
        return gateways

    def _private_subnets(
        self, zones: dict[str, str], ranges: Plan, way_out: dict[str, aws.ec2.NatGateway]
    ) -> tuple[dict[str, aws.ec2.Subnet], list[aws.ec2.RouteTable], list[pulumi.CustomResource]]:
        subnets, tables = {}, []
        routes: list[pulumi.CustomResource] = []
        for (key, zone), cidr in zip(zones.items(), ranges.private, strict=False):
            subnets[key] = aws.ec2.Subnet(
                f"{self._name}-private-{key}",
                vpc_id=self._vpc.id,
                availability_zone=zone,
                cidr_block=cidr,
                map_public_ip_on_launch=False,
                tags=private_subnet_tags(self._cluster, f"{self._cluster}-private-{key}"),
                opts=self._subnet_options(),
            )
            table = aws.ec2.RouteTable(
                f"{self._name}-private-{key}",
                vpc_id=self._vpc.id,
                tags={"Name": f"{self._cluster}-private-{key}"},
                opts=self._child(),
            )
            tables.append(table)
            routes.append(
                aws.ec2.RouteTableAssociation(
                    f"{self._name}-private-{key}",
                    subnet_id=subnets[key].id,
                    route_table_id=table.id,
                    opts=self._child(),
                )
            )
            if way_out:
                gateway = way_out.get(key) or next(iter(way_out.values()))
                routes.append(
                    aws.ec2.Route(
                        f"{self._name}-private-{key}-nat",
                        route_table_id=table.id,
                        destination_cidr_block="0.0.0.0/0",
                        nat_gateway_id=gateway.id,
                        opts=self._child(),
                    )
                )
        return subnets, tables, routes

    def _endpoints(
        self, args: CreateArgs, private: dict[str, aws.ec2.Subnet], tables: list[aws.ec2.RouteTable]
    ) -> list[pulumi.CustomResource]:
        made: list[pulumi.CustomResource] = [
            aws.ec2.VpcEndpoint(
                f"{self._name}-endpoint-s3",
                vpc_id=self._vpc.id,
                service_name=f"com.amazonaws.{self._region}.s3",
                vpc_endpoint_type="Gateway",
                route_table_ids=[table.id for table in tables],
                tags={"Name": f"{self._cluster}-s3"},
                opts=self._child(),
            )
        ]
        services = list(args.get("interface_endpoints", []))
        if not services:
            return made
        group = aws.ec2.SecurityGroup(
            f"{self._name}-endpoints",
            vpc_id=self._vpc.id,
            description=f"Interface endpoints of {self._cluster}",
            tags={"Name": f"{self._cluster}-endpoints"},
            opts=self._child(),
        )
        made.append(
            aws.vpc.SecurityGroupIngressRule(
                f"{self._name}-endpoints-https",
                security_group_id=group.id,
                cidr_ipv4=args["cidr"],
                ip_protocol="tcp",
                from_port=443,
                to_port=443,
                description="HTTPS from inside the VPC",
                opts=self._child(),
            )
        )
        made.extend(
            aws.ec2.VpcEndpoint(
                f"{self._name}-endpoint-{service.replace('.', '-')}",
                vpc_id=self._vpc.id,
                service_name=f"com.amazonaws.{self._region}.{service}",
                vpc_endpoint_type="Interface",
                private_dns_enabled=True,
                subnet_ids=[subnet.id for subnet in private.values()],
                security_group_ids=[group.id],
                tags={"Name": f"{self._cluster}-{service}"},
                opts=self._child(),
            )
            for service in services
        )
        return made


def _key_problems(args: NetworkArgs) -> list[Problem]:
    problems = key_problems(CreateArgs, args["create"], "create.") if "create" in args else []
    return problems + (key_problems(ExistingArgs, args["existing"], "existing.") if "existing" in args else [])
