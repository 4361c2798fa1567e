"""Runs one component, or two, under mocks."""

import asyncio
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
from pulumi.runtime import set_mocks
from pulumi.runtime.stack import run_pulumi_func

from tests.unit.program import Cloud, Monitor, Run

REGION = "us-west-2"
CLUSTER = "my-cluster"
ROLE = "arn:aws:iam::123456789012:role/KarpenterNodeRole-my-cluster"


def run_components(
    make: Callable[[pulumi.ResourceOptions], Any], *, preview: bool = False, region: str = REGION
) -> tuple[Run, dict[str, Any]]:
    """Run what a function makes.

    Args:
        make: Makes components with the given options (which have providers), and returns outputs by name, or nothing.
        preview: Leave computed outputs unknown.
        region: AWS region.

    Returns:
        What was registered, and the outputs' values.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    monitor = Monitor(Cloud(region, 3, preview=preview))
    set_mocks(monitor.mocks, project="components", stack="test", preview=preview, monitor=monitor)
    values: dict[str, Any] = {}

    async def once() -> None:
        providers = [aws.Provider("aws", region=region), kubernetes.Provider("inside", kubeconfig="{}")]
        outputs = make(pulumi.ResourceOptions(providers=providers)) or {}
        for key, output in outputs.items():
            values[key] = await pulumi.Output.from_input(output).future()

    try:
        loop.run_until_complete(run_pulumi_func(once))
    finally:
        loop.close()
    return monitor.run, values


def refused(make: Callable[[pulumi.ResourceOptions], Any]) -> dict[str, str]:
    """The problems that a component's arguments have, by property path."""
    found: list[pulumi.InputPropertiesError] = []

    def attempt(opts: pulumi.ResourceOptions) -> None:
        try:
            make(opts)
        except pulumi.InputPropertiesError as error:
            found.append(error)

    run_components(attempt)
    assert found, "the arguments are taken, and AWS or Kubernetes refuses them half-way"
    assert found[0].errors is not None
    return {error["property_path"]: error["reason"] for error in found[0].errors}


def children(run: Run) -> set[tuple[str, str]]:
    """Type and name of everything but providers."""
    return {(r.type, r.name) for r in run.resources if not r.type.startswith("pulumi:providers:")}
