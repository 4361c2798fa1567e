"""Selectors of subnets, security groups, AMIs, capacity reservations and placement groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from components.spec.fields import Strict
from components.spec.model_problems import join
from components.spec.node_class import NodeClassSpec
from components.spec.node_class_parts import PlacementGroupSelector
from components.spec.problems import ABSENT, Problem

_ID: Final = re.compile(r"^(ami|sg|pg)-[0-9a-f]{8,17}\Z")
_PARAMETER: Final = re.compile(
    r"^(arn:aws[a-z-]*:ssm:[a-z0-9-]+:([0-9]{12})?:parameter/)?[\w./-]+(:[\w.-]+)?\Z", re.ASCII
)
_CLUSTER_TAG: Final = "kubernetes.io/cluster/"
_SAME_IN_EVERY_VPC: Final = frozenset({"kubernetes.io/role/elb", "kubernetes.io/role/internal-elb"})
_VALUE_TELLS_WHOSE: Final = frozenset(
    {"Name", "karpenter.sh/discovery", "aws:eks:cluster-name", "alpha.eksctl.io/cluster-name"}
)


def given(term: Strict) -> dict[str, Any]:
    """Fields of a term that are set, under the names of the configuration."""
    return term.model_dump(by_alias=True, exclude_none=True)


def _tag_problems(path: str, tags: Mapping[str, str] | None) -> Iterator[Problem]:
    for key, value in (tags or {}).items():
        if not key or not value:
            rule = "keys and values of tags must not be empty"
            yield Problem(join(path, "tags"), {key: value}, rule, 'write "*" to match any value')


def _exclusive(path: str, fields: Mapping[str, Any], alone: Sequence[str]) -> Iterator[Problem]:
    for field in alone:
        if field in fields and len(fields) > 1:
            others = ", ".join(sorted(fields.keys() - {field}))
            yield Problem(
                path, dict(fields), f"{field} stands alone in its term, not with {others}", ("use two terms, or one")
            )


def name_that_is_no_name(path: str, fields: Mapping[str, Any]) -> Iterator[Problem]:
    """An id, an ARN or a URL where the name belongs: it matches nothing."""
    name = fields.get("name")
    if isinstance(name, str) and (name.startswith("arn:") or "://" in name or _ID.match(name)):
        yield Problem(
            join(path, "name"), name, "must be a name: an id or an ARN matches nothing here", "write it as id"
        )
    parameter = fields.get("ssmParameter")
    if isinstance(parameter, str) and (_ID.match(parameter) or _PARAMETER.match(parameter) is None):
        rule = "must be a name of an SSM parameter, or its ARN: this finds no AMI"
        yield Problem(join(path, "ssmParameter"), parameter, rule, "for example /my-company/amis/al2023/1.36")


def _terms(path: str, terms: Sequence[Strict], alone: Sequence[str]) -> Iterator[Problem]:
    seen: list[dict[str, Any]] = []
    for index, term in enumerate(terms):
        where, fields = join(path, index), given(term)
        if not fields:
            names = ", ".join(info.alias or name for name, info in type(term).model_fields.items())
            yield Problem(where, ABSENT, f"must name at least one of {names}", "add one, or remove the term")
        yield from _exclusive(where, fields, alone)
        yield from _tag_problems(where, fields.get("tags"))
        yield from name_that_is_no_name(where, fields)
        if fields in seen:
            yield Problem(where, fields, "stands twice", "remove the repetition")
        seen.append(fields)


def _or_of_tags(path: str, terms: Sequence[Strict]) -> Iterator[Problem]:
    """Several terms of one tag each with different keys: written as if they were joined by AND."""
    keys = [tuple(fields["tags"]) for fields in map(given, terms) if set(fields) == {"tags"}]
    if len(keys) > 1 and all(len(key) == 1 for key in keys) and len(set(keys)) == len(keys):
        rule = "terms add up: what matches any one of them is taken"
        remedy = "put all tags into one term, if all of them are meant"
        yield Problem(path, [given(term) for term in terms], rule, remedy, "warning")


def _cluster_tag_only(path: str, terms: Sequence[Strict], what: str, remedy: str, *, error: bool) -> Iterator[Problem]:
    for index, term in enumerate(terms):
        fields = given(term)
        tags = fields.get("tags", {})
        if set(fields) == {"tags"} and tags and all(key.startswith(_CLUSTER_TAG) for key in tags):
            rule = f"the tag {_CLUSTER_TAG} alone matches {what}"
            yield Problem(join(path, index), fields, rule, remedy, "error" if error else "warning")


def _matches_all(path: str, terms: Sequence[Strict], what: str, *, error: bool) -> Iterator[Problem]:
    """Terms that hold nothing but wildcards: EC2 then finds everything in the region, in other VPCs too."""
    for index, term in enumerate(terms):
        fields = given(term)
        name = fields.get("name")
        every_name = name is not None and name.strip("*?") == ""
        tags = fields.get("tags", {})
        if every_name or (tags and all(set(key) in ({"*"}, {"?"}, {"*", "?"}) for key in tags)):
            rule = f"matches every one of the region's {what}, those of other VPCs included"
            remedy = "select by karpenter.sh/discovery or by id"
            yield Problem(join(path, index), fields, rule, remedy, "error" if error else "warning")


def _of_no_cluster(path: str, terms: Sequence[Strict], what: str) -> Iterator[Problem]:
    """Tags that resources of every cluster carry: Karpenter asks EC2 for the whole region, not for one VPC.

    Source: pkg/providers/subnet/subnet.go and pkg/providers/securitygroup/securitygroup.go at v1.14.
    """
    for index, term in enumerate(terms):
        tags = given(term).get("tags", {})
        common = [
            key in _SAME_IN_EVERY_VPC or (key in _VALUE_TELLS_WHOSE and value.strip("*?") == "")
            for key, value in tags.items()
        ]
        if common and all(common):
            rule = f"finds {what} of other clusters and VPCs too, if the region has any with these tags"
            remedy = "add a tag that only this cluster's have, such as karpenter.sh/discovery: <name of the cluster>"
            yield Problem(join(path, index), given(term), rule, remedy, "warning")


def _placement_group(path: str, selector: PlacementGroupSelector) -> Iterator[Problem]:
    if len(given(selector)) != 1:
        yield Problem(path, given(selector), "must have exactly one of name and id", "keep one of them")
    yield from name_that_is_no_name(path, given(selector))


def check_selectors(path: str, spec: NodeClassSpec) -> Iterator[Problem]:
    """Problems of all selectors of a class."""
    subnets = join(path, "subnetSelectorTerms")
    yield from _terms(subnets, spec.subnet_selector_terms or (), ("id",))
    yield from _or_of_tags(subnets, spec.subnet_selector_terms or ())
    yield from _cluster_tag_only(
        subnets,
        spec.subnet_selector_terms or (),
        "public subnets too",
        "select by karpenter.sh/discovery or by id",
        error=False,
    )
    yield from _matches_all(subnets, spec.subnet_selector_terms or (), "subnets", error=False)
    yield from _of_no_cluster(subnets, spec.subnet_selector_terms or (), "subnets")
    groups = join(path, "securityGroupSelectorTerms")
    yield from _matches_all(groups, spec.security_group_selector_terms or (), "security groups", error=True)
    yield from _of_no_cluster(groups, spec.security_group_selector_terms or (), "security groups")
    yield from _terms(groups, spec.security_group_selector_terms or (), ("id", "name"))
    yield from _or_of_tags(groups, spec.security_group_selector_terms or ())
    yield from _cluster_tag_only(
        groups,
        spec.security_group_selector_terms or (),
        "every security group of the cluster; a node with two of them breaks load balancers",
        "select by karpenter.sh/discovery, or the cluster's security group by id",
        error=True,
    )
    reservations = join(path, "capacityReservationSelectorTerms")
    for index, term in enumerate(spec.capacity_reservation_selector_terms or ()):
        if set(given(term)) == {"ownerID"}:
            rule = "ownerID only narrows a term down"
            yield Problem(join(reservations, index), given(term), rule, "add tags or instanceMatchCriteria")
    yield from _terms(reservations, spec.capacity_reservation_selector_terms or (), ("id",))
    if spec.placement_group_selector is not None:
        yield from _placement_group(join(path, "placementGroupSelector"), spec.placement_group_selector)
