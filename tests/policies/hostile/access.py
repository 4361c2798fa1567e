"""Queues, policies and clusters that let in more than they should."""

from typing import Any

from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from tests.policies import builders as b
from tests.policies.builders import ABSENT
from tests.policies.hostile.case import Case

DENIAL = 'deny sqs:* to principal "*" where aws:SecureTransport is false'
NO_DENIAL = f"policy: found no denial of plain HTTP; must {DENIAL}; add the statement"


def _queue(label: str, condition: Any) -> Case:
    statement = {"Effect": "Allow", "Principal": "*", "Action": "sqs:*", "Resource": "*", "Condition": condition}
    return Case(
        "queue-hardening",
        label,
        b.QUEUE_POLICY_TYPE,
        b.queue_policy(policy=b.document(b.DENY_HTTP, statement)),
        "policy: found an Allow for everybody whose condition names nobody; must name who may; "
        "name the service, or tie aws:SourceArn or aws:PrincipalOrgID",
    )


QUEUE_CASES = [
    Case(
        "queue-hardening",
        "plain-queue",
        b.QUEUE_TYPE,
        b.queue(sqsManagedSseEnabled=ABSENT, policy=b.document(b.DENY_HTTP)),
        "sqsManagedSseEnabled: found nothing; must be true where there is no key; set it",
    ),
    Case(
        "queue-hardening",
        "aws-managed-key",
        b.QUEUE_TYPE,
        b.queue(kmsMasterKeyId="alias/aws/sqs", policy=b.document(b.DENY_HTTP)),
        'kmsMasterKeyId: found "alias/aws/sqs"; must not be the AWS managed key, which EventBridge may not use; '
        "set sqsManagedSseEnabled",
    ),
    Case(
        "queue-hardening",
        "denial-with-an-escape",
        b.QUEUE_POLICY_TYPE,
        b.queue_policy(
            policy=b.document(
                {
                    **b.DENY_HTTP,
                    "Condition": {
                        **b.DENY_HTTP["Condition"],  # type: ignore[dict-item]
                        "StringEquals": {"aws:PrincipalAccount": "1"},
                    },
                }
            )
        ),
        NO_DENIAL,
    ),
    Case(
        "queue-hardening",
        "denial-of-one-action",
        b.QUEUE_POLICY_TYPE,
        b.queue_policy(policy=b.document({**b.DENY_HTTP, "Action": "sqs:SendMessage"})),
        NO_DENIAL,
    ),
    Case(
        "queue-hardening",
        "denial-of-another-queue",
        b.QUEUE_POLICY_TYPE,
        b.queue_policy(policy=b.document({**b.DENY_HTTP, "Resource": "arn:aws:sqs:us-west-2:123456789012:other"})),
        NO_DENIAL,
    ),
    _queue("open-over-https", {"Bool": {"aws:SecureTransport": "true"}}),
    _queue("open-to-any-account", {"StringLike": {"aws:PrincipalAccount": "*"}}),
    _queue("open-to-who-says-nothing", {"StringEqualsIfExists": {"aws:SourceAccount": "1"}}),
    Case(
        "queue-hardening",
        "open-to-all-but-one",
        b.QUEUE_POLICY_TYPE,
        b.queue_policy(
            policy=b.document(
                b.DENY_HTTP,
                {
                    "Effect": "Allow",
                    "NotPrincipal": {"AWS": "arn:aws:iam::1:root"},
                    "Action": "sqs:*",
                    "Resource": "*",
                },
            )
        ),
        "policy: found an Allow for everybody without a condition; must name who may; name the service",
    ),
    Case(
        "queue-hardening",
        "effect-twice",
        b.QUEUE_POLICY_TYPE,
        b.queue_policy(
            policy=b.document(b.DENY_HTTP).replace('"Effect": "Deny"', '"Effect": "Allow", "Effect": "Deny"')
        ),
        "policy: found effect twice in one object; must stand once; it cannot be judged",
    ),
    Case(
        "queue-hardening",
        "no-json",
        b.QUEUE_POLICY_TYPE,
        b.queue_policy(policy="deny http"),
        "policy: found text that is no JSON; must be a policy document; it cannot be judged",
    ),
    Case(
        "queue-hardening",
        "unknown-policy",
        b.QUEUE_POLICY_TYPE,
        b.queue_policy(policy=UNKNOWN_STRING_VALUE),
        "not checked yet: policy is unknown until update",
    ),
    Case(
        "queue-hardening-in-stack",
        "queue-without-policy",
        b.QUEUE_TYPE,
        b.queue(),
        f"policy: found nothing; every queue must have a policy; {DENIAL}",
    ),
]
SCOPE = "take the statement of Karpenter's template"
FIRST = "policy.Statement[0]"


