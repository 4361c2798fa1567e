"""One NodePool: which nodes Karpenter may launch, and when it takes them away."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

import pulumi

from components.arguments import check_args
from components.custom_resource import custom_resource
from components.spec.checks import check_node_pool
from components.spec.manifests import node_pool_manifest
from components.spec.presets import expand_node_pool
from components.spec.problems import Problem

DELETE_MINUTES = 60
"""How long the nodes of a deleted pool may take to drain, unless told otherwise."""


class NodePoolArgs(TypedDict):
    """Arguments of NodePool."""

    pool_name: str
    "Name of the NodePool."
    spec: Mapping[str, Any]
    "The entry: a preset and fields in the names of the CRD. Plain values, so that policies can judge it in a preview."
    drain_minutes: NotRequired[int]
    "How long the deletion waits for the pool's nodes to go, in minutes. Default 60."


class NodePool(pulumi.ComponentResource):
    """A NodePool that is Ready. Its deletion waits until its nodes are drained and their instances ended.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    pool_name: pulumi.Output[str]
    "Name of the NodePool; known once it is Ready."

    def __init__(self, name: str, args: NodePoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:NodePool", name, {}, opts)
        check_args(NodePoolArgs, args, _problems(args))
        manifest = node_pool_manifest(args["pool_name"], expand_node_pool(args["pool_name"], args["spec"]))
        drain_minutes = args.get("drain_minutes", DELETE_MINUTES)
        resource = custom_resource(self, name, manifest, opts, delete_minutes=drain_minutes)
        self.pool_name = resource.id.apply(lambda _: args["pool_name"])
        self.register_outputs({"pool_name": self.pool_name})


def _problems(args: NodePoolArgs) -> list[Problem]:
    if not {"pool_name", "spec"} <= set(args):
        return []
    return check_node_pool(args["pool_name"], args["spec"])
