"""A rule neither crashes on any value, nor passes over a mandatory field that it cannot read."""

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pulumi_policy.proxy import (
    UNKNOWN_ARRAY_VALUE,
    UNKNOWN_BOOLEAN_VALUE,
    UNKNOWN_NUMBER_VALUE,
    UNKNOWN_OBJECT_VALUE,
    UNKNOWN_STRING_VALUE,
)

from policies.rules.support.reading import plain
from tests.policies import builders as b
from tests.policies.builders import COMPLIANT, changed, places
from tests.policies.hostile import secret
from tests.policies.running import BY_NAME, on_any

UNKNOWNS = st.sampled_from(
    [UNKNOWN_ARRAY_VALUE, UNKNOWN_BOOLEAN_VALUE, UNKNOWN_NUMBER_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), UNKNOWNS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=8), inner, max_size=3),
        inner.map(secret),
    ),
    max_leaves=6,
)
CONFIG = {"ami-approved": {"environment": "lab"}, "ami-approved-in-stack": {"environment": "lab"}}
MANDATORY = [
    ("ami-pinned", b.CLASS_TYPE, b.node_class(), "spec/amiSelectorTerms"),
    ("ami-pinned", b.CLASS_TYPE, b.node_class(), "spec/amiSelectorTerms/0/id"),
    ("ami-pinned", b.CLASS_TYPE, b.node_class(), "spec"),
    ("ami-pinned", b.GROUP_TYPE, b.node_group(), "releaseVersion"),
    ("ami-pinned", b.INSTANCE_TYPE, b.instance(), "ami"),
    ("disruption-controls", b.POOL_TYPE, b.node_pool(), "spec/disruption/budgets"),
    ("disruption-controls", b.POOL_TYPE, b.node_pool(), "spec/disruption/consolidateAfter"),
    ("disruption-controls", b.POOL_TYPE, b.node_pool(), "spec/disruption"),
    ("nodepool-limits", b.POOL_TYPE, b.node_pool(), "spec/limits"),
    ("capacity-separation", b.POOL_TYPE, b.node_pool(), "spec/template/spec/requirements"),
    ("node-hardening", b.TEMPLATE_TYPE, b.launch_template(), "metadataOptions"),
    ("node-hardening", b.TEMPLATE_TYPE, b.launch_template(), "blockDeviceMappings"),
    ("node-hardening", b.CLASS_TYPE, b.node_class(), "spec/blockDeviceMappings/0/ebs/encrypted"),
    ("queue-hardening", b.QUEUE_TYPE, b.queue(), "sqsManagedSseEnabled"),
    ("queue-hardening", b.QUEUE_POLICY_TYPE, b.queue_policy(), "policy"),
    ("cluster-hardening", b.CLUSTER_TYPE, b.cluster(), "vpcConfig"),
    ("cluster-hardening", b.CLUSTER_TYPE, b.cluster(), "enabledClusterLogTypes"),
    ("cluster-hardening", b.CLUSTER_TYPE, b.cluster(), "accessConfig/authenticationMode"),
    ("workload-requests", b.POD_TYPE, b.pod(), "spec/containers"),
    ("workload-requests", b.POD_TYPE, b.pod(), "spec/containers/0/resources"),
]


PLACES = [(type_, props, place) for type_, props in COMPLIANT.values() for place in places(props)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(place=st.sampled_from(PLACES), value=VALUES)
def test_no_rule_crashes_on_any_value_anywhere(place: tuple[str, dict[str, Any], str], value: Any) -> None:
    type_, props, path = place
    for rule in BY_NAME:
        on_any(rule, type_, changed(copy.deepcopy(props), {path: value}), CONFIG.get(rule))


@pytest.mark.parametrize(("type_", "props"), COMPLIANT.values(), ids=COMPLIANT)
def test_what_is_unknown_in_a_right_resource_blocks_no_preview(type_: str, props: dict[str, Any]) -> None:
    blocked = [
        (rule, place)
        for rule in BY_NAME
        if rule != "workload-availability" or type_ != b.DEPLOYMENT_TYPE  # alone, it has no budget
        for place in places(props)
        if on_any(rule, type_, changed(props, {place: UNKNOWN_STRING_VALUE}), CONFIG.get(rule)).violations
        and not on_any(rule, type_, props, CONFIG.get(rule)).violations
    ]
    assert blocked == [], "a right change waits, since a value is known only at update"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(props=st.dictionaries(st.sampled_from(["spec", "metadata", "items", "policy", "ami", "vpcConfig"]), VALUES))
def test_no_rule_crashes_on_a_resource_of_any_form(props: dict[str, Any]) -> None:
    types = [type_ for type_, _ in COMPLIANT.values()] + [f"{b.CLASS_TYPE}List", f"{b.POOL_TYPE}Patch"]
    for type_ in types:
        for rule in BY_NAME:
            on_any(rule, type_, props, CONFIG.get(rule))


@pytest.mark.parametrize(("rule", "type_", "props", "path"), MANDATORY, ids=[f"{m[0]}:{m[3]}" for m in MANDATORY])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=VALUES)
def test_a_mandatory_field_of_any_other_value_is_answered(
    rule: str, type_: str, props: dict[str, Any], path: str, value: Any
) -> None:
    assume(plain(value) is not True)
    outcome = on_any(rule, type_, changed(props, {path: value}))
    assert outcome.violations or outcome.advice, f"{path} of {value!r} passes in silence"


@pytest.mark.parametrize(("rule", "type_", "props", "path"), MANDATORY, ids=[f"{m[0]}:{m[3]}" for m in MANDATORY])
def test_a_mandatory_field_that_is_unknown_waits_for_the_update(
    rule: str, type_: str, props: dict[str, Any], path: str
) -> None:
    outcome = on_any(rule, type_, changed(props, {path: UNKNOWN_OBJECT_VALUE}))
    assert "not checked yet: " in outcome.advice, "an unknown value passes in silence"
    assert outcome.violations == [], "an unknown value is taken for a wrong one, and blocks a preview"


@pytest.mark.parametrize(("rule", "type_", "props", "path"), MANDATORY, ids=[f"{m[0]}:{m[3]}" for m in MANDATORY])
def test_a_right_value_may_be_secret(rule: str, type_: str, props: dict[str, Any], path: str) -> None:
    value: Any = props
    for part in path.split("/"):
        value = value[int(part) if part.isdigit() else part]
    outcome = on_any(rule, type_, changed(props, {path: secret(value)}))
    assert (outcome.violations, outcome.advice) == ([], ""), "a right value is refused because it is secret"
