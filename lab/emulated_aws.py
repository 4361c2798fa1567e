"""The emulated AWS as the lab's own programs use it: AWS's APIs with its root's key, and its own routes below /_lab."""

import json
import urllib.request
from typing import Any

import boto3

from lab.state import State

SECONDS = 30


def root_client(state: State, service: str) -> Any:
    """A boto3 client that may do everything.

    Args:
        state: The lab.
        service: The service's name, such as ``"ec2"``.
    """
    return boto3.client(
        service,
        endpoint_url=state.aws_endpoint,
        region_name=state.region,
        aws_access_key_id="test",
        aws_secret_access_key="test",  # noqa: S106 (the emulator's root key, known to everybody)
    )


def own_url(state: State, route: str) -> str:
    """The address of one of the emulator's own routes, such as ``"leftovers"``."""
    return f"{state.aws_endpoint}/_lab/{route}"


def ask(state: State, route: str) -> Any:
    """What one of the emulator's own routes answers.

    Args:
        state: The lab.
        route: Such as ``"denials"``.
    """
    with urllib.request.urlopen(own_url(state, route), timeout=SECONDS) as answer:
        return json.load(answer)


def tell(state: State, route: str, **document: object) -> Any:
    """Have the emulator do something that AWS would do by itself, such as publishing images.

    Args:
        state: The lab.
        route: Such as ``"images/publish"``.
        document: What the route asks for.
    """
    body = json.dumps(document).encode()
    request = urllib.request.Request(own_url(state, route), body, method="POST")
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return json.load(answer)
