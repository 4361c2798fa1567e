"""`make demo-down` with pods still running leaves nothing in AWS and nothing running."""

import re

import psutil
import pytest

from tests.support import Lab, output_of

pytestmark = [pytest.mark.lab, pytest.mark.takes_the_lab_down]

ORDER = (
    (":NodePool", ":EC2NodeClass"),
    (":EC2NodeClass", ":Release"),
    (":Release", ":PodIdentityAssociation"),
    (":Release", ":AccessEntry"),
    (":Release", ":QueuePolicy"),
    (":NodeGroup", "aws:eks:Cluster"),
    ("aws:eks:Cluster", ":NatGateway"),
    (":NatGateway", ":Vpc"),
)
"""What must be gone before what: the one on the left needs the one on the right until its end."""


def deletions(text: str) -> list[str]:
    """The types of the deleted resources, in the order in which they were gone."""
    return re.findall(r"^\s*-\s+(\S+)\s+\S+\s+deleted", text, re.MULTILINE)


def test_demo_down_leaves_nothing(deployed: Lab) -> None:
    pids = list(deployed.state.pids.values())
    done = deployed.command("demo-down", "--timeout", "120")
    assert done.returncode == 0, f"something that costs money would be left: {output_of(done)}"
    for kind in ("instances", "roles", "queues"):
        assert kind in done.stdout, f"nobody looked for {kind}"
    order = deletions(done.stdout)
    for earlier, later in ORDER:
        last = max(place for place, kind in enumerate(order) if earlier in kind)
        first = min(place for place, kind in enumerate(order) if later in kind)
        assert last < first, f"{later} is deleted while {earlier} still needs it: {order}"
    # Whoever started them may not have fetched their exit codes yet.
    running = [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE]
    assert not running, "something of the lab still runs after demo-down"
