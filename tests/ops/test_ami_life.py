"""From candidate to production and back."""

import json
from datetime import timedelta

from tests.ops.support import Ops, SeededAws


def test_resolve_writes_candidates_and_leaves_the_stack_alone(ops: Ops, aws: SeededAws) -> None:
    before = ops.stack("dev")
    out = ops.good("resolve", "--stack", "dev")
    assert ops.stack("dev") == before, "resolve must never change what a stack runs"
    for ami_id in aws.ids("20261101"):
        assert f"{ami_id}:" in ops.ledger_path.read_text(), "the ledger forgets a candidate"
    assert "next: review them, then python -m ops ami approve" in out, "people would not know how to go on"


def test_resolve_again_changes_nothing(ops: Ops, aws: SeededAws) -> None:
    ops.good("resolve", "--stack", "dev")
    before = ops.ledger_path.read_text()
    ops.clock += timedelta(days=1)
    ops.good("resolve", "--stack", "dev")
    assert ops.ledger_path.read_text() == before, "a nightly resolve would make a commit every night"


def test_resolve_can_answer_programs(ops: Ops, aws: SeededAws) -> None:
    found = json.loads(ops.good("resolve", "--stack", "dev", "--json"))
    assert [each["architecture"] for each in found] == ["amd64", "arm64"], "a pool would have no AMI"
    assert found[0]["releaseVersion"] == "1.36.0-20261101", "the system nodes could not follow"


def test_resolve_finds_an_earlier_release(ops: Ops, aws: SeededAws) -> None:
    aws.publish("20261115")
    out = ops.good("resolve", "--stack", "dev", "--release", "v20261101")
    assert "v20261115" not in out
    assert "v20261101" in out, "another region could not follow with the same release"


def test_a_class_with_only_gpu_pools_gets_the_gpu_variant(ops: Ops, aws: SeededAws) -> None:
    aws.publish("20261102", variant="nvidia")
    path = ops.root / "Pulumi.dev.yaml"
    text = path.read_text().replace(
        "  karpenter-eks:nodePools:", "    gpu: {amiFamily: AL2023}\n  karpenter-eks:nodePools:"
    )
    path.write_text(f"{text}    gpu:\n      preset: gpu\n      nodeClass: gpu\n")
    out = ops.good("resolve", "--stack", "dev")
    assert "nvidia" in out, "GPU nodes would start without a driver"


def test_use_pins_classes_and_system_nodes_and_keeps_everything_else(ops: Ops, aws: SeededAws) -> None:
    before = ops.stack("dev")
    amd64, arm64 = aws.ids("20261101")
    ops.good("resolve", "--stack", "dev")
    ops.good("approve", amd64, arm64, "--environment", "dev", "--reviewer", "ann", "--notes", "read it")
    ops.good("use", "--stack", "dev")
    expected = before.replace(
        '# releaseVersion: "<release of the EKS-optimized AMI>"', 'releaseVersion: "1.36.0-20261101"'
    ).replace("# amis: {amd64: <AMI id>, arm64: <AMI id>}", f"amis: {{amd64: {amd64}, arm64: {arm64}}}")
    assert ops.stack("dev") == expected, "comments or order of a file that people keep got lost"
    assert "status: in-use" in ops.ledger_path.read_text(), "policies would refuse what was just pinned"


def test_promotion_takes_what_the_lower_environment_runs(promoted: Ops, aws: SeededAws) -> None:
    out = promoted.good("promote", "--from", "staging", "--to", "prod")
    assert "cluster.systemNodes.releaseVersion: 1.36.0-20261101 -> 1.36.0-20261115" in out
    for ami_id in aws.ids("20261115"):
        assert ami_id in promoted.stack("prod"), "production does not get what staging proved"
    assert "pulumi preview --stack prod" in out, "people would not know how to go on"


def test_a_promotion_can_be_tried(promoted: Ops) -> None:
    before = promoted.contents()
    out = promoted.good("promote", "--from", "staging", "--to", "prod", "--dry-run")
    assert "dry run: nothing was written" in out
    assert promoted.contents() == before, "a dry run wrote something"


def test_approval_can_come_with_the_promotion(promoted: Ops, aws: SeededAws) -> None:
    ids = aws.ids("20261115")
    promoted.good("retire", *ids, "--environment", "prod", "--why", "wait")
    lines = promoted.bad("promote", "--from", "staging", "--to", "prod")
    assert lines[0].startswith(f"{ids[0]}: retired in prod; must be approved there; run ops ami approve")
    promoted.good("promote", "--from", "staging", "--to", "prod", "--reviewer", "bo", "--notes", "staging was fine")
    assert ids[0] in promoted.stack("prod")


def test_rollback_is_one_step_and_does_not_come_back_by_itself(promoted: Ops, aws: SeededAws) -> None:
    before = promoted.stack("prod")
    promoted.good("promote", "--from", "staging", "--to", "prod")
    promoted.commit()
    promoted.good("rollback", "--stack", "prod", "--why", "nodes lost their disks")
    assert promoted.stack("prod") == before, "production does not run the set before"
    promoted.commit()
    assert "nothing to change" in promoted.good("use", "--stack", "prod"), "the bad AMI would come back"
    code, out, _ = promoted.run("status", "--stack", "prod")
    assert code == 0, f"a rolled back stack is in order: {out}"
    lines = promoted.bad("rollback", "--stack", "prod")
    assert "holds no earlier set that may run" in lines[0]
    assert "is retired in prod" in lines[1], "people would not know why not"


def test_what_was_retired_can_be_approved_again(promoted: Ops, aws: SeededAws) -> None:
    ids = aws.ids("20261115")
    promoted.good("retire", *ids, "--environment", "prod", "--why", "CVE")
    promoted.good("approve", *ids, "--environment", "prod", "--reviewer", "bo", "--notes", "not affected")
    promoted.good("use", "--stack", "prod")
    assert ids[0] in promoted.stack("prod")


def test_two_stacks_of_one_environment_do_not_retire_each_others_amis(promoted: Ops, aws: SeededAws) -> None:
    (promoted.root / "Pulumi.blue.yaml").write_text(
        promoted.stack("staging").replace("environment: staging", "environment: prod")
    )
    promoted.commit()
    promoted.good("use", "--stack", "blue")
    promoted.commit()
    promoted.good("promote", "--from", "staging", "--to", "prod")
    promoted.commit()
    promoted.good("rollback", "--stack", "prod")
    code, out, _ = promoted.run("status", "--stack", "blue")
    assert code == 0, f"a roll-back of one stack takes the AMIs of another one away: {out}"


def test_pins_that_people_wrote_by_hand_are_replaced(promoted: Ops, aws: SeededAws) -> None:
    path = promoted.root / "Pulumi.prod.yaml"
    path.write_text(promoted.stack("prod").replace(aws.ids("20261101")[0], "ami-whatever"))
    promoted.commit()
    promoted.good("use", "--stack", "prod")
    assert aws.ids("20261115")[0] in promoted.stack("prod")
    assert "ami-whatever" not in promoted.ledger_path.read_text(), "a roll-back could lead to what nobody approved"
