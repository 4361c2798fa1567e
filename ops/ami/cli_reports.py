"""The commands that only look: status, diff, check."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ops.ami.aws import Aws
from ops.ami.desk import AsJson, now, open_desk
from ops.ami.diff import differences
from ops.ami.slots import read_stack
from ops.ami.status import Limits, Report, ask_aws, report
from ops.errors import OpsError
from ops.show import line, table


def status(
    context: typer.Context,
    *,
    stack: Annotated[list[str] | None, typer.Option("--stack", help="Only these stacks.")] = None,
    online: Annotated[
        bool, typer.Option("--online", help="Ask AWS for newer releases and for images that are gone.")
    ] = False,
    max_behind: Annotated[int, typer.Option(min=0, help="Days behind the newest release that are fine.")] = 45,
    notice: Annotated[int, typer.Option(min=0, help="Days before deprecation from which on it is told.")] = 60,
    as_json: AsJson = False,
) -> None:
    """Show every stack's pins; exit code 1 when something should be mended."""
    desk = open_desk(context)
    stacks = [read_stack(desk.project, name) for name in stack or desk.project.stacks]
    asked: list[str] = []
    for each in stacks if online else ():
        asked += ask_aws(desk.draft, each, Aws(each.region, each.profile), now())
    found = report(desk.draft.ledger, stacks, now(), Limits(max_behind, notice))
    findings = [*found.findings, *asked]
    if as_json:
        data = {"pins": [row.data for row in found.rows], "findings": findings, "notes": list(found.notes)}
        line(json.dumps(data, indent=2))
    else:
        _show(found, findings)
    if findings:
        raise typer.Exit(1)


def _show(found: Report, findings: list[str]) -> None:
    def text(value: object) -> str:
        return "-" if value is None else str(value)

    table(
        ["STACK", "PLACE", "PIN", "RELEASE", "STATUS", "SINCE", "AGE", "DEPRECATED IN", "BEHIND", "NEWEST"],
        [
            [
                row.stack,
                row.place,
                text(row.pin),
                text(row.release),
                text(row.status),
                text(row.since),
                _days(row.age),
                _days(row.to_deprecation),
                _days(row.behind),
                text(row.newest),
            ]
            for row in found.rows
        ],
    )
    for each in found.notes:
        line(f"note: {each}")
    for each in findings:
        line(f"finding: {each}")


def _days(number: int | None) -> str:
    return "-" if number is None else f"{number} d"


def diff(
    context: typer.Context,
    left: Annotated[str, typer.Argument(metavar="A", help="AMI id or stack.")],
    right: Annotated[str, typer.Argument(metavar="B", help="Another of the same kind.")],
    as_json: AsJson = False,
) -> None:
    """Compare two AMIs, or the pins of two stacks."""
    desk = open_desk(context)
    found = differences(desk.draft.ledger, left, right, lambda name: read_stack(desk.project, name))
    if as_json:
        line(json.dumps([{"what": what, "left": one, "right": other} for what, one, other in found], indent=2))
    elif found:
        table(["WHAT", left, right], [list(each) for each in found])
    else:
        line(f"{left} and {right} do not differ")


def check(context: typer.Context) -> None:
    """Check the ledger's form and contradictions; for CI and after a merge."""
    desk = open_desk(context)
    unsorted = list(desk.draft.ledger.amis) != sorted(desk.draft.ledger.amis)
    if unsorted:
        msg = "amis/ledger.yaml: amis: the ids are not in order, so branches would conflict; sort the entries"
        raise OpsError(msg)
    line(f"amis/ledger.yaml: {len(desk.draft.ledger.amis)} AMIs, nothing wrong")
