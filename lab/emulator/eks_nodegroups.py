"""Managed node groups that really start and end EC2 instances."""

from __future__ import annotations

import base64
import json
import time
from typing import TYPE_CHECKING, Any

from ministack.core.responses import new_uuid
from ministack.services import iam

from lab.emulator import ec2_resources, eks_access, images, launch
from lab.emulator.eks_request import EksError, Request, answer, invalid, record_update

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.emulator.ec2 import Answer

_FLAVOURS = {
    "AL2023_x86_64_STANDARD": ("al2023", "x86_64", "standard"),
    "AL2023_ARM_64_STANDARD": ("al2023", "arm64", "standard"),
    "AL2023_x86_64_NVIDIA": ("al2023", "x86_64", "nvidia"),
    "AL2023_ARM_64_NVIDIA": ("al2023", "arm64", "nvidia"),
    "AL2023_x86_64_NEURON": ("al2023", "x86_64", "neuron"),
    "BOTTLEROCKET_x86_64": ("bottlerocket", "x86_64", "standard"),
    "BOTTLEROCKET_ARM_64": ("bottlerocket", "arm64", "standard"),
}
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_GROUP_TAG, _CLUSTER_TAG = "eks:nodegroup-name", "eks:cluster-name"

_profiles: dict[str, str] = {}
"""Node group ARN -> name of the instance profile that EKS made for it."""


def create(request: Request, cluster_name: str) -> Answer:
    """CreateNodegroup."""
    from ministack.services import eks  # noqa: PLC0415

    cluster, body = request.cluster(cluster_name), request.body
    role = str(body.get("nodeRole", ""))
    request.pass_role(role, "ec2.amazonaws.com")
    _check_scaling(body.get("scalingConfig") or {})
    if body.get("launchTemplate") and body.get("diskSize"):
        text = "Disk size must be specified within the launch template."
        raise invalid(text)
    ami_type = body.get("amiType") or "AL2023_x86_64_STANDARD"
    version = body.get("version") or cluster["version"]
    image = _image(request, ami_type, version, body.get("releaseVersion"))
    with request.lab.ec2_lock:
        template = _template(request, body)
        _check_subnets(request, body.get("subnets", []))
    status, headers, payload = request.plain()
    if status != 200:
        return status, headers, payload
    group: dict[str, Any] = eks._nodegroups[f"{cluster_name}/{body['nodegroupName']}"]  # noqa: SLF001
    group.update({"amiType": ami_type, "version": version, "releaseVersion": image.release_version})
    group["scalingConfig"] = {"minSize": 1, "maxSize": 2, "desiredSize": 2, **(body.get("scalingConfig") or {})}
    group["updateConfig"] = body.get("updateConfig") or {"maxUnavailable": 1}
    group["resources"].pop("remoteAccessSecurityGroup", None)
    if template:
        group["launchTemplate"] = template
        group.pop("diskSize", None)
    eks_access.ensure_node_entry(cluster_name, role)
    _make_profile(group)
    _settle(request, cluster, group)
    return answer({"nodegroup": {**group, "status": "CREATING"}})


def delete(request: Request, cluster_name: str, name: str) -> Answer:
    """DeleteNodegroup; its instances and instance profile go with it."""
    cluster, group = request.cluster(cluster_name), _group(cluster_name, name)
    _settle(request, cluster, {**group, "scalingConfig": {"desiredSize": 0}})
    iam._instance_profiles.pop(_profiles.pop(group["nodegroupArn"], ""), None)  # noqa: SLF001
    return request.plain()


def update_config(request: Request, cluster_name: str, name: str) -> Answer:
    """UpdateNodegroupConfig."""
    cluster, group, body = request.cluster(cluster_name), _group(cluster_name, name), request.body
    if body.get("scalingConfig"):
        scaling = {**group["scalingConfig"], **body["scalingConfig"]}
        _check_scaling(scaling)
        group["scalingConfig"] = scaling
    labels, taints = body.get("labels") or {}, body.get("taints") or {}
    kept = {k: v for k, v in group["labels"].items() if k not in labels.get("removeLabels", [])}
    group["labels"] = {**kept, **labels.get("addOrUpdateLabels", {})}
    changed = [*taints.get("removeTaints", []), *taints.get("addOrUpdateTaints", [])]
    gone = {(t["key"], t.get("effect")) for t in changed}
    group["taints"] = [t for t in group["taints"] if (t["key"], t.get("effect")) not in gone]
    group["taints"] += taints.get("addOrUpdateTaints", [])
    if body.get("updateConfig"):
        group["updateConfig"] = body["updateConfig"]
    group["modifiedAt"] = int(time.time())
    _settle(request, cluster, group)
    return record_update(cluster_name, "ConfigUpdate", body, name)


