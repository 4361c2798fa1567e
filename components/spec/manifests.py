"""Manifests of NodePools and EC2NodeClasses, from entries of the configuration.

These functions only lay out and fill in defaults; checks.py tells what is wrong with an entry. They take what a person
wrote as it is, so that the differential test can show the API server exactly what the checker judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from components.spec import defaults
from components.spec.presets import expand_node_pool

WAIT_FOR_READY: Final = {"pulumi.com/waitFor": "condition=Ready"}
"""Makes an update fail when Karpenter finds no subnet, group, AMI or role, instead of leaving a pool that launches
nothing.
"""

_TEMPLATE_FIELDS: Final = ("taints", "startupTaints", "terminationGracePeriod")
_SPEC_FIELDS: Final = ("weight", "replicas")
_CONVENIENCES: Final = frozenset({"amis", "diskSize"})
_ALIAS_FAMILIES: Final = {
    "al2": "AL2",
    "al2023": "AL2023",
    "bottlerocket": "Bottlerocket",
    "windows2019": "Windows2019",
    "windows2022": "Windows2022",
    "windows2025": "Windows2025",
}


def _manifest(api_version: str, kind: str, metadata: Mapping[str, Any], spec: object) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": dict(metadata), "spec": spec}


def _text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _texts(value: object) -> object:
    """Whole numbers as text, in a list or a map: YAML reads `values: [2]` as a number, Kubernetes wants text."""
    if isinstance(value, Mapping):
        return {key: _text(item) for key, item in value.items()}
    return [_text(item) for item in value] if isinstance(value, list | tuple) else value


def _each(value: object, field: str) -> object:
    """The list with one field of each entry written as text."""
    if not isinstance(value, list | tuple):
        return value
    changed = []
    for item in value:
        if isinstance(item, Mapping) and field in item:
            plain = item[field]
            texts = _texts(plain) if isinstance(plain, list | tuple) else _text(plain)
            changed.append({**item, field: texts})
        else:
            changed.append(item)
    return changed


def _disruption(entry: object) -> object:
    if not isinstance(entry, Mapping):
        return entry
    filled = {
        "consolidationPolicy": defaults.DEFAULT_CONSOLIDATION_POLICY,
        "consolidateAfter": defaults.DEFAULT_CONSOLIDATE_AFTER,
        **{key: value for key, value in entry.items() if value is not None},
    }
    if "budgets" in filled:
        filled["budgets"] = _each(filled["budgets"], "nodes")
    return filled


def node_pool_manifest(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """The NodePool of a configuration entry.

    Args:
        name: Name of the NodePool.
        spec: Entry of `nodePools`; a preset or business hours in it are expanded first.
    """
    entry = {key: value for key, value in expand_node_pool(name, spec).items() if value is not None}
    template: dict[str, Any] = {}
    metadata = {key: _texts(entry[key]) for key in ("labels", "annotations") if key in entry}
    if metadata:
        template["metadata"] = metadata
    template["spec"] = {
        "nodeClassRef": {
            "group": "karpenter.k8s.aws",
            "kind": "EC2NodeClass",
            "name": entry.get("nodeClass", defaults.DEFAULT_NODE_CLASS),
        },
        "requirements": _each(entry.get("requirements", defaults.default_requirements()), "values"),
        "expireAfter": entry.get("expireAfter", defaults.DEFAULT_EXPIRE_AFTER),
        **{key: entry[key] for key in _TEMPLATE_FIELDS if key in entry},
    }
    body: dict[str, Any] = {
        "template": template,
        "disruption": _disruption(entry.get("disruption", {})),
        **{key: entry[key] for key in _SPEC_FIELDS if key in entry},
    }
    if "limits" in entry:
        body["limits"] = _texts(entry["limits"])
    elif "replicas" not in entry:
        body["limits"] = {"cpu": defaults.DEFAULT_CPU_LIMIT}
    return _manifest("karpenter.sh/v1", "NodePool", {"name": name, "annotations": dict(WAIT_FOR_READY)}, body)


def alias_of(spec: Mapping[str, Any]) -> str | None:
    """The alias among a class's AMI terms, if there is one."""
    terms = spec.get("amiSelectorTerms")
    if isinstance(terms, list | tuple):
        for term in terms:
            if isinstance(term, Mapping) and isinstance(term.get("alias"), str):
                return str(term["alias"])
    return None


