"""What every stack pins, how old it is, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from ops.ami.aws import Aws, AwsError
from ops.ami.ledger import Ami, Ledger
from ops.ami.pins import verify
from ops.ami.record import LedgerDraft
from ops.ami.resolve import newest, resolve
from ops.ami.slots import Slot, Stack
from ops.errors import OpsError


@dataclass(frozen=True)
class Limits:
    """When the state of a pin becomes a finding.

    Attributes:
        behind: Days that a pin may be older than the newest known release.
        notice: Days before deprecation from which on it is told.
    """

    behind: int
    notice: int


@dataclass(frozen=True)
class Row:
    """One place of one stack.

    Attributes:
        stack: Name of the stack.
        environment: Name of its environment.
        place: Path of the pin.
        pin: AMI id or release version, or None.
        release: Release of the AMI, or None.
        status: What the AMI is in this environment, or None.
        since: Since when, or None.
        age: Days since it was published, or None.
        to_deprecation: Days until EC2 calls it deprecated, or None.
        behind: Days between its publication and that of the newest known one, or None.
        newest: Release of the newest known one, or None.
    """

    stack: str
    environment: str
    place: str
    pin: str | None
    release: str | None = None
    status: str | None = None
    since: str | None = None
    age: int | None = None
    to_deprecation: int | None = None
    behind: int | None = None
    newest: str | None = None

    @property
    def data(self) -> dict[str, Any]:  # text, numbers and None
        """The row for JSON, in camelCase."""
        return {"toDeprecation" if key == "to_deprecation" else key: value for key, value in asdict(self).items()}


@dataclass(frozen=True)
class Report:
    """The state of all stacks.

    Attributes:
        rows: A row for each place.
        findings: What somebody should mend, a line for each.
        notes: What is good to know, a line for each.
    """

    rows: tuple[Row, ...]
    findings: tuple[str, ...]
    notes: tuple[str, ...]


def ask_aws(draft: LedgerDraft, stack: Stack, aws: Aws, now: datetime) -> Iterator[str]:
    """Bring the newest releases into the draft, and yield what is wrong with images that a stack pins.

    Args:
        draft: The ledger; nobody writes it.
        stack: The stack.
        aws: Its region.
        now: The moment.

    Raises:
        AwsError: If AWS cannot be asked.
    """
    try:
        pinned = [(pin, draft.ledger.amis[pin]) for pin in stack.pinned.values() if pin in draft.ledger.amis]
        verify(aws, pinned, now)
    except AwsError:
        raise
    except OpsError as error:
        yield from (f"{stack.name}: {line}" for line in error.lines)
    try:
        resolve(draft, stack, aws, now)
    except AwsError:
        raise
    except OpsError as error:
        yield from (f"{stack.name}: {line}" for line in error.lines)


def report(ledger: Ledger, stacks: list[Stack], now: datetime, limits: Limits) -> Report:
    """The state of stacks, from their files and the ledger alone.

    Args:
        ledger: The ledger.
        stacks: The stacks.
        now: The moment.
        limits: When something becomes a finding.
    """
    rows, findings, notes = [], [], []
    for stack in stacks:
        rows += [_row(ledger, stack, slot, now.date()) for slot in stack.slots]
        notes += [f"{stack.name}: nodeClasses.{name}: {reason}" for name, reason in stack.unmanaged.items()]
        if not stack.pinned:
            notes.append(f"{stack.name}: nothing is pinned yet; begin with ops ami resolve --stack {stack.name}")
            continue
        findings += [*_stack_findings(ledger, stack), *_pin_findings(ledger, stack, now.date(), limits)]
    return Report(tuple(rows), tuple(findings), tuple(notes))


def _pinned(ledger: Ledger, stack: Stack, slot: Slot) -> tuple[str, Ami] | None:
    pin = stack.pinned.get(slot, "")
    if slot.is_system:
        found = ledger.by_release_version(pin, stack.region, slot.architecture)
        return next(iter(found.items()), None)
    return (pin, ledger.amis[pin]) if pin in ledger.amis else None


def _row(ledger: Ledger, stack: Stack, slot: Slot, today: date) -> Row:
    pin, found, best = stack.pinned.get(slot), _pinned(ledger, stack, slot), newest(ledger, stack, slot)
    if found is None:
        return Row(stack.name, stack.environment, slot.shown, pin, newest=best[1].release if best else None)
    ami = found[1]
    environment = ami.environments.get(stack.environment)
    return Row(
        stack.name,
        stack.environment,
        slot.shown,
        pin,
        release=ami.release,
        status=environment.status if environment else None,
        since=environment.since.date().isoformat() if environment else None,
        age=(today - ami.released).days,
        to_deprecation=(ami.deprecated - today).days if ami.deprecated else None,
        behind=max((best[1].released - ami.released).days, 0) if best else None,
        newest=best[1].release if best else None,
    )


def _stack_findings(ledger: Ledger, stack: Stack) -> Iterator[str]:
    history = ledger.pins.get(stack.name, ())
    if history and not stack.runs(history[-1]):
        yield (
            f"{stack.name}: the file's pins are not the newest set in the ledger; somebody edited one of them by hand; "
            f"write approved pins with ops ami use --stack {stack.name}"
        )
    pinned = {found[0] for slot in stack.slots if (found := _pinned(ledger, stack, slot))}
    if history:
        for ami_id in sorted(history[-1].ids() - pinned):
            if ledger.amis[ami_id].status(stack.environment) == "in-use":
                yield f"{stack.name}: {ami_id}: in use says the ledger, but the file does not pin it; see git log"


def _pin_findings(ledger: Ledger, stack: Stack, today: date, limits: Limits) -> Iterator[str]:
    for slot in stack.slots:
        pin, found = stack.pinned.get(slot), _pinned(ledger, stack, slot)
        where = f"{stack.name}: {slot.shown}"
        if pin is None:
            yield f"{where}: not pinned; run ops ami use --stack {stack.name}"
        elif found is None:
            yield f"{where}: {pin}: not in the ledger, so nobody reviewed it; run ops ami use --stack {stack.name}"
        else:
            for finding in _ami_findings(ledger, stack, slot, found, today=today, limits=limits):
                yield f"{where}: {finding}"


def _ami_findings(
    ledger: Ledger, stack: Stack, slot: Slot, found: tuple[str, Ami], *, today: date, limits: Limits
) -> Iterator[str]:
    ami_id, ami = found
    if ami.status(stack.environment) != "in-use":
        status = ami.status(stack.environment) or "unknown"
        yield f"{ami_id}: {status} in {stack.environment}, but it is pinned; approve it, or run ops ami rollback"
    needs = (stack.region, stack.kubernetes_version, *slot.kind)
    has = (ami.region, ami.kubernetes_version, ami.architecture, ami.family, ami.variant)
    if needs != has:
        yield f"{ami_id}: is for {' '.join(has)}; the stack needs {' '.join(needs)}; run ops ami resolve"
    if ami.deprecated is not None and (ami.deprecated - today).days <= limits.notice:
        days = (ami.deprecated - today).days
        when = f"in {days} days" if days > 0 else f"since {ami.deprecated}"
        yield f"{ami_id}: deprecated {when}; move to {_newest_release(ledger, stack, slot)}"
    best = newest(ledger, stack, slot)
    behind = (best[1].released - ami.released).days if best else 0
    if behind > limits.behind:
        yield f"{ami_id}: {behind} days behind {_newest_release(ledger, stack, slot)}; the limit is {limits.behind}"


def _newest_release(ledger: Ledger, stack: Stack, slot: Slot) -> str:
    best = newest(ledger, stack, slot)
    return best[1].release if best else "a newer release"
