"""One NodeOverlay: prices and extended resources of instances, as Karpenter reckons with them."""

from collections.abc import Mapping
from typing import Any, TypedDict

import pulumi

from components.arguments import check_args
from components.custom_resource import custom_resource
from components.spec.extra_checks import check_overlay
from components.spec.manifests import node_overlay_manifest
from components.spec.problems import Problem


class NodeOverlayArgs(TypedDict):
    """Arguments of NodeOverlay."""

    overlay_name: str
    "Name of the NodeOverlay."
    spec: Mapping[str, Any]
    "The entry, in the field names of the CRD. Plain values, so that policies can judge it in a preview."
    node_pools: Mapping[str, object]
    "The NodePools of the cluster, by name: an overlay for a pool that is not there is refused."


class NodeOverlay(pulumi.ComponentResource):
    """A NodeOverlay that is Ready. Needs the controller's feature gate nodeOverlay.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    overlay_name: pulumi.Output[str]
    "Name of the NodeOverlay; known once it is Ready."

    def __init__(self, name: str, args: NodeOverlayArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:NodeOverlay", name, {}, opts)
        check_args(NodeOverlayArgs, args, _problems(args))
        manifest = node_overlay_manifest(args["overlay_name"], args["spec"])
        resource = custom_resource(self, name, manifest, opts)
        self.overlay_name = resource.id.apply(lambda _: args["overlay_name"])
        self.register_outputs({"overlay_name": self.overlay_name})


def _problems(args: NodeOverlayArgs) -> list[Problem]:
    if not set(NodeOverlayArgs.__required_keys__) <= set(args):
        return []
    return check_overlay(args["overlay_name"], args["spec"], args["node_pools"])
