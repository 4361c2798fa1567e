"""``python -m lab.plugins.eks``: the plugin process."""

import os
import sys

import pulumi
from pulumi.provider import ConstructResult, Provider, main

from lab.plugins.eks.cluster import TOKEN, Cluster
from lab.plugins.server import when_the_engine_is_gone


class Eks(Provider):
    """Makes the one component that it knows."""

    def __init__(self) -> None:
        super().__init__("4.4.0", schema="{}")

    def construct(
        self, name: str, resource_type: str, inputs: pulumi.Inputs, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        """Make a component.

        Args:
            name: Logical name.
            resource_type: Its token.
            inputs: Its inputs.
            options: Its options.

        Raises:
            pulumi.RunError: For any other component.
        """
        if resource_type != TOKEN:
            message = f"the lab's stand-in for the eks plugin does not know {resource_type}"
            raise pulumi.RunError(message)
        cluster = Cluster(name, dict(inputs), options)
        return ConstructResult(cluster.urn, cluster.outputs)


if __name__ == "__main__":
    when_the_engine_is_gone(lambda: os._exit(0))
    main(Eks(), sys.argv[1:])
