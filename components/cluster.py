"""The EKS cluster: control plane, system nodes and add-ons, in the order that works."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from components.arguments import check_args, child_options, key_problems
from components.spec.defaults import DISCOVERY_TAG
from components.spec.helm_values import SYSTEM_NODE_LABEL
from components.spec.iam_documents import text
from components.spec.problems import Problem
from components.spec.tags import discovery_tags
from components.system_nodes import SystemNodes, SystemNodesArgs, SystemNodeSettings

ADDONS = ("coredns", "eks-pod-identity-agent", "kube-proxy", "vpc-cni")


class AddonArgs(TypedDict, total=False):
    """One add-on of EKS."""

    version: str
    "Version, such as `v1.21.1-eksbuild.1`; absent means EKS's default for the Kubernetes version."
    configuration: Mapping[str, Any]
    "The add-on's own configuration, merged over the stack's."


class ClusterArgs(TypedDict):
    """Arguments of Cluster."""

    cluster_name: str
    "Name of the cluster."
    version: str
    "Kubernetes version, such as `1.36`."
    partition: str
    "Partition, such as `aws`."
    vpc_id: pulumi.Input[str]
    "Id of the VPC."
    private_subnet_ids: pulumi.Input[Sequence[str]]
    "Subnets of the nodes and of the control plane's network interfaces."
    public_access_cidrs: NotRequired[Sequence[str]]
    "IPv4 ranges that may reach the public endpoint; absent means that there is none."
    log_types: Sequence[str]
    "Logs of the control plane that go to CloudWatch."
    secrets_key: bool
    "Encrypt Kubernetes secrets with a KMS key of our own."
    deletion_protection: bool
    "Let EKS refuse to delete the cluster."
    zonal_shift: bool
    "Let ARC zonal shift move traffic out of an impaired zone."
    administrators: Sequence[str]
    "ARNs of roles and users that get AmazonEKSClusterAdminPolicy."
    system_nodes: SystemNodeSettings
    "The managed node group."
    addons: Mapping[str, AddonArgs]
    "Versions and configuration by the add-on's EKS name: vpc-cni, kube-proxy, coredns, eks-pod-identity-agent."


class Cluster(pulumi.ComponentResource):
    """A cluster whose nodes join by access entries, with system nodes that ordinary pods keep off.

    Order: vpc-cni, kube-proxy and the pod identity agent, then the node group, then CoreDNS.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    name: pulumi.Output[str]
    "Name of the cluster; known once the control plane is there."
    arn: pulumi.Output[str]
    "ARN of the cluster."
    endpoint: pulumi.Output[str]
    "URL of the API server."
    certificate_authority: pulumi.Output[str]
    "Certificate of the API server's authority, base64 of PEM."
    oidc_issuer: pulumi.Output[str]
    "URL of the cluster's OIDC issuer."
    oidc_provider_arn: pulumi.Output[str]
    "ARN of the IAM OIDC provider."
    security_group_id: pulumi.Output[str]
    "The security group that EKS made for the cluster; nodes use it."

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:Cluster", name, {}, opts)
        check_args(ClusterArgs, args, _problems(args))
        self._name, self._opts = name, opts
        cluster = self._control_plane(args)
        control_plane = cluster.eks_cluster
        self.name, self.arn, self.endpoint = control_plane.name, control_plane.arn, control_plane.endpoint
        self.certificate_authority = control_plane.certificate_authority.data
        self.oidc_issuer, self.oidc_provider_arn = cluster.oidc_issuer, cluster.oidc_provider_arn
        self.security_group_id = cluster.cluster_security_group_id
        aws.ec2.Tag(
            f"{name}-discovery",
            resource_id=self.security_group_id,
            key=DISCOVERY_TAG,
            value=args["cluster_name"],
            opts=child_options(self, opts, cluster),
        )
        self._administrators(args["administrators"], cluster)
        agent = self._addon("eks-pod-identity-agent", args, {}, cluster)
        nodes = SystemNodes(f"{name}-system", self._node_args(args), child_options(self, opts, cluster, agent))
        self._addon("coredns", args, _on_system_nodes(), nodes)
        self.register_outputs(
            {
                "name": self.name,
                "arn": self.arn,
                "endpoint": self.endpoint,
                "certificate_authority": self.certificate_authority,
                "oidc_issuer": self.oidc_issuer,
                "oidc_provider_arn": self.oidc_provider_arn,
                "security_group_id": self.security_group_id,
            }
        )

    def _control_plane(self, args: ClusterArgs) -> eks.Cluster:
        cidrs = args.get("public_access_cidrs")
        cni, proxy = args["addons"].get("vpc-cni", {}), args["addons"].get("kube-proxy", {})
        options = child_options(self, self._opts)
        if args["zonal_shift"]:
            options = pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(transforms=[_with_zonal_shift]))
        return eks.Cluster(
            self._name,
            name=args["cluster_name"],
            version=args["version"],
            vpc_id=args["vpc_id"],
            subnet_ids=args["private_subnet_ids"],
            authentication_mode=eks.AuthenticationMode.API,
            endpoint_private_access=True,
            endpoint_public_access=cidrs is not None,
            public_access_cidrs=list(cidrs) if cidrs is not None else None,
            enabled_cluster_log_types=list(args["log_types"]),
            encryption_config_key_arn=self._secrets_key(args["cluster_name"]) if args["secrets_key"] else None,
            deletion_protection=args["deletion_protection"],
            create_oidc_provider=True,
            skip_default_node_group=True,
            skip_default_security_groups=True,
            cluster_tags=discovery_tags(args["cluster_name"]),
            coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
            kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(
                version=proxy.get("version"), configuration_values=proxy.get("configuration")
            ),
            vpc_cni_options=eks.VpcCniOptionsArgs(
                addon_version=cni.get("version"), configuration_values=cni.get("configuration")
            ),
            opts=options,
        )

    def _secrets_key(self, cluster: str) -> pulumi.Output[str]:
        key = aws.kms.Key(
            f"{self._name}-secrets",
            description=f"Kubernetes secrets of {cluster}",
            enable_key_rotation=True,
            opts=child_options(self, self._opts),
        )
        aws.kms.Alias(
            f"{self._name}-secrets",
            name=f"alias/eks/{cluster}/secrets",
            target_key_id=key.key_id,
            opts=child_options(self, self._opts),
        )
        return key.arn

    def _administrators(self, arns: Sequence[str], cluster: eks.Cluster) -> None:
        for arn in arns:
            key = _entry_key(arn)
            entry = aws.eks.AccessEntry(
                f"{self._name}-{key}",
                cluster_name=self.name,
                principal_arn=arn,
                type="STANDARD",
                opts=child_options(self, self._opts, cluster),
            )
            aws.eks.AccessPolicyAssociation(
                f"{self._name}-{key}",
                cluster_name=self.name,
                principal_arn=arn,
                policy_arn=f"arn:{arn.split(':')[1]}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
                access_scope={"type": "cluster"},
                opts=child_options(self, self._opts, entry),
            )

    def _addon(
        self, addon: str, args: ClusterArgs, configuration: Mapping[str, Any], needs: pulumi.Resource
    ) -> aws.eks.Addon:
        chosen = args["addons"].get(addon, {})
        merged = {**configuration, **chosen.get("configuration", {})}
        return aws.eks.Addon(
            f"{self._name}-{addon}",
            cluster_name=self.name,
            addon_name=addon,
            addon_version=chosen.get("version"),
            configuration_values=text(merged) if merged else None,
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            opts=child_options(self, self._opts, needs),
        )

    def _node_args(self, args: ClusterArgs) -> SystemNodesArgs:
        return {
            "cluster_name": args["cluster_name"],
            "ready_cluster_name": self.name,
            "kubernetes_version": args["version"],
            "partition": args["partition"],
            "subnet_ids": args["private_subnet_ids"],
            **args["system_nodes"],
        }


