"""AMIs that nobody pinned or approved."""

from typing import Any

from pulumi_policy.proxy import UNKNOWN_ARRAY_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE

from tests.policies import builders as b
from tests.policies.builders import ABSENT
from tests.policies.hostile.case import Case, secret

NAMED = "name the id of an approved AMI, such as ami-0123456789abcdef0"


def _terms(terms: Any) -> dict[str, Any]:
    return b.node_class(**{"spec/amiSelectorTerms": terms})


def _ami(label: str, terms: Any, message: str) -> Case:
    return Case("ami-pinned", label, b.CLASS_TYPE, _terms(terms), message)


ALIAS_RULE = f"must name one full version; {NAMED}; @latest and short versions move by themselves"
VERSION = "must be the number of one version; write it instead of $Latest and $Default"
TERM = "spec.amiSelectorTerms[0]"
AMI_CASES = [
    _ami("alias-latest", [{"alias": "al2023@latest"}], f'{TERM}.alias: found "al2023@latest"; {ALIAS_RULE}'),
    _ami("alias-v", [{"alias": "al2023@v"}], f'{TERM}.alias: found "al2023@v"; {ALIAS_RULE}'),
    _ami("alias-year", [{"alias": "al2023@v2026"}], f'{TERM}.alias: found "al2023@v2026"; {ALIAS_RULE}'),
    _ami(
        "alias-short-bottlerocket",
        [{"alias": "bottlerocket@v1.50"}],
        f'{TERM}.alias: found "bottlerocket@v1.50"; {ALIAS_RULE}',
    ),
    _ami(
        "alias-line-break",
        [{"alias": "al2023@v20261101\n"}],
        f'{TERM}.alias: found "al2023@v20261101\\n"; {ALIAS_RULE}',
    ),
    _ami(
        "alias-full",
        [{"alias": "al2023@v20261101"}],
        f'{TERM}.alias: found "al2023@v20261101"; must be an exact AMI id; {NAMED}, or allow aliases of one version',
    ),
    _ami(
        "name-wildcard",
        [{"name": "amazon-eks-node-*"}],
        f'{TERM}.name: found "amazon-eks-node-*"; must be an exact AMI id; {NAMED}, or allow exact dated names',
    ),
    _ami(
        "tags-star",
        [{"tags": {"Name": "*"}}],
        f'{TERM}.tags: found {{"Name": "*"}}; must be an exact AMI id; {NAMED}; '
        "whoever tags an image chooses what runs",
    ),
    _ami(
        "ssm-recommended",
        [{"ssmParameter": "/aws/service/eks/recommended/image_id"}],
        f'{TERM}.ssmParameter: found "/aws/service/eks/recommended/image_id"; must be an exact AMI id; {NAMED}; '
        "what a parameter says can change",
    ),
    _ami(
        "one-loose-of-two",
        [{"id": b.AMI}, {"id": "ami-*"}],
        f'spec.amiSelectorTerms[1].id: found "ami-*"; must be an exact AMI id; {NAMED}',
    ),
    _ami(
        "id-with-parameter",
        [{"id": b.AMI, "ssmParameter": "/own/ami"}],
        f'{TERM}.ssmParameter: found "/own/ami"; must be an exact AMI id; {NAMED}; what a parameter says can change',
    ),
    _ami("no-terms", [], f"spec.amiSelectorTerms: found []; must select at least one AMI; {NAMED}"),
    _ami("empty-term", [{}], f"{TERM}: found {{}}; selects by nothing; {NAMED}"),
    _ami("owner-only", [{"owner": "self"}], f'{TERM}: found {{"owner": "self"}}; selects by nothing; {NAMED}'),
    _ami("number-as-id", [{"id": 7}], f"{TERM}.id: found 7; must be text; a value of another type cannot be judged"),
    _ami(
        "list-as-id",
        [{"id": [b.AMI]}],
        f'{TERM}.id: found ["{b.AMI}"]; must be text; a value of another type cannot be judged',
    ),
    _ami(
        "text-as-terms",
        b.AMI,
        f'spec.amiSelectorTerms: found "{b.AMI}"; must be a list; a value of another type cannot be judged',
    ),
    _ami(
        "unformatted-output",
        [{"id": "Calling __str__ on an Output[T]"}],
        f'{TERM}.id: found "Calling __str__ on an Output[T]"; must be an exact AMI id; {NAMED}',
    ),
    _ami("unknown-id", [{"id": UNKNOWN_STRING_VALUE}], f"not checked yet: {TERM}.id is unknown until update"),
    _ami("unknown-terms", UNKNOWN_ARRAY_VALUE, "not checked yet: spec.amiSelectorTerms is unknown until update"),
    _ami("secret-latest", [{"alias": secret("al2023@latest")}], f'{TERM}.alias: found "al2023@latest"; {ALIAS_RULE}'),
    Case(
        "ami-pinned",
        "class-of-an-older-version",
        "kubernetes:karpenter.k8s.aws/v1beta1:EC2NodeClass",
        b.node_class(**{"spec/amiSelectorTerms": ABSENT}),
        f"spec.amiSelectorTerms: found nothing; must select at least one AMI; {NAMED}",
    ),
    Case(
        "ami-pinned",
        "patch-to-latest",
        f"{b.CLASS_TYPE}Patch",
        _terms([{"alias": "al2023@latest"}]),
        f'{TERM}.alias: found "al2023@latest"; {ALIAS_RULE}',
    ),
    Case(
        "ami-pinned",
        "no-spec",
        b.CLASS_TYPE,
        {"metadata": {"name": "default"}},
        f"spec.amiSelectorTerms: found nothing; must select at least one AMI; {NAMED}",
    ),
    Case(
        "ami-pinned",
        "unknown-spec",
        b.CLASS_TYPE,
        {"metadata": {"name": "default"}, "spec": UNKNOWN_OBJECT_VALUE},
        "not checked yet: spec is unknown until update",
    ),
    Case(
        "ami-pinned",
        "template-resolves-ssm",
        b.TEMPLATE_TYPE,
        b.launch_template(imageId="resolve:ssm:/own/ami"),
        f'imageId: found "resolve:ssm:/own/ami"; must be an exact AMI id; {NAMED}',
    ),
    Case(
        "ami-pinned",
        "group-without-release",
        b.GROUP_TYPE,
        b.node_group(releaseVersion=ABSENT),
        "releaseVersion: found nothing; must be one release of the EKS-optimized AMI; "
        "name it in full, such as 1.36.0-20261101",
    ),
    Case(
        "ami-pinned",
        "group-half-a-release",
        b.GROUP_TYPE,
        b.node_group(releaseVersion="1.36"),
        'releaseVersion: found "1.36"; must be one release of the EKS-optimized AMI; '
        "name it in full, such as 1.36.0-20261101",
    ),
    Case(
        "ami-pinned",
        "group-custom-latest-template",
        b.GROUP_TYPE,
        b.node_group(amiType="CUSTOM", launchTemplate={"id": "lt-1", "version": "$Latest"}),
        'launchTemplate.version: found "$Latest"; must be the number of one version; '
        "write it instead of $Latest and $Default",
    ),
    Case(
        "ami-pinned",
        "instance-without-image",
        b.INSTANCE_TYPE,
        b.instance(ami=ABSENT),
        f"ami: found nothing; must be an exact AMI id, here or in a launch template; {NAMED}",
    ),
    Case(
        "ami-pinned",
        "group-by-the-default-template",
        b.GROUP_TYPE,
        b.node_group(amiType=ABSENT, releaseVersion=ABSENT, launchTemplate={"id": "lt-1"}),
        f"launchTemplate.version: found nothing; {VERSION}",
    ),
    Case(
        "ami-pinned",
        "instances-of-the-latest-template",
        b.GROUP_OF_INSTANCES_TYPE,
        {"launchTemplate": {"id": "lt-1", "version": "$Latest"}},
        f'launchTemplate.version: found "$Latest"; {VERSION}',
    ),
    Case(
        "ami-pinned",
        "mixed-instances-of-the-default-template",
        b.GROUP_OF_INSTANCES_TYPE,
        {
            "mixedInstancesPolicy": {
                "launchTemplate": {
                    "launchTemplateSpecification": {"launchTemplateId": "lt-1", "version": "3"},
                    "overrides": [{"launchTemplateSpecification": {"launchTemplateId": "lt-2"}}],
                }
            }
        },
        "mixedInstancesPolicy.launchTemplate.overrides[0].launchTemplateSpecification.version: found nothing; "
        f"{VERSION}",
    ),
    Case(
        "ami-pinned",
        "fleet-of-the-latest-template",
        "aws:ec2/fleet:Fleet",
        {"launchTemplateConfigs": [{"launchTemplateSpecification": {"launchTemplateId": "a", "version": "$Latest"}}]},
        f'launchTemplateConfigs[0].launchTemplateSpecification.version: found "$Latest"; {VERSION}',
    ),
    Case(
        "ami-pinned",
        "nodes-of-auto-mode",
        b.CLUSTER_TYPE,
        b.cluster(computeConfig={"enabled": True, "nodePools": ["general-purpose"]}),
        "computeConfig.enabled: found true; must not be true, since EKS Auto Mode chooses the AMIs of its nodes; "
        "use NodePools",
    ),
    Case(
        "ami-pinned-in-stack",
        "group-of-a-template-from-elsewhere",
        b.GROUP_TYPE,
        b.node_group(amiType=ABSENT, releaseVersion=ABSENT, launchTemplate={"id": "lt-elsewhere", "version": "3"}),
        'launchTemplate: found {"id": "lt-elsewhere", "version": "3"}; '
        "must be a launch template of this stack, since the group names no release; state its releaseVersion",
    ),
    Case(
        "ami-approved",
        "group-of-another-variant",
        b.GROUP_TYPE,
        b.node_group(amiType="AL2023_x86_64_NVIDIA"),
        'releaseVersion: found "1.36.0-20261101"; must be the release of an amd64 AMI approved for lab, '
        "of AL2023, nvidia; run `python -m ops ami status`, then approve or promote it",
    ),
    Case(
        "ami-approved",
        "not-in-the-ledger",
        b.CLASS_TYPE,
        _terms([{"id": "ami-0ffffffffffffffff"}]),
        f'{TERM}.id: found "ami-0ffffffffffffffff"; must stand in the ledger; '
        "run `python -m ops ami resolve`, review it and approve it",
    ),
    Case(
        "ami-approved",
        "alias-that-nobody-approved",
        b.CLASS_TYPE,
        _terms([{"alias": "al2023@v20200101"}]),
        f'{TERM}: found {{"alias": "al2023@v20200101"}}; must be an AMI that the ledger approves for lab; '
        "run `python -m ops ami status`, then approve or promote it",
    ),
    Case(
        "ami-approved",
        "unknown-id-to-approve",
        b.CLASS_TYPE,
        _terms([{"id": b.AMI}, {"id": UNKNOWN_STRING_VALUE}]),
        "not checked yet: spec.amiSelectorTerms[1].id is unknown until update",
    ),
    Case(
        "ami-approved",
        "group-of-a-release-that-nobody-approved",
        b.GROUP_TYPE,
        b.node_group(releaseVersion="1.36.0-20200101"),
        'releaseVersion: found "1.36.0-20200101"; must be the release of an amd64 AMI approved for lab; '
        "run `python -m ops ami status`, then approve or promote it",
    ),
    Case(
        "ami-approved-in-stack",
        "unknown-cluster-version",
        b.CLUSTER_TYPE,
        b.cluster(version=UNKNOWN_STRING_VALUE),
        "not checked yet: version is unknown until update",
    ),
]
