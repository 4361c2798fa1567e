"""What the commands share: their options, the clock, and the opened ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import typer

from ops.ami.ledger import read_ledger
from ops.ami.record import LedgerDraft
from ops.ami.slots import Stack, read_stack
from ops.project import Project
from ops.transaction import Change, commit, recover

StackOption = Annotated[str, typer.Option("--stack", help="Name of the stack.")]
Force = Annotated[bool, typer.Option("--force", help="Change the stack's file although git holds other edits of it.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change, and write nothing.")]
Offline = Annotated[bool, typer.Option("--offline", help="Do not ask AWS whether the images can still be used.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def now() -> datetime:
    """The present moment, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


@dataclass
class Desk:
    """The project's ledger, opened for a command.

    Attributes:
        project: The project.
        draft: The ledger.
    """

    project: Project
    draft: LedgerDraft

    def save(self, stack: Stack | None = None, text: str = "") -> None:
        """Write the ledger, and a stack's file with it."""
        changes = [Change(self.project.ledger, self.draft.before, self.draft.text)]
        if stack is not None:
            changes.append(Change(self.project.stack_file(stack.name), stack.text, text))
        commit(self.project.ledger.parent, changes)

    def pinned_elsewhere(self, stack: Stack) -> set[str]:
        """AMIs that other stacks of a stack's environment run, those of their system nodes included."""
        others = [read_stack(self.project, name) for name in self.project.stacks if name != stack.name]
        found: set[str] = set()
        for other in others:
            if (other.environment, other.region) == (stack.environment, stack.region):
                found |= self.draft.ids_of(other)
        return found


def open_desk(context: typer.Context) -> Desk:
    """Open the ledger of the project; what a killed command had begun is finished first."""
    project: Project = context.obj
    recover(project.ledger.parent)
    text, _ = read_ledger(project.ledger)
    return Desk(project, LedgerDraft(text, "amis/ledger.yaml"))
