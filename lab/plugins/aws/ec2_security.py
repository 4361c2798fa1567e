"""Security groups, their rules, and single tags."""

from typing import Any

from lab.plugins.aws.ec2 import Ec2Kind, arn, first, retag, specification
from lab.plugins.aws.kind import Aws, Kind, PluginError, Props, given, or_gone, tag_list, tag_map, until_free

PEERS = {
    "cidrIpv4": ("IpRanges", "CidrIp"),
    "cidrIpv6": ("Ipv6Ranges", "CidrIpv6"),
    "prefixListId": ("PrefixListIds", "PrefixListId"),
    "referencedSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
}
"""What a rule can name as its other side -> the list and the member that EC2 takes it in."""


def group_of(aws: Aws, group_id: str) -> Any:
    """A security group, or None."""
    return first(or_gone(lambda: aws.client("ec2").describe_security_groups(GroupIds=[group_id])), "SecurityGroups")


class SecurityGroup(Ec2Kind):
    """aws.ec2.SecurityGroup, without inline rules."""

    token = "aws:ec2/securityGroup:SecurityGroup"
    inputs = frozenset({"vpcId", "name", "description"})
    replaces = inputs
    defaults = {"description": "Managed by Pulumi"}
    autoname = "name"

    def create(self, aws: Aws, new: Props) -> str:
        ec2 = aws.client("ec2")
        made = ec2.create_security_group(
            VpcId=new["vpcId"],
            GroupName=new["name"],
            Description=new["description"],
            TagSpecifications=specification("security-group", new["tagsAll"]),
        )
        group_id = str(made["GroupId"])
        # The official plugin takes away the rule that lets everything out, too.
        rules = (group_of(aws, group_id) or {}).get("IpPermissionsEgress")
        if rules:
            ec2.revoke_security_group_egress(GroupId=group_id, IpPermissions=rules)
        return group_id

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        group = group_of(aws, resource_id)
        if group is None:
            return None
        return {
            "arn": arn(aws, "security-group", resource_id),
            "vpcId": group.get("VpcId"),
            "name": group["GroupName"],
            "description": group["Description"],
            "ownerId": aws.account_id,
            "tagsAll": tag_map(group.get("Tags")),
        }

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").delete_security_group(GroupId=resource_id))


