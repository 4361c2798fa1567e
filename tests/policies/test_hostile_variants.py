from pathlib import Path

import pulumi_policy as policy
import pytest
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from tests.policies.builders import COMPLIANT, changed, places
from tests.policies.hostile import CASES, Case
from tests.policies.running import BY_NAME, on_any, on_resource, on_stack

DOCS = Path(__file__).parents[2] / "docs" / "policies.md"
CONFIG = {"environment": "lab"}


def config_of(rule: str) -> dict[str, str]:
    return CONFIG if rule.startswith("ami-approved") else {}


def is_of_stack(rule: str) -> bool:
    return isinstance(BY_NAME[rule], policy.StackValidationPolicy)


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
def test_a_way_around_a_rule_is_answered_exactly(case: Case) -> None:
    outcome = on_any(case.rule, case.type, case.props, config_of(case.rule))
    if case.message.startswith("not checked yet"):
        assert outcome.advice == f"it: {case.message}", "somebody merges a change believing that it was checked"
        assert outcome.violations == [], "what is not known yet blocks a preview"
    else:
        assert case.message in outcome.violations, f"the way around passes; the rule said {outcome}"


@pytest.mark.parametrize("rule", sorted({case.rule for case in CASES if is_of_stack(case.rule)}))
def test_a_way_around_is_answered_among_all_others(rule: str) -> None:
    outcome = on_stack(rule, [(case.type, case.label, case.props) for case in CASES], config=config_of(rule))
    unanswered = [
        case.label
        for case in CASES
        if case.rule == rule
        and case.message not in outcome.violations
        and f"{case.label}: {case.message}" not in outcome.advice
    ]
    assert unanswered == [], "one resource of a stack hides what is wrong with another"


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
def test_what_is_unknown_in_a_way_around_does_not_hide_it(case: Case) -> None:
    for place in places(case.props):
        outcome = on_any(case.rule, case.type, changed(case.props, {place: UNKNOWN_STRING_VALUE}), config_of(case.rule))
        assert outcome.violations or outcome.advice, f"with {place} unknown, a preview says nothing"


@pytest.mark.parametrize("rule", BY_NAME)
def test_what_is_right_passes(rule: str) -> None:
    resources = [(type_, name, props) for name, (type_, props) in COMPLIANT.items()]
    if is_of_stack(rule):
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
    found = BY_NAME[rule]
    assert found.severity is not None, "nobody knows how bad a violation is"
    assert found.remediation_steps, "a violation leaves the reader alone"
    anchor = (found.url or "").partition("docs/policies.md#")[2]
    assert f"## {anchor}\n" in DOCS.read_text(), "the link of a violation leads nowhere"
