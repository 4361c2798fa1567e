"""An application on a cluster that another stack made, with what lets Karpenter move its pods without harm."""

from __future__ import annotations

import pulumi
import pulumi_kubernetes as kubernetes

SCHEMA_VERSION = 1
"""Version of the platform stack's outputs that this program was written for."""

LABELS = {"app.kubernetes.io/name": "web"}


def check_schema(found: float) -> int:
    """The version of the outputs, if this program knows it.

    Args:
        found: What the platform stack says; numbers of outputs are floats.

    Raises:
        pulumi.RunError: If it is another one.
    """
    if found != SCHEMA_VERSION:
        message = f"platform: found schemaVersion {found:g}; must be {SCHEMA_VERSION}; bring this program up to date"
        raise pulumi.RunError(message)
    return SCHEMA_VERSION


def node_selector(names: list[str], wanted: str) -> dict[str, str]:
    """The selector of a NodePool's nodes; none where any pool will do.

    Args:
        names: NodePools of the platform.
        wanted: The chosen one, or empty text.

    Raises:
        pulumi.RunError: If the platform has no such pool.
    """
    if wanted and wanted not in names:
        message = f'nodePool: found "{wanted}"; must be a pool of the platform; write one of {", ".join(sorted(names))}'
        raise pulumi.RunError(message)
    return {"karpenter.sh/nodepool": wanted} if wanted else {}


async def main() -> pulumi.Inputs:
    """Deploy the application and say where it is."""
    config = pulumi.Config()
    platform = pulumi.StackReference(config.require("platform"))
    schema = platform.require_output("schemaVersion").apply(check_schema)
    kubeconfig = pulumi.Output.all(schema, platform.require_output("kubeconfig")).apply(lambda both: str(both[1]))
    provider = kubernetes.Provider("cluster", kubeconfig=kubeconfig)
    options = pulumi.ResourceOptions(provider=provider)
    wanted = config.get("nodePool") or ""
    deployment = kubernetes.apps.v1.Deployment(
        "web",
        metadata={"namespace": "default", "labels": LABELS},
        spec={
            "replicas": config.get_int("replicas"),
            "selector": {"match_labels": LABELS},
            "template": {
                "metadata": {"labels": LABELS},
                "spec": {
                    "security_context": {"run_as_user": 1000, "run_as_group": 3000},
                    "node_selector": platform.require_output("nodePoolNames").apply(lambda n: node_selector(n, wanted)),
                    "topology_spread_constraints": [
                        {
                            "topology_key": "topology.kubernetes.io/zone",
                            "max_skew": 1,
                            "when_unsatisfiable": "ScheduleAnyway",
                            "label_selector": {"match_labels": LABELS},
                        }
                    ],
                    "containers": [
                        {
                            "name": "web",
                            "image": "public.ecr.aws/eks-distro/kubernetes/pause:3.10",
                            "resources": {
                                "requests": {"cpu": "250m", "memory": "128Mi"},
                                "limits": {"memory": "128Mi"},
                            },
                            "security_context": {"allow_privilege_escalation": False, "run_as_non_root": True},
                        }
                    ],
                },
            },
        },
        opts=options,
    )
    kubernetes.policy.v1.PodDisruptionBudget(
        "web",
        metadata={"namespace": "default"},
        spec={"max_unavailable": 1, "selector": {"match_labels": LABELS}},
        opts=options,
    )
    return {
        "cluster": platform.require_output("clusterName"),
        "deployment": deployment.metadata["name"],
        "nodePools": platform.require_output("nodePoolNames"),
    }


if __name__ == "__main__":
    pulumi.run(main)
