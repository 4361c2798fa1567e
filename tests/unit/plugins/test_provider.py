"""What the engine hears from the stand-in for the aws plugin before anything is asked of AWS."""

from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2

from lab.plugins.aws.differences import difference
from lab.plugins.aws.provider import Provider
from lab.plugins.aws.registry import KINDS
from lab.plugins.aws.values import UNKNOWN, from_struct, to_struct

POLICY, QUEUE, VPC, GROUP = (
    "aws:iam/policy:Policy",
    "aws:sqs/queue:Queue",
    "aws:ec2/vpc:Vpc",
    "aws:eks/nodeGroup:NodeGroup",
)
UPDATE, UPDATE_REPLACE = provider_pb2.PropertyDiff.UPDATE, provider_pb2.PropertyDiff.UPDATE_REPLACE


def urn(token: str, name: str = "logical") -> str:
    return f"urn:pulumi:dev::project::karpenter-eks:index:Parent${token}::{name}"


def check(token: str, news: dict[str, Any], olds: dict[str, Any] | None = None, **config: Any) -> Any:
    provider = Provider()
    provider.Configure(provider_pb2.ConfigureRequest(args=to_struct(config)), None)
    request = provider_pb2.CheckRequest(urn=urn(token), news=to_struct(news), olds=to_struct(olds or {}))
    return provider.Check(request, None)


def inputs(token: str, news: dict[str, Any], olds: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
    return from_struct(check(token, news, olds, **config).inputs)


def changes(token: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    found = difference(KINDS[token], old, new)
    return {path: detail.kind for path, detail in found.detailedDiff.items()}


def document(actions: Any) -> str:
    import json

    return json.dumps({"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": actions, "Resource": "*"}})


def test_every_unknown_property_is_refused_by_its_name() -> None:
    failures = check(QUEUE, {"nmae": "q", "delaySeconds": 1}).failures
    assert [failure.property for failure in failures] == ["delaySeconds", "nmae"], "a typo is found one run at a time"
    assert all(QUEUE in failure.reason for failure in failures), "the message does not say whose property it is"


def test_a_known_type_with_known_properties_is_not_refused() -> None:
    assert not check(VPC, {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}}).failures


def test_default_tags_are_under_the_resources_own() -> None:
    found = inputs(
        VPC, {"cidrBlock": UNKNOWN, "tags": {"team": "own"}}, defaultTags={"tags": {"team": "x", "env": "y"}}
    )
    assert found["tagsAll"] == {"team": "own", "env": "y"}, "a resource can't have its own value of a default tag"
    assert found["tags"] == {"team": "own"}, "default tags look as if the program had asked for them"


def test_tags_that_are_not_known_yet_stay_unknown() -> None:
    assert inputs(VPC, {"tags": UNKNOWN})["tagsAll"] == UNKNOWN, "a preview shows tags that will not be the real ones"


def test_a_name_of_the_plugins_own_stays_the_same() -> None:
    first = inputs(QUEUE, {})
    name, digits = first["name"].rsplit("-", 1)
    assert (name, len(digits)) == ("logical", 7), f"not a name as the official plugin makes it: {first['name']}"
    assert inputs(QUEUE, {}, olds=first)["name"] == first["name"], "every update makes a new queue"


def test_a_given_name_is_kept() -> None:
    assert inputs(QUEUE, {"name": "mine"})["name"] == "mine"


def test_an_unknown_type_is_refused_by_its_name() -> None:
    class Context:
        told = ""

        def abort(self, _code: Any, text: str) -> None:
            self.told = text

    context = Context()
    request = provider_pb2.CheckRequest(urn=urn("aws:ec2/vpcc:Vpcc"), news=to_struct({}))
    with pytest.raises(Exception, match="aws:ec2/vpcc:Vpcc"):
        Provider().Check(request, context)
    assert "aws:ec2/vpcc:Vpcc" in context.told, "the engine shows an empty error"


def test_unknown_provider_properties_are_refused_by_their_names() -> None:
    request = provider_pb2.CheckRequest(news=to_struct({"region": "us-west-2", "regoin": "x"}))
    assert [failure.property for failure in Provider().CheckConfig(request, None).failures] == ["regoin"]


def test_a_document_in_other_words_is_the_same() -> None:
    one, other = document("ec2:DescribeVpcs"), document(["ec2:DescribeVpcs"])
    assert changes(POLICY, {"policy": one}, {"policy": other}) == {}, "every preview shows a change of the policy"


def test_a_document_with_another_action_is_changed_in_place() -> None:
    one, other = document("ec2:DescribeVpcs"), document("ec2:*")
    assert changes(POLICY, {"policy": one}, {"policy": other}) == {"policy": UPDATE}, "a wider right goes unnoticed"


def test_a_change_inside_a_map_names_its_place() -> None:
    old = {"scalingConfig": {"minSize": 1, "maxSize": 3}, "labels": {"a.b/c": "x"}}
    new = {"scalingConfig": {"minSize": 1, "maxSize": 5}, "labels": {"a.b/c": "y"}}
    assert changes(GROUP, old, new) == {"scalingConfig.maxSize": UPDATE, 'labels["a.b/c"]': UPDATE}


def test_a_change_that_aws_can_not_make_replaces() -> None:
    found = difference(KINDS[VPC], {"cidrBlock": "10.0.0.0/16"}, {"cidrBlock": "10.1.0.0/16"})
    assert list(found.replaces) == ["cidrBlock"], "an outage is shown as an update"
    assert found.detailedDiff["cidrBlock"].kind == UPDATE_REPLACE


def test_order_means_nothing_where_aws_gives_none() -> None:
    one, other = {"subnetIds": ["a", "b"]}, {"subnetIds": ["b", "a"]}
    assert changes(GROUP, one, other) == {}, "a node group is replaced because subnets came in another order"
    assert changes(GROUP, {"instanceTypes": ["a", "b"]}, {"instanceTypes": ["b", "a"]}), "a new order of types is lost"


def test_numbers_and_empty_members_mean_the_same() -> None:
    old, new = {"scalingConfig": {"minSize": 1.0}}, {"scalingConfig": {"minSize": 1, "maxSize": None}}
    assert changes(GROUP, old, new) == {}, "1 and 1.0 make a change of every preview"
