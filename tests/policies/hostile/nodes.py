"""Nodes that are easier to break into."""

from tests.policies import builders as b
from tests.policies.builders import ABSENT
from tests.policies.hostile.case import Case

HOPS = "must be at most 1; set it to 1, or name the exception under hopLimitOf2"
NODE_CASES = [
    Case(
        "node-hardening",
        "class-optional-tokens",
        b.CLASS_TYPE,
        b.node_class(**{"spec/metadataOptions/httpTokens": "optional"}),
        'spec.metadataOptions.httpTokens: found "optional"; must be required; '
        "set it, or leave it out: Karpenter requires tokens",
    ),
    Case(
        "node-hardening",
        "class-two-hops",
        b.CLASS_TYPE,
        b.node_class(**{"spec/metadataOptions/httpPutResponseHopLimit": 2}),
        f"spec.metadataOptions.httpPutResponseHopLimit: found 2; {HOPS}",
    ),
    Case(
        "node-hardening",
        "class-plain-volume",
        b.CLASS_TYPE,
        b.node_class(**{"spec/blockDeviceMappings/0/ebs/encrypted": ABSENT}),
        "spec.blockDeviceMappings[0].ebs.encrypted: found nothing; must be true; encrypt the volume",
    ),
    Case(
        "node-hardening",
        "class-root-not-mapped",
        b.CLASS_TYPE,
        b.node_class(**{"spec/blockDeviceMappings/0/deviceName": "/dev/xvdb"}),
        'spec.blockDeviceMappings: found [{"deviceName": "/dev/xvdb", "ebs": {"encrypted": true, "...; '
        "must map the root device; add /dev/xvda with encrypted: true",
    ),
    Case(
        "node-hardening",
        "class-data-volume-not-mapped",
        b.CLASS_TYPE,
        b.node_class(**{"spec/amiFamily": "Bottlerocket"}),
        'spec.blockDeviceMappings: found [{"deviceName": "/dev/xvda", "ebs": {"encrypted": true, "...; '
        "must map the volume of images and pods; add /dev/xvdb with encrypted: true",
    ),
    Case(
        "node-hardening",
        "class-root-of-another-family",
        b.CLASS_TYPE,
        b.node_class(**{"spec/blockDeviceMappings/0": {"deviceName": "/dev/sda1", "ebs": {"encrypted": True}}}),
        'spec.blockDeviceMappings: found [{"deviceName": "/dev/sda1", "ebs": {"encrypted": true}}]; '
        "must map the root device; add /dev/xvda with encrypted: true",
    ),
    Case(
        "node-hardening",
        "template-root-not-mapped",
        b.TEMPLATE_TYPE,
        b.launch_template(blockDeviceMappings=[{"deviceName": "/dev/xvdb", "ebs": {"encrypted": "true"}}]),
        'blockDeviceMappings: found [{"deviceName": "/dev/xvdb", "ebs": {"encrypted": "true"}}]; '
        "must map the root device; add /dev/xvda with encrypted: true",
    ),
    Case(
        "node-hardening",
        "template-volume-called-no-device",
        b.TEMPLATE_TYPE,
        b.launch_template(**{"blockDeviceMappings/0": {"deviceName": "/dev/xvda", "noDevice": "", "ebs": {}}}),
        "blockDeviceMappings[0].ebs.encrypted: found nothing; must be true; encrypt the volume",
    ),
    Case(
        "node-hardening",
        "public-subnet-for-nodes",
        "aws:ec2/subnet:Subnet",
        {"mapPublicIpOnLaunch": True, "tags": {"karpenter.sh/discovery": "lab"}},
        "mapPublicIpOnLaunch: found true; must not be true where a tag karpenter.sh/discovery brings nodes; "
        "tag private subnets only",
    ),
    Case(
        "node-hardening",
        "fleet-without-metadata",
        "aws:ec2/spotFleetRequest:SpotFleetRequest",
        {"launchSpecifications": [{"ami": b.AMI}]},
        f'launchSpecifications: found [{{"ami": "{b.AMI}"}}]; '
        "must be launchTemplateConfigs, since a launch specification cannot require IMDSv2; use a launch template",
    ),
    Case(
        "node-hardening",
        "class-public-address",
        b.CLASS_TYPE,
        b.node_class(**{"spec/associatePublicIPAddress": "True"}),
        'spec.associatePublicIPAddress: found "True"; must not be true; place nodes in private subnets',
    ),
    Case(
        "node-hardening",
        "template-without-metadata",
        b.TEMPLATE_TYPE,
        b.launch_template(metadataOptions=ABSENT),
        "metadataOptions.httpTokens: found nothing; must be required; set it",
    ),
    Case(
        "node-hardening",
        "template-public-address",
        b.TEMPLATE_TYPE,
        b.launch_template(networkInterfaces=[{"associatePublicIpAddress": "true"}]),
        'networkInterfaces[0].associatePublicIpAddress: found "true"; must not be true; place nodes in private subnets',
    ),
    Case(
        "node-hardening",
        "instance-plain-root",
        b.INSTANCE_TYPE,
        b.instance(rootBlockDevice=ABSENT),
        "rootBlockDevice.encrypted: found nothing; must be true; encrypt the volume",
    ),
    Case(
        "node-hardening",
        "group-without-template",
        b.GROUP_TYPE,
        b.node_group(launchTemplate=ABSENT),
        "launchTemplate: found nothing; must be a launch template, without which neither IMDSv2 nor encryption can be "
        "required; add one",
    ),
]
