"""What the stand-in knows of one resource type."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar

Props = dict[str, Any]

WAIT_SECONDS = 120
PAUSE_SECONDS = 0.2


class PluginError(Exception):
    """Something that the user should read as one message."""


class Aws:
    """A configured provider.

    Args:
        config: The provider's properties, as the official plugin takes them.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config
        self._clients: dict[str, Any] = {}

    @property
    def default_tags(self) -> dict[str, str]:
        """Tags of every resource that has tags."""
        return dict((self._config.get("defaultTags") or {}).get("tags") or {})

    @property
    def region(self) -> str:
        """The region."""
        return str(self.client("sts").meta.region_name)

    @cached_property
    def account_id(self) -> str:
        """The account that the credentials belong to."""
        return str(self.client("sts").get_caller_identity()["Account"])

    def client(self, service: str) -> Any:
        """A boto3 client.

        Args:
            service: boto3's name of the service.
        """
        if service not in self._clients:
            import boto3  # noqa: PLC0415 (a preview that asks AWS nothing must not pay for it)

            endpoints: dict[str, str] = {}
            for entry in self._config.get("endpoints") or []:
                endpoints |= entry
            self._clients[service] = boto3.session.Session(profile_name=self._config.get("profile")).client(
                service,
                region_name=self._config.get("region"),
                aws_access_key_id=self._config.get("accessKey"),
                aws_secret_access_key=self._config.get("secretKey"),
                aws_session_token=self._config.get("token"),
                endpoint_url=endpoints.get(service),
            )
        return self._clients[service]

    def check_account(self) -> None:
        """Refuse an account that the configuration does not allow.

        Raises:
            PluginError: If the credentials belong to another account.
        """
        allowed = self._config.get("allowedAccountIds") or []
        if allowed and self.account_id not in allowed:
            message = f"AWS account ID not allowed: {self.account_id} (allowedAccountIds: {', '.join(allowed)})"
            raise PluginError(message)


class Kind(ABC):
    """One resource type: its properties, and how it is made, read, changed and deleted."""

    token: ClassVar[str]
    "Its type token."
    inputs: ClassVar[frozenset[str]]
    "Properties that it takes, beside `tags`."
    replaces: ClassVar[frozenset[str]] = frozenset()
    "Properties whose change replaces the resource."
    defaults: ClassVar[Mapping[str, Any]] = {}
    "Values of properties that are not given."
    autoname: ClassVar[str | None] = None
    "Property that gets the logical name and seven random digits where it is not given."
    taggable: ClassVar[bool] = False
    "Whether it takes tags."
    unordered: ClassVar[frozenset[str]] = frozenset()
    "Lists whose order means nothing."
    documents: ClassVar[frozenset[str]] = frozenset()
    "Texts that are JSON."
    changing: ClassVar[frozenset[str]] = frozenset()
    "Outputs that an update changes."

    @abstractmethod
    def create(self, aws: Aws, new: Props) -> str:
        """Make it and return its id."""

    @abstractmethod
    def read(self, aws: Aws, resource_id: str, known: Props) -> Props | None:
        """Its properties and outputs as AWS has them, or None where it is gone.

        Args:
            aws: The provider.
            resource_id: Its id.
            known: What is known of it: inputs or the last state.
        """

    def imported(self, resource_id: str) -> tuple[str, Props]:
        """What `pulumi import` was given, as the id that a creation would give and what is known by it.

        Args:
            resource_id: An id as the official plugin's page of this type describes it.
        """
        return resource_id, {}

    def update(self, aws: Aws, resource_id: str, old: Props, new: Props) -> None:
        """Change it in place.

        Args:
            aws: The provider.
            resource_id: Its id.
            old: The inputs of before.
            new: The inputs to have.
        """
        message = f"{self.token} can't be changed in place"
        raise PluginError(message)

    @abstractmethod
    def delete(self, aws: Aws, resource_id: str, known: Props) -> None:
        """Delete it; returns once it is gone."""

    def same(self, name: str, one: Any, other: Any) -> bool:
        """Whether two values of a property mean the same."""
        if name in self.documents:
            return bool(_document(one) == _document(other))
        if name in self.unordered and isinstance(one, list) and isinstance(other, list):
            return sorted(map(_key, one)) == sorted(map(_key, other))
        return bool(_bare(one) == _bare(other))


def _key(value: Any) -> str:
    return json.dumps(_bare(value), sort_keys=True)


def _bare(value: Any) -> Any:
    """A value without what means nothing: empty members, and the difference of 1 and 1.0."""
    if isinstance(value, Mapping):
        return {key: _bare(item) for key, item in value.items() if item not in (None, "", [], {})}
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _document(text: Any) -> Any:
    """A JSON text as data; lists of one and lone values mean the same in IAM, and so does any order in a list."""
    try:
        return _loose(json.loads(text))
    except (TypeError, ValueError):
        return text


def _loose(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _loose(item) for key, item in value.items()}
    if isinstance(value, list):
        items = [_loose(item) for item in value]
        return items[0] if len(items) == 1 else sorted(items, key=_key)
    return value


def given(**values: Any) -> Props:
    """The values that are not None."""
    return {key: value for key, value in values.items() if value is not None}


def tag_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Tags as most services take them."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def tag_map(tags: list[dict[str, str]] | None, key: str = "Key", value: str = "Value") -> dict[str, str]:
    """Tags as Pulumi has them, without those that belong to AWS itself."""
    return {tag[key]: tag[value] for tag in tags or [] if not tag[key].startswith("aws:")}


def wait_until(done: Callable[[], bool], what: str) -> None:
    """Wait for something asynchronous in AWS.

    Raises:
        PluginError: If it does not happen in time.
    """
    end = time.monotonic() + WAIT_SECONDS
    while not done():
        if time.monotonic() > end:
            message = f"{what}: not there after {WAIT_SECONDS} s"
            raise PluginError(message)
        time.sleep(PAUSE_SECONDS)


def error_code(error: Exception) -> str:
    """AWS's code of a failed call, or an empty text."""
    response: Mapping[str, Any] = getattr(error, "response", {})
    return str(response.get("Error", {}).get("Code", ""))


def is_gone(error: Exception) -> bool:
    """Whether a call failed because its object is not there."""
    code = error_code(error)
    return "NotFound" in code or code in {"NoSuchEntity", "AWS.SimpleQueueService.NonExistentQueue", "404"}


def or_gone(call: Callable[[], Any]) -> Any:
    """The result of a call, or None where its object is not there."""
    try:
        return call()
    except Exception as error:
        if is_gone(error):
            return None
        raise


def until_free(call: Callable[[], Any]) -> None:
    """Delete something that others may still use for a moment; already gone is fine."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            call()
        except Exception as error:
            if is_gone(error):
                return
            if error_code(error) not in {"DependencyViolation", "DeleteConflict", "ResourceInUseException"}:
                raise
            if time.monotonic() > end:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return
