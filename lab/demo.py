"""`make demo` and `make demo-down`."""

import json
import urllib.request
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import boto3
from kubernetes.client import ApiException

from lab import story
from lab.console import fail, say, show, step
from lab.diagnose import diagnose
from lab.lab import environment, start, stop
from lab.pulumi import PulumiError, Stack
from lab.state import State, read_state
from lab.toolchain import ensure_tools

REPLICAS = 5
ROOT = Path(__file__).parents[1]
INFLATE = ROOT / "examples" / "inflate.yaml"


class DemoError(Exception):
    """The demo did not do what it should; the text says what, and what was found to be wrong."""


def aws_of(state: State) -> Any:
    """A function that makes a boto3 client of the lab's emulated AWS from a service's name."""

    def make(service: str) -> Any:
        return boto3.client(
            service,
            endpoint_url=state.aws_endpoint,
            region_name=state.region,
            aws_access_key_id="test",
            aws_secret_access_key="test",  # noqa: S106 (the emulator's root key, known to everybody)
        )

    return make


def demo(lab_dir: Path, timeout: float) -> None:
    """Bring the lab up, deploy the stack, and show pods that get nodes and nodes that go.

    Args:
        lab_dir: The lab's folder.
        timeout: Seconds to wait for each thing that should happen.

    Raises:
        DemoError: If something that should happen does not; the text names what is wrong.
    """
    state = start(lab_dir, ensure_tools())
    stack = Stack(ROOT, "lab", environment(state))
    try:
        stack.select()
        stack.up()
        cluster = story.Cluster(Path(state.admin_kubeconfig), aws_of(state))
        _tell(cluster, timeout)
    except (PulumiError, story.StoryError) as error:
        raise DemoError(_explain(str(error), state)) from error
    _next_steps(state)


def _tell(cluster: story.Cluster, timeout: float) -> None:
    story.wait_until_ready(cluster, timeout)
    name = cluster.apply_deployment(INFLATE)
    cluster.scale(name, REPLICAS)
    story.wait_until_running(cluster, name, REPLICAS, timeout)
    show(story.table(list(story.node_rows(cluster, name))))
    cluster.scale(name, 0)
    story.wait_until_gone(cluster, timeout)


def _next_steps(state: State) -> None:
    say("The whole story ran. The lab is still up; try next:")
    say(f"  kubectl --kubeconfig {state.admin_kubeconfig} scale deployment inflate --replicas 8")
    say("  .venv/bin/python -m lab run -- pulumi preview --stack lab     after a change in Pulumi.lab.yaml")
    say("  .venv/bin/python -m lab run -- pulumi preview --stack lab --policy-pack policies")
    say("  make demo-down                                                destroys it and proves that nothing is left")


def _explain(text: str, state: State) -> str:
    findings = diagnose(state)
    return "\n".join([text, *(f"found: {finding}" for finding in findings)])


def demo_down(lab_dir: Path, timeout: float) -> None:
    """Destroy the stack while pods still run, prove that nothing is left, and stop the lab.

    Args:
        lab_dir: The lab's folder.
        timeout: Seconds to wait for each thing that should happen.

    Raises:
        DemoError: If the destroy fails or leaves something behind; the lab then stays up to be looked at.
    """
    state = read_state(lab_dir)
    if state is None:
        stop(lab_dir)
        say("The lab is not running: nothing to destroy.")
        return
    stack = Stack(ROOT, "lab", environment(state))
    try:
        if stack.exists():
            _leave_pods_running(state, timeout)
            stack.destroy()
            stack.remove()
    except (PulumiError, story.StoryError) as error:
        raise DemoError(_explain(str(error), state)) from error
    left = leftovers(state)
    if any(left.values()):
        raise DemoError("\n".join(["something is left in the emulated AWS:", *_lines(left)]))
    say(f"Nothing is left in the emulated AWS: looked for {', '.join(sorted(left))}.")
    with step("stopping the lab"):
        stop(lab_dir)


def _leave_pods_running(state: State, timeout: float) -> None:
    """Have pods on Karpenter's nodes when the destroy begins: that is the case that leaves orphans elsewhere."""
    cluster = story.Cluster(Path(state.admin_kubeconfig), aws_of(state))
    with suppress(ApiException):
        if not cluster.node_pools():
            return
        name = cluster.apply_deployment(INFLATE)
        cluster.scale(name, REPLICAS)
        story.wait_until_running(cluster, name, REPLICAS, timeout)


def leftovers(state: State) -> dict[str, list[str]]:
    """What is still there in the emulated AWS, by kind; a kind with nothing left is there with an empty list."""
    with urllib.request.urlopen(f"{state.aws_endpoint}/_lab/leftovers", timeout=30) as answer:
        found: dict[str, list[str]] = json.load(answer)
    return found


def _lines(left: dict[str, list[str]]) -> Iterable[str]:
    return (f"  {kind}: {', '.join(map(str, items))}" for kind, items in left.items() if items)


def report(error: Exception) -> None:
    """Print an error as lines for people."""
    for line in str(error).splitlines():
        fail(line)
