"""`python -m ops ami`: the life of an AMI."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ops.ami import approve as approval
from ops.ami.aws import Aws
from ops.ami.cli_reports import check, diff, status
from ops.ami.desk import AsJson, Desk, DryRun, Force, Offline, StackOption, now, open_desk
from ops.ami.ledger import Status
from ops.ami.pins import Chosen, choose_approved, plan, verify
from ops.ami.promote import choose_promoted
from ops.ami.resolve import Candidate, resolve
from ops.ami.rollback import choose_previous
from ops.ami.slots import Stack, read_stack
from ops.project import refuse_if_dirty
from ops.show import line, table

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Candidates, approvals, pins and roll-backs of AMIs."
)
for _command in (status, diff, check):
    app.command()(_command)


@app.command("resolve")
def resolve_command(
    context: typer.Context,
    stack: StackOption,
    release: Annotated[str | None, typer.Option(help="Look for this release, such as v20261101.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read the newest AMIs from SSM, verify them, and write them into the ledger as candidates."""
    desk = open_desk(context)
    found = read_stack(desk.project, stack)
    candidates = resolve(desk.draft, found, Aws(found.region, found.profile), now(), release)
    desk.save()
    if as_json:
        line(json.dumps([_data(each, found.environment) for each in candidates], indent=2))
        return
    rows = [
        [
            each.id,
            each.ami.architecture,
            each.ami.family,
            each.ami.variant,
            each.ami.release,
            "new candidate" if each.is_new else f"known, {each.ami.status(found.environment)}",
        ]
        for each in candidates
    ]
    table(["AMI", "ARCH", "FAMILY", "VARIANT", "RELEASE", found.environment.upper()], rows)
    waiting = [each.id for each in candidates if each.ami.status(found.environment) == "candidate"]
    if waiting:
        line(
            f"next: review them, then python -m ops ami approve {' '.join(waiting)} "
            f"--environment {found.environment} --reviewer NAME --notes TEXT"
        )


def _data(candidate: Candidate, environment: str) -> dict[str, object]:
    ami = candidate.ami
    return {
        "id": candidate.id,
        "isNew": candidate.is_new,
        "status": ami.status(environment),
        **ami.model_dump(mode="json", by_alias=True, exclude={"environments", "reviews"}, exclude_none=True),
    }


@app.command()
def approve(
    context: typer.Context,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="AMIs.")],
    environment: Annotated[str, typer.Option(help="Environment that may run them.")],
    reviewer: Annotated[str, typer.Option(help="Who reviewed them.")],
    notes: Annotated[str, typer.Option(help="What was looked at and found.")],
) -> None:
    """Record a review, and approve AMIs for an environment."""
    desk = open_desk(context)
    done = approval.approve(desk.draft, ids, environment, reviewer=reviewer, notes=notes, now=now())
    desk.save()
    for text in done:
        line(text)
    line(f"next: python -m ops ami use --stack {environment}, or promote --to {environment} from the environment below")


@app.command()
def retire(
    context: typer.Context,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="AMIs.")],
    environment: Annotated[str, typer.Option(help="Environment that must not run them any more.")],
    why: Annotated[str, typer.Option(help="The reason.")],
) -> None:
    """Take AMIs out of an environment for good."""
    desk = open_desk(context)
    done = approval.retire(desk.draft, ids, environment, why, now())
    desk.save()
    for text in done:
        line(text)


@app.command()
def use(
    context: typer.Context,
    *,
    stack: StackOption,
    why: Annotated[str, typer.Option(help="Why the pins change.")] = "newest approved",
    dry_run: DryRun = False,
    offline: Offline = False,
    force: Force = False,
) -> None:
    """Pin the newest approved AMIs in a stack's file, and mark them as in use."""
    desk = open_desk(context)
    found = read_stack(desk.project, stack)
    chosen = choose_approved(desk.draft.ledger, found)
    _write(desk, found, chosen, why, dry_run=dry_run, offline=offline, force=force)


@app.command()
def promote(
    context: typer.Context,
    *,
    lower: Annotated[str, typer.Option("--from", help="Stack that runs the AMIs.")],
    upper: Annotated[str, typer.Option("--to", help="Stack that gets them.")],
    min_days: Annotated[int | None, typer.Option(min=0, help="Days in use below; the ledger's by default.")] = None,
    reviewer: Annotated[
        str | None, typer.Option(help="Approve them for the upper environment in the same step.")
    ] = None,
    notes: Annotated[str, typer.Option(help="What the reviewer found.")] = "",
    allow_untried: Annotated[
        bool, typer.Option("--allow-untried", help="Take the same release for what the lower stack does not have.")
    ] = False,
    dry_run: DryRun = False,
    offline: Offline = False,
    force: Force = False,
) -> None:
    """Pin what a lower environment has run for long enough."""
    desk = open_desk(context)
    below, above = read_stack(desk.project, lower), read_stack(desk.project, upper)
    ledger, days = desk.draft.ledger, min_days
    if days is None:
        days = ledger.min_days(above.environment)
    if reviewer is not None:
        ids = _to_approve(desk, below, above, days, untried=allow_untried)
        approval.approve(desk.draft, ids, above.environment, reviewer=reviewer, notes=notes, now=now())
    chosen = choose_promoted(desk.draft.ledger, below, above, now(), days, untried=allow_untried)
    _write(desk, above, chosen, f"promoted from {lower}", dry_run=dry_run, offline=offline, force=force)


def _to_approve(desk: Desk, below: Stack, above: Stack, days: int, *, untried: bool) -> list[str]:
    ledger = desk.draft.ledger
    chosen = choose_promoted(ledger, below, above, now(), days, untried=untried, is_approving=True)
    return sorted({ami_id for ami_id, ami in chosen.values() if not ami.is_allowed(above.environment)})


@app.command()
def rollback(
    context: typer.Context,
    *,
    stack: StackOption,
    why: Annotated[str, typer.Option(help="What went wrong.")] = "rolled back",
    dry_run: DryRun = False,
    offline: Offline = False,
    force: Force = False,
) -> None:
    """Pin the set before the present one; what is left behind is retired from this environment."""
    desk = open_desk(context)
    found = read_stack(desk.project, stack)
    pins, chosen = choose_previous(desk.draft.ledger, found)
    line(f"back to the set of {pins.since:%Y-%m-%d %H:%M} UTC")
    _write(desk, found, chosen, why, dry_run=dry_run, offline=offline, force=force, superseded="retired")


def _write(
    desk: Desk,
    stack: Stack,
    chosen: Chosen,
    why: str,
    *,
    dry_run: bool,
    offline: bool,
    force: bool,
    superseded: Status = "approved",
) -> None:
    path = desk.project.stack_file(stack.name)
    if not force and not dry_run:
        refuse_if_dirty(path)
    if not offline:
        verify(Aws(stack.region, stack.profile), chosen.values(), now())
    elsewhere = desk.pinned_elsewhere(stack)
    planned = plan(desk.draft, stack, chosen, now(), why, superseded=superseded, elsewhere=elsewhere)
    for text in planned.lines or (f"{path.name}: pins these AMIs already; nothing to change",):
        line(text)
    if dry_run:
        line("dry run: nothing was written")
        return
    desk.save(stack, planned.text)
    if planned.lines:
        line(f"next: git commit -m 'AMIs of {stack.name}' {path.name} amis/ledger.yaml")
        line(f"next: pulumi preview --stack {stack.name}, review it, then pulumi up --stack {stack.name}")
