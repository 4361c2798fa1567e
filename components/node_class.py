"""One EC2NodeClass: what the nodes of a pool are made of."""

from collections.abc import Mapping
from typing import Any, TypedDict

import pulumi

from components.arguments import check_args
from components.custom_resource import custom_resource
from components.spec.checks import check_node_class
from components.spec.manifests import ec2_node_class_manifest
from components.spec.problems import Problem

DELETE_MINUTES = 15
"""Long enough for the finalizer: Karpenter removes the class's instance profile and launch templates."""


class NodeClassArgs(TypedDict):
    """Arguments of NodeClass."""

    class_name: str
    "Name of the EC2NodeClass."
    cluster_name: str
    "Name of the cluster: the value of the discovery tag, where the entry has no selectors of its own."
    kubernetes_version: str
    "Kubernetes version of the cluster, such as `1.36`."
    node_role_name: pulumi.Input[str]
    "Role of the nodes, where the entry has neither role nor instance profile."
    spec: Mapping[str, Any]
    "The entry, in the field names of the CRD. Plain values, so that policies can judge it in a preview."


class NodeClass(pulumi.ComponentResource):
    """An EC2NodeClass that is Ready: Karpenter has found its subnets, security groups, AMIs and role.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    class_name: pulumi.Output[str]
    "Name of the EC2NodeClass; known once it is Ready."

    def __init__(self, name: str, args: NodeClassArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:NodeClass", name, {}, opts)
        check_args(NodeClassArgs, args, _problems(args))
        manifest = ec2_node_class_manifest(
            args["class_name"], args["spec"], cluster_name=args["cluster_name"], node_role_name=""
        )
        if manifest["spec"].get("role") == "":
            manifest["spec"]["role"] = args["node_role_name"]
        resource = custom_resource(self, name, manifest, opts, delete_minutes=DELETE_MINUTES)
        self.class_name = resource.id.apply(lambda _: args["class_name"])
        self.register_outputs({"class_name": self.class_name})


def _problems(args: NodeClassArgs) -> list[Problem]:
    if not {"class_name", "spec", "kubernetes_version"} <= set(args):
        return []
    return check_node_class(args["class_name"], args["spec"], args["kubernetes_version"])
