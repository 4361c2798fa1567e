"""The models against the CRDs of the pinned chart: what is in one must be in the other."""

import json

import pytest
from pydantic import BaseModel

from components.spec.capacity_buffer import CapacityBufferSpec
from components.spec.node_class import NodeClassSpec
from components.spec.node_overlay import NodeOverlaySpec
from components.spec.node_pool import NodePoolSpec
from components.spec.versions import DEFAULT_KARPENTER_VERSION
from tests.unit.pools.crd_fields import GOLDEN, VERSION, fields_of_model

GROUPS = {"template", "template.metadata", "template.spec"}
REFERENCE = {"nodeClassRef", "nodeClassRef.group", "nodeClassRef.kind", "nodeClassRef.name"}
OWN: dict[type[BaseModel], set[str]] = {
    NodePoolSpec: {"preset", "businessHours", "nodeClass"},
    NodeClassSpec: {"amis", "diskSize"},
    NodeOverlaySpec: set(),
    CapacityBufferSpec: set(),
}
"""Conveniences of this stack, which no CRD has; `nodeClass` stands for nodeClassRef."""


def in_configuration(path: str) -> str:
    """A field of a CRD under its name in the configuration, where the template is flattened."""
    for prefix in ("template.spec.", "template.metadata."):
        path = path.removeprefix(prefix)
    return path


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        ("NodePool", NodePoolSpec),
        ("EC2NodeClass", NodeClassSpec),
        ("NodeOverlay", NodeOverlaySpec),
        ("CapacityBuffer", CapacityBufferSpec),
    ],
)
def test_every_field_of_the_crd_can_be_configured_and_no_other(kind: str, model: type[BaseModel]) -> None:
    crd = {in_configuration(path) for path in json.loads(GOLDEN.read_text())[kind]} - GROUPS - REFERENCE
    ours = {path for path in fields_of_model(model) if path.split(".")[0] not in OWN[model]}
    assert crd - ours == set(), f"nobody can set these fields of {kind}"
    assert ours - crd == set(), f"the API server refuses these fields of {kind}"


def test_the_list_of_fields_is_that_of_the_pinned_chart() -> None:
    assert VERSION == DEFAULT_KARPENTER_VERSION, (
        "the chart moved on: `python -m tests.unit.pools.crd_fields FOLDER` writes the list anew and shows what is new"
    )


def test_every_field_says_what_it_means_and_where_it_comes_from() -> None:
    for model in OWN:
        for name, info in model.model_fields.items():
            extra = info.json_schema_extra
            assert info.description, f"{model.__name__}.{name}: an editor shows nothing"
            assert isinstance(extra, dict), f"{model.__name__}.{name} has no source"
            assert extra["x-source"], f"{model.__name__}.{name} has no source"
