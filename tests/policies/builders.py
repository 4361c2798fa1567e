"""Compliant resources, one a function; tests break one thing of one of them."""

import copy
import json
from collections.abc import Mapping
from typing import Any

ABSENT = object()
SIGNATURE = "4dabf18193072939515e22adb298388d"
AMI = "ami-0a1b2c3d4e5f60001"
CLASS_TYPE = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
POOL_TYPE = "kubernetes:karpenter.sh/v1:NodePool"
TEMPLATE_TYPE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP_TYPE = "aws:eks/nodeGroup:NodeGroup"
INSTANCE_TYPE = "aws:ec2/instance:Instance"
QUEUE_TYPE = "aws:sqs/queue:Queue"
QUEUE_POLICY_TYPE = "aws:sqs/queuePolicy:QueuePolicy"
POLICY_TYPE = "aws:iam/policy:Policy"
ROLE_TYPE = "aws:iam/role:Role"
CLUSTER_TYPE = "aws:eks/cluster:Cluster"
DEPLOYMENT_TYPE = "kubernetes:apps/v1:Deployment"
CRON_JOB_TYPE = "kubernetes:batch/v1:CronJob"
POD_TYPE = "kubernetes:core/v1:Pod"
GROUP_OF_INSTANCES_TYPE = "aws:autoscaling/group:Group"
BUDGET_TYPE = "kubernetes:policy/v1:PodDisruptionBudget"

CONTAINER = {
    "name": "app",
    "image": "app:1",
    "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "128Mi"}},
}
DENY_HTTP = {
    "Effect": "Deny",
    "Principal": "*",
    "Action": "sqs:*",
    "Resource": "arn:aws:sqs:us-west-2:123456789012:lab",
    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
}
PASS_ROLE = {
    "Effect": "Allow",
    "Action": "iam:PassRole",
    "Resource": "arn:aws:iam::123456789012:role/KarpenterNodeRole-lab",
    "Condition": {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com"]}},
}


def changed(props: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of properties with the values at some dotted paths changed; ABSENT takes one away."""
    result = copy.deepcopy(dict(props))
    for path, value in changes.items():
        target: Any = result
        *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
        for part in parents:
            target = target[part]
        if value is ABSENT:
            del target[last]
        else:
            target[last] = value
    return result


def places(value: Any, path: str = "") -> list[str]:
    """The path of every value inside properties, as `changed` takes it."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [path] if path else []
    for key, inner in children:
        if "/" not in str(key) and not (isinstance(key, str) and key.isdigit()) and key != SIGNATURE:
            found += places(inner, f"{path}/{key}" if path else str(key))
    return found


def node_class(**changes: Any) -> dict[str, Any]:
    props = {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": "default"},
        "spec": {
            "amiFamily": "AL2023",
            "role": "KarpenterNodeRole-lab",
            "amiSelectorTerms": [{"id": AMI}],
            "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
            "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"encrypted": True, "volumeSize": "50Gi"}}],
        },
    }
    return changed(props, changes)


def node_pool(**changes: Any) -> dict[str, Any]:
    props = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "default"},
        "spec": {
            "limits": {"cpu": "1000"},
            "disruption": {
                "consolidationPolicy": "WhenEmptyOrUnderutilized",
                "consolidateAfter": "15m",
                "budgets": [{"nodes": "10%"}],
            },
            "template": {
                "metadata": {"labels": {}},
                "spec": {
                    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
                    "expireAfter": "720h",
                    "taints": [],
                    "requirements": [
                        {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
                        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                        {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["c", "m", "r"]},
                    ],
                },
            },
        },
    }
    return changed(props, changes)


def launch_template(**changes: Any) -> dict[str, Any]:
    props = {
        "imageId": AMI,
        "metadataOptions": {"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 1},
        "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"encrypted": "true", "volumeSize": 50}}],
    }
    return changed(props, changes)


def node_group(**changes: Any) -> dict[str, Any]:
    props = {
        "clusterName": "lab",
        "amiType": "AL2023_x86_64_STANDARD",
        "releaseVersion": "1.36.0-20261101",
        "launchTemplate": {"id": "lt-1", "version": "3"},
    }
    return changed(props, changes)


def instance(**changes: Any) -> dict[str, Any]:
    props = {
        "ami": AMI,
        "instanceType": "m5.large",
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
        "rootBlockDevice": {"encrypted": True},
        "associatePublicIpAddress": False,
    }
    return changed(props, changes)


def queue(**changes: Any) -> dict[str, Any]:
    return changed({"name": "lab", "sqsManagedSseEnabled": True}, changes)


def document(*statements: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def queue_policy(**changes: Any) -> dict[str, Any]:
    url = "https://sqs.us-west-2.amazonaws.com/123456789012/lab"
    return changed({"queueUrl": url, "policy": document(DENY_HTTP)}, changes)


def iam_policy(*statements: Any, name: str = "KarpenterControllerPolicy-lab") -> dict[str, Any]:
    return {"name": name, "policy": document(*(statements or (PASS_ROLE,)))}


def cluster(**changes: Any) -> dict[str, Any]:
    props = {
        "name": "lab",
        "version": "1.36",
        "enabledClusterLogTypes": ["api", "audit", "authenticator"],
        "accessConfig": {"authenticationMode": "API"},
        "vpcConfig": {"endpointPrivateAccess": True, "endpointPublicAccess": False, "subnetIds": ["subnet-1"]},
    }
    return changed(props, changes)


def deployment(**changes: Any) -> dict[str, Any]:
    props = {
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "replicas": 2,
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "containers": [CONTAINER],
                    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone"}],
                },
            },
        },
    }
    return changed(props, changes)


def cron_job(**changes: Any) -> dict[str, Any]:
    template = {"metadata": {}, "spec": {"containers": [CONTAINER]}}
    props = {
        "metadata": {"name": "nightly", "namespace": "shop"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": template}}},
    }
    return changed(props, changes)


def pod(**changes: Any) -> dict[str, Any]:
    return changed({"metadata": {"name": "one"}, "spec": {"containers": [CONTAINER]}}, changes)


def disruption_budget(**changes: Any) -> dict[str, Any]:
    props = {
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    return changed(props, changes)


COMPLIANT: dict[str, tuple[str, dict[str, Any]]] = {
    "node-class": (CLASS_TYPE, node_class()),
    "node-pool": (POOL_TYPE, node_pool()),
    "launch-template": (TEMPLATE_TYPE, launch_template()),
    "node-group": (GROUP_TYPE, node_group()),
    "instance": (INSTANCE_TYPE, instance()),
    "queue": (QUEUE_TYPE, queue(policy=document(DENY_HTTP))),
    "queue-policy": (QUEUE_POLICY_TYPE, queue_policy()),
    "policy": (POLICY_TYPE, iam_policy()),
    "cluster": (CLUSTER_TYPE, cluster()),
    "deployment": (DEPLOYMENT_TYPE, deployment()),
    "cron-job": (CRON_JOB_TYPE, cron_job()),
    "pod": (POD_TYPE, pod()),
    "disruption-budget": (BUDGET_TYPE, disruption_budget()),
}
