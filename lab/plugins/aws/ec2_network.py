"""VPCs and what lies in them."""

import hashlib
from typing import Any

from lab.plugins.aws.kind import (
    Aws,
    Kind,
    PluginError,
    Props,
    given,
    or_gone,
    tag_list,
    tag_map,
    until_free,
    wait_until,
)


def specification(kind: str, tags: dict[str, str]) -> list[dict[str, Any]]:
    """Tags of a new EC2 resource."""
    return [{"ResourceType": kind, "Tags": tag_list(tags)}] if tags else []


def first(answer: Any, key: str) -> Any:
    """The first object of a describe call's answer, or None."""
    return (answer or {}).get(key, [None])[0] if (answer or {}).get(key) else None


def retag(aws: Aws, resource_id: str, old: Props, new: Props) -> None:
    """Change the tags of an EC2 resource."""
    before, after = old.get("tagsAll", {}), new.get("tagsAll", {})
    if before == after:
        return
    gone = [{"Key": key} for key in before if key not in after]
    if gone:
        aws.client("ec2").delete_tags(Resources=[resource_id], Tags=gone)
    if after:
        aws.client("ec2").create_tags(Resources=[resource_id], Tags=tag_list(after))


class Ec2Kind(Kind):
    """A resource of EC2 with tags."""

    taggable = True

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        """Change tags."""
        retag(aws, resource_id, old, new)


def arn(aws: Aws, kind: str, resource_id: str) -> str:
    """ARN of an EC2 resource."""
    return f"arn:aws:ec2:{aws.region}:{aws.account_id}:{kind}/{resource_id}"


