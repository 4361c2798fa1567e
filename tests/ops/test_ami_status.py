"""What `ops ami status`, `diff` and `check` say, and the exit code that CI goes by."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from ops.cli import main
from tests.ops.support import Ops, SeededAws

GOLDEN = Path(__file__).parents[1] / "golden" / "ops-ami-status.txt"
ROOT = Path(__file__).parents[2]


def test_the_table_of_a_healthy_project(promoted: Ops) -> None:
    assert promoted.good("status") == GOLDEN.read_text(), "the table changed; if that was meant, change the golden file"


def test_json_holds_what_the_table_shows(promoted: Ops, aws: SeededAws) -> None:
    data = json.loads(promoted.good("status", "--json", "--stack", "prod"))
    assert data["findings"] == []
    assert data["pins"][0] == {
        "stack": "prod",
        "environment": "prod",
        "place": "nodeClasses.default.amis.amd64",
        "pin": aws.ids("20261101")[0],
        "release": "v20261101",
        "status": "in-use",
        "since": "2026-11-03",
        "age": 26,
        "toDeprecation": None,
        "behind": 14,
        "newest": "v20261115",
    }


def findings(ops: Ops, *arguments: str) -> list[str]:
    code, out, err = ops.run("status", *arguments)
    assert code == 1, f"CI would pass: {out}{err}"
    return [line.removeprefix("finding: ") for line in out.splitlines() if line.startswith("finding: ")]


def test_a_pin_that_is_far_behind(promoted: Ops, aws: SeededAws) -> None:
    found = findings(promoted, "--stack", "prod", "--max-behind", "13")
    expected = f"{aws.ids('20261101')[0]}: 14 days behind v20261115; the limit is 13"
    assert found[0] == f"prod: nodeClasses.default.amis.amd64: {expected}"
    assert len(found) == 3, "the system nodes' release is a pin too"


def test_a_pin_that_somebody_wrote_by_hand(promoted: Ops, aws: SeededAws) -> None:
    path = promoted.root / "Pulumi.prod.yaml"
    path.write_text(promoted.stack("prod").replace(aws.ids("20261101")[0], "ami-0123456789abcdef0"))
    found = findings(promoted, "--stack", "prod")
    assert any("the file's pins are not the newest set in the ledger" in line for line in found), found
    assert any("ami-0123456789abcdef0: not in the ledger, so nobody reviewed it" in line for line in found), found


def test_a_pin_that_is_missing(promoted: Ops, aws: SeededAws) -> None:
    path = promoted.root / "Pulumi.prod.yaml"
    path.write_text(promoted.stack("prod").replace(f", arm64: {aws.ids('20261101')[1]}", ""))
    expected = "prod: nodeClasses.default.amis.arm64: not pinned; run ops ami use --stack prod"
    assert expected in findings(promoted, "--stack", "prod"), "arm64 pools could never launch"


def test_a_pin_that_was_retired(promoted: Ops, aws: SeededAws) -> None:
    promoted.good("retire", aws.ids("20261101")[1], "--environment", "prod", "--why", "CVE")
    expected = f"{aws.ids('20261101')[1]}: retired in prod, but it is pinned; approve it, or run ops ami rollback"
    assert findings(promoted, "--stack", "prod") == [f"prod: nodeClasses.default.amis.arm64: {expected}"]


def test_a_pin_near_its_deprecation(promoted: Ops, aws: SeededAws) -> None:
    text = promoted.ledger_path.read_text()
    name = "    name: amazon-eks-node-al2023-arm64-standard-1.36-v20261101\n"
    promoted.ledger_path.write_text(text.replace(name, f"{name}    deprecated: 2026-12-20\n"))
    ami_id = aws.ids("20261101")[1]
    found = findings(promoted, "--stack", "prod")
    assert found == [f"prod: nodeClasses.default.amis.arm64: {ami_id}: deprecated in 23 days; move to v20261115"]
    promoted.clock += timedelta(days=30)
    assert "deprecated since 2026-12-20" in findings(promoted, "--stack", "prod")[0]


def test_an_image_for_another_kubernetes_version(promoted: Ops) -> None:
    path = promoted.root / "Pulumi.prod.yaml"
    path.write_text(promoted.stack("prod").replace('version: "1.36"', 'version: "1.35"'))
    found = findings(promoted, "--stack", "prod")
    assert any("the stack needs us-west-2 1.35 amd64 AL2023 standard" in line for line in found), found


def test_aws_is_asked_only_when_told_to(promoted: Ops, aws: SeededAws) -> None:
    del aws.ec2.amis[aws.ids("20261101")[0]]
    promoted.good("status", "--stack", "prod")
    before = promoted.ledger_path.read_text()
    found = findings(promoted, "--stack", "prod", "--online")
    assert found == [
        f"prod: {aws.ids('20261101')[0]}: gone: us-west-2 has no such image that you may see; take another release "
        "(ops ami resolve)"
    ], "nodes could not launch, and nobody would know"
    assert promoted.ledger_path.read_text() == before, "status must not write"


def test_a_newer_release_is_seen_online(promoted: Ops, aws: SeededAws) -> None:
    aws.publish("20261126")
    assert "v20261126" in promoted.good("status", "--stack", "prod", "--online")


def test_a_new_project_has_no_findings(ops: Ops) -> None:
    out = ops.good("status")
    assert "note: dev: nothing is pinned yet; begin with ops ami resolve --stack dev" in out


def test_classes_with_terms_are_named(ops: Ops) -> None:
    path = ops.root / "Pulumi.dev.yaml"
    terms = "    own: {amiSelectorTerms: [{id: ami-0123456789abcdef0}]}\n    win: {amiFamily: Windows2022}\n"
    path.write_text(ops.stack("dev").replace("  karpenter-eks:nodePools:", f"{terms}  karpenter-eks:nodePools:"))
    out = ops.good("status")
    assert "note: dev: nodeClasses.own: pinned by amiSelectorTerms, not by amis" in out, "it would pass unseen"
    assert "note: dev: nodeClasses.win: Windows2022 has no releases that these commands could look up" in out


def test_diff_of_stacks_and_of_amis(promoted: Ops, aws: SeededAws) -> None:
    out = promoted.good("diff", "staging", "prod")
    assert "cluster.systemNodes.releaseVersion  1.36.0-20261115" in out
    assert promoted.good("diff", "dev", "staging") == "dev and staging do not differ\n"
    found = json.loads(promoted.good("diff", aws.ids("20261101")[0], aws.ids("20261115")[0], "--json"))
    assert {"what": "release", "left": "v20261101", "right": "v20261115"} in found
    assert "must be two AMI ids or two stacks" in promoted.bad("diff", "dev", aws.ids("20261101")[0])[0]
    assert "the ledger does not know it" in promoted.bad("diff", "ami-00000000", "ami-00000001")[0]


def test_long_reviews_do_not_tear_the_table(promoted: Ops, aws: SeededAws) -> None:
    old, new = (aws.ids(release)[0] for release in ("20261101", "20261115"))
    for number in range(3):
        notes = ("--notes", "release notes read, and much to say about them; " * 9)
        promoted.good("approve", new, "--environment", "dev", "--reviewer", f"ann{number}", *notes)
    table = promoted.good("diff", old, new)
    assert "ann2 2026-11-27" in table, "the difference does not say who reviewed the newer one"
    assert max(map(len, table.splitlines())) < 160, "a terminal folds every line of the table, and nobody can read it"


def test_check_wants_order(promoted: Ops) -> None:
    promoted.good("check")
    text = promoted.ledger_path.read_text()
    first = text.index("  ami-")
    promoted.ledger_path.write_text(f"{text[:first]}  ami-0ffffffffffffffff:{text[first:].partition(':')[2]}")
    lines = promoted.bad("check")
    assert lines, "two branches would conflict"


def test_the_shipped_ledger_is_in_order() -> None:
    assert main(["-C", str(ROOT), "ami", "check"]) == 0, "`ops ami check` fails in a fresh clone"
