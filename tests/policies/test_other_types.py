"""The same harm by other types of resources: AWS Cloud Control's, patches, and parts of one policy in two resources."""

from typing import Any

import pytest
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from tests.policies import builders as b
from tests.policies.builders import ABSENT
from tests.policies.running import Outcome, on_any, on_stack

ANYTHING = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
DOCUMENT = {"Statement": [ANYTHING]}
BROAD = "arn:aws:iam::aws:policy/AdministratorAccess"
LATEST = {"launchTemplateId": "lt-1", "version": "$Latest"}
IN_GROUP = {"launchTemplateSpecification": LATEST}
NATIVE: list[tuple[str, str, dict[str, Any], str]] = [
    ("ami-pinned", "autoscaling:AutoScalingGroup", {"launchTemplate": LATEST}, "launchTemplate.version: "),
    (
        "ami-pinned",
        "autoscaling:AutoScalingGroup",
        {"mixedInstancesPolicy": {"launchTemplate": IN_GROUP}},
        "mixedInstancesPolicy.launchTemplate.launchTemplateSpecification.version: ",
    ),
    (
        "ami-pinned",
        "ec2:Ec2Fleet",
        {"launchTemplateConfigs": [IN_GROUP]},
        "launchTemplateConfigs[0].launchTemplateSpecification.version: ",
    ),
    (
        "ami-pinned",
        "ec2:SpotFleet",
        {"spotFleetRequestConfigData": {"launchSpecifications": [{"imageId": "resolve:ssm:/own/ami"}]}},
        "spotFleetRequestConfigData.launchSpecifications[0].imageId: ",
    ),
    ("ami-pinned", "eks:Cluster", {"computeConfig": {"enabled": "true"}}, "computeConfig.enabled: "),
    ("node-hardening", "ec2:Instance", {"imageId": b.AMI}, "metadataOptions.httpTokens: "),
    (
        "node-hardening",
        "ec2:Instance",
        {"networkInterfaces": [{"associatePublicIpAddress": True}]},
        "networkInterfaces[0].associatePublicIpAddress: ",
    ),
    ("node-hardening", "autoscaling:LaunchConfiguration", {"imageId": b.AMI}, "blockDeviceMappings: "),
    (
        "node-hardening",
        "autoscaling:LaunchConfiguration",
        {"associatePublicIpAddress": True},
        "associatePublicIpAddress: ",
    ),
    (
        "node-hardening",
        "ec2:Subnet",
        {"mapPublicIpOnLaunch": True, "tags": [{"key": "karpenter.sh/discovery", "value": "lab"}]},
        "mapPublicIpOnLaunch: ",
    ),
    ("queue-hardening", "sqs:Queue", {"sqsManagedSseEnabled": False}, "sqsManagedSseEnabled: "),
    ("queue-hardening", "sqs:QueuePolicy", {"queues": ["a"], "policyDocument": DOCUMENT}, "policyDocument: found no "),
    (
        "queue-hardening",
        "sqs:QueueInlinePolicy",
        {"queue": "a", "policyDocument": DOCUMENT},
        "policyDocument: found no ",
    ),
    ("queue-hardening-in-stack", "sqs:Queue", {"sqsManagedSseEnabled": True}, "policy: found nothing; "),
    (
        "iam-scope",
        "iam:Role",
        {"roleName": "Karpenter", "policies": [{"policyName": "a", "policyDocument": DOCUMENT}]},
        "policies[0].policyDocument.Statement[0]: found action s3:*; ",
    ),
    ("iam-scope", "iam:Role", {"roleName": "Karpenter", "managedPolicyArns": [BROAD]}, "managedPolicyArns[0]: "),
    (
        "iam-scope",
        "iam:RolePolicy",
        {"roleName": "Karpenter", "policyName": "a", "policyDocument": DOCUMENT},
        "policyDocument.Statement[0]: found action s3:*; ",
    ),
    (
        "iam-scope",
        "iam:UserPolicy",
        {"userName": "ci", "policyDocument": {"Statement": [{**ANYTHING, "Action": "ec2:RunInstances"}]}},
        "policyDocument.Statement[0]: found ec2:RunInstances on every resource; ",
    ),
    (
        "cluster-hardening",
        "eks:Cluster",
        {"resourcesVpcConfig": {"endpointPrivateAccess": False}},
        "resourcesVpcConfig.endpointPrivateAccess: ",
    ),
    (
        "cluster-hardening",
        "eks:Cluster",
        {"resourcesVpcConfig": {"endpointPublicAccess": True, "publicAccessCidrs": ["0.0.0.0/0"]}},
        "resourcesVpcConfig.publicAccessCidrs: ",
    ),
    (
        "cluster-hardening",
        "eks:Cluster",
        {"logging": {"clusterLogging": {"enabledTypes": [{"type": "api"}]}}},
        "logging.clusterLogging.enabledTypes: ",
    ),
]


