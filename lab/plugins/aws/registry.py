"""Every resource type that the stand-in knows, by its token."""

from lab.plugins.aws import ec2_network, ec2_security, eks, iam, services
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
        ec2_network.RouteTable(),
        ec2_network.Route(),
        ec2_network.RouteTableAssociation(),
        ec2_network.VpcEndpoint(),
        ec2_network.FlowLog(),
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
        iam.OpenIdConnectProvider(),
        iam.ServiceLinkedRole(),
        eks.Cluster(),
        eks.NodeGroup(),
        eks.Addon(),
        eks.AccessEntry(),
        eks.AccessPolicyAssociation(),
        eks.PodIdentityAssociation(),
        services.Queue(),
        services.QueuePolicy(),
        services.EventRule(),
        services.EventTarget(),
        services.LogGroup(),
        services.Key(),
        services.Alias(),
    )
}