def _on_system_nodes() -> dict[str, Any]:
    """CoreDNS runs where Karpenter cannot take its nodes away, so that it never waits for Karpenter."""
    return {
        "nodeSelector": dict(SYSTEM_NODE_LABEL),
        "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
    }


def _with_zonal_shift(args: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """pulumi-eks has no input for zonal shift; its aws.eks.Cluster has."""
    if args.type_ != "aws:eks/cluster:Cluster":
        return None
    return pulumi.ResourceTransformResult({**args.props, "zonalShiftConfig": {"enabled": True}}, args.opts)


def _problems(args: ClusterArgs) -> list[Problem]:
    problems = _addon_problems(args.get("addons", {}))
    for index, arn in enumerate(args.get("administrators", [])):
        if not arn.startswith("arn:"):
            rule = "must be the ARN of a role or user"
            remedy = "pass arn:<partition>:iam::<account>:role/..."
            problems.append(Problem(f"administrators[{index}]", arn, rule, remedy))
        elif _entry_key(arn) in [_entry_key(other) for other in args["administrators"][:index]]:
            rule = "must differ from the ones before it, also with / read as -: the entries' names come from it"
            problems.append(Problem(f"administrators[{index}]", arn, rule, "remove one of them"))
    cidrs = args.get("public_access_cidrs")
    if cidrs is not None and not list(cidrs):
        rule = "must name at least one range: EKS reads none as the whole internet"
        problems.append(Problem("public_access_cidrs", [], rule, "pass your own ranges, or leave it out"))
    return problems


def _addon_problems(addons: Mapping[str, AddonArgs]) -> list[Problem]:
    rule, remedy = "must be an add-on of the stack", f"use one of {', '.join(ADDONS)}"
    problems = [Problem(f"addons.{name}", addons[name], rule, remedy) for name in sorted(set(addons) - set(ADDONS))]
    for name in sorted(set(addons) & set(ADDONS)):
        problems += key_problems(AddonArgs, addons[name], f"addons.{name}.")
    return problems


def _entry_key(arn: str) -> str:
    """The end of an access entry's logical name."""
    return arn.rsplit(":", 1)[-1].replace("/", "-")
