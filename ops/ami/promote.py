"""Takes what one environment runs into the next one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from ops.ami.ledger import Ami, Ledger
from ops.ami.pins import describe, fits
from ops.ami.slots import Slot, Stack
from ops.errors import OpsError


def choose_promoted(
    ledger: Ledger,
    lower: Stack,
    upper: Stack,
    now: datetime,
    min_days: int,
    *,
    untried: bool,
    is_approving: bool = False,
) -> dict[Slot, tuple[str, Ami]]:
    """What the upper stack gets from the lower one.

    Args:
        ledger: The ledger.
        lower: The stack whose AMIs have proved themselves.
        upper: The stack that gets them.
        now: The moment.
        min_days: Days that an AMI must have been in use in the lower environment.
        untried: Also takes AMIs of the same release for places that the lower stack does not have.
        is_approving: Whether the approval for the upper environment comes in the same step.

    Raises:
        OpsError: If anything speaks against it: a line for each reason.
    """
    if lower.name == upper.name or lower.environment == upper.environment:
        msg = f"--to: found {upper.name!r}; must be another environment than --from; name the next one"
        raise OpsError(msg)
    if lower.kubernetes_version != upper.kubernetes_version:
        msg = (
            f"Pulumi.{upper.name}.yaml: karpenter-eks:cluster.version: found {upper.kubernetes_version!r}; "
            f"{lower.name} runs {lower.kubernetes_version}, and an AMI is made for one version; "
            f"update the cluster first, or resolve and approve for {upper.name} by itself"
        )
        raise OpsError(msg)
    chosen: dict[Slot, tuple[str, Ami]] = {}
    errors: list[str] = []
    for slot in upper.slots:
        proved = _proved(ledger, lower, slot)
        if proved is None and untried:
            proved = _same_release(ledger, lower, slot)
        found = _in_region(ledger, upper, slot, proved[1]) if proved else None
        if proved is None:
            errors.append(_nothing(lower, upper, slot))
        elif found is None:
            errors.append(
                f"{proved[0]}: release {proved[1].release} is not in the ledger for {upper.region}; "
                f"run ops ami resolve --stack {upper.name} --release {proved[1].release}"
            )
        else:
            chosen[slot] = found
            errors += _objections(lower, proved, now, min_days)
            if not is_approving:
                errors += _unapproved(upper, *found)
    if errors:
        raise OpsError(dict.fromkeys(errors))
    return chosen


def _proved(ledger: Ledger, lower: Stack, slot: Slot) -> tuple[str, Ami] | None:
    """The AMI of a kind that the lower stack pins; the same place first, any other place of that kind next."""
    same_kind = sorted(
        (each for each in lower.pinned if each.kind == slot.kind),
        key=lambda each: (each.node_class != slot.node_class, each.is_system != slot.is_system, each),
    )
    for each in same_kind:
        pin = lower.pinned[each]
        if not each.is_system and pin in ledger.amis:
            return pin, ledger.amis[pin]
        if each.is_system:
            found = ledger.by_release_version(pin, lower.region, each.architecture)
            usable = [(ami_id, ami) for ami_id, ami in found.items() if ami.family == each.family]
            if usable:
                return usable[0]
    return None


def _same_release(ledger: Ledger, lower: Stack, slot: Slot) -> tuple[str, Ami] | None:
    """An AMI for a place that the lower stack does not have, of a release that it runs."""
    running = {ledger.amis[pin].release for pin in lower.pinned.values() if pin in ledger.amis}
    for ami_id, ami in ledger.amis.items():
        if ami.release in running and fits(ami, lower, slot):
            return ami_id, ami
    return None


def _in_region(ledger: Ledger, upper: Stack, slot: Slot, proved: Ami) -> tuple[str, Ami] | None:
    """The same release in the upper stack's region."""
    for ami_id, ami in ledger.amis.items():
        if ami.release == proved.release and fits(ami, upper, slot):
            return ami_id, ami
    return None


def _nothing(lower: Stack, upper: Stack, slot: Slot) -> str:
    unknown = [pin for each, pin in lower.pinned.items() if each.kind == slot.kind]
    if unknown:
        return f"Pulumi.{lower.name}.yaml: {unknown[0]}: the ledger does not know it; run ops ami status"
    return (
        f"Pulumi.{upper.name}.yaml: {slot.shown}: {lower.name} runs nothing of this kind ({describe(lower, slot)}); "
        f"pin it in {lower.name} first, or take the same release as reviewed for {upper.name}: --allow-untried"
    )


def _objections(lower: Stack, proved: tuple[str, Ami], now: datetime, min_days: int) -> Iterator[str]:
    ami_id, ami = proved
    if not any(each.kind == (ami.architecture, ami.family, ami.variant) for each in lower.pinned):
        return  # taken untried, as the caller asked for
    environment = ami.environments.get(lower.environment)
    if environment is None or environment.status != "in-use":
        status = environment.status if environment else "unknown"
        yield (
            f"{ami_id}: {status} in {lower.environment}; must be in use there; "
            f"run ops ami use --stack {lower.name}, and let it run"
        )
        return
    days = (now - environment.since).days
    if days < min_days:
        yield (
            f"{ami_id}: in use in {lower.environment} for {days} of {min_days} days; wait, "
            "or say --min-days in an emergency (docs/ami-updates.md)"
        )


def _unapproved(upper: Stack, ami_id: str, ami: Ami) -> Iterator[str]:
    if not ami.is_allowed(upper.environment):
        status = ami.status(upper.environment) or "not approved"
        yield (
            f"{ami_id}: {status} in {upper.environment}; must be approved there; run ops ami approve {ami_id} "
            f"--environment {upper.environment} --reviewer NAME --notes TEXT"
        )