def update_version(request: Request, cluster_name: str, name: str) -> Answer:
    """UpdateNodegroupVersion: new instances first, then the old ones go."""
    cluster, group, body = request.cluster(cluster_name), _group(cluster_name, name), request.body
    version = body.get("version") or (group["version"] if body.get("releaseVersion") else cluster["version"])
    image = _image(request, group["amiType"], version, body.get("releaseVersion"))
    if body.get("launchTemplate"):
        with request.lab.ec2_lock:
            group["launchTemplate"] = _template(request, body)
    group.update({"version": version, "releaseVersion": image.release_version, "modifiedAt": int(time.time())})
    with request.lab.ec2_lock:
        old = [instance.id for instance in _instances(request, group)]
    _settle(request, cluster, group, replace=old)
    return record_update(cluster_name, "VersionUpdate", body, name)


def _group(cluster_name: str, name: str) -> dict[str, Any]:
    from ministack.services import eks  # noqa: PLC0415

    found: dict[str, Any] | None = eks._nodegroups.get(f"{cluster_name}/{name}")  # noqa: SLF001
    if found is None:
        raise EksError(404, "ResourceNotFoundException", f"No node group found for name: {name}.")
    return found


def _check_scaling(scaling: Mapping[str, Any]) -> None:
    least, wanted, most = (int(scaling.get(k, d)) for k, d in (("minSize", 0), ("desiredSize", 1), ("maxSize", 100)))
    if least > most:
        text = f"Minimum capacity {least} can't be greater than maximum size {most}"
        raise invalid(text)
    if not least <= wanted <= most:
        side = "less than minimum" if wanted < least else "greater than maximum"
        text = f"desired capacity {wanted} can't be {side} size {least if wanted < least else most}"
        raise invalid(text)


def _check_subnets(request: Request, subnet_ids: list[str]) -> None:
    for subnet_id in subnet_ids:
        if ec2_resources.find_subnet(request.ec2, subnet_id) is None:
            text = f"The subnet ID '{subnet_id}' does not exist"
            raise invalid(text)


def _image(request: Request, ami_type: str, version: str, release: str | None) -> images.Image:
    if ami_type not in _FLAVOURS:
        text = f"AMI type {ami_type} is not known to the lab; it knows {', '.join(_FLAVOURS)}"
        raise invalid(text)
    fitting = [
        image
        for image in images.images(request.lab.published)
        if (image.family, image.architecture, image.variant) == _FLAVOURS[ami_type] and image.kubernetes == version
    ]
    chosen = [image for image in fitting if not release or image.release_version == release]
    if not chosen:
        text = f"Requested release version {release} is not valid for kubernetes version {version}."
        raise invalid(text)
    return chosen[-1]


def _template(request: Request, body: Mapping[str, Any]) -> dict[str, Any] | None:
    asked = body.get("launchTemplate")
    if not asked:
        return None
    reference = {
        "LaunchTemplateId": asked.get("id"),
        "LaunchTemplateName": asked.get("name", ""),
        "Version": asked.get("version"),
    }
    template, version = ec2_resources.find_template(request.ec2, reference)
    if version.data.get("IamInstanceProfile"):
        text = "Instance profile must not be specified in the launch template"
        raise invalid(text)
    return {"id": template.id, "name": template.name, "version": str(version.number)}


def _make_profile(group: Mapping[str, Any]) -> None:
    name = f"eks-{new_uuid()}"
    iam._instance_profiles[name] = {  # noqa: SLF001
        "InstanceProfileName": name,
        "InstanceProfileId": iam._gen_id("AIPA"),  # noqa: SLF001
        "Arn": iam.instance_profile_arn(name),
        "Path": "/",
        "Roles": [group["nodeRole"].rpartition("/")[2]],
        "CreateDate": iam._now(),  # noqa: SLF001
        "Tags": [],
    }
    _profiles[group["nodegroupArn"]] = name


