"""The stack's own policies, and the template that they follow, under the rules."""

import json
import re
from pathlib import Path

import pytest
import yaml

from components.spec import iam_documents
from components.spec.events import queue_policy
from tests.policies.builders import POLICY_TYPE, QUEUE_POLICY_TYPE
from tests.policies.running import on_resource

TEMPLATE = Path(__file__).parents[1] / "golden" / "karpenter-1.14-cloudformation.yaml"
QUEUE = "arn:aws:sqs:us-west-2:123456789012:lab"
ROLE = "arn:aws:iam::123456789012:role/KarpenterNodeRole-lab"


class _Loader(yaml.SafeLoader):
    """Reads CloudFormation's short functions as their argument."""


_Loader.add_multi_constructor("!", lambda loader, _suffix, node: getattr(node, "value", None))


def upstream() -> dict[str, str]:
    resources = yaml.load(TEMPLATE.read_text(), _Loader)["Resources"]
    return {
        name: re.sub(r"\$\{([A-Za-z:]+)[^}]*\}", "value", str(each["Properties"]["PolicyDocument"]))
        for name, each in resources.items()
        if each["Type"] == "AWS::IAM::ManagedPolicy"
    }


@pytest.mark.parametrize("name", upstream())
def test_karpenter_s_own_template_passes(name: str) -> None:
    props = {"name": f"Karpenter{name}", "policy": upstream()[name]}
    outcome = on_resource("iam-scope", POLICY_TYPE, props)
    assert outcome.violations == [], "the rule refuses what Karpenter needs"


@pytest.mark.parametrize("name", upstream())
def test_karpenter_s_template_without_its_scopes_does_not(name: str) -> None:
    document = json.loads(upstream()[name])
    for statement in document["Statement"]:
        statement["Resource"] = "*"
    document["Statement"].append({"Effect": "Allow", "Action": "iam:PassRole", "Resource": "*"})
    outcome = on_resource("iam-scope", POLICY_TYPE, {"name": "other", "policy": json.dumps(document)})
    assert len(outcome.violations) >= 2, "a policy without any scope passes"


def test_the_stack_s_own_policies_pass() -> None:
    scope = iam_documents.Scope("aws", "us-west-2", "123456789012", "lab")
    for kind, document in iam_documents.controller_policies(scope, [ROLE], QUEUE).items():
        props = {"name": f"KarpenterController{kind}Policy-lab", "policy": iam_documents.text(document)}
        assert on_resource("iam-scope", POLICY_TYPE, props).violations == [], f"`pulumi up` is blocked by {kind}"
    policy = {"queueUrl": "url", "policy": json.dumps(queue_policy(QUEUE))}
    assert on_resource("queue-hardening", QUEUE_POLICY_TYPE, policy).violations == [], "`pulumi up` is blocked"