class Vpc(Ec2Kind):
    """aws.ec2.Vpc."""

    token = "aws:ec2/vpc:Vpc"
    inputs = frozenset({"cidrBlock", "enableDnsSupport", "enableDnsHostnames"})
    replaces = frozenset({"cidrBlock"})
    defaults = {"enableDnsSupport": True, "enableDnsHostnames": False}

    def create(self, aws: Aws, new: Props) -> str:
        ec2 = aws.client("ec2")
        made = ec2.create_vpc(CidrBlock=new["cidrBlock"], TagSpecifications=specification("vpc", new["tagsAll"]))
        vpc_id = str(made["Vpc"]["VpcId"])
        self._attributes(ec2, vpc_id, new)
        return vpc_id

    @staticmethod
    def _attributes(ec2: Any, vpc_id: str, new: Props) -> None:
        ec2.modify_vpc_attribute(VpcId=vpc_id, EnableDnsSupport={"Value": new["enableDnsSupport"]})
        ec2.modify_vpc_attribute(VpcId=vpc_id, EnableDnsHostnames={"Value": new["enableDnsHostnames"]})

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        ec2 = aws.client("ec2")
        vpc = first(or_gone(lambda: ec2.describe_vpcs(VpcIds=[resource_id])), "Vpcs")
        if vpc is None:
            return None
        of_vpc = [{"Name": "vpc-id", "Values": [resource_id]}]
        groups = ec2.describe_security_groups(Filters=[*of_vpc, {"Name": "group-name", "Values": ["default"]}])
        tables = ec2.describe_route_tables(Filters=[*of_vpc, {"Name": "association.main", "Values": ["true"]}])
        hostnames = ec2.describe_vpc_attribute(VpcId=resource_id, Attribute="enableDnsHostnames")
        support = ec2.describe_vpc_attribute(VpcId=resource_id, Attribute="enableDnsSupport")
        return {
            "arn": arn(aws, "vpc", resource_id),
            "cidrBlock": vpc["CidrBlock"],
            "enableDnsHostnames": hostnames["EnableDnsHostnames"]["Value"],
            "enableDnsSupport": support["EnableDnsSupport"]["Value"],
            "defaultSecurityGroupId": (first(groups, "SecurityGroups") or {}).get("GroupId", ""),
            "mainRouteTableId": (first(tables, "RouteTables") or {}).get("RouteTableId", ""),
            "ownerId": aws.account_id,
            "tagsAll": tag_map(vpc.get("Tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        self._attributes(aws.client("ec2"), resource_id, new)
        retag(aws, resource_id, old, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").delete_vpc(VpcId=resource_id))


class Subnet(Ec2Kind):
    """aws.ec2.Subnet."""

    token = "aws:ec2/subnet:Subnet"
    inputs = frozenset({"vpcId", "availabilityZone", "cidrBlock", "mapPublicIpOnLaunch"})
    replaces = frozenset({"vpcId", "availabilityZone", "cidrBlock"})
    defaults = {"mapPublicIpOnLaunch": False}

    def create(self, aws: Aws, new: Props) -> str:
        ec2 = aws.client("ec2")
        made = ec2.create_subnet(
            VpcId=new["vpcId"],
            CidrBlock=new["cidrBlock"],
            TagSpecifications=specification("subnet", new["tagsAll"]),
            **given(AvailabilityZone=new.get("availabilityZone")),
        )
        subnet_id = str(made["Subnet"]["SubnetId"])
        ec2.modify_subnet_attribute(SubnetId=subnet_id, MapPublicIpOnLaunch={"Value": new["mapPublicIpOnLaunch"]})
        return subnet_id

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        subnet = first(or_gone(lambda: aws.client("ec2").describe_subnets(SubnetIds=[resource_id])), "Subnets")
        if subnet is None:
            return None
        return {
            "arn": arn(aws, "subnet", resource_id),
            "vpcId": subnet["VpcId"],
            "availabilityZone": subnet["AvailabilityZone"],
            "availabilityZoneId": subnet.get("AvailabilityZoneId", ""),
            "cidrBlock": subnet["CidrBlock"],
            "mapPublicIpOnLaunch": subnet["MapPublicIpOnLaunch"],
            "ownerId": aws.account_id,
            "tagsAll": tag_map(subnet.get("Tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        aws.client("ec2").modify_subnet_attribute(
            SubnetId=resource_id, MapPublicIpOnLaunch={"Value": new["mapPublicIpOnLaunch"]}
        )
        retag(aws, resource_id, old, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").delete_subnet(SubnetId=resource_id))


class InternetGateway(Ec2Kind):
    """aws.ec2.InternetGateway."""

    token = "aws:ec2/internetGateway:InternetGateway"
    inputs = frozenset({"vpcId"})
    replaces = frozenset({"vpcId"})

    def create(self, aws: Aws, new: Props) -> str:
        ec2 = aws.client("ec2")
        made = ec2.create_internet_gateway(TagSpecifications=specification("internet-gateway", new["tagsAll"]))
        gateway_id = str(made["InternetGateway"]["InternetGatewayId"])
        ec2.attach_internet_gateway(InternetGatewayId=gateway_id, VpcId=new["vpcId"])
        return gateway_id

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        answer = or_gone(lambda: aws.client("ec2").describe_internet_gateways(InternetGatewayIds=[resource_id]))
        gateway = first(answer, "InternetGateways")
        if gateway is None:
            return None
        return {
            "arn": arn(aws, "internet-gateway", resource_id),
            "vpcId": (first(gateway, "Attachments") or {}).get("VpcId", ""),
            "ownerId": aws.account_id,
            "tagsAll": tag_map(gateway.get("Tags")),
        }

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        ec2 = aws.client("ec2")
        until_free(lambda: ec2.detach_internet_gateway(InternetGatewayId=resource_id, VpcId=known["vpcId"]))
        until_free(lambda: ec2.delete_internet_gateway(InternetGatewayId=resource_id))


class Eip(Ec2Kind):
    """aws.ec2.Eip."""

    token = "aws:ec2/eip:Eip"
    inputs = frozenset({"domain"})
    replaces = frozenset({"domain"})
    defaults = {"domain": "vpc"}

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("ec2").allocate_address(
            Domain=new["domain"], TagSpecifications=specification("elastic-ip", new["tagsAll"])
        )
        return str(made["AllocationId"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        answer = or_gone(lambda: aws.client("ec2").describe_addresses(AllocationIds=[resource_id]))
        address = first(answer, "Addresses")
        if address is None:
            return None
        return {
            "allocationId": resource_id,
            "domain": address.get("Domain", "vpc"),
            "publicIp": address.get("PublicIp", ""),
            "tagsAll": tag_map(address.get("Tags")),
        }

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").release_address(AllocationId=resource_id))


class NatGateway(Ec2Kind):
    """aws.ec2.NatGateway."""

    token = "aws:ec2/natGateway:NatGateway"
    inputs = frozenset({"allocationId", "subnetId", "connectivityType"})
    replaces = inputs
    defaults = {"connectivityType": "public"}

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("ec2").create_nat_gateway(
            SubnetId=new["subnetId"],
            ConnectivityType=new["connectivityType"],
            TagSpecifications=specification("natgateway", new["tagsAll"]),
            **given(AllocationId=new.get("allocationId")),
        )
        gateway_id = str(made["NatGateway"]["NatGatewayId"])
        wait_until(lambda: self._state(aws, gateway_id) == "available", f"NAT gateway {gateway_id}")
        return gateway_id

    @staticmethod
    def _found(aws: Aws, gateway_id: str) -> Any:
        answer = or_gone(lambda: aws.client("ec2").describe_nat_gateways(NatGatewayIds=[gateway_id]))
        return first(answer, "NatGateways")

    def _state(self, aws: Aws, gateway_id: str) -> str:
        return str((self._found(aws, gateway_id) or {}).get("State", "deleted"))

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        gateway = self._found(aws, resource_id)
        if gateway is None or gateway["State"] in {"deleted", "deleting"}:
            return None
        address = first(gateway, "NatGatewayAddresses") or {}
        return {
            "subnetId": gateway["SubnetId"],
            "connectivityType": gateway.get("ConnectivityType", "public"),
            "allocationId": address.get("AllocationId", known.get("allocationId")),
            "publicIp": address.get("PublicIp", ""),
            "privateIp": address.get("PrivateIp", ""),
            "tagsAll": tag_map(gateway.get("Tags")),
        }

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").delete_nat_gateway(NatGatewayId=resource_id))
        wait_until(lambda: self._state(aws, resource_id) == "deleted", f"the end of NAT gateway {resource_id}")


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
        digest = hashlib.sha256(new["destinationCidrBlock"].encode()).hexdigest()[:10]
        return f"r-{new['routeTableId']}{digest}"

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
