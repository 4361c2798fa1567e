"""The EKS optimized AMIs of the lab: ids, names and dates, in every region.

Source of names and parameter paths: EKS user guide, "Retrieve recommended Amazon Linux AMI IDs",
and Bottlerocket's documentation of its SSM parameters.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from dataclasses import dataclass

VERSIONS = ("1.34", "1.35", "1.36")
"""Kubernetes versions with images."""

OLDER, CURRENT, NEWER = "20261015", "20261101", "20261115"
"""AL2023 releases: superseded, recommended at start, and published on request."""

BOTTLEROCKET = {OLDER: "1.50.0", CURRENT: "1.51.0", NEWER: "1.52.0"}
OWNER_ID = "602401143452"
_LIFE_YEARS = 2
_PREFIX = {OLDER: "ami-091b2c3d4e5f6000", CURRENT: "ami-0a1b2c3d4e5f6000", NEWER: "ami-0b1b2c3d4e5f6000"}
_NUMBER = {("x86_64", "standard"): 1, ("arm64", "standard"): 2, ("x86_64", "nvidia"): 3, ("arm64", "nvidia"): 4}
_FLAVOURS = (*_NUMBER, ("x86_64", "neuron"))
_LAB_VERSION = "1.36"


@dataclass(frozen=True)
class Image:
    """One AMI.

    Attributes:
        id: `ami-…`; the lab's well-known ids for Kubernetes 1.36, derived from the name otherwise.
        name: as EKS names it.
        kubernetes: minor version, such as `1.36`.
        architecture: `x86_64` or `arm64`.
        variant: `standard`, `nvidia` or `neuron`.
        release: date of the release, `YYYYMMDD`.
        family: `al2023` or `bottlerocket`.
    """

    id: str
    name: str
    kubernetes: str
    architecture: str
    variant: str
    release: str
    family: str

    @property
    def created(self) -> datetime.datetime:
        """When it was published."""
        return date_of(self.release)

    @property
    def deprecated(self) -> datetime.datetime:
        """When EC2 will call it deprecated."""
        return self.created.replace(year=self.created.year + _LIFE_YEARS)

    @property
    def release_version(self) -> str:
        """What EKS calls the release, such as `1.36.0-20261101`; Bottlerocket's own version for its images."""
        return BOTTLEROCKET[self.release] if self.family == "bottlerocket" else f"{self.kubernetes}.0-{self.release}"


def date_of(release: str) -> datetime.datetime:
    """The day of a release.

    Raises:
        ValueError: not `YYYYMMDD`.
    """
    return datetime.datetime.strptime(release, "%Y%m%d").replace(tzinfo=datetime.UTC)


def images(published: list[str]) -> list[Image]:
    """Every AMI that exists once these releases are published besides the first two."""
    releases = sorted({OLDER, CURRENT, *published})
    return [
        image
        for release in releases
        for kubernetes in VERSIONS
        for architecture, variant in _FLAVOURS
        for image in _flavour(release, kubernetes, architecture, variant)
    ]


def _flavour(release: str, kubernetes: str, architecture: str, variant: str) -> list[Image]:
    name = f"amazon-eks-node-al2023-{architecture}-{variant}-{kubernetes}-v{release}"
    number = _NUMBER.get((architecture, variant))
    known = f"{_PREFIX[release]}{number}" if number and kubernetes == _LAB_VERSION and release in _PREFIX else ""
    found = [Image(known or _derived(name), name, kubernetes, architecture, variant, release, "al2023")]
    if variant != "neuron" and release in BOTTLEROCKET:
        suffix = "" if variant == "standard" else f"-{variant}"
        rocket = f"bottlerocket-aws-k8s-{kubernetes}{suffix}-{architecture}-v{BOTTLEROCKET[release]}"
        found.append(Image(_derived(rocket), rocket, kubernetes, architecture, variant, release, "bottlerocket"))
    return found


def _derived(name: str) -> str:
    return f"ami-0{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def parameters(published: list[str]) -> dict[str, str]:
    """Every public SSM parameter about these images: name -> value."""
    found: dict[str, str] = {}
    # Later releases come later, so what they recommend overwrites what earlier ones did.
    for image in images(published):
        found.update(_bottlerocket(image) if image.family == "bottlerocket" else _al2023(image))
    return found


def _al2023(image: Image) -> dict[str, str]:
    root = f"/aws/service/eks/optimized-ami/{image.kubernetes}/amazon-linux-2023/{image.architecture}/{image.variant}"
    values = {"image_id": image.id, "image_name": image.name, "release_version": image.release_version}
    found = {}
    for place in (f"{root}/recommended", f"{root}/{image.name}"):
        found[place] = json.dumps({"schema_version": "2", **values})
        found.update({f"{place}/{field}": value for field, value in values.items()})
    return found


def _bottlerocket(image: Image) -> dict[str, str]:
    suffix = "" if image.variant == "standard" else f"-{image.variant}"
    root = f"/aws/service/bottlerocket/aws-k8s-{image.kubernetes}{suffix}/{image.architecture}"
    values = {"image_id": image.id, "image_version": image.release_version}
    return {
        f"{root}/{place}/{field}": value
        for place in ("latest", image.release_version)
        for field, value in values.items()
    }