def _iam(label: str, statement: Any, message: str) -> Case:
    return Case("iam-scope", label, b.POLICY_TYPE, b.iam_policy(statement), message)


def _unscoped(label: str, condition: Any) -> Case:
    return _iam(
        label,
        {
            "Effect": "Allow",
            "Action": "ec2:TerminateInstances",
            "Resource": "arn:aws:ec2:us-west-2:*:instance/*",
            "Condition": condition,
        },
        f"{FIRST}: found ec2:TerminateInstances under a condition that does not scope it; must be by a tag; {SCOPE}",
    )


IAM_CASES = [
    _iam(
        "pass-any-role",
        {**b.PASS_ROLE, "Resource": "arn:aws:iam::123456789012:role/*"},
        f"{FIRST}: found iam:PassRole on arn:aws:iam::123456789012:role/*; must name each role in full; {SCOPE}",
    ),
    _iam(
        "pass-role-in-other-case",
        {**b.PASS_ROLE, "Action": ["IAM:passrole"], "Resource": ["arn:aws:iam::123456789012:role/Karpenter?"]},
        f"{FIRST}: found iam:PassRole on arn:aws:iam::123456789012:role/Karpenter?; "
        f"must name each role in full; {SCOPE}",
    ),
    _iam(
        "not-resource",
        {
            **{key: value for key, value in b.PASS_ROLE.items() if key != "Resource"},
            "NotResource": "arn:aws:iam::1:role/a",
        },
        f"{FIRST}: found NotResource; must list what it allows; {SCOPE}",
    ),
    _iam(
        "action-wildcard",
        {"Effect": "Allow", "Action": "ec2:Describe*", "Resource": "*"},
        f"{FIRST}: found action ec2:Describe*; must name each action in full; {SCOPE}",
    ),
    _iam(
        "action-on-everything",
        {"Effect": "Allow", "Action": "ec2:RunInstances", "Resource": "*"},
        f"{FIRST}: found ec2:RunInstances on every resource; must name its resources; {SCOPE}",
    ),
    _iam(
        "terminate-without-condition",
        {"Effect": "Allow", "Action": "ec2:TerminateInstances", "Resource": "arn:aws:ec2:us-west-2:*:instance/*"},
        f"{FIRST}: found ec2:TerminateInstances without a condition; must be scoped by one; {SCOPE}",
    ),
    _unscoped("condition-on-transport", {"Bool": {"aws:SecureTransport": "true"}}),
    _unscoped("condition-on-any-tag", {"StringLike": {"aws:ResourceTag/a": "*"}}),
    _unscoped("condition-if-tagged", {"StringEqualsIfExists": {"aws:ResourceTag/a": "b"}}),
    _iam(
        "pass-role-to-any-service",
        {**b.PASS_ROLE, "Condition": {"StringLike": {"iam:PassedToService": "*"}}},
        f"{FIRST}: found iam:PassRole under a condition that does not scope it; must be by iam:PassedToService; "
        f"{SCOPE}",
    ),
    _iam(
        "pass-role-by-a-variable",
        {**b.PASS_ROLE, "Resource": "arn:aws:iam::123456789012:role/${aws:PrincipalTag/role}"},
        f"{FIRST}: found iam:PassRole on arn:aws:iam::123456789012:role/${{aws:PrincipalTag/role}}; "
        f"must name each role in full; {SCOPE}",
    ),
    _iam(
        "run-untagged-instances",
        {"Effect": "Allow", "Action": "ec2:RunInstances", "Resource": "arn:aws:ec2:us-west-2:*:instance/*"},
        f"{FIRST}: found ec2:RunInstances without a condition; must be scoped by one; {SCOPE}",
    ),
    _iam(
        "attach-more-policies",
        {"Effect": "Allow", "Action": "iam:AttachRolePolicy", "Resource": "arn:aws:iam::1:role/KarpenterNodeRole-lab"},
        f"{FIRST}: found iam:AttachRolePolicy, by which its holder can get more; must not be allowed; {SCOPE}",
    ),
    Case(
        "iam-scope",
        "elements-in-lower-case",
        b.POLICY_TYPE,
        {
            "name": "KarpenterController",
            "policy": '{"statement": {"effect": "Allow", "action": "s3:*", "resource": "*"}}',
        },
        f"policy.Statement: found action s3:*; must name each action in full; {SCOPE}",
    ),
    Case(
        "iam-scope",
        "policy-of-a-role-by-another-name",
        "aws:iam/rolePolicy:RolePolicy",
        {
            "role": "KarpenterController-lab",
            "policy": b.document({"Effect": "Allow", "Action": "s3:*", "Resource": "*"}),
        },
        f"{FIRST}: found action s3:*; must name each action in full; {SCOPE}",
    ),
    Case(
        "iam-scope",
        "attachments-as-a-list",
        "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive",
        {"roleName": "lab-karpenter", "policyArns": ["arn:aws:iam::aws:policy/AmazonS3FullAccess"]},
        'policyArns[0]: found "arn:aws:iam::aws:policy/AmazonS3FullAccess"; is broader than all that Karpenter needs; '
        f"{SCOPE}",
    ),
    Case(
        "iam-scope",
        "role-of-unknown-name",
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        {"role": UNKNOWN_STRING_VALUE, "policyArn": "arn:aws:iam::aws:policy/AdministratorAccess"},
        "not checked yet: role is unknown until update",
    ),
    Case(
        "iam-scope",
        "hidden-in-a-role",
        b.ROLE_TYPE,
        {
            "name": "controller",
            "inlinePolicies": [
                {"policy": b.document({"Effect": "Allow", "Action": "ec2:CreateFleet", "Resource": ["arn:aws:ec2:*"]})}
            ],
        },
        "inlinePolicies[0].policy.Statement[0]: found ec2:CreateFleet on every resource; must name its resources; "
        f"{SCOPE}",
    ),
    Case(
        "iam-scope",
        "administrator-attached",
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        {"role": "lab-karpenter", "policyArn": "arn:aws:iam::aws:policy/AdministratorAccess"},
        'policyArn: found "arn:aws:iam::aws:policy/AdministratorAccess"; is broader than all that Karpenter needs; '
        f"{SCOPE}",
    ),
]
OPEN = (
    "a public endpoint must name who reaches it, since it is open to the world otherwise; "
    "name your ranges, or set endpointPublicAccess to false"
)