class DefaultSecurityGroup(Ec2Kind):
    """aws.ec2.DefaultSecurityGroup without any rule: adopted and emptied, and left there in the end."""

    token = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
    inputs = frozenset({"vpcId", "ingress", "egress"})
    replaces = frozenset({"vpcId"})

    def create(self, aws: Aws, new: Props) -> str:
        if new.get("ingress") or new.get("egress"):
            message = f"the lab's stand-in for the aws plugin knows {self.token} only without rules"
            raise PluginError(message)
        ec2 = aws.client("ec2")
        filters = [{"Name": "vpc-id", "Values": [new["vpcId"]]}, {"Name": "group-name", "Values": ["default"]}]
        group = ec2.describe_security_groups(Filters=filters)["SecurityGroups"][0]
        if group.get("IpPermissions"):
            ec2.revoke_security_group_ingress(GroupId=group["GroupId"], IpPermissions=group["IpPermissions"])
        if group.get("IpPermissionsEgress"):
            ec2.revoke_security_group_egress(GroupId=group["GroupId"], IpPermissions=group["IpPermissionsEgress"])
        if new["tagsAll"]:
            ec2.create_tags(Resources=[group["GroupId"]], Tags=tag_list(new["tagsAll"]))
        return str(group["GroupId"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        group = group_of(aws, resource_id)
        if group is None:
            return None
        return {
            "arn": arn(aws, "security-group", resource_id),
            "vpcId": group.get("VpcId"),
            "name": group["GroupName"],
            "ingress": [{"found": str(rule)} for rule in group.get("IpPermissions", [])],
            "egress": [{"found": str(rule)} for rule in group.get("IpPermissionsEgress", [])],
            "ownerId": aws.account_id,
            "tagsAll": tag_map(group.get("Tags")),
        }

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        """Leave it: a default group goes with its VPC."""


class SecurityGroupRule(Ec2Kind):
    """What ingress and egress rules share."""

    inputs = frozenset({"securityGroupId", "ipProtocol", "fromPort", "toPort", "description", *PEERS})
    replaces = frozenset({"securityGroupId"})
    is_egress = False

    def create(self, aws: Aws, new: Props) -> str:
        ec2 = aws.client("ec2")
        call = ec2.authorize_security_group_egress if self.is_egress else ec2.authorize_security_group_ingress
        made = call(
            GroupId=new["securityGroupId"],
            IpPermissions=[self._permission(new)],
            TagSpecifications=specification("security-group-rule", new["tagsAll"]),
        )
        return str(made["SecurityGroupRules"][0]["SecurityGroupRuleId"])

    @staticmethod
    def _permission(new: Props) -> Props:
        """The rule as EC2 takes it: beside protocol and ports one list with one peer."""
        found = given(
            IpProtocol=str(new["ipProtocol"]),
            FromPort=None if new.get("fromPort") is None else int(new["fromPort"]),
            ToPort=None if new.get("toPort") is None else int(new["toPort"]),
        )
        for ours, (ranges, theirs) in PEERS.items():
            if new.get(ours):
                found[ranges] = [given(**{theirs: new[ours]}, Description=new.get("description"))]
        return found

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        answer = or_gone(lambda: aws.client("ec2").describe_security_group_rules(SecurityGroupRuleIds=[resource_id]))
        rule = first(answer, "SecurityGroupRules")
        if rule is None:
            return None
        return {
            "securityGroupRuleId": resource_id,
            "arn": arn(aws, "security-group-rule", resource_id),
            "securityGroupId": rule["GroupId"],
            "cidrIpv4": rule.get("CidrIpv4"),
            "cidrIpv6": rule.get("CidrIpv6"),
            "prefixListId": rule.get("PrefixListId"),
            "referencedSecurityGroupId": (rule.get("ReferencedGroupInfo") or {}).get("GroupId"),
            "ipProtocol": rule["IpProtocol"],
            "fromPort": rule.get("FromPort"),
            "toPort": rule.get("ToPort"),
            "description": rule.get("Description"),
            "tagsAll": tag_map(rule.get("Tags")) or known.get("tagsAll", {}),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        if any(old.get(name) != new.get(name) for name in self.inputs):
            rule = {name[:1].upper() + name[1:]: new[name] for name in self.inputs - self.replaces if name in new}
            rule["ReferencedGroupId"] = rule.pop("ReferencedSecurityGroupId", None)
            change = {"SecurityGroupRuleId": resource_id, "SecurityGroupRule": given(**rule)}
            aws.client("ec2").modify_security_group_rules(GroupId=new["securityGroupId"], SecurityGroupRules=[change])
        retag(aws, resource_id, old, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        ec2 = aws.client("ec2")
        call = ec2.revoke_security_group_egress if self.is_egress else ec2.revoke_security_group_ingress
        until_free(lambda: call(GroupId=known["securityGroupId"], SecurityGroupRuleIds=[resource_id]))


class IngressRule(SecurityGroupRule):
    """aws.vpc.SecurityGroupIngressRule."""

    token = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"


class EgressRule(SecurityGroupRule):
    """aws.vpc.SecurityGroupEgressRule."""

    token = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
    is_egress = True


class Tag(Kind):
    """aws.ec2.Tag: one tag of a resource that somebody else made."""

    token = "aws:ec2/tag:Tag"
    inputs = frozenset({"resourceId", "key", "value"})
    replaces = frozenset({"resourceId", "key"})

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("ec2").create_tags(Resources=[new["resourceId"]], Tags=[{"Key": new["key"], "Value": new["value"]}])
        return f"{new['resourceId']},{new['key']}"

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        resource, key = resource_id.split(",", 1)
        filters = [{"Name": "resource-id", "Values": [resource]}, {"Name": "key", "Values": [key]}]
        found = first(aws.client("ec2").describe_tags(Filters=filters), "Tags")
        return None if found is None else {"resourceId": resource, "key": key, "value": found["Value"]}

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        self.create(aws, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        tag = {"Key": known["key"], "Value": known["value"]}
        or_gone(lambda: aws.client("ec2").delete_tags(Resources=[known["resourceId"]], Tags=[tag]))
