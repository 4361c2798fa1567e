"""Every mistake and every failure of AWS is one line that says what to do, and nothing is written."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from ops.ami import aws as aws_module
from tests.ops.support import Ops, SeededAws


def test_unknown_stack(ops: Ops) -> None:
    assert ops.bad("resolve", "--stack", "qa") == [
        "--stack: found 'qa'; there is no Pulumi.qa.yaml; stacks here: dev, prod, staging"
    ]


def test_no_credentials(ops: Ops, aws: SeededAws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert ops.bad("resolve", "--stack", "dev") == [
        "ssm:GetParameters in us-west-2: no AWS credentials: Unable to locate credentials; "
        "log in (aws sso login, or set AWS_PROFILE) and run the command again"
    ]


def test_unknown_profile(ops: Ops) -> None:
    path = ops.root / "Pulumi.dev.yaml"
    path.write_text(ops.stack("dev").replace("  aws:region", "  aws:profile: nobody\n  aws:region"))
    assert ops.bad("resolve", "--stack", "dev") == [
        "aws:profile: The config profile (nobody) could not be found; add it to ~/.aws/config or correct the name"
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "AccessDeniedException",
            "no permission: not you; ask for ssm:GetParameters on * in the role or user that you are",
        ),
        (
            "ExpiredTokenException",
            "AWS does not accept the credentials (ExpiredTokenException: not you); "
            "log in (aws sso login, or set AWS_PROFILE) and run the command again",
        ),
        ("ThrottlingException", "AWS refused: ThrottlingException: not you; correct that and run the command again"),
    ],
)
def test_refusals_of_aws(ops: Ops, monkeypatch: pytest.MonkeyPatch, code: str, expected: str) -> None:
    plain = boto3.Session.client

    def client(self: Any, service: str, **arguments: Any) -> Any:
        made = plain(self, service, **arguments)
        stub = Stubber(made)
        stub.add_client_error("get_parameters" if service == "ssm" else "describe_images", code, "not you")
        stub.activate()
        return made

    monkeypatch.setattr(boto3.Session, "client", client)
    assert ops.bad("resolve", "--stack", "dev") == [f"ssm:GetParameters in us-west-2: {expected}"]


def test_aws_that_cannot_be_reached(ops: Ops, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setattr(aws_module, "Config", lambda **_: None)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    lines = ops.bad("resolve", "--stack", "dev")
    assert len(lines) == 1, lines
    assert "AWS does not answer" in lines[0]
    assert lines[0].endswith("check the region's name and the network")


def test_region_without_the_parameters(ops: Ops, aws: SeededAws) -> None:
    path = ops.root / "Pulumi.dev.yaml"
    path.write_text(ops.stack("dev").replace("us-west-2", "eu-central-1"))
    assert ops.bad("resolve", "--stack", "dev") == [
        "Pulumi.dev.yaml: aws:region: found 'eu-central-1'; this region has none of the parameters below "
        "/aws/service/eks/optimized-ami; correct the region"
    ]


def test_kubernetes_version_without_an_image(ops: Ops, aws: SeededAws) -> None:
    path = ops.root / "Pulumi.dev.yaml"
    path.write_text(ops.stack("dev").replace('"1.36"', '"1.37"'))
    assert ops.bad("resolve", "--stack", "dev") == [
        'Pulumi.dev.yaml: karpenter-eks:cluster.version: found "1.37"; us-west-2 has no AL2023 image for this '
        "Kubernetes version; it has images for 1.36"
    ]


def test_one_variant_is_missing(ops: Ops, aws: SeededAws) -> None:
    name = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/arm64/standard/recommended/image_id"
    del aws.parameters[name]
    assert ops.bad("resolve", "--stack", "dev") == [
        f"{name}: us-west-2 has no such parameter; this variant or architecture is not published there"
    ]


def test_release_that_never_was(ops: Ops, aws: SeededAws) -> None:
    lines = ops.bad("resolve", "--stack", "dev", "--release", "v20260231")
    assert len(lines) == 2, lines
    assert "check the release v20260231, or leave --release out" in lines[0]


def damage(aws: SeededAws, ami_id: str, kind: str) -> None:
    ami = aws.ec2.amis[ami_id]
    if kind == "gone":
        del aws.ec2.amis[ami_id]
    elif kind == "pending":
        ami.state = "pending"
    elif kind == "stranger":
        ami.owner_alias, ami.owner_id = None, "999999999999"
    elif kind == "architecture":
        ami.architecture = "arm64"


IMAGES = {
    "gone": "gone: us-west-2 has no such image that you may see; take another release (ops ami resolve)",
    "pending": "state is 'pending'; must be available; wait, or take another release (ops ami resolve)",
    "stranger": "owner is '999999999999'; must be amazon, EKS's publisher; never run an image of a stranger",
    "architecture": "architecture is 'arm64'; amd64 nodes need x86_64; correct the pin",
}


@pytest.mark.parametrize("kind", IMAGES)
def test_images_that_must_not_be_candidates(ops: Ops, aws: SeededAws, kind: str) -> None:
    ami_id = aws.ids("20261101")[0]
    damage(aws, ami_id, kind)
    parameter = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id"
    assert ops.bad("resolve", "--stack", "dev") == [f"{parameter}: {ami_id}: {IMAGES[kind]}"]


@pytest.mark.parametrize("kind", IMAGES)
@pytest.mark.parametrize("command", ["promote", "rollback", "use"])
def test_images_that_went_bad_meanwhile(promoted: Ops, aws: SeededAws, command: str, kind: str) -> None:
    release = "20261101" if command == "rollback" else "20261115"
    ami_id = aws.ids(release)[0]
    if command == "rollback":
        promoted.good("promote", "--from", "staging", "--to", "prod")
        promoted.commit()
    damage(aws, ami_id, kind)
    arguments = (
        ("promote", "--from", "staging", "--to", "prod") if command == "promote" else (command, "--stack", "prod")
    )
    assert promoted.bad(*arguments) == [f"{ami_id}: {IMAGES[kind]}"], "nodes could not launch"


def test_deprecated_image(ops: Ops, monkeypatch: pytest.MonkeyPatch, aws: SeededAws) -> None:
    plain = aws_module._image
    monkeypatch.setattr(
        aws_module, "_image", lambda found: plain({**found, "DeprecationTime": "2026-11-10T00:00:00.000Z"})
    )
    lines = ops.bad("resolve", "--stack", "dev")
    assert lines[0].endswith("deprecated since 2026-11-10; it gets no fixes; take a newer release (ops ami resolve)")


def test_dirty_file(promoted: Ops) -> None:
    path = promoted.root / "Pulumi.prod.yaml"
    path.write_text(promoted.stack("prod") + "# half an idea\n")
    assert promoted.bad("use", "--stack", "prod") == [
        f"{path}: has changes that are not committed; commit them first, or say --force"
    ]
    promoted.good("use", "--stack", "prod", "--force")
    assert "# half an idea" in promoted.stack("prod"), "--force must keep the other edits"


def test_concurrent_edit_of_the_stack_file(promoted: Ops, monkeypatch: pytest.MonkeyPatch) -> None:
    path = promoted.root / "Pulumi.prod.yaml"
    edit_during_verification(monkeypatch, lambda: path.write_text(promoted.stack("prod") + "# by somebody else\n"))
    before = promoted.ledger_path.read_text()
    code, _, err = promoted.run("use", "--stack", "prod")
    assert code == 2
    assert err == f"{path}: somebody changed this file meanwhile; nothing was written: run the command again\n"
    assert promoted.stack("prod").endswith("# by somebody else\n"), "somebody's edit got lost"
    assert promoted.ledger_path.read_text() == before, "the ledger says what the stack does not run"


def test_concurrent_edit_of_the_ledger(promoted: Ops, monkeypatch: pytest.MonkeyPatch) -> None:
    path = promoted.ledger_path
    edit_during_verification(monkeypatch, lambda: path.write_text(path.read_text() + "# by somebody else\n"))
    before = promoted.stack("prod")
    code, _, err = promoted.run("use", "--stack", "prod")
    assert (code, err) == (
        2,
        f"{path}: somebody changed this file meanwhile; nothing was written: run the command again\n",
    )
    assert promoted.stack("prod") == before, "the stack runs what the ledger does not know"


def edit_during_verification(monkeypatch: pytest.MonkeyPatch, edit: Any) -> None:
    plain = aws_module.Aws.images

    def images(self: aws_module.Aws, ids: Any) -> Any:
        edit()
        return plain(self, ids)

    monkeypatch.setattr(aws_module.Aws, "images", images)


def test_nothing_is_approved(ops: Ops, aws: SeededAws) -> None:
    ops.good("resolve", "--stack", "dev")
    lines = ops.bad("use", "--stack", "dev")
    assert len(lines) == 3, "every missing pin is told at once"
    assert lines[0] == (
        "Pulumi.dev.yaml: nodeClasses.default.amis.amd64: no AMI is approved for dev (AL2023 standard amd64, "
        "Kubernetes 1.36, us-west-2); run ops ami resolve --stack dev, then ops ami approve"
    )


def test_promotion_before_its_time(promoted: Ops, aws: SeededAws) -> None:
    lines = promoted.bad("promote", "--from", "staging", "--to", "prod", "--min-days", "11")
    assert lines[0] == (
        f"{aws.ids('20261115')[0]}: in use in staging for 10 of 11 days; wait, or say --min-days in an emergency "
        "(docs/ami-updates.md)"
    )


def test_promotion_of_what_the_lower_stack_does_not_have(promoted: Ops, aws: SeededAws) -> None:
    path = promoted.root / "Pulumi.dev.yaml"
    text = promoted.stack("dev").replace(f", arm64: {aws.ids('20261115')[1]}", "")
    path.write_text(text.replace("    arm:\n      preset: arm64\n      nodeClass: default\n", ""))
    promoted.commit()
    command = ("promote", "--from", "dev", "--to", "prod")
    assert promoted.bad(*command) == [
        "Pulumi.prod.yaml: nodeClasses.default.amis.arm64: dev runs nothing of this kind (AL2023 standard arm64, "
        "Kubernetes 1.36, us-west-2); pin it in dev first, or take the same release as reviewed for prod: "
        "--allow-untried"
    ]
    promoted.good(*command, "--allow-untried")
    assert aws.ids("20261115")[1] in promoted.stack("prod")


def test_promotion_across_kubernetes_versions(promoted: Ops) -> None:
    path = promoted.root / "Pulumi.prod.yaml"
    path.write_text(promoted.stack("prod").replace('version: "1.36"', 'version: "1.35"'))
    lines = promoted.bad("promote", "--from", "staging", "--to", "prod")
    assert "staging runs 1.36, and an AMI is made for one version" in lines[0], "nodes would not join the cluster"


def test_promotion_onto_itself(promoted: Ops) -> None:
    assert "must be another environment" in promoted.bad("promote", "--from", "prod", "--to", "prod")[0]


def test_approval_of_nonsense(ops: Ops) -> None:
    found = ops.bad(
        "approve", "ami-1", "ami-00000000000000000", "--environment", "dev", "--reviewer", " ", "--notes", ""
    )
    assert found == [
        "--reviewer: found nothing; must not be empty; write it",
        "--notes: found nothing; must not be empty; write it",
        "ID: found 'ami-1'; must be \"ami-\" and 8 or 17 hexadecimal digits; copy it from ops ami status",
        "ID: found 'ami-00000000000000000'; the ledger does not know it; run ops ami resolve first",
    ]


def test_every_mistake_in_the_ledger_at_once(ops: Ops) -> None:
    ops.ledger_path.write_text(
        "schemaVersion: 2\namis:\n  ami-0123456789abcdef0:\n    region: us-west-2\n    architecture: x86_64\n"
        "    famly: AL2023\n    variant: standard\n    kubernetesVersion: 1.36\n    release: v1\n    released: '2026'\n"
        "    source: {ssmParameter: /a}\n    environments:\n      dev: {status: running, since: 2026-11-04T00:00:00Z}\n"
    )
    lines = ops.bad("status")
    for place in (
        "schemaVersion",
        "architecture",
        "famly",
        "family",
        "kubernetesVersion",
        "released",
        "readAt",
        "status",
    ):
        assert any(place in line for line in lines), f"the mistake in {place} is told only after the others: {lines}"
    assert all(line.startswith(("amis/ledger.yaml: ", str(ops.ledger_path))) for line in lines), lines


def test_ledger_that_is_no_yaml(ops: Ops) -> None:
    ops.ledger_path.write_text("schemaVersion: 1\namis: {a: 1\n")
    lines = ops.bad("status")
    assert len(lines) == 1, lines
    assert "no valid YAML" in lines[0]
    assert ":3:1" in lines[0], "people would search for the place"


def test_ledger_with_a_merge_that_was_not_finished(ops: Ops) -> None:
    ops.ledger_path.write_text("schemaVersion: 1\n<<<<<<< HEAD\namis: {}\n=======\namis: {a: 1}\n>>>>>>> theirs\n")
    lines = ops.bad("status")
    assert len(lines) == 1, lines
    assert "ledger.yaml:2: a merge" in lines[0], "people would look for a mistake in YAML that nobody wrote"


def test_ledger_with_an_id_twice(ops: Ops) -> None:
    ops.ledger_path.write_text("schemaVersion: 1\namis: {}\namis: {}\n")
    lines = ops.bad("check")
    assert len(lines) == 1, lines
    assert "duplicate key" in lines[0], "a bad merge would hide one of two entries"


def test_missing_ledger(ops: Ops) -> None:
    ops.ledger_path.unlink()
    assert "no such file" in ops.bad("status")[0]


def test_approval_without_a_review_is_a_contradiction(promoted: Ops) -> None:
    text = promoted.ledger_path.read_text()
    start = text.index("    reviews:\n")
    end = text.index("  ami-", start)
    promoted.ledger_path.write_text(text[:start] + text[end:])
    lines = promoted.bad("check")
    assert any("nobody reviewed this AMI, so dev may not run it" in line for line in lines), lines


def test_outside_of_a_project(ops: Ops, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from ops.cli import main

    assert main(["-C", str(tmp_path), "ami", "status"]) == 2
    assert "no Pulumi.yaml here or above" in capsys.readouterr().err
