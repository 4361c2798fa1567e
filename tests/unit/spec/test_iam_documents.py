"""The controller's policies: the template's, statement by statement, and never longer than IAM allows."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from components.spec import events, iam_documents
from components.spec.iam_documents import ATTACHMENT_LIMIT, CONTROLLER_POLICIES, POLICY_SIZE_LIMIT, Scope
from components.spec.names import queue_name

GOLDEN = Path(__file__).parents[2] / "golden"
ACCOUNT = "123456789012"
CLUSTER = "my-cluster"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/KarpenterNodeRole-{CLUSTER}"
QUEUE = f"arn:aws:sqs:us-west-2:{ACCOUNT}:{CLUSTER}"
SCOPE = Scope("aws", "us-west-2", ACCOUNT, CLUSTER)
LONGEST_REGIONS = (
    ("aws", "us-east-1"),
    ("aws", "ap-southeast-1"),
    ("aws-us-gov", "us-gov-east-1"),
    ("aws-cn", "cn-northwest-1"),
    ("aws-iso-b", "us-isob-east-1"),
)
"""Partitions and their regions; the longest names there are."""
CLUSTER_NAMES = st.from_regex(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}", fullmatch=True)


class Loader(yaml.SafeLoader):
    """Reads CloudFormation's short forms as plain values."""


def scalar(loader: yaml.SafeLoader, node: yaml.Node) -> str:
    assert isinstance(node, yaml.ScalarNode)
    text = str(loader.construct_scalar(node))
    return text if node.tag == "!Sub" else f"${{{text}}}"


for tag in ("!Sub", "!Ref", "!GetAtt"):
    Loader.add_constructor(tag, scalar)


def filled(text: str) -> str:
    """The template's text with its parameters put in."""
    values = {
        "AWS::Partition": "aws",
        "AWS::Region": "us-west-2",
        "AWS::AccountId": ACCOUNT,
        "AWS::URLSuffix": "amazonaws.com",
        "ClusterName": CLUSTER,
        "KarpenterNodeRole.Arn": ROLE,
        "KarpenterInterruptionQueue.Arn": QUEUE,
    }
    return re.sub(r"\$\{([^}]+)\}", lambda match: values[match[1]], text)


def template() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load((GOLDEN / "karpenter-1.14-cloudformation.yaml").read_text(), Loader)
    resources: dict[str, Any] = loaded["Resources"]
    return resources


@pytest.mark.parametrize("kind", CONTROLLER_POLICIES)
def test_each_policy_is_the_template_s(kind: str) -> None:
    upstream = json.loads(filled(template()[f"{kind}Policy"]["Properties"]["PolicyDocument"]))
    ours = iam_documents.controller_policies(SCOPE, [ROLE], QUEUE)[kind]
    assert {s["Sid"]: s for s in ours["Statement"]} == {s["Sid"]: s for s in upstream["Statement"]}, (
        f"{kind} differs from Karpenter's own template: calls are denied, or more is allowed than needed"
    )


def test_there_are_the_template_s_policies_and_no_others() -> None:
    upstream = {
        name.removesuffix("Policy")
        for name, resource in template().items()
        if resource["Type"] == "AWS::IAM::ManagedPolicy"
    }
    assert set(iam_documents.controller_policies(SCOPE, [ROLE], QUEUE)) == upstream == set(CONTROLLER_POLICIES)


def test_the_node_role_is_the_template_s() -> None:
    properties = template()["KarpenterNodeRole"]["Properties"]
    assert iam_documents.node_trust("aws")["Statement"] == json.loads(
        filled(json.dumps(properties["AssumeRolePolicyDocument"]["Statement"]))
    ), "instances could not take the role"
    assert {arn.rsplit("/", 1)[-1] for arn in properties["ManagedPolicyArns"]} == set(iam_documents.NODE_POLICIES)


def test_the_queue_policy_is_the_template_s() -> None:
    upstream = template()["KarpenterInterruptionQueuePolicy"]["Properties"]["PolicyDocument"]
    ours = events.queue_policy(QUEUE)
    expected = json.loads(filled(json.dumps(upstream["Statement"])).replace("false", '"false"'))
    assert ours["Statement"] == expected, "EventBridge could not send, or plain HTTP could"
    assert ours["Id"] == upstream["Id"]


def test_the_event_patterns_are_the_template_s() -> None:
    upstream = [r["Properties"]["EventPattern"] for r in template().values() if r["Type"] == "AWS::Events::Rule"]
    ours = [dict(pattern) for pattern in events.EVENT_PATTERNS.values()]
    key = json.dumps
    assert sorted(ours, key=key) == sorted(upstream, key=key), "a rule that matches nothing warns nobody"


def test_the_queue_s_settings_are_the_template_s() -> None:
    properties = template()["KarpenterInterruptionQueue"]["Properties"]
    assert properties["MessageRetentionPeriod"] == events.RETENTION_SECONDS
    assert filled(properties["QueueName"]) == queue_name(CLUSTER)


