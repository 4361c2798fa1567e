"""Every resource type that the stand-in knows, by its token."""

from lab.plugins.aws import (
    ec2_network,
    ec2_routes,
    ec2_security,
    eks_access,
    eks_addons,
    eks_cluster,
    eks_nodes,
    iam,
    iam_providers,
    services,
)
from lab.plugins.aws.kind import Kind
from lab.plugins.aws.launch_template import LaunchTemplate

KINDS: dict[str, Kind] = {
    kind.token: kind
    for kind in (
        ec2_network.Vpc(),
        ec2_network.Subnet(),
        ec2_network.InternetGateway(),
        ec2_network.Eip(),
        ec2_network.NatGateway(),
        ec2_routes.RouteTable(),
        ec2_routes.Route(),
        ec2_routes.RouteTableAssociation(),
        ec2_routes.VpcEndpoint(),
        ec2_routes.FlowLog(),
        ec2_security.SecurityGroup(),
        ec2_security.DefaultSecurityGroup(),
        ec2_security.IngressRule(),
        ec2_security.EgressRule(),
        ec2_security.Tag(),
        LaunchTemplate(),
        iam.Role(),
        iam.RolePolicy(),
        iam.RolePolicyAttachment(),
        iam.Policy(),
        iam_providers.OpenIdConnectProvider(),
        iam_providers.ServiceLinkedRole(),
        iam_providers.InstanceProfile(),
        eks_cluster.Cluster(),
        eks_nodes.NodeGroup(),
        eks_addons.Addon(),
        eks_access.AccessEntry(),
        eks_access.AccessPolicyAssociation(),
        eks_access.PodIdentityAssociation(),
        services.Queue(),
        services.QueuePolicy(),
        services.EventRule(),
        services.EventTarget(),
        services.LogGroup(),
        services.Key(),
        services.Alias(),
    )
}
