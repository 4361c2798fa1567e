"""Finds the newest AMIs that a stack could pin, verifies them, and writes them down as candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from components.spec.versions import LEAST_KARPENTER
from ops.ami.aws import EC2_ARCHITECTURES, Aws, Image, image_problems
from ops.ami.ledger import Ami, Environment, Ledger, Source
from ops.ami.record import LedgerDraft
from ops.ami.slots import Slot, Stack
from ops.errors import OpsError

Kind = tuple[str, str, str]
"""Architecture, family, variant."""

_AL2023: Final = "/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/{arch}/{variant}"
_BOTTLEROCKET: Final = "/aws/service/bottlerocket/aws-k8s-{version}{suffix}/{arch}"


@dataclass(frozen=True)
class Candidate:
    """An AMI that was found.

    Attributes:
        id: Its id.
        ami: What the ledger says or will say of it.
        is_new: Whether the ledger gets something new about it.
    """

    id: str
    ami: Ami
    is_new: bool


def resolve(draft: LedgerDraft, stack: Stack, aws: Aws, now: datetime, release: str | None = None) -> list[Candidate]:
    """Read, verify and record one AMI for each kind that a stack needs.

    Args:
        draft: The ledger; gets the candidates.
        stack: The stack.
        aws: Its region.
        now: The moment.
        release: A release such as v20261101, or None for the recommended one.

    Returns:
        What was found, by architecture, family and variant.

    Raises:
        OpsError: If a parameter is missing or an image must not be used; every reason at once.
    """
    kinds = sorted({slot.kind for slot in stack.slots})
    if not kinds:
        msg = f"Pulumi.{stack.name}.yaml: no node class and no node group to find AMIs for; add nodeClasses"
        raise OpsError(msg)
    images, versions = _look_up(aws, stack, kinds, release)
    described = aws.images(images.values())
    errors: list[str] = []
    found = []
    for kind in kinds:
        ami_id = images[kind]
        image = described.get(ami_id)
        problems = list(image_problems(ami_id, image, kind[0], now.date(), aws.region))
        errors += [f"{_parameter(kind, stack.kubernetes_version, release)}: {problem}" for problem in problems]
        if image is not None and not problems:
            found.append(_record(draft, stack, kind, image, versions.get(kind), now=now, release=release))
    if errors:
        raise OpsError(errors)
    return found


def _look_up(aws: Aws, stack: Stack, kinds: list[Kind], release: str | None) -> tuple[dict[Kind, str], dict[Kind, str]]:
    names = {kind: _parameter(kind, stack.kubernetes_version, release) for kind in kinds}
    releases = {kind: _release_parameter(kind, name) for kind, name in names.items()}
    values = aws.parameters([*names.values(), *releases.values()])
    missing = [kind for kind in kinds if names[kind] not in values]
    if missing:
        raise OpsError(_missing(aws, stack, [names[kind] for kind in missing], release))
    return (
        {kind: values[name] for kind, name in names.items()},
        {kind: values[name] for kind, name in releases.items() if name in values},
    )


def _parameter(kind: Kind, version: str, release: str | None) -> str:
    arch, family, variant = EC2_ARCHITECTURES[kind[0]], kind[1], kind[2]
    if family == "Bottlerocket":
        suffix = "" if variant == "standard" else f"-{variant}"
        root = _BOTTLEROCKET.format(version=version, suffix=suffix, arch=arch)
        return f"{root}/{release.removeprefix('v') if release else 'latest'}/image_id"
    root = _AL2023.format(version=version, arch=arch, variant=variant)
    name = f"amazon-eks-node-al2023-{arch}-{variant}-{version}-{release}" if release else "recommended"
    return f"{root}/{name}/image_id"


def _release_parameter(kind: Kind, image_parameter: str) -> str:
    field = "image_version" if kind[1] == "Bottlerocket" else "release_version"
    return f"{image_parameter.removesuffix('image_id')}{field}"


def _missing(aws: Aws, stack: Stack, names: list[str], release: str | None) -> Iterator[str]:
    """Why parameters are missing: no such release, no such version, no such region, or only no such variant."""
    version = stack.kubernetes_version
    if release is not None:
        for name in names:
            yield f"{name}: {aws.region} has no such parameter; check the release {release}, or leave --release out"
        return
    standard = ("amd64", "AL2023", "standard")
    probes = {each: _parameter(standard, each, None) for each in LEAST_KARPENTER}
    known = aws.parameters(probes.values())
    there = [each for each, name in probes.items() if name in known]
    if version not in there and any("amazon-linux-2023" in name for name in names):
        path = f"Pulumi.{stack.name}.yaml: karpenter-eks:cluster.version"
        if there:
            yield (
                f'{path}: found "{version}"; {aws.region} has no AL2023 image for this Kubernetes version; '
                f"it has images for {', '.join(there)}"
            )
        else:
            yield (
                f"Pulumi.{stack.name}.yaml: aws:region: found {aws.region!r}; this region has none of the parameters "
                "below /aws/service/eks/optimized-ami; correct the region"
            )
        return
    for name in names:
        yield f"{name}: {aws.region} has no such parameter; this variant or architecture is not published there"


def _record(
    draft: LedgerDraft,
    stack: Stack,
    kind: Kind,
    image: Image,
    release_version: str | None,
    *,
    now: datetime,
    release: str | None,
) -> Candidate:
    environment, known = stack.environment, draft.ledger.amis.get(image.id)
    if known is not None:
        is_new = environment not in known.environments
        if is_new:
            draft.mark(image.id, environment, "candidate", now)
        return Candidate(image.id, draft.ledger.amis[image.id], is_new)
    ami = Ami.model_validate(
        {
            "region": stack.region,
            "architecture": kind[0],
            "family": kind[1],
            "variant": kind[2],
            "kubernetesVersion": stack.kubernetes_version,
            "release": f"v{release_version}" if kind[1] == "Bottlerocket" else _release_of(image),
            "released": image.created,
            "releaseVersion": release_version,
            "name": image.name or None,
            "deprecated": image.deprecated,
            "source": Source(ssmParameter=_parameter(kind, stack.kubernetes_version, release), readAt=now),
            "environments": {environment: Environment(status="candidate", since=now)},
        }
    )
    draft.add(image.id, ami)
    return Candidate(image.id, ami, is_new=True)


def _release_of(image: Image) -> str:
    """The release in an image's name, such as v20261101."""
    return image.name.rpartition("-")[2] or image.id


def newest(ledger: Ledger, stack: Stack, slot: Slot) -> tuple[str, Ami] | None:
    """The newest AMI that fits a place, whatever anybody thinks of it."""
    fitting = [
        (ami.released, ami_id, ami)
        for ami_id, ami in ledger.amis.items()
        if (ami.architecture, ami.family, ami.variant) == slot.kind
        and (ami.region, ami.kubernetes_version) == (stack.region, stack.kubernetes_version)
        and ami.exists_for(stack.environment)
    ]
    if not fitting:
        return None
    _, ami_id, ami = max(fitting, key=lambda each: each[:2])
    return ami_id, ami