def _instances(request: Request, group: Mapping[str, Any]) -> list[Any]:
    return [
        instance
        for instance in request.ec2.all_instances()
        if instance.state in {"pending", "running"}
        and (tags := ec2_resources.tags_of(request.ec2, instance.id)).get(_GROUP_TAG) == group["nodegroupName"]
        and tags.get(_CLUSTER_TAG) == group["clusterName"]
    ]


def _settle(
    request: Request, cluster: Mapping[str, Any], group: Mapping[str, Any], replace: list[str] | None = None
) -> None:
    """Bring the number of instances to the wanted size."""
    wanted = int(group["scalingConfig"].get("desiredSize", 0))
    with request.lab.ec2_lock:
        running = [instance.id for instance in _instances(request, group)]
        kept = [instance_id for instance_id in running if instance_id not in (replace or [])]
        started = [_start(request, cluster, group, number) for number in range(len(kept), wanted)]
        ended = [*(replace or []), *kept[wanted:]]
        if ended:
            request.ec2.terminate_instances(ended)
    for instance_id in started:
        request.events.started(instance_id, request.region)
    for instance_id in ended:
        request.events.stopped(instance_id, request.region, "terminated")


def _start(request: Request, cluster: Mapping[str, Any], group: Mapping[str, Any], number: int) -> str:
    image = _image(request, group["amiType"], group["version"], group["releaseVersion"])
    tags = {
        _CLUSTER_TAG: group["clusterName"],
        _GROUP_TAG: group["nodegroupName"],
        f"kubernetes.io/cluster/{group['clusterName']}": "owned",
    }
    wanted: dict[str, Any] = {
        "ImageId": image.id,
        "SubnetId": group["subnets"][number % len(group["subnets"])],
        "IamInstanceProfile": {"Name": _profiles[group["nodegroupArn"]]},
        "UserData": _user_data(cluster, group, image.id),
        "TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": k, "Value": v} for k, v in tags.items()]}],
    }
    data: Mapping[str, Any] = {}
    if group.get("launchTemplate"):
        template = group["launchTemplate"]
        wanted["LaunchTemplate"] = {"LaunchTemplateId": template["id"], "Version": template["version"]}
        data = ec2_resources.find_template(request.ec2, wanted["LaunchTemplate"])[1].data
    if not data.get("InstanceType"):
        wanted["InstanceType"] = group["instanceTypes"][0]
    plan = launch.plan(request.ec2, wanted, spot=group["capacityType"] == "SPOT")
    if not plan.security_groups:
        wanted["SecurityGroupIds"] = [cluster["resourcesVpcConfig"]["clusterSecurityGroupId"]]
        plan = launch.plan(request.ec2, wanted, spot=plan.spot)
    return str(launch.launch(request.ec2, plan, 1)[0].id)


def _user_data(cluster: Mapping[str, Any], group: Mapping[str, Any], image_id: str) -> str:
    """The NodeConfig document that EKS gives its AL2023 nodes, in base64."""
    labels = {
        "eks.amazonaws.com/nodegroup": group["nodegroupName"],
        "eks.amazonaws.com/nodegroup-image": image_id,
        "eks.amazonaws.com/capacityType": group["capacityType"],
        **group["labels"],
    }
    taints = [f"{t['key']}={t.get('value', '')}:{_EFFECTS.get(t['effect'], t['effect'])}" for t in group["taints"]]
    flags = ["--node-labels=" + ",".join(f"{k}={v}" for k, v in labels.items())]
    if taints:
        flags.append("--register-with-taints=" + ",".join(taints))
    config = {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {
            "cluster": {
                "name": cluster["name"],
                "apiServerEndpoint": cluster["endpoint"],
                "certificateAuthority": cluster["certificateAuthority"]["data"],
                "cidr": cluster["kubernetesNetworkConfig"]["serviceIpv4Cidr"],
            },
            "kubelet": {"flags": flags},
        },
    }
    text = (
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n'
        f"--//\nContent-Type: application/node.eks.aws\n\n{json.dumps(config, indent=2)}\n--//--\n"
    )
    return base64.b64encode(text.encode()).decode("ascii")
