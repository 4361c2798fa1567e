"""Writes entries, reviews, statuses and sets of pins into the ledger's text; everything else stays as it is."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

from components.spec.model_problems import parse
from ops.ami.ledger import Ami, Ledger, PinSet, Review, Status, parse_ledger
from ops.ami.slots import Stack
from ops.errors import OpsError
from ops.render import Block, Rows
from ops.yaml_text import append, set_value


class LedgerDraft:
    """A ledger that is being changed, in memory.

    Args:
        text: The file's text.
        name: Name of the file, for errors.
    """

    def __init__(self, text: str, name: str) -> None:
        self.before = self.text = text
        self._name = name
        self.ledger: Ledger = parse_ledger(text, name)

    def add(self, ami_id: str, ami: Ami) -> None:
        """Add an AMI that is not there yet, at its place in the order of ids."""
        self._set(("amis", ami_id), _entry(ami))

    def review(self, ami_id: str, review: Review) -> None:
        """Add what a person found out."""
        item = {"reviewer": review.reviewer, "at": review.at, "notes": review.notes}
        if self.ledger.amis[ami_id].reviews:
            self._take(append(self.text, ("amis", ami_id, "reviews"), item))
        else:
            self._set(("amis", ami_id, "reviews"), Rows([item]), ordered=False)

    def mark(self, ami_id: str, environment: str, status: Status, now: datetime, why: str | None = None) -> None:
        """Say what an AMI is in an environment from now on."""
        value = {"status": status, "since": now, **({"why": why} if why else {})}
        if not self.ledger.amis[ami_id].environments:
            self._set(("amis", ami_id, "environments"), Block({environment: value}), ordered=False)
        else:
            self._set(("amis", ami_id, "environments", environment), value)

    def pin(self, stack: str, pins: PinSet) -> None:
        """Begin a stack's next set of pins."""
        item: dict[str, object] = {
            "since": pins.since,
            "nodeClasses": {k: dict(v) for k, v in pins.node_classes.items()},
        }
        if pins.system_release_version:
            item["systemReleaseVersion"] = pins.system_release_version
        if pins.why:
            item["why"] = pins.why
        if self.ledger.pins.get(stack):
            self._take(append(self.text, ("pins", stack), item))
        elif self.ledger.pins:
            self._set(("pins", stack), Rows([item]))
        else:
            self._set(("pins",), Block({stack: Rows([item])}), ordered=False)

    def run(
        self, stack: Stack, pins: PinSet, now: datetime, *, superseded: Status, why: str, elsewhere: Iterable[str] = ()
    ) -> None:
        """Record that a stack runs a set of pins from now on.

        Args:
            stack: The stack, as its file was before.
            pins: The new set.
            now: The moment.
            superseded: What the AMIs become that ran before and do not any more.
            why: Why the pins change.
            elsewhere: AMIs that other stacks of the same environment pin; they stay in use.
        """
        history = self.ledger.pins.get(stack.name, ())
        before = self.ids_of(stack)
        # Ids that the ledger does not know were never approved, so no roll-back may lead to them.
        if stack.pinned and not (history and stack.runs(history[-1])) and before <= self.ledger.amis.keys():
            self.pin(stack.name, pin_set(stack.ami_pins, stack.system_release, now, "what the file held before"))
        environment, new = stack.environment, self._ids(pins, stack)
        for ami_id in sorted(before - new - set(elsewhere)):
            # What was retired already keeps its reason.
            if ami_id in self.ledger.amis and self.ledger.amis[ami_id].status(environment) == "in-use":
                self.mark(ami_id, environment, superseded, now, f"superseded: {why}")
        for ami_id in sorted(new):
            if self.ledger.amis[ami_id].status(environment) != "in-use":
                self.mark(ami_id, environment, "in-use", now, why)
        self.pin(stack.name, pins)

    def ids_of(self, stack: Stack) -> set[str]:
        """The AMIs that a stack's file pins, that of its system nodes included."""
        ids = {ami_id for pins in stack.ami_pins.values() for ami_id in pins.values()}
        return ids | self._system_ids(stack.system_release, stack)

    def _system_ids(self, release: str | None, stack: Stack) -> set[str]:
        """The AMIs of a managed node group's release, which no file pins by id."""
        system = next((slot for slot in stack.slots if slot.is_system), None)
        if system is None or release is None:
            return set()
        return set(self.ledger.by_release_version(release, stack.region, system.architecture))

    def _ids(self, pins: PinSet, stack: Stack) -> set[str]:
        return pins.ids() | self._system_ids(pins.system_release_version, stack)

    def _set(self, path: tuple[str, ...], value: object, *, ordered: bool = True) -> None:
        self._take(set_value(self.text, path, value, ordered=ordered))

    def _take(self, text: str) -> None:
        self.ledger, self.text = parse_ledger(text, self._name), text


def pin_set(ids: dict[str, dict[str, str]], release: str | None, now: datetime, why: str) -> PinSet:
    """A set of pins from plain data.

    Args:
        ids: AMI ids by node class and architecture.
        release: The managed node group's release version.
        now: When the set begins.
        why: Why.

    Raises:
        OpsError: If one of the ids is none.
    """
    data = {"since": now, "nodeClasses": ids, "systemReleaseVersion": release, "why": why}
    found, problems, _ = parse(PinSet, "pins", data)
    if found is None or problems:
        raise OpsError(problem.line() for problem in problems)
    return found


def _entry(ami: Ami) -> Block:
    found = Block(
        region=ami.region,
        architecture=ami.architecture,
        family=ami.family,
        variant=ami.variant,
        kubernetesVersion=ami.kubernetes_version,
        release=ami.release,
        released=ami.released,
    )
    optional: dict[str, str | date | None] = {
        "releaseVersion": ami.release_version,
        "name": ami.name,
        "deprecated": ami.deprecated,
        "onlyFor": ami.only_for,
        "note": ami.note,
    }
    found.update({key: value for key, value in optional.items() if value is not None})
    found["source"] = {"ssmParameter": ami.source.ssm_parameter, "readAt": ami.source.read_at}
    environments = {}
    for name, environment in sorted(ami.environments.items()):
        why = {"why": environment.why} if environment.why else {}
        environments[name] = {"status": environment.status, "since": environment.since, **why}
    if environments:
        found["environments"] = Block(environments)
    return found