def _cluster(label: str, message: str, **changes: Any) -> Case:
    return Case("cluster-hardening", label, b.CLUSTER_TYPE, b.cluster(**changes), message)


CLUSTER_CASES = [
    _cluster(
        "not-private",
        "vpcConfig.endpointPrivateAccess: found nothing; must be true; turn the private endpoint on",
        **{"vpcConfig/endpointPrivateAccess": ABSENT},
    ),
    _cluster(
        "public-by-default",
        f"vpcConfig.publicAccessCidrs: found nothing; {OPEN}",
        **{"vpcConfig/endpointPublicAccess": ABSENT},
    ),
    _cluster(
        "world-in-two-halves",
        'vpcConfig.publicAccessCidrs: found ["0.0.0.0/1", "128.0.0.0/1"]; opens 0.0.0.0/0 to the world; '
        "name ranges of at least /8",
        **{"vpcConfig/endpointPublicAccess": True, "vpcConfig/publicAccessCidrs": ["0.0.0.0/1", "128.0.0.0/1"]},
    ),
    _cluster(
        "no-audit-log",
        'enabledClusterLogTypes: found ["api"]; must hold audit, authenticator; turn those logs on',
        enabledClusterLogTypes=["api"],
    ),
    _cluster(
        "config-map",
        'accessConfig.authenticationMode: found "CONFIG_MAP"; must be API; let people and nodes in by access entries',
        **{"accessConfig/authenticationMode": "CONFIG_MAP"},
    ),
]
