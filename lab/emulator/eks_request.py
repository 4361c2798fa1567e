"""One EKS call, and the answers that every EKS module gives."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ministack.core.responses import get_account_id, get_region, new_uuid
from ministack.services import eks

from lab.emulator import ec2_resources, iam_rules, profiles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lab.emulator.ec2 import Answer
    from lab.emulator.instance_events import InstanceEvents
    from lab.emulator.state import Lab


class EksError(Exception):
    """A refusal in EKS's own words.

    Args:
        status: HTTP status.
        code: exception's name, such as `InvalidParameterException`.
        text: message.
    """

    def __init__(self, status: int, code: str, text: str) -> None:
        super().__init__(text)
        self.status, self.code, self.text = status, code, text


def invalid(text: str) -> EksError:
    """A parameter that EKS does not take."""
    return EksError(400, "InvalidParameterException", text)


@dataclass(frozen=True)
class Request:
    """One EKS call.

    Attributes:
        lab: the running emulator.
        events: told about instances that node groups start and end.
        body: the JSON body; empty without one.
        query: first value of each query parameter.
        access_key: the caller's access key id.
        plain: ministack's own answer to this call.
    """

    lab: Lab
    events: InstanceEvents
    body: Mapping[str, Any]
    query: Mapping[str, str]
    access_key: str
    plain: Callable[[], Answer]

    @property
    def region(self) -> str:
        """The region that the call is signed for."""
        return str(get_region())

    @property
    def ec2(self) -> Any:
        """The EC2 of this region, in moto; use it under `lab.ec2_lock` only."""
        return ec2_resources.backend(self.lab.options.account_id, self.region)

    def cluster(self, name: str) -> dict[str, Any]:
        """A cluster's record.

        Raises:
            EksError: no such cluster.
        """
        found: dict[str, Any] | None = eks._clusters.get(name)  # noqa: SLF001
        if found is None:
            raise EksError(404, "ResourceNotFoundException", f"No cluster found for name: {name}.")
        return found

    def pass_role(self, role_arn: str, service: str) -> None:
        """Ask IAM whether the caller may hand a role over.

        Raises:
            EksError: it may not, or the role does not exist.
        """
        denial = iam_rules.pass_role_denied(self.lab, self.access_key, self.region, role_arn, service)
        if denial:
            raise EksError(403, "AccessDeniedException", denial.text)
        if profiles.role_by_arn(role_arn) is None:
            why = "it does not exist or the trusted entity is not correct"
            text = f"Role with arn: {role_arn}, could not be assumed because {why}"
            raise invalid(text)


def answer(body: Mapping[str, Any], status: int = 200) -> Answer:
    """A JSON answer."""
    return status, {"Content-Type": "application/json"}, json.dumps(body).encode()


def refusal(error: EksError) -> Answer:
    """An error as the SDKs read it."""
    body = json.dumps({"__type": error.code, "message": error.text}).encode()
    return error.status, {"Content-Type": "application/json", "x-amzn-errortype": error.code}, body


_updates: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}


def record_update(cluster: str, kind: str, params: Mapping[str, Any], owner: str = "") -> Answer:
    """Remember a finished update and answer it as EKS answers one that it begins."""
    update_id = str(new_uuid())
    update = {
        "id": update_id,
        "status": "Successful",
        "type": kind,
        "params": [{"type": name, "value": json.dumps(value)} for name, value in params.items()],
        "createdAt": int(time.time()),
        "errors": [],
    }
    _updates.setdefault((get_account_id(), get_region(), cluster), {})[update_id] = {**update, "owner": owner}
    return answer({"update": {**update, "status": "InProgress"}})


def updates_of(cluster: str) -> dict[str, dict[str, Any]]:
    """The updates of a cluster by id, oldest first."""
    return _updates.get((get_account_id(), get_region(), cluster), {})


def forget_updates(cluster: str) -> None:
    """A deleted cluster takes its updates with it."""
    _updates.pop((get_account_id(), get_region(), cluster), None)


def random_digits(count: int) -> str:
    """Digits as EKS appends them to names that it makes."""
    return "".join(secrets.choice("0123456789") for _ in range(count))
