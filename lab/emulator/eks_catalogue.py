"""What EKS offers: Kubernetes versions, add-on versions, access policies.

Add-on versions are examples in AWS's form; nothing in the lab downloads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.emulator.eks_request import Request, answer, invalid

if TYPE_CHECKING:
    from lab.emulator.ec2 import Answer

VERSIONS = ("1.36", "1.35", "1.34", "1.33", "1.32", "1.31", "1.30")
DEFAULT_VERSION = "1.36"
_STANDARD = frozenset(VERSIONS[:4])

_ADDONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "vpc-cni": ("networking", "kube-system", ("v1.21.1-eksbuild.1", "v1.20.4-eksbuild.2")),
    "kube-proxy": ("networking", "kube-system", ()),
    "coredns": ("networking", "kube-system", ("v1.13.1-eksbuild.1", "v1.12.4-eksbuild.1")),
    "eks-pod-identity-agent": ("security", "kube-system", ("v1.3.9-eksbuild.3", "v1.3.8-eksbuild.2")),
    "aws-ebs-csi-driver": ("storage", "kube-system", ("v1.51.1-eksbuild.1", "v1.50.1-eksbuild.1")),
    "metrics-server": ("observability", "kube-system", ("v0.8.0-eksbuild.2",)),
    "eks-node-monitoring-agent": ("observability", "kube-system", ("v1.4.1-eksbuild.1",)),
}
ACCESS_POLICIES = (
    "AmazonEKSAdminPolicy",
    "AmazonEKSAdminViewPolicy",
    "AmazonEKSClusterAdminPolicy",
    "AmazonEKSEditPolicy",
    "AmazonEKSViewPolicy",
)
ACCESS_POLICY_PREFIX = "arn:aws:eks::aws:cluster-access-policy/"


def addon_versions(name: str, kubernetes: str) -> tuple[str, ...]:
    """The versions of an add-on for a Kubernetes version, newest first; empty for an unknown add-on."""
    if name == "kube-proxy":
        return (f"v{kubernetes}.0-eksbuild.2", f"v{kubernetes}.0-eksbuild.1")
    return _ADDONS[name][2] if name in _ADDONS else ()


def check_version(version: str) -> None:
    """Refuse a Kubernetes version that EKS does not run.

    Raises:
        EksError: not in `VERSIONS`.
    """
    if version not in VERSIONS:
        text = f"unsupported Kubernetes version {version}"
        raise invalid(text)


def describe_cluster_versions(request: Request) -> Answer:
    """DescribeClusterVersions."""
    asked = request.query.get("clusterVersions", "")
    wanted = asked.split(",") if asked else VERSIONS
    return answer({"clusterVersions": [_version(version) for version in VERSIONS if version in wanted]})


def _version(version: str) -> dict[str, Any]:
    standard = version in _STANDARD
    return {
        "clusterVersion": version,
        "clusterType": "eks",
        "defaultPlatformVersion": "eks.9",
        "defaultVersion": version == DEFAULT_VERSION,
        "status": "standard-support" if standard else "extended-support",
        "versionStatus": "STANDARD_SUPPORT" if standard else "EXTENDED_SUPPORT",
        "kubernetesPatchVersion": f"{version}.0",
    }


def describe_addon_versions(request: Request) -> Answer:
    """DescribeAddonVersions."""
    asked = request.query.get("kubernetesVersion", "")
    wanted = [asked] if asked else list(VERSIONS)
    names = [request.query["addonName"]] if request.query.get("addonName") else list(_ADDONS)
    return answer({"addons": [_addon(name, wanted) for name in names if name in _ADDONS]})


def _addon(name: str, kubernetes: list[str]) -> dict[str, Any]:
    kind, namespace, _ = _ADDONS[name]
    found: dict[str, list[dict[str, Any]]] = {}
    for version in kubernetes:
        for position, addon_version in enumerate(addon_versions(name, version)):
            fit = {"clusterVersion": version, "platformVersions": ["*"], "defaultVersion": position == 0}
            found.setdefault(addon_version, []).append(fit)
    return {
        "addonName": name,
        "type": kind,
        "owner": "aws",
        "publisher": "eks",
        "defaultNamespace": namespace,
        "addonVersions": [
            {"addonVersion": version, "architecture": ["amd64", "arm64"], "compatibilities": fits}
            for version, fits in found.items()
        ],
    }


def list_access_policies(_request: Request) -> Answer:
    """ListAccessPolicies."""
    return answer({"accessPolicies": [{"name": name, "arn": ACCESS_POLICY_PREFIX + name} for name in ACCESS_POLICIES]})
