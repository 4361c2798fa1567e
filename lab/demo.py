"""`make demo` and `make demo-down`."""

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from kubernetes.client import ApiException

from lab import story
from lab.console import fail, say, show, step
from lab.diagnose import diagnose
from lab.emulated_aws import ask, root_client
from lab.lab import environment, start, stop
from lab.pulumi import PulumiError, Stack
from lab.state import State, read_state
from lab.toolchain import ensure_tools

REPLICAS = 5
ROOT = Path(__file__).parents[1]
INFLATE = ROOT / "examples" / "inflate.yaml"


class DemoError(Exception):
    """The demo did not do what it should; the text says what, and what was found to be wrong."""


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
        cluster = story.Cluster(Path(state.admin_kubeconfig), partial(root_client, state))
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
    pack = "--policy-pack policies --policy-pack-config policies/config.lab.json"
    say("The whole story ran. The lab is still up; try next:")
    say("more pods:")
    say(f"    kubectl --kubeconfig {state.admin_kubeconfig} scale deployment inflate --replicas 8")
    say("a preview after a change in Pulumi.lab.yaml, judged by the policies:")
    say(f"    .venv/bin/python -m lab run -- pulumi preview --stack lab {pack}")
    say("destroy it, and prove that nothing is left:")
    say("    make demo-down")


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
    cluster = story.Cluster(Path(state.admin_kubeconfig), partial(root_client, state))
    with suppress(ApiException):
        if not cluster.node_pools():
            return
        name = cluster.apply_deployment(INFLATE)
        cluster.scale(name, REPLICAS)
        story.wait_until_running(cluster, name, REPLICAS, timeout)


def leftovers(state: State) -> dict[str, list[str]]:
    """What is still there in the emulated AWS, by kind; a kind with nothing left is there with an empty list."""
    return dict(ask(state, "leftovers"))


def _lines(left: dict[str, list[str]]) -> Iterable[str]:
    return (f"  {kind}: {', '.join(map(str, items))}" for kind, items in left.items() if items)


def report(error: Exception) -> None:
    """Print an error as lines for people."""
    for line in str(error).splitlines():
        fail(line)
