"""The kubeconfig of an EKS cluster."""

from __future__ import annotations

import json


def kubeconfig(cluster: str, endpoint: str, certificate_authority: str, region: str) -> str:
    """A kubeconfig that holds no credential and nothing of the machine it is made on.

    The same inputs give the same text, so that the Kubernetes provider made from it does not change from run to run.

    Args:
        cluster: Name of the cluster.
        endpoint: URL of the API server.
        certificate_authority: Certificate of its authority, base64 of PEM.
        region: AWS region of the cluster.

    Returns:
        JSON, which is also YAML.
    """
    command = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["eks", "get-token", "--cluster-name", cluster, "--region", region, "--output", "json"],
        "interactiveMode": "Never",
    }
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": cluster, "cluster": {"server": endpoint, "certificate-authority-data": certificate_authority}}
        ],
        "users": [{"name": cluster, "user": {"exec": command}}],
        "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": cluster}}],
        "current-context": cluster,
    }
    return json.dumps(content, sort_keys=True)
