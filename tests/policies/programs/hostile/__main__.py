"""Resources whose values are unknown at preview, or secret; the key `part` of the configuration says which."""

import json
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

AMI = "ami-0a1b2c3d4e5f60001"


def node_class(name: str, terms: Any, **more: Any) -> None:
    kubernetes.apiextensions.CustomResource(
        name,
        api_version="karpenter.k8s.aws/v1",
        kind="EC2NodeClass",
        metadata={"name": name},
        # Whole enough for an API server that has the CRDs: the previews ask it, too.
        spec={
            "amiFamily": "AL2023",
            "role": "nodes",
            "subnetSelectorTerms": [{"id": "subnet-0123456789abcdef0"}],
            "securityGroupSelectorTerms": [{"id": "sg-0123456789abcdef0"}],
            "amiSelectorTerms": terms,
            **more,
        },
    )


def everything() -> None:
    source = kubernetes.core.v1.ConfigMap("source", data={"a": "b"})
    later = source.id.apply(lambda _: AMI)
    node_class("unknown-id", [{"id": later}])
    node_class("unknown-beside-latest", [{"id": later}, {"alias": "al2023@latest"}])
    node_class("unknown-terms", source.id.apply(lambda _: [{"id": AMI}]))
    node_class("latest-beside-unknown-role", [{"alias": "al2023@latest"}], tags={"a": later})
    node_class("secret-latest", [{"alias": pulumi.Output.secret("al2023@latest")}])
    node_class("secret-terms", pulumi.Output.secret([{"name": "amazon-eks-*"}]))
    node_class("secret-unknown", pulumi.Output.secret([{"id": later}]))
    node_class("right", [{"id": AMI}])
    node_class("right-and-secret", [{"id": pulumi.Output.secret(AMI)}])
    queue = aws.sqs.Queue("queue", sqs_managed_sse_enabled=True)
    aws.sqs.QueuePolicy("unknown-document", queue_url=queue.url, policy=queue.arn.apply(json.dumps))
    aws.sqs.Queue("lonely-queue", sqs_managed_sse_enabled=True)
    role = aws.iam.Role("karpenter-nodes", assume_role_policy="{}")
    statement = {"Effect": "Allow", "Action": "iam:PassRole", "Resource": "*", "Condition": {"Null": {"a": "true"}}}
    aws.iam.Policy("pass-any-role", policy=json.dumps({"Statement": statement}))
    aws.iam.Policy("unknown-statement", policy=role.arn.apply(lambda arn: json.dumps({"Statement": [arn]})))
    aws.ec2.LaunchTemplate("resolves", image_id="resolve:ssm:/own/ami")


def late() -> None:
    source = kubernetes.core.v1.ConfigMap("source", data={"a": "b"})
    node_class("late-latest", [{"alias": source.id.apply(lambda _: "al2023@latest")}])


def main() -> None:
    {"everything": everything, "late": late}[pulumi.Config().get("part") or "everything"]()


main()
