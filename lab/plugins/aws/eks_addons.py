"""Add-ons."""

from lab.plugins.aws.eks import OfCluster, own, retag
from lab.plugins.aws.kind import (
    Aws,
    Props,
    given,
    or_gone,
    until_free,
)


class Addon(OfCluster):
    """aws.eks.Addon."""

    token = "aws:eks/addon:Addon"
    inputs = frozenset(
        {
            "clusterName",
            "addonName",
            "addonVersion",
            "configurationValues",
            "resolveConflictsOnCreate",
            "resolveConflictsOnUpdate",
            "serviceAccountRoleArn",
            "preserve",
        }
    )
    replaces = frozenset({"clusterName", "addonName"})
    documents = frozenset({"configurationValues"})

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("eks").create_addon(
            clusterName=new["clusterName"],
            addonName=new["addonName"],
            tags=new["tagsAll"],
            **given(
                addonVersion=new.get("addonVersion"),
                configurationValues=new.get("configurationValues"),
                resolveConflicts=new.get("resolveConflictsOnCreate"),
                serviceAccountRoleArn=new.get("serviceAccountRoleArn"),
            ),
        )
        return f"{new['clusterName']}:{new['addonName']}"

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        cluster, name = self.parts(resource_id)
        answer = or_gone(lambda: aws.client("eks").describe_addon(clusterName=cluster, addonName=name))
        if answer is None:
            return None
        found = answer["addon"]
        kept = ("resolveConflictsOnCreate", "resolveConflictsOnUpdate", "preserve")
        return {
            "arn": found["addonArn"],
            "clusterName": cluster,
            "addonName": name,
            "addonVersion": found.get("addonVersion"),
            "configurationValues": found.get("configurationValues"),
            "serviceAccountRoleArn": found.get("serviceAccountRoleArn"),
            **{key: known[key] for key in kept if key in known},
            "tagsAll": own(found.get("tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        cluster, name = self.parts(resource_id)
        aws.client("eks").update_addon(
            clusterName=cluster,
            addonName=name,
            **given(
                addonVersion=new.get("addonVersion"),
                configurationValues=new.get("configurationValues"),
                resolveConflicts=new.get("resolveConflictsOnUpdate"),
            ),
        )
        retag(aws, aws.client("eks").describe_addon(clusterName=cluster, addonName=name)["addon"]["addonArn"], old, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        cluster, name = self.parts(resource_id)
        keep = {"preserve": True} if known.get("preserve") else {}
        until_free(lambda: aws.client("eks").delete_addon(clusterName=cluster, addonName=name, **keep))
