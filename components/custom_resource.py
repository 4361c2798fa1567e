"""The Kubernetes object that a NodePool, NodeClass, NodeOverlay or CapacityBuffer component consists of."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from components.arguments import child_options

READY_MINUTES = 5
"""How long Karpenter may take to find what an object names, and to say so in its condition Ready."""


def custom_resource(
    component: pulumi.ComponentResource,
    name: str,
    manifest: Mapping[str, Any],
    opts: pulumi.ResourceOptions | None,
    *,
    delete_minutes: int | None = None,
) -> kubernetes.apiextensions.CustomResource:
    """Make the object of a component.

    Args:
        component: The component, which becomes the parent.
        name: Logical name: a part of the URN.
        manifest: The object; values in its `spec` may be outputs.
        opts: The component's options.
        delete_minutes: How long a finalizer may hold the object back, in minutes; without it there is none to wait for,
            and the provider's own timeouts hold.
    """
    timeouts = None
    if delete_minutes is not None:
        ready = f"{READY_MINUTES}m"
        timeouts = pulumi.CustomTimeouts(create=ready, update=ready, delete=f"{delete_minutes}m")
    return kubernetes.apiextensions.CustomResource(
        name,
        api_version=manifest["apiVersion"],
        kind=manifest["kind"],
        metadata=manifest["metadata"],
        spec=manifest["spec"],
        opts=pulumi.ResourceOptions.merge(
            child_options(component, opts), pulumi.ResourceOptions(custom_timeouts=timeouts)
        ),
    )
