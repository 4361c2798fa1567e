"""An instance becomes a node where AWS and EKS would let it, and stops being one when it ends."""

import pytest

from tests.lab.control_plane.hand_made import ARM64, World, eventually

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def profile(world: World) -> str:
    return world.node_role("joins", entry=True)


def test_an_instance_becomes_a_ready_node_and_goes_with_its_instance(world: World, profile: str) -> None:
    instance = world.launch(profile, labels="team=a,karpenter.sh/nodepool=default")
    node = eventually("the instance never joined: pods would wait for ever", lambda: world.node_of(instance))
    assert node.metadata.labels["team"] == "a", "labels of the user data do not reach the node"
    assert node.metadata.labels["topology.kubernetes.io/zone"] == "us-west-2a"
    assert "karpenter.sh/unregistered" in {taint.key for taint in node.spec.taints}
    assert node.status.capacity["pods"] == "29"

    def ready() -> bool:
        conditions = world.node_of(instance).status.conditions or []
        return any(found.type == "Ready" and found.status == "True" for found in conditions)

    eventually("the node never became Ready", ready)
    world.end(instance)
    eventually("the node outlives its instance", lambda: world.node_of(instance) is None)


def test_a_role_without_an_access_entry_is_refused_until_it_has_one(world: World) -> None:
    profile = world.node_role("refused", entry=False)
    instance = world.launch(profile)
    why = eventually("nobody says why the node does not come", lambda: world.refused().get(instance))
    assert "EC2_LINUX" in why
    assert "hand-made-refused" in why, "people would not know which role is meant"
    assert world.node_of(instance) is None, "the lab lets nodes in that EKS refuses"
    world.allow(world.iam.get_role(RoleName=profile)["Role"]["Arn"])
    eventually("a mended access entry does not help", lambda: world.node_of(instance))
    eventually("a node that joined is still called refused", lambda: instance not in world.refused())
    world.end(instance)
    eventually("the node outlives its instance", lambda: world.node_of(instance) is None)


def test_an_ami_of_another_architecture_never_joins(world: World, profile: str) -> None:
    instance = world.launch(profile, kind="m5.large", image=ARM64)
    why = eventually("an arm64 AMI boots on x86 in the lab", lambda: world.refused().get(instance))
    assert ARM64 in why
    world.end(instance)
    eventually("an ended instance is still called refused", lambda: instance not in world.refused())


def test_a_node_that_the_api_server_refuses_keeps_no_other_from_joining(world: World, profile: str) -> None:
    bad = world.launch(profile, labels="a/b/c=d")
    good = world.launch(profile)
    eventually("one bad label keeps every later node away", lambda: world.node_of(good))
    assert "refuses" in eventually("nobody says why it does not come", lambda: world.refused().get(bad))
    for instance in (bad, good):
        world.end(instance)
    eventually("the node outlives its instance", lambda: world.node_of(good) is None)