@pytest.mark.parametrize("kind", CONTROLLER_POLICIES)
def test_documents_are_those_that_were_reviewed(kind: str, request: pytest.FixtureRequest) -> None:
    path = GOLDEN / "documents" / f"{kind}.json"
    document = iam_documents.controller_policies(SCOPE, [ROLE], QUEUE)[kind]
    found = json.dumps(document, indent=2, sort_keys=True) + "\n"
    if request.config.getoption("update_golden", default=False):
        path.write_text(found)
    assert path.read_text() == found, "permissions changed: review the difference, then run pytest --update-golden"


@pytest.mark.parametrize(("partition", "region"), LONGEST_REGIONS)
@given(name=CLUSTER_NAMES)
def test_no_policy_outgrows_iam(partition: str, region: str, name: str) -> None:
    roles = [f"arn:{partition}:iam::{ACCOUNT}:role/{'x' * 64}"]
    queue = f"arn:{partition}:sqs:{region}:{ACCOUNT}:{queue_name(name)}"
    policies = iam_documents.controller_policies(Scope(partition, region, ACCOUNT, name), roles, queue)
    assert len(policies) < ATTACHMENT_LIMIT, "IAM would refuse the attachment, with the user's extra one"
    for kind, document in policies.items():
        size = len(iam_documents.text(document))
        assert size <= POLICY_SIZE_LIMIT, f"{kind} has {size} characters for {name} in {region}: IAM refuses it"


@given(length=st.integers(1, 100))
def test_the_longest_policy_leaves_room(length: int) -> None:
    scope = Scope("aws-us-gov", "us-gov-east-1", ACCOUNT, "x" * length)
    sizes = [len(iam_documents.text(d)) for d in iam_documents.controller_policies(scope, [ROLE], QUEUE).values()]
    assert max(sizes) < POLICY_SIZE_LIMIT * 0.7, "the next statement of upstream would break long names"


@pytest.mark.parametrize(("partition", "region"), [("aws-cn", "cn-north-1"), ("aws-us-gov", "us-gov-west-1")])
def test_documents_of_other_partitions_name_no_arn_of_this_one(partition: str, region: str) -> None:
    scope = Scope(partition, region, ACCOUNT, CLUSTER)
    role = f"arn:{partition}:iam::{ACCOUNT}:role/x"
    texts = [iam_documents.text(d) for d in iam_documents.controller_policies(scope, [role], None).values()]
    texts.append(iam_documents.text(iam_documents.pod_identity_trust(scope, "kube-system", "karpenter")))
    assert "arn:aws:" not in "".join(texts), "the controller could do nothing there"
    assert '"ec2.amazonaws.com","ec2.amazonaws.com.cn"' in "".join(texts), "nodes in China could not get their role"


def test_only_the_given_roles_may_be_passed() -> None:
    statement = iam_documents.iam_integration(SCOPE, [ROLE, f"{ROLE}-gpu", ROLE])["Statement"][0]
    assert statement["Resource"] == [ROLE, f"{ROLE}-gpu"], "the controller could give instances any role"
    sids = {s["Sid"] for s in iam_documents.iam_integration(SCOPE, [])["Statement"]}
    assert "AllowPassingInstanceRole" not in sids, "IAM refuses a statement without a resource"


def test_the_controller_s_role_trusts_one_service_account_of_one_cluster() -> None:
    statement = iam_documents.pod_identity_trust(SCOPE, "kube-system", "karpenter")["Statement"][0]
    assert statement["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert statement["Action"] == ["sts:AssumeRole", "sts:TagSession"], "EKS could not hand out credentials"
    assert statement["Condition"] == {
        "StringEquals": {
            "aws:RequestTag/eks-cluster-arn": f"arn:aws:eks:us-west-2:{ACCOUNT}:cluster/{CLUSTER}",
            "aws:RequestTag/kubernetes-namespace": "kube-system",
            "aws:RequestTag/kubernetes-service-account": "karpenter",
        }
    }, "pods of other clusters, namespaces or service accounts could take the role"


def test_a_policy_that_is_too_long_is_named_with_its_size() -> None:
    long = iam_documents.extra_policy([{"Effect": "Allow", "Action": "s3:Get*", "Resource": "x" * 7000}])
    [problem] = iam_documents.check_size("Extra", long, "controllerRole.extraStatements")
    assert "Extra" in problem.line()
    assert "6144" in problem.line()
    assert problem.path == "controllerRole.extraStatements"
    assert iam_documents.check_size("Extra", iam_documents.extra_policy([])) == []


def test_flow_logs_may_write_into_their_group_only() -> None:
    statement = iam_documents.flow_log_delivery("arn:aws:logs:r:1:log-group:g")["Statement"][0]
    assert statement["Resource"] == ["arn:aws:logs:r:1:log-group:g", "arn:aws:logs:r:1:log-group:g:*"]
    trust = iam_documents.service_trust("vpc-flow-logs.amazonaws.com")["Statement"][0]
    assert trust["Principal"] == {"Service": "vpc-flow-logs.amazonaws.com"}
