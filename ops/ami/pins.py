"""Chooses pins for a stack, checks them at AWS, and writes them into its file and the ledger together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from ops.ami.aws import Aws, image_problems
from ops.ami.ledger import Ami, Ledger, Status
from ops.ami.record import LedgerDraft, pin_set
from ops.ami.slots import Slot, Stack
from ops.errors import OpsError
from ops.yaml_text import set_value

Chosen = Mapping[Slot, tuple[str, Ami]]
"""Slot -> id and entry of the AMI that goes there."""


@dataclass(frozen=True)
class Plan:
    """A change of a stack's pins.

    Attributes:
        text: The stack file's new text.
        lines: What changes, a line for each pin.
    """

    text: str
    lines: tuple[str, ...]


def choose_approved(ledger: Ledger, stack: Stack) -> dict[Slot, tuple[str, Ami]]:
    """The newest approved AMI for every place of a stack.

    Raises:
        OpsError: If a place has none; a line for each.
    """
    found: dict[Slot, tuple[str, Ami]] = {}
    errors = []
    for slot in stack.slots:
        fitting = [
            (ami.released, ami_id, ami)
            for ami_id, ami in ledger.amis.items()
            if fits(ami, stack, slot) and ami.is_allowed(stack.environment)
        ]
        if fitting:
            _, ami_id, ami = max(fitting, key=lambda each: each[:2])
            found[slot] = ami_id, ami
        else:
            errors.append(
                f"Pulumi.{stack.name}.yaml: {slot.shown}: no AMI is approved for {stack.environment} "
                f"({describe(stack, slot)}); run ops ami resolve --stack {stack.name}, then ops ami approve"
            )
    if errors:
        raise OpsError(errors)
    return found


def fits(ami: Ami, stack: Stack, slot: Slot) -> bool:
    """Tell whether an AMI could run in a place."""
    return (
        (ami.architecture, ami.family, ami.variant) == slot.kind
        and ami.region == stack.region
        and ami.kubernetes_version == stack.kubernetes_version
        and ami.exists_for(stack.environment)
        and (ami.release_version is not None or not slot.is_system)
    )


def describe(stack: Stack, slot: Slot) -> str:
    """What a place needs, in words."""
    return f"{slot.family} {slot.variant} {slot.architecture}, Kubernetes {stack.kubernetes_version}, {stack.region}"


def verify(aws: Aws, amis: Iterable[tuple[str, Ami]], now: datetime) -> None:
    """Ask AWS whether images can still be used.

    Raises:
        OpsError: If one cannot; every reason at once.
    """
    wanted = dict(amis)
    found = aws.images(wanted)
    errors = [
        problem
        for ami_id, ami in wanted.items()
        for problem in image_problems(ami_id, found.get(ami_id), ami.architecture, now.date(), aws.region)
    ]
    if errors:
        raise OpsError(errors)


def value_of(slot: Slot, chosen: tuple[str, Ami]) -> str:
    """What stands in the file: the id, or the release version for the managed node group."""
    ami_id, ami = chosen
    return str(ami.release_version) if slot.is_system else ami_id


def plan(
    draft: LedgerDraft,
    stack: Stack,
    chosen: Chosen,
    now: datetime,
    why: str,
    *,
    superseded: Status = "approved",
    elsewhere: Iterable[str] = (),
) -> Plan:
    """Work out the new text of the stack's file, and change the ledger's draft.

    Args:
        draft: The ledger.
        stack: The stack.
        chosen: What goes where.
        now: The moment.
        why: Why the pins change.
        superseded: What AMIs become in this environment that do not run any more.
        elsewhere: AMIs that other stacks of the same environment pin.
    """
    text, lines = stack.text, []
    after = dict(stack.pinned)
    for slot, found in chosen.items():
        new = value_of(slot, found)
        old = stack.pinned.get(slot)
        if old != new:
            text = set_value(text, slot.path, new)
            lines.append(f"{slot.shown}: {old or 'nothing'} -> {new} ({found[1].release})")
        after[slot] = new
    if not lines:
        return Plan(text, ())
    ids: dict[str, dict[str, str]] = {}
    for slot, pin in after.items():
        if not slot.is_system:
            ids.setdefault(slot.node_class, {})[slot.architecture] = pin
    release = next((pin for slot, pin in after.items() if slot.is_system), None)
    draft.run(stack, pin_set(ids, release, now, why), now, superseded=superseded, why=why, elsewhere=elsewhere)
    return Plan(text, tuple(lines))
