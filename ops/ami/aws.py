"""Reads SSM parameters and images; every failure is one line that says what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
)

from ops.errors import OpsError

_PAGE: Final = 10
"""Names that one call of GetParameters takes."""

_BAD_CREDENTIALS: Final = {
    "AuthFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "RequestExpired",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}
_DENIED: Final = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"}
_LOG_IN: Final = "log in (aws sso login, or set AWS_PROFILE) and run the command again"


@dataclass(frozen=True)
class Image:
    """What EC2 says of an AMI.

    Attributes:
        id: Its id.
        name: Its name.
        architecture: As EC2 names it: x86_64 or arm64.
        state: `available`, or what else.
        owner: The owner's alias, such as amazon, or its account.
        created: Day of creation.
        deprecated: Day from which on EC2 calls it deprecated, or None.
    """

    id: str
    name: str
    architecture: str
    state: str
    owner: str
    created: date
    deprecated: date | None


class AwsError(OpsError):
    """AWS could not be asked."""


class Aws:
    """One region of AWS.

    Args:
        region: The region.
        profile: Name of an AWS profile, or None for the environment's credentials.
    """

    def __init__(self, region: str, profile: str | None) -> None:
        self.region = region
        try:
            session = boto3.Session(profile_name=profile, region_name=region)
            config = Config(connect_timeout=10, read_timeout=30, retries={"max_attempts": 4, "mode": "standard"})
            self._ssm: Any = session.client("ssm", config=config)
            self._ec2: Any = session.client("ec2", config=config)
        except ProfileNotFound as error:
            msg = f"aws:profile: {error}; add it to ~/.aws/config or correct the name"
            raise OpsError(msg) from error
        except (BotoCoreError, ValueError) as error:
            msg = f"aws:region: found {region!r}; {error}; correct the region"
            raise OpsError(msg) from error

    def parameters(self, names: Iterable[str]) -> dict[str, str]:
        """Values of public parameters; those that do not exist here are left out.

        Args:
            names: Their names.

        Raises:
            AwsError: If AWS cannot be asked.
        """
        wanted, found = sorted(set(names)), {}
        for start in range(0, len(wanted), _PAGE):
            answer = self._call("ssm:GetParameters", self._ssm.get_parameters, Names=wanted[start : start + _PAGE])
            found.update({each["Name"]: each["Value"] for each in answer["Parameters"]})
        return found

    def images(self, ids: Iterable[str]) -> dict[str, Image]:
        """What EC2 says of AMIs, deprecated ones included; those that are gone are left out.

        Args:
            ids: Their ids.

        Raises:
            AwsError: If AWS cannot be asked.
        """
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        # A filter, not ImageIds: with those one image that is gone would hide what is said about the others.
        filters = [{"Name": "image-id", "Values": wanted}]
        call = self._ec2.describe_images
        answer = self._call("ec2:DescribeImages", call, Filters=filters, IncludeDeprecated=True)
        return {each["ImageId"]: _image(each) for each in answer["Images"]}

    def _call(self, action: str, call: Any, **arguments: Any) -> Any:  # boto3's clients are made at run time
        try:
            return call(**arguments)
        except (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError, SSOError) as error:
            msg = f"{action} in {self.region}: no AWS credentials: {error}; {_LOG_IN}"
            raise AwsError(msg) from error
        except ClientError as error:
            raise AwsError(self._refusal(action, error.response.get("Error", {}))) from error
        except BotoCoreError as error:
            remedy = "check the region's name and the network"
            msg = f"{action} in {self.region}: AWS does not answer: {error}; {remedy}"
            raise AwsError(msg) from error

    def _refusal(self, action: str, error: Any) -> str:  # a part of botocore's answer
        code, message = str(error.get("Code", "unknown")), str(error.get("Message", ""))
        where = f"{action} in {self.region}"
        if code in _DENIED:
            return f"{where}: no permission: {message}; ask for {action} on * in the role or user that you are"
        if code in _BAD_CREDENTIALS:
            return f"{where}: AWS does not accept the credentials ({code}: {message}); {_LOG_IN}"
        return f"{where}: AWS refused: {code}: {message}; correct that and run the command again"


def _image(found: Any) -> Image:  # a part of boto3's answer
    return Image(
        id=found["ImageId"],
        name=found.get("Name", ""),
        architecture=found.get("Architecture", ""),
        state=found.get("State", ""),
        owner=found.get("ImageOwnerAlias") or found.get("OwnerId", ""),
        created=_day(found["CreationDate"]),
        deprecated=_day(found["DeprecationTime"]) if found.get("DeprecationTime") else None,
    )


def _day(text: str) -> date:
    return datetime.fromisoformat(text).date()


EC2_ARCHITECTURES: Final = {"amd64": "x86_64", "arm64": "arm64"}
"""Kubernetes' names of the architectures, and EC2's."""


def image_problems(ami_id: str, image: Image | None, architecture: str, today: date, region: str) -> Iterator[str]:
    """Why an image must not be used.

    Args:
        ami_id: Its id.
        image: What EC2 says of it, or None where it is gone.
        architecture: The one that is needed, as Kubernetes names it.
        today: The day that a deprecation is compared with.
        region: The region that was asked.
    """
    if image is None:
        yield f"{ami_id}: gone: {region} has no such image that you may see; take another release (ops ami resolve)"
        return
    if image.state != "available":
        yield f"{ami_id}: state is {image.state!r}; must be available; wait, or take another release (ops ami resolve)"
    if image.owner != "amazon":
        yield f"{ami_id}: owner is {image.owner!r}; must be amazon, EKS's publisher; never run an image of a stranger"
    if image.architecture != EC2_ARCHITECTURES[architecture]:
        expected = EC2_ARCHITECTURES[architecture]
        yield f"{ami_id}: architecture is {image.architecture!r}; {architecture} nodes need {expected}; correct the pin"
    if image.deprecated is not None and image.deprecated <= today:
        yield f"{ami_id}: deprecated since {image.deprecated}; it gets no fixes; take a newer release (ops ami resolve)"
