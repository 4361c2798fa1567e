"""Managed node groups."""

from typing import Any

from lab.plugins.aws.eks import OfCluster, own, retag
from lab.plugins.aws.kind import (
    Aws,
    Props,
    given,
    or_gone,
    until_free,
    wait_until,
)


class NodeGroup(OfCluster):
    """aws.eks.NodeGroup."""

    token = "aws:eks/nodeGroup:NodeGroup"
    inputs = frozenset(
        {
            "clusterName",
            "nodeGroupName",
            "nodeRoleArn",
            "subnetIds",
            "version",
            "releaseVersion",
            "amiType",
            "instanceTypes",
            "capacityType",
            "diskSize",
            "launchTemplate",
            "scalingConfig",
            "updateConfig",
            "labels",
            "taints",
        }
    )
    replaces = frozenset(
        {
            "clusterName",
            "nodeGroupName",
            "nodeRoleArn",
            "subnetIds",
            "amiType",
            "instanceTypes",
            "capacityType",
            "diskSize",
        }
    )
    autoname = "nodeGroupName"
    unordered = frozenset({"subnetIds", "taints"})

    def create(self, aws: Aws, new: Props) -> str:
        cluster, name = new["clusterName"], new["nodeGroupName"]
        aws.client("eks").create_nodegroup(
            clusterName=cluster,
            nodegroupName=name,
            nodeRole=new["nodeRoleArn"],
            subnets=new["subnetIds"],
            scalingConfig=_whole(new["scalingConfig"]),
            tags=new["tagsAll"],
            **given(
                version=new.get("version"),
                releaseVersion=new.get("releaseVersion"),
                amiType=new.get("amiType"),
                instanceTypes=new.get("instanceTypes"),
                capacityType=new.get("capacityType"),
                launchTemplate=new.get("launchTemplate"),
                updateConfig=_whole(new["updateConfig"]) if new.get("updateConfig") else None,
                labels=new.get("labels"),
                taints=new.get("taints"),
            ),
        )
        wait_until(lambda: self._status(aws, cluster, name) == "ACTIVE", f"node group {name}")
        return f"{cluster}:{name}"

    @staticmethod
    def _found(aws: Aws, cluster: str, name: str) -> Any:
        answer = or_gone(lambda: aws.client("eks").describe_nodegroup(clusterName=cluster, nodegroupName=name))
        return answer["nodegroup"] if answer else None

    def _status(self, aws: Aws, cluster: str, name: str) -> str:
        return str((self._found(aws, cluster, name) or {}).get("status", "GONE"))

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        cluster, name = self.parts(resource_id)
        found = self._found(aws, cluster, name)
        if found is None:
            return None
        template = found.get("launchTemplate")
        return {
            "arn": found["nodegroupArn"],
            "clusterName": cluster,
            "nodeGroupName": name,
            "nodeRoleArn": found["nodeRole"],
            "subnetIds": found["subnets"],
            "version": found.get("version"),
            "releaseVersion": found.get("releaseVersion"),
            "amiType": found.get("amiType"),
            "instanceTypes": found.get("instanceTypes"),
            "capacityType": found.get("capacityType"),
            "launchTemplate": {"id": template.get("id"), "version": str(template.get("version"))} if template else None,
            "scalingConfig": found["scalingConfig"],
            "updateConfig": found.get("updateConfig") or known.get("updateConfig"),
            "labels": found.get("labels") or {},
            "taints": found.get("taints") or [],
            "status": found["status"],
            "tagsAll": own(found.get("tags")),
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        eks = aws.client("eks")
        cluster, name = self.parts(resource_id)
        group = {"clusterName": cluster, "nodegroupName": name}
        version = given(
            version=new.get("version") if old.get("version") != new.get("version") else None,
            releaseVersion=new.get("releaseVersion")
            if old.get("releaseVersion") != new.get("releaseVersion")
            else None,
            launchTemplate=new.get("launchTemplate")
            if old.get("launchTemplate") != new.get("launchTemplate")
            else None,
        )
        if version:
            eks.update_nodegroup_version(**group, **version)
            wait_until(lambda: self._status(aws, cluster, name) == "ACTIVE", f"node group {name}")
        eks.update_nodegroup_config(
            **group,
            scalingConfig=_whole(new["scalingConfig"]),
            labels=_label_changes(old, new),
            taints=_taint_changes(old, new),
        )
        wait_until(lambda: self._status(aws, cluster, name) == "ACTIVE", f"node group {name}")
        retag(aws, self._found(aws, cluster, name)["nodegroupArn"], old, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        cluster, name = self.parts(resource_id)
        until_free(lambda: aws.client("eks").delete_nodegroup(clusterName=cluster, nodegroupName=name))
        wait_until(lambda: self._status(aws, cluster, name) == "GONE", f"the end of node group {name}")


def _whole(config: Props) -> Props:
    return {key: int(value) for key, value in config.items()}


def _label_changes(old: Props, new: Props) -> Props:
    before, after = old.get("labels") or {}, new.get("labels") or {}
    return {"addOrUpdateLabels": after, "removeLabels": [key for key in before if key not in after]}


def _taint_changes(old: Props, new: Props) -> Props:
    before, after = old.get("taints") or [], new.get("taints") or []
    return {"addOrUpdateTaints": after, "removeTaints": [taint for taint in before if taint not in after]}
