"""The configuration while it is being checked: what can be read of it, although other parts are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from components.spec.model_problems import parse
from settings.cluster import ClusterSettings
from settings.model import Entry

Part = TypeVar("Part", bound=BaseModel)


class Draft:
    """Looks into the plain data; a part with a mistake in it counts as unreadable, so that no mistake is told twice.

    Args:
        data: Values below `karpenter-eks:`, by key.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data

    def value(self, *path: str) -> object:
        """The plain value at a path, or None."""
        found: object = self._data
        for step in path:
            found = found.get(step) if isinstance(found, Mapping) else None
        return found

    def part(self, model: type[Part], *path: str) -> Part | None:
        """The part at a path, with its defaults when it is absent; None when something in it is wrong."""
        found = self.value(*path)
        parsed, problems, _ = parse(model, "", {} if found is None else found)
        return None if problems else parsed

    def entries(self, key: str) -> dict[str, Entry]:
        """The entries of a map such as nodePools that are maps themselves."""
        found = self.value(key)
        if not isinstance(found, Mapping):
            return {}
        return {str(name): dict(entry) for name, entry in found.items() if isinstance(entry, Mapping)}

    def has_own(self, *path: str) -> bool:
        """Tell whether the configuration says something at a path."""
        return self.value(*path) is not None

    @property
    def kubernetes_version(self) -> str | None:
        """The Kubernetes version, the default one when absent, or None when it is wrong."""
        version = self.value("cluster", "version")
        given = {} if version is None else {"version": version}
        parsed, problems, _ = parse(ClusterSettings, "", {"name": "any", **given})
        return parsed.version if parsed and not problems else None
