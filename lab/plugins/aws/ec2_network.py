"""VPCs, subnets, and the ways out of them."""

from typing import Any

from lab.plugins.aws.ec2 import Ec2Kind, arn, first, retag, specification
from lab.plugins.aws.kind import (
    Aws,
    Props,
    given,
    or_gone,
    tag_map,
    until_free,
    wait_until,
)


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
