"""Who may use a cluster, and which pods get a role."""

from lab.plugins.aws.eks import OfCluster, own, retag
from lab.plugins.aws.kind import (
    Aws,
    Kind,
    Props,
    given,
    is_gone,
    or_gone,
    until_free,
)


class AccessEntry(OfCluster):
    """aws.eks.AccessEntry."""

    token = "aws:eks/accessEntry:AccessEntry"
    inputs = frozenset({"clusterName", "principalArn", "type", "kubernetesGroups", "userName"})
    replaces = frozenset({"clusterName", "principalArn", "type"})
    defaults = {"type": "STANDARD"}
    unordered = frozenset({"kubernetesGroups"})

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("eks").create_access_entry(
            clusterName=new["clusterName"],
            principalArn=new["principalArn"],
            type=new["type"],
            tags=new["tagsAll"],
            **given(kubernetesGroups=new.get("kubernetesGroups"), username=new.get("userName")),
        )
        return f"{new['clusterName']}:{new['principalArn']}"

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        cluster, principal = self.parts(resource_id)
        call = aws.client("eks").describe_access_entry
        answer = or_gone(lambda: call(clusterName=cluster, principalArn=principal))
        if answer is None:
            return None
        found = answer["accessEntry"]
        return {
            "accessEntryArn": found["accessEntryArn"],
            "clusterName": cluster,
            "principalArn": principal,
            "type": found["type"],
            # EKS gives entries of nodes a group and a user name by itself.
            "kubernetesGroups": found.get("kubernetesGroups") if known.get("kubernetesGroups") else None,
            "userName": found.get("username") if known.get("userName") else None,
            "tagsAll": own(found.get("tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        cluster, principal = self.parts(resource_id)
        eks = aws.client("eks")
        eks.update_access_entry(
            clusterName=cluster, principalArn=principal, **given(kubernetesGroups=new.get("kubernetesGroups"))
        )
        found = eks.describe_access_entry(clusterName=cluster, principalArn=principal)["accessEntry"]
        retag(aws, found["accessEntryArn"], old, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        cluster, principal = self.parts(resource_id)
        until_free(lambda: aws.client("eks").delete_access_entry(clusterName=cluster, principalArn=principal))


class AccessPolicyAssociation(Kind):
    """aws.eks.AccessPolicyAssociation."""

    token = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
    inputs = frozenset({"clusterName", "principalArn", "policyArn", "accessScope"})
    replaces = inputs

    def create(self, aws: Aws, new: Props) -> str:
        aws.client("eks").associate_access_policy(**{key: new[key] for key in self.inputs})
        return "#".join((new["clusterName"], new["principalArn"], new["policyArn"]))

    def imported(self, resource_id: str) -> tuple[str, Props]:
        return resource_id, dict(zip(("clusterName", "principalArn", "policyArn"), resource_id.split("#"), strict=True))

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        call = aws.client("eks").list_associated_access_policies
        entry = {"clusterName": known["clusterName"], "principalArn": known["principalArn"]}
        answer = or_gone(lambda: call(**entry))
        for found in (answer or {}).get("associatedAccessPolicies", []):
            if found["policyArn"] == known["policyArn"]:
                return {**entry, "policyArn": found["policyArn"], "accessScope": found["accessScope"]}
        return None

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        names = ("clusterName", "principalArn", "policyArn")
        until_free(lambda: aws.client("eks").disassociate_access_policy(**{key: known[key] for key in names}))


class PodIdentityAssociation(Kind):
    """aws.eks.PodIdentityAssociation."""

    token = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
    inputs = frozenset({"clusterName", "namespace", "serviceAccount", "roleArn"})
    replaces = frozenset({"clusterName", "namespace", "serviceAccount"})
    taggable = True

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("eks").create_pod_identity_association(
            **{key: new[key] for key in self.inputs}, tags=new["tagsAll"]
        )
        return str(made["association"]["associationId"])

    def imported(self, resource_id: str) -> tuple[str, Props]:
        cluster, association = resource_id.split(",", 1)
        return association, {"clusterName": cluster}

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        call = aws.client("eks").describe_pod_identity_association
        try:
            found = call(clusterName=known["clusterName"], associationId=resource_id)["association"]
        except Exception as error:
            if is_gone(error):
                return None
            raise
        return {
            **{key: found[key] for key in self.inputs},
            "associationArn": found["associationArn"],
            "associationId": resource_id,
            "tagsAll": own(found.get("tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        eks = aws.client("eks")
        where = {"clusterName": new["clusterName"], "associationId": resource_id}
        if old.get("roleArn") != new["roleArn"]:
            eks.update_pod_identity_association(**where, roleArn=new["roleArn"])
        retag(aws, eks.describe_pod_identity_association(**where)["association"]["associationArn"], old, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        call = aws.client("eks").delete_pod_identity_association
        until_free(lambda: call(clusterName=known["clusterName"], associationId=resource_id))
