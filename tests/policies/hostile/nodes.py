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
