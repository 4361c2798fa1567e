"""One CapacityBuffer: room for pods that stands ready before they are there."""

from collections.abc import Mapping
from typing import Any, TypedDict

import pulumi

from components.arguments import check_args
from components.custom_resource import custom_resource
from components.spec.extra_checks import check_buffer
from components.spec.manifests import capacity_buffer_manifest
from components.spec.problems import Problem


class CapacityBufferArgs(TypedDict):
    """Arguments of CapacityBuffer."""

    buffer_name: str
    "Name of the CapacityBuffer."
    entry: Mapping[str, Any]
    "The entry: a namespace, and a spec in the field names of the CRD."


class CapacityBuffer(pulumi.ComponentResource):
    """A CapacityBuffer. Needs the controller's feature gate capacityBuffer, and its namespace.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    buffer_name: pulumi.Output[str]
    "Name of the CapacityBuffer."

    def __init__(self, name: str, args: CapacityBufferArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:CapacityBuffer", name, {}, opts)
        check_args(CapacityBufferArgs, args, _problems(args))
        manifest = capacity_buffer_manifest(args["buffer_name"], args["entry"])
        resource = custom_resource(self, name, manifest, opts)
        self.buffer_name = resource.id.apply(lambda _: args["buffer_name"])
        self.register_outputs({"buffer_name": self.buffer_name})


def _problems(args: CapacityBufferArgs) -> list[Problem]:
    if not set(CapacityBufferArgs.__required_keys__) <= set(args):
        return []
    return check_buffer(args["buffer_name"], args["entry"])
