"""Goes back to the set of pins that a stack ran before."""

from __future__ import annotations

from ops.ami.ledger import Ami, Ledger, PinSet
from ops.ami.slots import Slot, Stack
from ops.errors import OpsError


def choose_previous(ledger: Ledger, stack: Stack) -> tuple[PinSet, dict[Slot, tuple[str, Ami]]]:
    """The newest earlier set of a stack that may still run.

    Args:
        ledger: The ledger.
        stack: The stack.

    Returns:
        The set, and what goes where.

    Raises:
        OpsError: If there is none; with the reason for each set that was looked at.
    """
    looked_at = []
    for pins in reversed(ledger.pins.get(stack.name, ())):
        if stack.runs(pins):
            continue
        chosen, reasons = _chosen(ledger, stack, pins)
        if not reasons:
            return pins, chosen
        looked_at.append(f"the set of {pins.since:%Y-%m-%d %H:%M} does not fit: {'; '.join(reasons)}")
    what = f"--stack: found {stack.name!r}; its history in amis/ledger.yaml holds no earlier set that may run"
    raise OpsError([f"{what}; approve one (ops ami approve) and write it with ops ami use", *looked_at])


def _chosen(ledger: Ledger, stack: Stack, pins: PinSet) -> tuple[dict[Slot, tuple[str, Ami]], list[str]]:
    chosen: dict[Slot, tuple[str, Ami]] = {}
    reasons = []
    for slot in stack.slots:
        if slot.is_system:
            release = pins.system_release_version
            found = ledger.by_release_version(release, stack.region, slot.architecture) if release else {}
        else:
            ami_id = pins.node_classes.get(slot.node_class, {}).get(slot.architecture)  # type: ignore[call-overload]
            found = {ami_id: ledger.amis[ami_id]} if ami_id else {}
        if not found and slot in stack.pinned and _is_new(pins, slot):
            continue  # a place that is newer than the set keeps its pin
        if not found:
            reasons.append(f"it has no pin that the ledger knows for {slot.shown}")
            continue
        ami_id, ami = next(iter(found.items()))
        if ami.kubernetes_version != stack.kubernetes_version:
            reasons.append(f"{ami_id} is for Kubernetes {ami.kubernetes_version}")
        elif not ami.is_allowed(stack.environment):
            reasons.append(f"{ami_id} is {ami.status(stack.environment) or 'not approved'} in {stack.environment}")
        else:
            chosen[slot] = ami_id, ami
    return chosen, list(dict.fromkeys(reasons))


def _is_new(pins: PinSet, slot: Slot) -> bool:
    """Tell whether a set is older than a place."""
    if slot.is_system:
        return pins.system_release_version is None
    return slot.architecture not in pins.node_classes.get(slot.node_class, {})
