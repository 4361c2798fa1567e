"""Ways to talk around each rule, and the exact message that answers each; unit tests and the real engine share them."""

from dataclasses import dataclass
from typing import Any

from pulumi_policy.proxy import UNKNOWN_ARRAY_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE

from tests.policies import builders as b
from tests.policies.builders import ABSENT

SECRET = "1b47061264138c4ac30d75fd1eb44270"
SIGNATURE = "4dabf18193072939515e22adb298388d"
NAMED = "name the id of an approved AMI, such as ami-0123456789abcdef0"


@dataclass(frozen=True)
class Case:
    """A resource that one rule answers.

    Attributes:
        rule: Name of the policy.
        label: What is tried, in kebab-case; the resource's name.
        type: Type of the resource.
        props: Its properties.
        message: What the rule says; it starts with `not checked yet` where the rule waits for the update.
    """

    rule: str
    label: str
    type: str
    props: dict[str, Any]
    message: str


def secret(value: Any) -> dict[str, Any]:
    """A value as the engine hands a secret on."""
    return {SIGNATURE: SECRET, "value": value}


def _terms(terms: Any) -> dict[str, Any]:
    return b.node_class(**{"spec/amiSelectorTerms": terms})


def _ami(label: str, terms: Any, message: str) -> Case:
    return Case("ami-pinned", label, b.CLASS_TYPE, _terms(terms), message)


ALIAS_RULE = f"must name one full version; {NAMED}; @latest and short versions move by themselves"
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
BUDGETS = "spec.disruption.budgets"
TRY = "try it in a lower environment first, then name it under provenInLowerEnvironment"

QUICK = f"must not be under 5m where nodes in use are consolidated; {TRY}"


def _pool(rule: str, label: str, message: str, **changes: Any) -> Case:
    return Case(rule, label, b.POOL_TYPE, b.node_pool(**changes), message)


