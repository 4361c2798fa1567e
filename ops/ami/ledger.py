"""The ledger: what is known about every AMI that was ever a candidate, and which ones each stack has run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from components.spec.model_problems import join, parse
from components.spec.problems import ABSENT, Problem
from ops.errors import OpsError
from ops.yaml_text import plain

Architecture = Literal["amd64", "arm64"]
Status = Literal["candidate", "approved", "in-use", "retired"]
ALLOWED: Final = frozenset({"approved", "in-use"})
"""What an environment may run."""

LAST_DAYS_IN_LOWER: Final = 7
"""Days in the lower environment before a promotion, where the ledger's `promotion` says nothing."""

AMI_ID: Final = re.compile(r"^ami-([0-9a-f]{8}|[0-9a-f]{17})\Z")


def _date_only(value: object) -> object:
    if isinstance(value, datetime) or not isinstance(value, date):
        message = "must be a date such as 2026-11-01, without quotes"
        raise ValueError(message)  # noqa: TRY004 (pydantic reports ValueErrors, and lets others through)
    return value


def _zoned(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


Day = Annotated[date, BeforeValidator(_date_only)]
Moment = Annotated[datetime, AfterValidator(_zoned)]
Words = Annotated[str, Field(min_length=1, json_schema_extra={"x-allowed": "text that is not empty"})]
Version = Annotated[str, Field(pattern=r"^1\.\d{2}$", json_schema_extra={"x-allowed": 'text in quotes like "1.36"'})]
AmiId = Annotated[str, Field(pattern=AMI_ID, json_schema_extra={"x-allowed": '"ami-" and 8 or 17 hexadecimal digits'})]


class Record(BaseModel):
    """Frozen; a misspelt key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, alias_generator=to_camel)


class Source(Record):
    """Where an id came from."""

    ssm_parameter: Words
    read_at: Moment


class Review(Record):
    """What a person found out about an AMI."""

    reviewer: Words
    at: Day
    notes: Words


class Environment(Record):
    """What an AMI is in one environment."""

    status: Status
    since: Moment
    why: Words | None = None


class Ami(Record):
    """One AMI.

    `name`, `releaseVersion` (EKS's name of the same release for managed node groups), `deprecated` (day on which EC2
    calls it deprecated), `onlyFor` (the one environment that has it, as the lab has its stand-ins) and `note` are
    optional.
    """

    region: Words
    architecture: Architecture
    family: Words
    variant: Words
    kubernetes_version: Version
    release: Words
    released: Day
    source: Source
    reviews: Annotated[tuple[Review, ...], Field(strict=False)] = ()
    environments: dict[str, Environment] = {}
    name: Words | None = None
    release_version: Words | None = None
    deprecated: Day | None = None
    only_for: Words | None = None
    note: Words | None = None

    def status(self, environment: str) -> Status | None:
        """What it is in an environment, or None where it was never a candidate."""
        found = self.environments.get(environment)
        return found.status if found is not None else None

    def exists_for(self, environment: str) -> bool:
        """Tell whether an environment could have it at all."""
        return self.only_for in {None, environment} or environment in self.environments

    def is_allowed(self, environment: str) -> bool:
        """Tell whether an environment may run it."""
        return self.status(environment) in ALLOWED


class PinSet(Record):
    """All pins of a stack from a moment on, until the next set of the same stack begins."""

    since: Moment
    node_classes: dict[str, dict[Architecture, AmiId]]
    system_release_version: Words | None = None
    why: Words | None = None

    def ids(self) -> set[str]:
        """The AMIs of all node classes."""
        return {ami for pins in self.node_classes.values() for ami in pins.values()}


class Promotion(Record):
    """Rules of promotion."""

    min_days: dict[str, Annotated[int, Field(ge=0)]] = {}


class Ledger(Record):
    """The whole file."""

    schema_version: Literal[1]
    amis: dict[AmiId, Ami]
    pins: dict[str, Annotated[tuple[PinSet, ...], Field(strict=False)]] = {}
    promotion: Promotion = Promotion()

    def min_days(self, environment: str) -> int:
        """Days that an AMI must be in use in the lower environment before this one may take it."""
        return self.promotion.min_days.get(environment, LAST_DAYS_IN_LOWER)

    def by_release_version(self, release_version: str, region: str, architecture: str) -> dict[str, Ami]:
        """The AMIs that a managed node group's release stands for."""
        return {
            ami_id: ami
            for ami_id, ami in self.amis.items()
            if (ami.release_version, ami.region, ami.architecture) == (release_version, region, architecture)
            and ami.variant == "standard"
        }


def read_ledger(path: Path) -> tuple[str, Ledger]:
    """The ledger's text and what it says.

    Args:
        path: The file.

    Raises:
        OpsError: If it is missing or anything in it is wrong: one line for each mistake.
    """
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError as error:
        msg = f"{path}: no such file; write `schemaVersion: 1` and `amis: {{}}` into it"
        raise OpsError(msg) from error
    return text, parse_ledger(text, str(path))


def parse_ledger(text: str, name: str) -> Ledger:
    """What a ledger's text says.

    Args:
        text: The text.
        name: Name of the file, for the errors.

    Raises:
        OpsError: If anything in it is wrong: one line for each mistake.
    """
    ledger, problems, _ = parse(Ledger, "", plain(text, name))
    if ledger is not None:
        problems = [*problems, *_contradictions(ledger)]
    if problems or ledger is None:
        raise OpsError(problem.line(f"{name}: ") for problem in problems)
    return ledger


def _contradictions(ledger: Ledger) -> Iterator[Problem]:
    for ami_id, ami in ledger.amis.items():
        path = join("amis", ami_id)
        for name, environment in ami.environments.items():
            if environment.status in ALLOWED and not ami.reviews:
                rule = f"nobody reviewed this AMI, so {name} may not run it"
                remedy = f"python -m ops ami approve {ami_id} --environment {name} --reviewer … --notes …"
                yield Problem(join(path, "environments", name, "status"), environment.status, rule, remedy)
        if ami.deprecated is not None and ami.deprecated <= ami.released:
            rule = "must be later than `released`"
            yield Problem(join(path, "deprecated"), str(ami.deprecated), rule, "correct one of the two dates")
    for stack, sets in ledger.pins.items():
        for index, pins in enumerate(sets):
            path = join("pins", stack, index)
            for ami_id in sorted(pins.ids() - ledger.amis.keys()):
                yield Problem(join(path, "nodeClasses"), ami_id, "stands in no entry of `amis`", "add its entry again")
            if index and pins.since < sets[index - 1].since:
                rule = "begins before the set above it"
                yield Problem(join(path, "since"), pins.since.isoformat(), rule, "order the sets by time")
    if not ledger.amis and ledger.pins:
        yield Problem("amis", ABSENT, "the sets in `pins` need their AMIs", "restore the entries from git")
