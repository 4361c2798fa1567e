"""Launch templates."""

from typing import Any

from lab.plugins.aws.ec2 import Ec2Kind, arn, first, retag, specification
from lab.plugins.aws.kind import Aws, Props, given, or_gone, tag_list, tag_map, until_free

METADATA = {
    "httpEndpoint": "HttpEndpoint",
    "httpTokens": "HttpTokens",
    "httpPutResponseHopLimit": "HttpPutResponseHopLimit",
    "instanceMetadataTags": "InstanceMetadataTags",
    "httpProtocolIpv6": "HttpProtocolIpv6",
}
VOLUME = {
    "volumeSize": "VolumeSize",
    "volumeType": "VolumeType",
    "iops": "Iops",
    "throughput": "Throughput",
    "kmsKeyId": "KmsKeyId",
    "snapshotId": "SnapshotId",
}
VOLUME_FLAGS = {"encrypted": "Encrypted", "deleteOnTermination": "DeleteOnTermination"}
NUMBERS = frozenset({"httpPutResponseHopLimit", "volumeSize", "iops", "throughput"})


def _to_aws(names: dict[str, str], values: Props) -> Props:
    return {
        theirs: int(values[ours]) if ours in NUMBERS else values[ours]
        for ours, theirs in names.items()
        if values.get(ours) is not None
    }


def _from_aws(names: dict[str, str], values: Props) -> Props:
    return {ours: values[theirs] for ours, theirs in names.items() if values.get(theirs) not in (None, "")}


class LaunchTemplate(Ec2Kind):
    """aws.ec2.LaunchTemplate; a change is a new version."""

    token = "aws:ec2/launchTemplate:LaunchTemplate"
    inputs = frozenset(
        {
            "name",
            "imageId",
            "instanceType",
            "userData",
            "metadataOptions",
            "blockDeviceMappings",
            "tagSpecifications",
            "updateDefaultVersion",
        }
    )
    replaces = frozenset({"name"})
    autoname = "name"
    changing = frozenset({"latestVersion", "defaultVersion"})

    @staticmethod
    def _data(new: Props) -> Props:
        mappings = [
            {"DeviceName": mapping["deviceName"], "Ebs": LaunchTemplate._volume(mapping.get("ebs") or {})}
            for mapping in new.get("blockDeviceMappings") or []
        ]
        tags = [
            {"ResourceType": entry["resourceType"], "Tags": tag_list(entry.get("tags") or {})}
            for entry in new.get("tagSpecifications") or []
        ]
        return given(
            ImageId=new.get("imageId"),
            InstanceType=new.get("instanceType"),
            UserData=new.get("userData"),
            MetadataOptions=_to_aws(METADATA, new.get("metadataOptions") or {}) or None,
            BlockDeviceMappings=mappings or None,
            TagSpecifications=tags or None,
        )

    @staticmethod
    def _volume(ebs: Props) -> Props:
        flags = {VOLUME_FLAGS[name]: ebs[name] in ("true", True) for name in VOLUME_FLAGS if ebs.get(name) is not None}
        return {**_to_aws(VOLUME, ebs), **flags}

    def create(self, aws: Aws, new: Props) -> str:
        made = aws.client("ec2").create_launch_template(
            LaunchTemplateName=new["name"],
            LaunchTemplateData=self._data(new),
            TagSpecifications=specification("launch-template", new["tagsAll"]),
        )
        return str(made["LaunchTemplate"]["LaunchTemplateId"])

    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        ec2 = aws.client("ec2")
        answer = or_gone(lambda: ec2.describe_launch_templates(LaunchTemplateIds=[resource_id]))
        template = first(answer, "LaunchTemplates")
        if template is None:
            return None
        versions = ec2.describe_launch_template_versions(LaunchTemplateId=resource_id, Versions=["$Latest"])
        data = versions["LaunchTemplateVersions"][0]["LaunchTemplateData"]
        return {
            "arn": arn(aws, "launch-template", resource_id),
            "name": template["LaunchTemplateName"],
            "latestVersion": template["LatestVersionNumber"],
            "defaultVersion": template["DefaultVersionNumber"],
            "updateDefaultVersion": known.get("updateDefaultVersion"),
            "tagsAll": tag_map(template.get("Tags")),
            **self._read_data(data),
        }

    @staticmethod
    def _read_data(data: Any) -> Props:
        mappings = [
            {
                "deviceName": mapping["DeviceName"],
                "ebs": {
                    **_from_aws(VOLUME, mapping.get("Ebs", {})),
                    **{
                        ours: "true" if mapping["Ebs"][theirs] in (True, "true") else "false"
                        for ours, theirs in VOLUME_FLAGS.items()
                        if mapping.get("Ebs", {}).get(theirs) is not None
                    },
                },
            }
            for mapping in data.get("BlockDeviceMappings", [])
        ]
        tags = [
            {"resourceType": entry["ResourceType"], "tags": tag_map(entry.get("Tags"))}
            for entry in data.get("TagSpecifications", [])
            # The emulator adds the template's own tags to what it launches; EC2 does not.
            if entry["ResourceType"] != "launch-template"
        ]
        return {
            "imageId": data.get("ImageId"),
            "instanceType": data.get("InstanceType"),
            "userData": data.get("UserData"),
            "metadataOptions": _from_aws(METADATA, data.get("MetadataOptions", {})),
            "blockDeviceMappings": mappings,
            "tagSpecifications": tags,
        }

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        ec2 = aws.client("ec2")
        if self._data(old) != self._data(new):
            made = ec2.create_launch_template_version(LaunchTemplateId=resource_id, LaunchTemplateData=self._data(new))
            if new.get("updateDefaultVersion"):
                version = str(made["LaunchTemplateVersion"]["VersionNumber"])
                ec2.modify_launch_template(LaunchTemplateId=resource_id, DefaultVersion=version)
        retag(aws, resource_id, old, new)

    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        until_free(lambda: aws.client("ec2").delete_launch_template(LaunchTemplateId=resource_id))