def family_of(spec: Mapping[str, Any]) -> str | None:
    """The AMI family that a class has in the end: its own, its alias's, or the default. None for an unknown alias."""
    family = spec.get("amiFamily")
    if family is not None:
        return str(family)
    alias = alias_of(spec)
    return defaults.DEFAULT_AMI_FAMILY if alias is None else _ALIAS_FAMILIES.get(alias.split("@")[0])


def _volume(device: str, size: str, *, root: bool) -> dict[str, Any]:
    mapping: dict[str, Any] = {
        "deviceName": device,
        "ebs": {"volumeSize": size, "volumeType": "gp3", "encrypted": True, "deleteOnTermination": True},
    }
    return {**mapping, "rootVolume": True} if root else mapping


def default_volumes(family: str | None, size: str) -> list[dict[str, Any]]:
    """Encrypted gp3 volumes of an AMI family, `size` for the one that holds images and pods; none for Custom."""
    if family == "Bottlerocket":
        return [
            _volume("/dev/xvda", defaults.BOTTLEROCKET_SYSTEM_DISK_SIZE, root=False),
            _volume("/dev/xvdb", size, root=True),
        ]
    if family is None or family == "Custom":
        return []
    return [_volume("/dev/sda1" if family.startswith("Windows") else "/dev/xvda", size, root=True)]


def _ami_terms(amis: object) -> list[dict[str, Any]]:
    if not isinstance(amis, Mapping):
        return []
    return [{"id": amis[arch]} for arch in ("amd64", "arm64") if amis.get(arch) is not None]


def ec2_node_class_manifest(
    name: str, spec: Mapping[str, Any], *, cluster_name: str, node_role_name: str
) -> dict[str, Any]:
    """The EC2NodeClass of a configuration entry.

    Args:
        name: Name of the class.
        spec: Entry of `nodeClasses`.
        cluster_name: Value of the discovery tag, where the entry has no selectors of its own.
        node_role_name: Role of the nodes, where the entry has neither role nor instance profile.
    """
    entry = {key: value for key, value in spec.items() if value is not None}
    family = family_of(entry)
    discovery = [{"tags": {defaults.DISCOVERY_TAG: cluster_name}}]
    body: dict[str, Any] = {"subnetSelectorTerms": discovery, "securityGroupSelectorTerms": discovery}
    if "amiFamily" not in entry and alias_of(entry) is None:
        body["amiFamily"] = family
    if "amis" in entry:
        body["amiSelectorTerms"] = _ami_terms(entry["amis"])
    if "instanceProfile" not in entry:
        body["role"] = node_role_name
    volumes = default_volumes(family, str(entry.get("diskSize", defaults.DEFAULT_DISK_SIZE)))
    if volumes:
        body["blockDeviceMappings"] = volumes
    body.update({key: value for key, value in entry.items() if key not in _CONVENIENCES})
    metadata_options = entry.get("metadataOptions", {})
    if isinstance(metadata_options, Mapping):
        body["metadataOptions"] = {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": 1,
            "httpTokens": "required",
            **metadata_options,
        }
    return _manifest("karpenter.k8s.aws/v1", "EC2NodeClass", {"name": name, "annotations": dict(WAIT_FOR_READY)}, body)


def node_overlay_manifest(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """The NodeOverlay of a configuration entry."""
    body = {key: value for key, value in spec.items() if value is not None}
    if "requirements" in body:
        body["requirements"] = _each(body["requirements"], "values")
    if "capacity" in body:
        body["capacity"] = _texts(body["capacity"])
    metadata = {"name": name, "annotations": dict(WAIT_FOR_READY)}
    return _manifest("karpenter.sh/v1alpha1", "NodeOverlay", metadata, body)


def capacity_buffer_manifest(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The CapacityBuffer of a configuration entry.

    Nothing waits for it: it becomes ready when its workload exists, which is another stack's affair.
    """
    spec = entry.get("spec", {})
    body = spec
    if isinstance(spec, Mapping):
        body = {key: _texts(value) if key == "limits" else value for key, value in spec.items() if value is not None}
    metadata = {"name": name, "namespace": entry.get("namespace", "default")}
    return _manifest("autoscaling.x-k8s.io/v1beta1", "CapacityBuffer", metadata, body)
