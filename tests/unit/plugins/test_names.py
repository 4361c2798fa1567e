"""Names of the stand-in's types and properties are the official plugin's own."""

import importlib

import pytest
from pulumi._types import input_type_py_to_pulumi_names

from lab.plugins.aws.kind import Kind
from lab.plugins.aws.registry import KINDS

OWN_TO_CHECK = {"tagsAll"}
"""The official plugin fills it in itself: it is an output in the SDK."""


def official_inputs(kind: Kind) -> set[str]:
    module, name = kind.token.split(":")[1].split("/")[0], kind.token.split(":")[2]
    arguments = getattr(importlib.import_module(f"pulumi_aws.{module}"), f"{name}Args")
    return set(input_type_py_to_pulumi_names(arguments).values())


@pytest.mark.parametrize("token", KINDS)
def test_every_property_has_the_name_that_the_sdk_sends(token: str) -> None:
    kind = KINDS[token]
    named = kind.inputs | ({"tags"} if kind.taggable else set())
    assert named <= official_inputs(kind), (
        f"{token}: a program that uses this property correctly is refused: {sorted(named - official_inputs(kind))}"
    )


@pytest.mark.parametrize("token", KINDS)
def test_tables_name_only_properties_of_their_type(token: str) -> None:
    kind = KINDS[token]
    used = {*kind.replaces, *kind.defaults, *kind.unordered, *kind.documents, *filter(None, [kind.autoname])}
    assert used <= kind.inputs, f"{token}: a typo in the table hides a replacement: {sorted(used - kind.inputs)}"


@pytest.mark.parametrize("token", KINDS)
def test_tags_are_taken_where_the_official_type_takes_them(token: str) -> None:
    kind = KINDS[token]
    assert kind.taggable == ("tags" in official_inputs(kind)), f"{token}: default tags end up otherwise in real AWS"
