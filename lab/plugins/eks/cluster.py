"""The component eks:index:Cluster with the children that the official one makes."""

import json
from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

TOKEN = "eks:index:Cluster"  # noqa: S105 (a type token)
INPUTS = frozenset(
    {
        "name",
        "version",
        "vpcId",
        "subnetIds",
        "authenticationMode",
        "endpointPrivateAccess",
        "endpointPublicAccess",
        "publicAccessCidrs",
        "enabledClusterLogTypes",
        "encryptionConfigKeyArn",
        "deletionProtection",
        "createOidcProvider",
        "skipDefaultNodeGroup",
        "skipDefaultSecurityGroups",
        "clusterTags",
        "tags",
        "corednsAddonOptions",
        "kubeProxyAddonOptions",
        "vpcCniOptions",
    }
)
OPTIONS = {
    "corednsAddonOptions": frozenset({"enabled"}),
    "kubeProxyAddonOptions": frozenset({"enabled", "version", "configurationValues"}),
    "vpcCniOptions": frozenset({"addonVersion", "configurationValues"}),
}
"""What is known of the inputs that are maps."""
DEFAULTS = {"resolveConflictsOnCreate": "OVERWRITE", "resolveConflictsOnUpdate": "OVERWRITE"}
"""Members that the SDK fills in by itself, with the only value that the stand-in acts on."""
REQUIRED = {"authenticationMode": "API", "skipDefaultNodeGroup": True, "skipDefaultSecurityGroups": True}
"""What the stand-in can only do in one way."""
CLUSTER_POLICY = "AmazonEKSClusterPolicy"
THUMBPRINT = "0" * 40
"""Stands for the thumbprint of the issuer's certificate, which the official plugin fetches over the network."""


class Cluster(pulumi.ComponentResource):
    """A control plane, its service role, the OIDC provider, and the add-ons vpc-cni and kube-proxy.

    Args:
        name: Logical name.
        inputs: The inputs in their schema's names.
        opts: Options.
    """

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TOKEN, name, {}, opts)
        _refuse_unknown(inputs)
        self._name, self._inputs = name, inputs
        control_plane = self._control_plane()
        issuer = control_plane.identities.apply(_issuer)
        provider = aws.iam.OpenIdConnectProvider(
            f"{name}-oidcProvider",
            url=issuer,
            client_id_lists=["sts.amazonaws.com"],
            thumbprint_lists=[THUMBPRINT],
            opts=pulumi.ResourceOptions(parent=self),
        )
        kubeconfig = pulumi.Output.json_dumps(_kubeconfig(control_plane))
        kubernetes.Provider(f"{name}-eks-k8s", kubeconfig=kubeconfig, opts=pulumi.ResourceOptions(parent=self))
        self._addon("kube-proxy", inputs.get("kubeProxyAddonOptions") or {}, "version", control_plane)
        self._addon("vpc-cni", inputs.get("vpcCniOptions") or {}, "addonVersion", control_plane)
        self.outputs = {
            "eksCluster": control_plane,
            "clusterSecurityGroupId": control_plane.vpc_config.cluster_security_group_id,
            "clusterIngressRuleId": "",
            "nodeSecurityGroupId": "",
            "instanceRoles": [],
            "kubeconfig": pulumi.Output.json_loads(kubeconfig),
            "kubeconfigJson": kubeconfig,
            "oidcIssuer": issuer.apply(lambda url: str(url).removeprefix("https://")),
            "oidcProviderArn": provider.arn,
            "oidcProviderUrl": issuer,
        }
        self.register_outputs(self.outputs)

    def _control_plane(self) -> aws.eks.Cluster:
        given = self._inputs
        role = aws.iam.Role(
            f"{self._name}-eksRole-role",
            assume_role_policy=json.dumps(_trust()),
            opts=pulumi.ResourceOptions(parent=self),
        )
        attachment = aws.iam.RolePolicyAttachment(
            f"{self._name}-eksRole-4b490823",
            role=role.name,
            policy_arn=f"arn:aws:iam::aws:policy/{CLUSTER_POLICY}",
            opts=pulumi.ResourceOptions(parent=self),
        )
        key = given.get("encryptionConfigKeyArn")
        encryption = None
        if key is not None:
            encryption = aws.eks.ClusterEncryptionConfigArgs(
                provider=aws.eks.ClusterEncryptionConfigProviderArgs(key_arn=key), resources=["secrets"]
            )
        return aws.eks.Cluster(
            f"{self._name}-eksCluster",
            name=given.get("name"),
            role_arn=role.arn,
            version=given.get("version"),
            vpc_config=aws.eks.ClusterVpcConfigArgs(
                subnet_ids=given["subnetIds"],
                endpoint_private_access=given.get("endpointPrivateAccess"),
                endpoint_public_access=given.get("endpointPublicAccess"),
                public_access_cidrs=given.get("publicAccessCidrs"),
            ),
            access_config=aws.eks.ClusterAccessConfigArgs(
                authentication_mode=given["authenticationMode"], bootstrap_cluster_creator_admin_permissions=True
            ),
            enabled_cluster_log_types=given.get("enabledClusterLogTypes"),
            encryption_config=encryption,
            deletion_protection=given.get("deletionProtection"),
            tags=pulumi.Output.all(given.get("tags") or {}, given.get("clusterTags") or {}).apply(_merged),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[attachment]),
        )

    def _addon(self, addon: str, options: Mapping[str, Any], version: str, control_plane: aws.eks.Cluster) -> None:
        if options.get("enabled") is False:
            return
        configuration = options.get("configurationValues")
        aws.eks.Addon(
            f"{self._name}-{addon}",
            cluster_name=control_plane.name,
            addon_name=addon,
            addon_version=options.get(version),
            configuration_values=json.dumps(configuration, sort_keys=True) if configuration else None,
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            opts=pulumi.ResourceOptions(parent=self),
        )


