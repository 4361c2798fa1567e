"""cluster-hardening: the API server is reached from where it should be, by whom it should be, and it says so."""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network

import pulumi_policy as policy

from .support.kinds import WORKLOADS, Item, objects
from .support.reading import CannotJudgeError, Node, judged
from .support.wrapping import About, Config, Resource, resource_policy

NETWORK = {"aws:eks/cluster:Cluster": "vpcConfig", "aws-native:eks:Cluster": "resourcesVpcConfig"}
"""Where a cluster says how its endpoint is reached, by type."""
ABOUT = About(
    name="cluster-hardening",
    description="Clusters have a private endpoint, none open to the world, control plane logs, and access entries",
    steps="Turn the private endpoint on, name publicAccessCidrs, enable the logs, set authenticationMode API.",
    severity=policy.Severity.CRITICAL,
    parameters={
        "logTypes": {
            "type": "array",
            "items": {"type": "string"},
            "default": ["api", "audit", "authenticator"],
            "description": "Control plane logs that must be on.",
        },
        "authenticationModes": {
            "type": "array",
            "items": {"type": "string", "enum": ["API", "API_AND_CONFIG_MAP"]},
            "default": ["API"],
            "description": "Authentication modes that may be used.",
        },
        "widestPrefix": {
            "type": "integer",
            "default": 8,
            "description": "Bits that a public range must fix at least: 8 allows 10.0.0.0/8, but no /7.",
        },
    },
)


def check(resource: Resource, config: Config) -> Iterator[str]:
    """Yield what is wrong with a cluster.

    Args:
        resource: Any resource.
        config: Logs, authentication modes, and how wide a public range may be.
    """
    if resource.type in NETWORK:
        network = resource.props[NETWORK[resource.type]]
        yield from judged(_private, network)
        yield from judged(_public, network, int(config["widestPrefix"]))
        yield from judged(_logs, resource, config["logTypes"])
        yield from judged(_authentication, resource.props, config["authenticationModes"])
    for item in objects(resource, WORKLOADS, "ConfigMap"):
        yield from judged(_config_map, item)


def _config_map(item: Item) -> Iterator[str]:
    name = item.object.at("metadata.name")
    if name.text() == "aws-auth" or item.name == "aws-auth":
        yield name.problem("access must be by access entries", "use aws.eks.AccessEntry")


def _private(network: Node) -> Iterator[str]:
    node = network["endpointPrivateAccess"]
    if node.flag() is not True:
        yield node.problem("must be true", "turn the private endpoint on")


def _public(network: Node, widest: int) -> Iterator[str]:
    if network["endpointPublicAccess"].flag() is False:
        return
    cidrs = network["publicAccessCidrs"]
    items = cidrs.items()
    if not items:
        yield cidrs.problem(
            "a public endpoint must name who reaches it, since it is open to the world otherwise",
            "name your ranges, or set endpointPublicAccess to false",
        )
        return
    ranges: dict[int, list[IPv4Network | IPv6Network]] = {4: [], 6: []}
    for item in items:
        try:
            found = ip_network(item.text() or "", strict=False)
        except CannotJudgeError as error:
            yield error.message
        except ValueError:
            yield item.problem("must be a range such as 203.0.113.0/24", "mend it")
        else:
            ranges[found.version].append(found)
    for version in (4, 6):
        for wide in collapse_addresses(ranges[version]):  # type: ignore[type-var]
            if wide.prefixlen < widest:
                yield cidrs.problem(f"opens {wide} to the world", f"name ranges of at least /{widest}")


def _logs(cluster: Resource, wanted: list[str]) -> Iterator[str]:
    if cluster.type.startswith("aws-native:"):
        node = cluster.props.at("logging.clusterLogging.enabledTypes")
        found = {item["type"].text() for item in node.items()}
    else:
        node = cluster.props["enabledClusterLogTypes"]
        found = {item.text() for item in node.items()}
    missing = [name for name in wanted if name not in found]
    if missing:
        yield node.problem(f"must hold {', '.join(missing)}", "turn those logs on")


def _authentication(props: Node, modes: list[str]) -> Iterator[str]:
    node = props.at("accessConfig.authenticationMode")
    if node.text() not in modes:
        yield node.problem(f"must be {' or '.join(modes)}", "let people and nodes in by access entries")


POLICIES = [resource_policy(ABOUT, check)]
