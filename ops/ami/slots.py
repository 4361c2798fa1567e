"""What a stack's configuration file pins, and what it has to pin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from components.spec.manifests import family_of
from components.spec.versions import DEFAULT_KUBERNETES_VERSION
from ops.ami.ledger import PinSet
from ops.errors import OpsError
from ops.project import Project
from ops.yaml_text import plain
from settings.cluster import SystemNodes
from settings.draft import Draft
from settings.pools import architectures, have_gpus

PREFIX: Final = "karpenter-eks:"
SUPPORTED: Final = ("AL2023", "Bottlerocket")
SYSTEM: Final = "system"
"""Stands where a slot's node class would: the managed node group, whose pin is a release version."""


@dataclass(frozen=True, order=True)
class Slot:
    """A place for one pin.

    Attributes:
        node_class: Name of the node class, or `SYSTEM` for the managed node group.
        architecture: As Kubernetes names it.
        family: The AMI family, such as AL2023.
        variant: `standard`, or `nvidia` for classes whose pools all have GPUs.
    """

    node_class: str
    architecture: str
    family: str
    variant: str
    is_system: bool = False

    @property
    def path(self) -> tuple[str, ...]:
        """Where the pin stands in the configuration file."""
        if self.is_system:
            return ("config", f"{PREFIX}cluster", "systemNodes", "releaseVersion")
        return ("config", f"{PREFIX}nodeClasses", self.node_class, "amis", self.architecture)

    @property
    def shown(self) -> str:
        """The path as people read it."""
        return ".".join(self.path[1:]).removeprefix(PREFIX)

    @property
    def kind(self) -> tuple[str, str, str]:
        """Which AMIs fit: architecture, family, variant."""
        return self.architecture, self.family, self.variant


@dataclass(frozen=True)
class Stack:
    """A stack, as far as its AMIs go.

    Attributes:
        name: Name of the stack.
        environment: Name of its environment.
        region: AWS region.
        profile: AWS profile, or None.
        kubernetes_version: Kubernetes version.
        text: The configuration file's text.
        slots: Places for pins.
        pinned: What stands there: slot -> AMI id, or release version for the managed node group.
        unmanaged: Node classes that these commands leave alone, each with the reason.
    """

    name: str
    environment: str
    region: str
    profile: str | None
    kubernetes_version: str
    text: str
    slots: tuple[Slot, ...]
    pinned: Mapping[Slot, str]
    unmanaged: Mapping[str, str]

    @property
    def ami_pins(self) -> dict[str, dict[str, str]]:
        """AMI ids by node class and architecture."""
        found: dict[str, dict[str, str]] = {}
        for slot, pin in self.pinned.items():
            if not slot.is_system:
                found.setdefault(slot.node_class, {})[slot.architecture] = pin
        return found

    @property
    def system_release(self) -> str | None:
        """The managed node group's release version."""
        return next((pin for slot, pin in self.pinned.items() if slot.is_system), None)

    def runs(self, pins: PinSet) -> bool:
        """Tell whether a set holds exactly what the file pins."""
        classes = {name: dict(found) for name, found in pins.node_classes.items() if found}
        return classes == self.ami_pins and pins.system_release_version == self.system_release


def read_stack(project: Project, name: str) -> Stack:
    """Read a stack's configuration file.

    Args:
        project: The project.
        name: Name of the stack.

    Raises:
        OpsError: If there is no such stack, or its file lacks what these commands need.
    """
    path = project.stack_file(name)
    text = path.read_bytes().decode()
    data = plain(text, path.name)
    config = data.get("config") if isinstance(data, Mapping) else None
    if not isinstance(config, Mapping):
        msg = f"{path.name}: config: found nothing; the stack's configuration is needed; write its `config:`"
        raise OpsError(msg)
    own = {key.removeprefix(PREFIX): value for key, value in config.items() if str(key).startswith(PREFIX)}
    draft = Draft(own)
    region, profile = config.get("aws:region"), config.get("aws:profile")
    errors = []
    if not isinstance(region, str):
        errors.append(
            f"{path.name}: aws:region: found {region!r}; must name the AWS region; write aws:region: us-west-2"
        )
    version = draft.kubernetes_version
    if version is None:
        found = draft.value("cluster", "version")
        example = f'"{DEFAULT_KUBERNETES_VERSION}"'
        errors.append(f"{path.name}: {PREFIX}cluster.version: found {found!r}; must be text in quotes; write {example}")
    if errors or version is None:
        raise OpsError(errors)
    slots, unmanaged = _slots(draft)
    return Stack(
        name=name,
        environment=str(own.get("environment") or name),
        region=str(region),
        profile=str(profile) if profile else None,
        kubernetes_version=version,
        text=text,
        slots=slots,
        pinned={slot: pin for slot in slots if (pin := _pin(config, slot))},
        unmanaged=unmanaged,
    )


def _slots(draft: Draft) -> tuple[tuple[Slot, ...], dict[str, str]]:
    pools, slots, unmanaged = draft.entries("nodePools"), [], {}
    classes = draft.value("nodeClasses")
    for name in classes if isinstance(classes, Mapping) else ():
        spec = draft.entries("nodeClasses").get(str(name), {})
        reason = _unmanaged(spec)
        if reason:
            unmanaged[str(name)] = reason
            continue
        variant = "nvidia" if have_gpus(str(name), pools) else "standard"
        wanted = {*architectures(str(name), pools), *_pinned_architectures(spec)}
        slots += [Slot(str(name), arch, str(family_of(spec)), variant) for arch in sorted(wanted)]
    return (*slots, *_system_slot(draft)), unmanaged


def _unmanaged(spec: Mapping[str, Any]) -> str | None:
    family = family_of(spec)
    if spec.get("amiSelectorTerms"):
        return "pinned by amiSelectorTerms, not by amis"
    return None if family in SUPPORTED else f"{family} has no releases that these commands could look up"


def _pinned_architectures(spec: Mapping[str, Any]) -> Iterator[str]:
    amis = spec.get("amis")
    for arch in ("amd64", "arm64"):
        if isinstance(amis, Mapping) and amis.get(arch):
            yield arch


def _system_slot(draft: Draft) -> Iterator[Slot]:
    nodes = draft.part(SystemNodes, "cluster", "systemNodes")
    if nodes is not None:
        arch = "arm64" if "ARM_64" in nodes.ami_type else "amd64"
        family = "Bottlerocket" if nodes.ami_type.startswith("BOTTLEROCKET") else "AL2023"
        yield Slot(SYSTEM, arch, family, "standard", is_system=True)


def _pin(config: Mapping[str, Any], slot: Slot) -> str | None:
    found: object = config
    for step in slot.path[1:]:
        found = found.get(step) if isinstance(found, Mapping) else None
    return str(found) if found else None
