from pathlib import Path

import pytest

from tests.policies.builders import COMPLIANT
from tests.policies.hostile import CASES, Case
from tests.policies.running import BY_NAME, on_any, on_resource, on_stack

DOCS = Path(__file__).parents[2] / "docs" / "policies.md"
CONFIG = {"environment": "lab"}


def config_of(rule: str) -> dict[str, str]:
    return CONFIG if rule.startswith("ami-approved") else {}


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
def test_a_way_around_a_rule_is_answered_exactly(case: Case) -> None:
    outcome = on_any(case.rule, case.type, case.props, config_of(case.rule))
    if case.message.startswith("not checked yet"):
        assert outcome.advice == f"it: {case.message}", "somebody merges a change believing that it was checked"
        assert outcome.violations == [], "what is not known yet blocks a preview"
    else:
        assert case.message in outcome.violations, f"the way around passes; the rule said {outcome}"


@pytest.mark.parametrize("rule", BY_NAME)
def test_what_is_right_passes(rule: str) -> None:
    resources = [(type_, name, props) for name, (type_, props) in COMPLIANT.items()]
    if rule.endswith("-in-stack") or rule == "workload-availability":
        outcome = on_stack(rule, resources, config=config_of(rule))
        assert (outcome.violations, outcome.advice) == ([], ""), "a right stack is blocked"
        return
    for type_, name, props in resources:
        outcome = on_resource(rule, type_, props, name=name, config=config_of(rule))
        assert (outcome.violations, outcome.advice) == ([], ""), f"a right {name} is blocked"


@pytest.mark.parametrize("rule", BY_NAME)
def test_types_that_a_rule_does_not_judge_pass(rule: str) -> None:
    outcome = on_any(rule, "aws:s3/bucket:Bucket", {"imageId": "latest", "spec": {"amiSelectorTerms": []}}, CONFIG)
    assert (outcome.violations, outcome.advice) == ([], ""), "a rule speaks about things that are none of its business"


@pytest.mark.parametrize("rule", BY_NAME)
def test_every_rule_says_what_to_do(rule: str) -> None:
    policy = BY_NAME[rule]
    assert policy.severity is not None, "nobody knows how bad a violation is"
    assert policy.remediation_steps, "a violation leaves the reader alone"
    anchor = (policy.url or "").partition("docs/policies.md#")[2]
    assert f"## {anchor}\n" in DOCS.read_text(), "the link of a violation leads nowhere"