REQUIREMENTS = b.node_pool()["spec"]["template"]["spec"]["requirements"]
SPOT = [REQUIREMENTS[0], {**REQUIREMENTS[1], "values": ["spot"]}, REQUIREMENTS[2]]
GPU = [*REQUIREMENTS[:2], {**REQUIREMENTS[2], "values": ["m", "g"]}]
POOL_CASES = [
    _pool(
        "disruption-controls",
        "no-budgets",
        f'{BUDGETS}: found nothing; must have at least one budget; state one, such as nodes: "10%"',
        **{"spec/disruption/budgets": ABSENT},
    ),
    _pool(
        "disruption-controls",
        "empty-budgets",
        f'{BUDGETS}: found []; must have at least one budget; state one, such as nodes: "10%"',
        **{"spec/disruption/budgets": []},
    ),
    Case(
        "disruption-controls",
        "patch-that-empties-budgets",
        f"{b.POOL_TYPE}Patch",
        {"metadata": {"name": "default"}, "spec": {"disruption": {"budgets": []}}},
        f'{BUDGETS}: found []; must have at least one budget; state one, such as nodes: "10%"',
    ),
    _pool(
        "disruption-controls",
        "budget-of-all",
        f'{BUDGETS}: found [{{"nodes": "100%"}}]; must have a budget under 100% that is always on; '
        'add one without a schedule, such as nodes: "10%"',
        **{"spec/disruption/budgets": [{"nodes": "100%"}]},
    ),
    _pool(
        "disruption-controls",
        "quick-consolidation",
        f'spec.disruption.consolidateAfter: found "1m"; {QUICK}',
        **{"spec/disruption/consolidateAfter": "1m"},
    ),
    _pool(
        "disruption-controls",
        "quick-without-a-policy",
        f'spec.disruption.consolidateAfter: found "299s"; {QUICK}',
        **{"spec/disruption/consolidateAfter": "299s", "spec/disruption/consolidationPolicy": ABSENT},
    ),
    _pool(
        "disruption-controls",
        "no-consolidate-after",
        "spec.disruption.consolidateAfter: found nothing; must be stated, since Karpenter's default is 0s; "
        "state it, such as 15m",
        **{"spec/disruption/consolidateAfter": ABSENT},
    ),
    _pool(
        "disruption-controls",
        "quick-expiry",
        'spec.template.spec.expireAfter: found "23h59m"; must not be under 24h, since budgets do not hold expiry back; '
        f"{TRY}",
        **{"spec/template/spec/expireAfter": "23h59m"},
    ),
    _pool(
        "disruption-controls",
        "unknown-expiry",
        "not checked yet: spec.template.spec.expireAfter is unknown until update",
        **{"spec/template/spec/expireAfter": UNKNOWN_STRING_VALUE},
    ),
    _pool(
        "nodepool-limits",
        "no-limits",
        'spec.limits: found nothing; must limit cpu or memory; state one, such as cpu: "1000"',
        **{"spec/limits": ABSENT},
    ),
    _pool(
        "nodepool-limits",
        "nodes-only",
        'spec.limits: found {"nodes": "5"}; must limit cpu or memory; state one, such as cpu: "1000"',
        **{"spec/limits": {"nodes": "5"}},
    ),
    _pool(
        "nodepool-limits",
        "zero-limit",
        'spec.limits.cpu: found "0"; must be more than 0; state the most that this pool may launch',
        **{"spec/limits": {"cpu": "0"}},
    ),
    _pool(
        "nodepool-limits",
        "gpu-without-limit",
        'spec.limits: found {"cpu": "1000"}; must limit GPUs, since the pool may launch instances with them; '
        'state nvidia.com/gpu: "4" for example, or exclude them by instance-category In [c, m, r]',
        **{"spec/template/spec/requirements": GPU},
    ),
    _pool(
        "capacity-separation",
        "untainted-spot",
        "spec.template.spec.taints: found []; a pool that may launch Spot must be tainted; "
        "add a taint with effect NoSchedule under spec.template.spec.taints, "
        "or require karpenter.sh/capacity-type In [on-demand]",
        **{"spec/template/spec/requirements": SPOT},
    ),
    _pool(
        "capacity-separation",
        "any-capacity",
        "spec.template.spec.taints: found []; a pool that may launch Spot must be tainted; "
        "add a taint with effect NoSchedule under spec.template.spec.taints, "
        "or require karpenter.sh/capacity-type In [on-demand]",
        **{"spec/template/spec/requirements": [REQUIREMENTS[0], REQUIREMENTS[2]]},
    ),
    _pool(
        "capacity-separation",
        "soft-taint",
        'spec.template.spec.taints: found [{"effect": "PreferNoSchedule", "key": "a"}]; '
        "a pool that may launch Spot must be tainted; "
        "add a taint with effect NoSchedule under spec.template.spec.taints, "
        "or require karpenter.sh/capacity-type In [on-demand]",
        **{
            "spec/template/spec/requirements": SPOT,
            "spec/template/spec/taints": [{"key": "a", "effect": "PreferNoSchedule"}],
        },
    ),
    _pool(
        "disruption-controls-in-stack",
        "spot-without-sibling",
        "spec.template.spec.requirements: found "
        '[{"key": "kubernetes.io/arch", "operator": "In", "values"...; '
        "a pool of Spot only must have an on-demand sibling that takes the same pods; "
        f"add one, or {TRY}",
        **{
            "metadata/name": "lonely",
            "spec/template/spec/requirements": [
                {**REQUIREMENTS[0], "values": ["s390x"]},
                {**REQUIREMENTS[1], "values": ["spot"]},
                REQUIREMENTS[2],
            ],
            "spec/template/spec/taints": [{"key": "a", "effect": "NoSchedule"}],
        },
    ),
]
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
DENIAL = 'deny sqs:* to principal "*" where aws:SecureTransport is false'
NO_DENIAL = f"policy: found no denial of plain HTTP; must {DENIAL}; add the statement"
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
STATED = "must be stated; state what the container needs, such as cpu 100m or memory 128Mi"
CONTAINER = "spec.template.spec.containers[0].resources"
WORKLOAD_CASES = [
    Case(
        "workload-requests",
        "no-cpu-request",
        b.DEPLOYMENT_TYPE,
        b.deployment(**{"spec/template/spec/containers/0/resources/requests/cpu": ABSENT, "spec/replicas": 1}),
        f"{CONTAINER}.requests.cpu: found nothing; {STATED}",
    ),
    Case(
        "workload-requests",
        "old-api-version",
        "kubernetes:extensions/v1beta1:Deployment",
        b.deployment(**{"spec/template/spec/containers/0/resources/limits/memory": ABSENT, "spec/replicas": 1}),
        f"{CONTAINER}.limits.memory: found nothing; {STATED}",
    ),
    Case(
        "workload-requests",
        "cron-job-zero",
        b.CRON_JOB_TYPE,
        b.cron_job(**{"spec/jobTemplate/spec/template/spec/containers/0/resources/requests/cpu": 0}),
        "spec.jobTemplate.spec.template.spec.containers[0].resources.requests.cpu: found 0; must be more than 0; "
        "state what the container needs",
    ),
    Case(
        "workload-requests",
        "init-container",
        b.POD_TYPE,
        b.pod(**{"spec/initContainers": [{**b.CONTAINER, "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]}),
        f"spec.initContainers[0].resources.limits.memory: found nothing; {STATED}",
    ),
    Case(
        "workload-availability",
        "replicas-without-budget",
        b.DEPLOYMENT_TYPE,
        b.deployment(**{"spec/template/metadata/labels/app": "other"}),
        "spec.replicas: found 2; more than one replica must have a PodDisruptionBudget; add one with maxUnavailable 1",
    ),
    Case(
        "workload-availability",
        "budget-of-nothing",
        b.BUDGET_TYPE,
        b.disruption_budget(**{"spec/maxUnavailable": "0%"}),
        'spec.maxUnavailable: found "0%"; allows no disruption, so that no node with its pods ever goes; set it to 1',
    ),
]
CASES = [
    *AMI_CASES,
    *POOL_CASES,
    *NODE_CASES,
    *QUEUE_CASES,
    *IAM_CASES,
    *CLUSTER_CASES,
    *WORKLOAD_CASES,
]
