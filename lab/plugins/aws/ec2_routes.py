"""Route tables, endpoints, and flow logs."""

import hashlib
from typing import Any

from lab.plugins.aws.ec2 import Ec2Kind, arn, first, retag, specification
from lab.plugins.aws.kind import (
    Aws,
    Kind,
    PluginError,
    Props,
    given,
    or_gone,
    tag_map,
    until_free,
)


class RouteTable(Ec2Kind):
    """aws.ec2.RouteTable, without inline routes."""

    token = "aws:ec2/routeTable:RouteTable"
    inputs = frozenset({"vpcId"})
    replaces = inputs

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("ec2").create_route_table(
            VpcId=new["vpcId"], TagSpecifications=specification("route-table", new["tagsAll"])
        )
        return str(made["RouteTable"]["RouteTableId"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        table = table_of(aws, resource_id)
        if table is None:
            return None
        return {
            "arn": arn(aws, "route-table", resource_id),
            "vpcId": table["VpcId"],
            "ownerId": aws.account_id,
            "tagsAll": tag_map(table.get("Tags")),
        }

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").delete_route_table(RouteTableId=resource_id))


def table_of(aws: Aws, table_id: str) -> Any:
    """A route table, or None."""
    return first(or_gone(lambda: aws.client("ec2").describe_route_tables(RouteTableIds=[table_id])), "RouteTables")


class Route(Kind):
    """aws.ec2.Route."""

    token = "aws:ec2/route:Route"
    inputs = frozenset({"routeTableId", "destinationCidrBlock", "gatewayId", "natGatewayId"})
    replaces = frozenset({"routeTableId", "destinationCidrBlock"})

    @staticmethod
    def _call(new: Props) -> Props:
        return given(
            RouteTableId=new["routeTableId"],
            DestinationCidrBlock=new["destinationCidrBlock"],
            GatewayId=new.get("gatewayId"),
            NatGatewayId=new.get("natGatewayId"),
        )

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("ec2").create_route(**self._call(new))
        return self._id(new["routeTableId"], new["destinationCidrBlock"])

    @staticmethod
    def _id(table: str, destination: str) -> str:
        return f"r-{table}{hashlib.sha256(destination.encode()).hexdigest()[:10]}"

    def imported(self, resource_id: str) -> tuple[str, Props]:
        table, destination = resource_id.split("_", 1)
        return self._id(table, destination), {"routeTableId": table, "destinationCidrBlock": destination}

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        table = table_of(aws, known["routeTableId"])
        for route in (table or {}).get("Routes", []):
            if route.get("DestinationCidrBlock") == known["destinationCidrBlock"]:
                found = {"gatewayId": route.get("GatewayId"), "natGatewayId": route.get("NatGatewayId")}
                return {**{key: known[key] for key in self.replaces}, **found, "state": route.get("State", "active")}
        return None

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        aws.client("ec2").replace_route(**self._call(new))

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(
            lambda: aws.client("ec2").delete_route(
                RouteTableId=known["routeTableId"], DestinationCidrBlock=known["destinationCidrBlock"]
            )
        )


class RouteTableAssociation(Kind):
    """aws.ec2.RouteTableAssociation."""

    token = "aws:ec2/routeTableAssociation:RouteTableAssociation"
    inputs = frozenset({"routeTableId", "subnetId"})
    replaces = inputs

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("ec2").associate_route_table(RouteTableId=new["routeTableId"], SubnetId=new["subnetId"])
        return str(made["AssociationId"])

    def imported(self, resource_id: str) -> tuple[str, Props]:
        subnet, table = resource_id.split("/", 1)
        return resource_id, {"routeTableId": table, "subnetId": subnet}

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        table = table_of(aws, known["routeTableId"])
        for found in (table or {}).get("Associations", []):
            if found["RouteTableAssociationId"] == resource_id:
                return {"routeTableId": known["routeTableId"], "subnetId": found.get("SubnetId")}
        return None

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").disassociate_route_table(AssociationId=resource_id))


class VpcEndpoint(Ec2Kind):
    """aws.ec2.VpcEndpoint."""

    token = "aws:ec2/vpcEndpoint:VpcEndpoint"
    inputs = frozenset(
        {
            "vpcId",
            "serviceName",
            "vpcEndpointType",
            "routeTableIds",
            "subnetIds",
            "securityGroupIds",
            "privateDnsEnabled",
        }
    )
    replaces = frozenset({"vpcId", "serviceName", "vpcEndpointType"})
    unordered = frozenset({"routeTableIds", "subnetIds", "securityGroupIds"})
    defaults = {"vpcEndpointType": "Gateway"}

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("ec2").create_vpc_endpoint(
            VpcId=new["vpcId"],
            ServiceName=new["serviceName"],
            VpcEndpointType=new["vpcEndpointType"],
            TagSpecifications=specification("vpc-endpoint", new["tagsAll"]),
            **given(
                RouteTableIds=new.get("routeTableIds"),
                SubnetIds=new.get("subnetIds"),
                SecurityGroupIds=new.get("securityGroupIds"),
                PrivateDnsEnabled=new.get("privateDnsEnabled"),
            ),
        )
        return str(made["VpcEndpoint"]["VpcEndpointId"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        answer = or_gone(lambda: aws.client("ec2").describe_vpc_endpoints(VpcEndpointIds=[resource_id]))
        found = first(answer, "VpcEndpoints")
        if found is None or str(found.get("State", "")).lower() in {"deleted", "deleting"}:
            return None
        groups = [group["GroupId"] if isinstance(group, dict) else group for group in found.get("Groups") or []]
        return {
            "arn": arn(aws, "vpc-endpoint", resource_id),
            "vpcId": found["VpcId"],
            "serviceName": found["ServiceName"],
            "vpcEndpointType": found["VpcEndpointType"],
            "routeTableIds": found.get("RouteTableIds") or [],
            "subnetIds": found.get("SubnetIds") or [],
            "securityGroupIds": groups or known.get("securityGroupIds") or [],
            "privateDnsEnabled": bool(found.get("PrivateDnsEnabled", known.get("privateDnsEnabled", False))),
            "state": found.get("State", "available"),
            "tagsAll": tag_map(found.get("Tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        changes: dict[str, Any] = {}
        for name, add, remove in (
            ("routeTableIds", "AddRouteTableIds", "RemoveRouteTableIds"),
            ("subnetIds", "AddSubnetIds", "RemoveSubnetIds"),
            ("securityGroupIds", "AddSecurityGroupIds", "RemoveSecurityGroupIds"),
        ):
            before, after = set(old.get(name) or []), set(new.get(name) or [])
            changes |= given(**{add: sorted(after - before) or None, remove: sorted(before - after) or None})
        if old.get("privateDnsEnabled") != new.get("privateDnsEnabled"):
            changes["PrivateDnsEnabled"] = bool(new.get("privateDnsEnabled"))
        if changes:
            aws.client("ec2").modify_vpc_endpoint(VpcEndpointId=resource_id, **changes)
        retag(aws, resource_id, old, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").delete_vpc_endpoints(VpcEndpointIds=[resource_id]))


class FlowLog(Ec2Kind):
    """aws.ec2.FlowLog of a VPC."""

    token = "aws:ec2/flowLog:FlowLog"
    inputs = frozenset({"vpcId", "trafficType", "logDestinationType", "logDestination", "iamRoleArn"})
    replaces = inputs
    defaults = {"logDestinationType": "cloud-watch-logs"}

    def create(self, aws: Aws, new: Props) -> str:
        # EC2 takes the group's name for this destination; the official plugin takes its ARN and sends the name.
        made = aws.client("ec2").create_flow_logs(
            ResourceIds=[new["vpcId"]],
            ResourceType="VPC",
            TrafficType=new["trafficType"],
            LogDestinationType=new["logDestinationType"],
            LogGroupName=new["logDestination"].split(":log-group:")[-1].removesuffix(":*"),
            DeliverLogsPermissionArn=new["iamRoleArn"],
            TagSpecifications=specification("vpc-flow-log", new["tagsAll"]),
        )
        if made.get("Unsuccessful"):
            raise PluginError(str(made["Unsuccessful"][0]["Error"]["Message"]))
        return str(made["FlowLogIds"][0])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        found = first(or_gone(lambda: aws.client("ec2").describe_flow_logs(FlowLogIds=[resource_id])), "FlowLogs")
        if found is None:
            return None
        return {
            **{key: known[key] for key in self.inputs if key in known},
            "trafficType": found["TrafficType"],
            "iamRoleArn": found.get("DeliverLogsPermissionArn", known.get("iamRoleArn")),
            "arn": arn(aws, "vpc-flow-log", resource_id),
            "tagsAll": tag_map(found.get("Tags")) or known.get("tagsAll", {}),
        }

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").delete_flow_logs(FlowLogIds=[resource_id]))
