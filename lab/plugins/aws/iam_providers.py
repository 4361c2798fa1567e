"""Identity providers, service-linked roles, and instance profiles."""

from lab.plugins.aws.iam import changed_tags
from lab.plugins.aws.kind import Aws, Kind, Props, given, or_gone, tag_list, tag_map, until_free


class OpenIdConnectProvider(Kind):
    """aws.iam.OpenIdConnectProvider."""

    token = "aws:iam/openIdConnectProvider:OpenIdConnectProvider"
    inputs = frozenset({"url", "clientIdLists", "thumbprintLists"})
    replaces = frozenset({"url"})
    unordered = frozenset({"clientIdLists", "thumbprintLists"})
    taggable = True

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("iam").create_open_id_connect_provider(
            Url=new["url"],
            ClientIDList=new["clientIdLists"],
            Tags=tag_list(new["tagsAll"]),
            **given(ThumbprintList=new.get("thumbprintLists")),
        )
        return str(made["OpenIDConnectProviderArn"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        call = aws.client("iam").get_open_id_connect_provider
        found = or_gone(lambda: call(OpenIDConnectProviderArn=resource_id))
        if found is None:
            return None
        return {
            "arn": resource_id,
            "url": known.get("url", found["Url"]),
            "clientIdLists": found.get("ClientIDList", []),
            "thumbprintLists": found.get("ThumbprintList", []),
            "tagsAll": tag_map(found.get("Tags")) or known.get("tagsAll", {}),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        iam = aws.client("iam")
        where = {"OpenIDConnectProviderArn": resource_id}
        if old.get("thumbprintLists") != new.get("thumbprintLists"):
            iam.update_open_id_connect_provider_thumbprint(**where, ThumbprintList=new.get("thumbprintLists") or [])
        before, after = set(old.get("clientIdLists") or []), set(new["clientIdLists"])
        for client in sorted(after - before):
            iam.add_client_id_to_open_id_connect_provider(**where, ClientID=client)
        for client in sorted(before - after):
            iam.remove_client_id_from_open_id_connect_provider(**where, ClientID=client)
        gone, set_ = changed_tags(old, new)
        if gone:
            iam.untag_open_id_connect_provider(**where, TagKeys=gone)
        if set_:
            iam.tag_open_id_connect_provider(**where, Tags=tag_list(set_))

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        call = aws.client("iam").delete_open_id_connect_provider
        until_free(lambda: call(OpenIDConnectProviderArn=resource_id))


class ServiceLinkedRole(Kind):
    """aws.iam.ServiceLinkedRole."""

    token = "aws:iam/serviceLinkedRole:ServiceLinkedRole"
    inputs = frozenset({"awsServiceName", "customSuffix", "description"})
    replaces = frozenset({"awsServiceName", "customSuffix"})
    taggable = True

    @staticmethod
    def _name(resource_id: str) -> str:
        return resource_id.rsplit("/", 1)[-1]

    def create(self, aws: Aws, new: Props) -> str:
        iam = aws.client("iam")
        made = iam.create_service_linked_role(
            AWSServiceName=new["awsServiceName"],
            **given(CustomSuffix=new.get("customSuffix"), Description=new.get("description")),
        )
        if new["tagsAll"]:
            iam.tag_role(RoleName=made["Role"]["RoleName"], Tags=tag_list(new["tagsAll"]))
        return str(made["Role"]["Arn"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        answer = or_gone(lambda: aws.client("iam").get_role(RoleName=self._name(resource_id)))
        if answer is None:
            return None
        role = answer["Role"]
        return {
            "arn": role["Arn"],
            "name": role["RoleName"],
            "path": role["Path"],
            "uniqueId": role["RoleId"],
            "createDate": str(role["CreateDate"]),
            "awsServiceName": role["Path"].strip("/").rsplit("/", 1)[-1],
            "customSuffix": known.get("customSuffix"),
            "description": role.get("Description") or None,
            "tagsAll": tag_map(role.get("Tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        iam, name = aws.client("iam"), self._name(resource_id)
        if old.get("description") != new.get("description"):
            iam.update_role(RoleName=name, Description=new.get("description") or "")
        gone, set_ = changed_tags(old, new)
        if gone:
            iam.untag_role(RoleName=name, TagKeys=gone)
        if set_:
            iam.tag_role(RoleName=name, Tags=tag_list(set_))

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("iam").delete_service_linked_role(RoleName=self._name(resource_id)))


class InstanceProfile(Kind):
    """aws.iam.InstanceProfile."""

    token = "aws:iam/instanceProfile:InstanceProfile"
    inputs = frozenset({"name", "path", "role"})
    replaces = frozenset({"name", "path"})
    defaults = {"path": "/"}
    autoname = "name"
    taggable = True

    def create(self, aws: Aws, new: Props) -> str:
        iam = aws.client("iam")
        iam.create_instance_profile(InstanceProfileName=new["name"], Path=new["path"], Tags=tag_list(new["tagsAll"]))
        if new.get("role"):
            iam.add_role_to_instance_profile(InstanceProfileName=new["name"], RoleName=new["role"])
        return str(new["name"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        answer = or_gone(lambda: aws.client("iam").get_instance_profile(InstanceProfileName=resource_id))
        if answer is None:
            return None
        found = answer["InstanceProfile"]
        return {
            "arn": found["Arn"],
            "name": found["InstanceProfileName"],
            "path": found["Path"],
            "role": next((role["RoleName"] for role in found.get("Roles") or []), None),
            "uniqueId": found["InstanceProfileId"],
            "createDate": str(found["CreateDate"]),
            "tagsAll": tag_map(found.get("Tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        iam = aws.client("iam")
        if old.get("role") != new.get("role"):
            if old.get("role"):
                iam.remove_role_from_instance_profile(InstanceProfileName=resource_id, RoleName=old["role"])
            if new.get("role"):
                iam.add_role_to_instance_profile(InstanceProfileName=resource_id, RoleName=new["role"])
        gone, set_ = changed_tags(old, new)
        if gone:
            iam.untag_instance_profile(InstanceProfileName=resource_id, TagKeys=gone)
        if set_:
            iam.tag_instance_profile(InstanceProfileName=resource_id, Tags=tag_list(set_))

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        iam = aws.client("iam")
        if known.get("role"):
            or_gone(
                lambda: iam.remove_role_from_instance_profile(InstanceProfileName=resource_id, RoleName=known["role"])
            )
        until_free(lambda: iam.delete_instance_profile(InstanceProfileName=resource_id))