@pytest.mark.parametrize(("rule", "type_", "props", "message"), NATIVE)
def test_types_of_cloud_control_are_judged_like_the_classic_ones(
    rule: str, type_: str, props: dict[str, Any], message: str
) -> None:
    found = on_any(rule, f"aws-native:{type_}", props).violations
    assert any(each.startswith(message) for each in found), f"another provider gets past {rule}: {found}"


@pytest.mark.parametrize(
    ("action", "holder", "resources"),
    [
        ("RolePolicyAttachment", "role", ["policyArn"]),
        ("PolicyAttachment", "roles", ["policyArn"]),
        ("RolePolicyAttachmentsExclusive", "roleName", ["policyArns"]),
    ],
)
def test_a_policy_by_a_neutral_name_on_karpenter_s_role_is_found(
    action: str, holder: str, resources: list[str]
) -> None:
    type_ = f"aws:iam/{action[0].lower()}{action[1:]}:{action}"
    unknown = {holder: UNKNOWN_STRING_VALUE, **dict.fromkeys(resources, UNKNOWN_STRING_VALUE)}
    for role, count in (("KarpenterController-lab", 1), ("reports", 0)):
        stack = [
            (b.ROLE_TYPE, "role", {"name": role}),
            (b.POLICY_TYPE, "policy", b.iam_policy(ANYTHING, name="reports")),
            (type_, "attachment", unknown),
        ]
        links = {("attachment", holder): "role", **{("attachment", each): "policy" for each in resources}}
        found = on_stack("iam-scope-in-stack", stack, links=links).violations
        assert len(found) == count, f"{role} may do what no name tells: {found}"


def test_a_policy_is_found_by_its_arn_too() -> None:
    stack = [
        (b.POLICY_TYPE, "policy", {"arn": "arn:aws:iam::1:policy/reports", **b.iam_policy(ANYTHING, name="reports")}),
        (
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            "attachment",
            {"role": "KarpenterController-lab", "policyArn": "arn:aws:iam::1:policy/reports"},
        ),
    ]
    found = on_stack("iam-scope-in-stack", stack).violations
    assert len(found) == 1, f"a recorded state hides what Karpenter's role may do: {found}"


def test_a_policy_belongs_to_the_queue_that_it_names_and_to_no_other() -> None:
    resources = [
        (b.QUEUE_TYPE, "one", b.queue()),
        (b.QUEUE_TYPE, "other", b.queue()),
        (b.QUEUE_POLICY_TYPE, "policy", b.queue_policy(queueUrl=UNKNOWN_STRING_VALUE)),
    ]
    links = {("policy", "queueUrl"): "one", ("policy", "policy"): "other"}
    found = on_stack("queue-hardening-in-stack", resources, links=links).violations
    assert len(found) == 1, f"a queue passes as protected, since another one's policy mentions it: {found}"


def _group(template: dict[str, Any], **changes: Any) -> Outcome:
    group = b.node_group(amiType=ABSENT, releaseVersion=ABSENT, **changes)
    resources = [(b.TEMPLATE_TYPE, "template", template), (b.GROUP_TYPE, "group", group)]
    return on_stack("ami-pinned-in-stack", resources, links={("group", "launchTemplate"): "template"})


def test_a_group_without_a_release_takes_the_ami_of_its_template() -> None:
    own = {"launchTemplate": {"id": UNKNOWN_STRING_VALUE, "version": UNKNOWN_STRING_VALUE}}
    right = _group(b.launch_template(), **own)
    assert (right.violations, right.advice) == ([], ""), (
        "the only form that EKS takes with an AMI of one's own is blocked"
    )
    wrong = _group(b.launch_template(imageId=ABSENT), **own).violations
    assert len(wrong) == 1, f"EKS takes the newest AMI, since neither group nor template names one: {wrong}"