def _refuse_unknown(inputs: Mapping[str, Any]) -> None:
    """Refuse what the stand-in would silently drop.

    Raises:
        pulumi.InputPropertiesError: With every such input.
    """
    problems = {name: f"the lab's stand-in for the eks plugin does not know {name}" for name in set(inputs) - INPUTS}
    for name, only in REQUIRED.items():
        if inputs.get(name) != only:
            problems[name] = f"the lab's stand-in for the eks plugin knows only {name} = {only}"
    for name, known in OPTIONS.items():
        unknown = sorted(
            key
            for key, value in (inputs.get(name) or {}).items()
            if value is not None and key not in known and DEFAULTS.get(key) != value
        )
        problems |= {
            f"{name}.{key}": f"the lab's stand-in for the eks plugin does not know {name}.{key}" for key in unknown
        }
    core_dns = inputs.get("corednsAddonOptions") or {}
    if core_dns.get("enabled") is not False:
        problems["corednsAddonOptions"] = "the lab's stand-in for the eks plugin knows only enabled = False"
    if problems:
        raise pulumi.InputPropertiesError(
            "; ".join(sorted(problems.values())),
            [{"property_path": name, "reason": reason} for name, reason in sorted(problems.items())],
        )


def _trust() -> dict[str, Any]:
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def _issuer(identities: Any) -> str:
    return str(identities[0].oidcs[0].issuer)


def _merged(both: list[Mapping[str, str]]) -> dict[str, str]:
    return {**both[0], **both[1]}


def _kubeconfig(cluster: aws.eks.Cluster) -> dict[str, Any]:
    command = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": ["eks", "get-token", "--cluster-name", cluster.name],
    }
    server = {"server": cluster.endpoint, "certificate-authority-data": cluster.certificate_authority.data}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "kubernetes", "cluster": server}],
        "users": [{"name": "aws", "user": {"exec": command}}],
        "contexts": [{"name": "aws", "context": {"cluster": "kubernetes", "user": "aws"}}],
        "current-context": "aws",
    }
