"""What exists in the emulated account: for the proof that nothing is left, and for the kubelet's stand-in."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from ministack.services import cloudwatch_logs, eks, eventbridge, iam, kms, sqs
from moto.ec2.models import ec2_backends

from lab.emulator import ec2_resources, eks_access, profiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.emulator.state import Lab

_ENDED = frozenset({"terminated", "shutting-down"})
_TRIES = 3
_SERVICE_ROLE_PATH = "/aws-service-role/"


def leftovers(lab: Lab) -> dict[str, list[str]]:
    """Everything that somebody made, by kind; an untouched account has empty lists only."""
    for _ in range(_TRIES):
        with contextlib.suppress(RuntimeError):
            return _leftovers(lab)
    return _leftovers(lab)


def _leftovers(lab: Lab) -> dict[str, list[str]]:
    # ministack may change a store on its own thread while it is being read: then it is read again.
    found: dict[str, list[str]] = {kind: [] for kind in _EC2_KINDS}
    with lab.ec2_lock:
        for ec2 in ec2_backends[lab.options.account_id].values():
            for kind, names in _EC2_KINDS.items():
                found[kind] += list(names(ec2))
    roles = [r for r in iam._roles.values() if not str(r.get("Path", "/")).startswith(_SERVICE_ROLE_PATH)]  # noqa: SLF001
    found.update(
        {
            "instanceProfiles": _names(iam._instance_profiles),  # noqa: SLF001
            "roles": sorted(role["RoleName"] for role in roles),
            "policies": _names(iam._policies),  # noqa: SLF001
            "openIdConnectProviders": _names(getattr(iam, "_oidc_providers", {})),
            "queues": [name.rpartition("/")[2] for name in _all_names(sqs, "_queues")],
            "rules": [name.rpartition("|")[2] for name in _all_names(eventbridge, "_rules")],
            "logGroups": _all_names(cloudwatch_logs, "_log_groups"),
            "kmsKeys": [key for key, value in _pairs(kms, "_keys") if _usable(value)],
            "clusters": _all_names(eks, "_clusters"),
            "nodeGroups": _all_names(eks, "_nodegroups"),
            "addons": _all_names(eks, "_addons"),
            "podIdentityAssociations": _all_names(eks, "_pod_identity_associations"),
        }
    )
    return found


def _names(store: Any) -> list[str]:
    return sorted(str(name) for name in store)


def _pairs(module: Any, name: str) -> list[tuple[str, Any]]:
    store = getattr(module, name, {})
    pairs = store.all_items() if hasattr(store, "all_items") else store.items()
    return [(str(key[-1] if isinstance(key, tuple) else key), value) for key, value in list(pairs)]


def _all_names(module: Any, name: str) -> list[str]:
    return sorted(key.replace("\x00", "/") for key, _ in _pairs(module, name))


def _usable(key: Any) -> bool:
    return not isinstance(key, dict) or key.get("KeyState") != "PendingDeletion"


def _instances(ec2: Any) -> Iterator[str]:
    return (instance.id for instance in ec2.all_instances() if instance.state not in _ENDED)


def _vpcs(ec2: Any) -> Iterator[str]:
    return (vpc.id for vpc in ec2.vpcs.values() if vpc.id != ec2.default_vpc.id)


def _subnets(ec2: Any) -> Iterator[str]:
    mine = set(_vpcs(ec2))
    return (s.id for zone in ec2.subnets.values() for s in zone.values() if s.vpc_id in mine)


def _groups(ec2: Any) -> Iterator[str]:
    return (g.id for groups in ec2.groups.values() for g in groups.values() if g.name != "default")


def _route_tables(ec2: Any) -> Iterator[str]:
    return (table.id for table in ec2.route_tables.values() if table.main_association_id is None)


def _nat_gateways(ec2: Any) -> Iterator[str]:
    return (nat.id for nat in ec2.nat_gateways.values() if nat.state not in {"deleted", "deleting"})


def _endpoints(ec2: Any) -> Iterator[str]:
    return (e.id for e in ec2.vpc_end_points.values() if str(e.state).lower() not in {"deleted", "deleting"})


_EC2_KINDS: dict[str, Any] = {
    "instances": _instances,
    "launchTemplates": lambda ec2: list(ec2.launch_templates),
    "volumes": lambda ec2: list(ec2.volumes),
    "networkInterfaces": lambda ec2: list(ec2.enis),
    "vpcs": _vpcs,
    "subnets": _subnets,
    "securityGroups": _groups,
    "routeTables": _route_tables,
    "internetGateways": lambda ec2: list(ec2.internet_gateways),
    "natGateways": _nat_gateways,
    "addresses": lambda ec2: [address.allocation_id for address in ec2.addresses],
    "vpcEndpoints": _endpoints,
    "flowLogs": lambda ec2: list(ec2.flow_logs),
}


def instances(lab: Lab, region: str) -> list[dict[str, Any]]:
    """The instances of a region as a kubelet's stand-in needs them, ended ones included."""
    with lab.ec2_lock:
        ec2 = ec2_resources.backend(lab.options.account_id, region)
        return [_instance(ec2, instance) for instance in ec2.all_instances()]


def _instance(ec2: Any, instance: Any) -> dict[str, Any]:
    tags = ec2_resources.tags_of(ec2, instance.id)
    role = profiles.role_of_profile_arn((instance.iam_instance_profile or {}).get("Arn", ""))
    cluster = tags.get("eks:eks-cluster-name") or tags.get("eks:cluster-name") or ""
    entry = eks_access.find_entry(cluster, role) if cluster and role else None
    user_data = instance.user_data
    return {
        "instanceId": instance.id,
        "state": instance.state,
        "instanceType": instance.instance_type,
        "imageId": instance.image_id,
        "architecture": instance.architecture,
        "zone": instance.availability_zone,
        "subnetId": instance.subnet_id,
        "privateIp": instance.private_ip if instance.nics else "",
        "privateDnsName": instance.private_dns_name if instance.nics else "",
        "capacityType": "spot" if instance.lifecycle == "spot" else "on-demand",
        "securityGroupIds": [group.id for group in instance.security_groups],
        "launchTime": instance.launch_time.isoformat(),
        "userData": user_data.decode() if user_data else "",
        "tags": tags,
        "clusterName": cluster,
        "roleArn": role,
        "accessEntryType": entry["type"] if entry else "",
    }
