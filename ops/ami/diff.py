"""What distinguishes two AMIs, or the pins of two stacks."""

from __future__ import annotations

from collections.abc import Callable

from ops.ami.ledger import AMI_ID, Ami, Ledger
from ops.ami.slots import Slot, Stack
from ops.errors import OpsError

Difference = tuple[str, str, str]
"""What, on the left, on the right."""


def differences(ledger: Ledger, left: str, right: str, stack_of: Callable[[str], Stack]) -> list[Difference]:
    """Compare two AMIs of the ledger, or two stacks.

    Args:
        ledger: The ledger.
        left: AMI id or stack.
        right: Another of the same kind.
        stack_of: Reads a stack by its name.

    Raises:
        OpsError: If one is unknown, or they are of two kinds.
    """
    are_ids = [bool(AMI_ID.match(each)) for each in (left, right)]
    if all(are_ids):
        return _of_amis(_known(ledger, left), _known(ledger, right))
    if any(are_ids):
        msg = f"A B: found {left} {right}; must be two AMI ids or two stacks; name two of a kind"
        raise OpsError(msg)
    return _of_stacks(ledger, stack_of(left), stack_of(right))


def _known(ledger: Ledger, ami_id: str) -> Ami:
    if ami_id not in ledger.amis:
        msg = f"{ami_id}: the ledger does not know it; run ops ami resolve first"
        raise OpsError(msg)
    return ledger.amis[ami_id]


def _of_amis(left: Ami, right: Ami) -> list[Difference]:
    one, other = _facts(left), _facts(right)
    return [(key, one.get(key, "-"), other.get(key, "-")) for key in {**one, **other} if one.get(key) != other.get(key)]


def _facts(ami: Ami) -> dict[str, str]:
    plain = ami.model_dump(by_alias=True, exclude={"environments", "reviews", "source"}, exclude_none=True)
    found = {key: str(value) for key, value in plain.items()}
    # Who and when: the notes can be pages long, and stand in the ledger.
    found["reviews"] = ", ".join(dict.fromkeys(f"{each.reviewer} {each.at}" for each in ami.reviews)) or "-"
    for name, environment in sorted(ami.environments.items()):
        found[name] = environment.status
    return found


def _of_stacks(ledger: Ledger, left: Stack, right: Stack) -> list[Difference]:
    one, other = _pins(ledger, left), _pins(ledger, right)
    facts = [
        ("kubernetesVersion", left.kubernetes_version, right.kubernetes_version),
        ("region", left.region, right.region),
    ]
    found = [(path, one.get(path, "-"), other.get(path, "-")) for path in {**one, **other}]
    return [each for each in [*facts, *found] if each[1] != each[2]]


def _pins(ledger: Ledger, stack: Stack) -> dict[str, str]:
    return {slot.shown: _shown(ledger, stack, slot) for slot in stack.slots}


def _shown(ledger: Ledger, stack: Stack, slot: Slot) -> str:
    pin = stack.pinned.get(slot)
    if pin is None:
        return "-"
    return f"{pin} ({ledger.amis[pin].release})" if pin in ledger.amis else pin
