"""Records what a person decided about an AMI: approved for an environment, or retired from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ops.ami.ledger import AMI_ID, Review
from ops.ami.record import LedgerDraft
from ops.errors import OpsError


def approve(
    draft: LedgerDraft, ids: Sequence[str], environment: str, *, reviewer: str, notes: str, now: datetime
) -> list[str]:
    """Approve AMIs for an environment.

    Args:
        draft: The ledger.
        ids: The AMIs.
        environment: Where they may run from now on.
        reviewer: Who reviewed them.
        notes: What was found.
        now: The moment.

    Returns:
        What was done, a line for each AMI.

    Raises:
        OpsError: If an id is unknown, or reviewer or notes are empty.
    """
    _check(draft, ids, {"--reviewer": reviewer, "--notes": notes, "--environment": environment})
    done = []
    for ami_id in ids:
        before = draft.ledger.amis[ami_id].status(environment)
        draft.review(ami_id, Review(reviewer=reviewer.strip(), at=now.date(), notes=notes.strip()))
        if before == "in-use":
            done.append(f"{ami_id}: reviewed again; stays in use in {environment}")
            continue
        draft.mark(ami_id, environment, "approved", now)
        done.append(f"{ami_id}: {before or 'new there'} -> approved for {environment}")
    return done


def retire(draft: LedgerDraft, ids: Sequence[str], environment: str, why: str, now: datetime) -> list[str]:
    """Take AMIs out of an environment for good; nothing but a new approval brings them back.

    Args:
        draft: The ledger.
        ids: The AMIs.
        environment: Where they must not run any more.
        why: The reason.
        now: The moment.

    Returns:
        What was done, a line for each AMI.

    Raises:
        OpsError: If an id is unknown, or the reason is empty.
    """
    _check(draft, ids, {"--why": why, "--environment": environment})
    done = []
    for ami_id in ids:
        before = draft.ledger.amis[ami_id].status(environment)
        draft.mark(ami_id, environment, "retired", now, why.strip())
        done.append(f"{ami_id}: {before or 'new there'} -> retired from {environment}")
    return done


def _check(draft: LedgerDraft, ids: Sequence[str], texts: dict[str, str]) -> None:
    errors = [
        f"{option}: found nothing; must not be empty; write it" for option, text in texts.items() if not text.strip()
    ]
    for ami_id in ids:
        if not AMI_ID.match(ami_id):
            errors.append(
                f'ID: found {ami_id!r}; must be "ami-" and 8 or 17 hexadecimal digits; copy it from ops ami status'
            )
        elif ami_id not in draft.ledger.amis:
            errors.append(f"ID: found {ami_id!r}; the ledger does not know it; run ops ami resolve first")
    if errors:
        raise OpsError(errors)
