"""Mistakes in the form of values: each is one line with path, value found, rule and remedy."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.unit.settings.support import config, errors, loaded

FORM: dict[str, tuple[dict[str, Any], str]] = {
    "no name": (
        {**config(), "cluster": {"systemNodes": {"releaseVersion": "1.36.2-20261101"}}},
        "karpenter-eks:cluster.name: found nothing; is required; set it, for example to my-cluster",
    ),
    "a name that EKS refuses": (
        config(cluster={"name": "-x"}),
        "karpenter-eks:cluster.name: found \"-x\"; must be 1 to 100 letters, digits, '-' or '_', with a letter or "
        "digit "
        "first; for example my-cluster",
    ),
    "a version without quotes": (
        config(cluster={"version": 1.36}),
        "karpenter-eks:cluster.version: found 1.36; must be text; write it in quotes",
    ),
    "a patch version": (
        config(cluster={"version": "1.36.2"}),
        'karpenter-eks:cluster.version: found "1.36.2"; must be text in quotes, such as "1.36"; for example "1.36"',
    ),
    "no system node": (
        config(cluster={"systemNodes": {"minSize": 0}}),
        "karpenter-eks:cluster.systemNodes.minSize: found 0; must be a whole number from 1 on; for example 1",
    ),
    "text for a switch": (
        config(cluster={"secretsKey": "yes"}),
        'karpenter-eks:cluster.secretsKey: found "yes"; must be true or false; write true or false without quotes',
    ),
    "a log type that EKS lacks": (
        config(cluster={"logTypes": ["audits"]}),
        'karpenter-eks:cluster.logTypes[0]: found "audits"; must be one of api, audit, authenticator, '
        "controllerManager, "
        "scheduler; did you mean audit?",
    ),
    "Amazon Linux 2": (
        config(cluster={"systemNodes": {"amiType": "AL2_x86_64"}}),
        'karpenter-eks:cluster.systemNodes.amiType: found "AL2_x86_64"; must be one of AL2023_x86_64_STANDARD, '
        "AL2023_ARM_64_STANDARD, BOTTLEROCKET_x86_64, BOTTLEROCKET_ARM_64; did you mean AL2023_x86_64_STANDARD?",
    ),
    "a misspelt key": (
        config(cluster={"systemNode": {}}),
        "karpenter-eks:cluster.systemNode: found {}; unknown field; did you mean systemNodes?",
    ),
    "a key one level too high": (
        config(cluster={"instanceTypes": ["m5.large"]}),
        'karpenter-eks:cluster.instanceTypes: found ["m5.large"]; unknown field; it belongs to systemNodes: move it '
        "there",
    ),
    "a key that has two homes": (
        config(cluster={"configuration": {}}),
        "karpenter-eks:cluster.configuration: found {}; unknown field; remove it; known are addons, administrators, "
        "deletionProtection, logTypes, name, publicAccess, secretsKey, systemNodes, version, zonalShift",
    ),
    "a key nobody knows": (
        config(interruptionQueue={"fifo": True}),
        "karpenter-eks:interruptionQueue.fifo: found true; unknown field; remove it; known are enabled",
    ),
    "a queue's ARN": (
        config(interruptionQueue="arn:aws:sqs:us-west-2:123456789012:my-queue"),
        'karpenter-eks:interruptionQueue: found "arn:aws:sqs:us-west-2:123456789012:my-queue"; must be a map: the '
        "stack makes "
        "the queue itself and hands its name to the controller, no ARN or URL; for example {enabled: false}",
    ),
    "five zones": (
        config(network={"create": {"zones": 5}}),
        "karpenter-eks:network.create.zones: found 5; must be 2, 3 or 4; for example 3",
    ),
    "NAT as a switch": (
        config(network={"create": {"natGateways": True}}),
        "karpenter-eks:network.create.natGateways: found true; must be one of none, single, perZone; write none",
    ),
    "a period that CloudWatch lacks": (
        config(network={"create": {"flowLogs": {"retentionDays": 31}}}),
        "karpenter-eks:network.create.flowLogs.retentionDays: found 31; must be a period that CloudWatch Logs knows: "
        "1, "
        "3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653; for "
        "example 30",
    ),
    "the ARN of a node role": (
        config(nodeRole={"existing": "arn:aws:iam::123456789012:role/x"}),
        'karpenter-eks:nodeRole.existing: found "arn:aws:iam::123456789012:role/x"; must be the name of an IAM role: '
        "no ARN, no "
        "path; for example my-node-role",
    ),
    "seven policies": (
        config(nodeRole={"extraPolicyArns": [f"arn:aws:iam::aws:policy/P{n}" for n in range(7)]}),
        'karpenter-eks:nodeRole.extraPolicyArns: found ["arn:aws:iam::aws:policy/P0", "arn:aws:iam::aws:policy/P1", '
        '"arn:aws:iam::aws:policy/P2", "arn:aws:iam::aws:policy/P3", "arn:aws:iam::aws:policy/P4", '
        '"arn:aws:iam::aws:policy/P5", '
        '"arn:aws:iam::aws:policy/P6"]; must be at most 6 ARNs of managed policies (IAM allows 10 to a role, nodes '
        "need 4); "
        "for example [arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy]",
    ),
    "a path without slashes": (
        config(controllerRole={"path": "karpenter"}),
        'karpenter-eks:controllerRole.path: found "karpenter"; must be a path that begins and ends with a slash; for '
        "example "
        "/karpenter/",
    ),
    "a namespace in capitals": (
        config(karpenter={"namespace": "Karpenter"}),
        "karpenter-eks:karpenter.namespace: found \"Karpenter\"; must be at most 63 lower-case letters, digits or '-', "
        "with a "
        "letter or digit at both ends; for example kube-system",
    ),
    "a chart repository over HTTPS": (
        config(karpenter={"chartRepository": "https://charts.karpenter.sh"}),
        'karpenter-eks:karpenter.chartRepository: found "https://charts.karpenter.sh"; must be text that begins with '
        '"oci://", '
        '"./", "../" or "/" and does not end with a slash; for example oci://public.ecr.aws/karpenter',
    ),
    "an hour and more": (
        config(karpenter={"timeoutSeconds": 3601}),
        "karpenter-eks:karpenter.timeoutSeconds: found 3601; must be a whole number of seconds from 30 to 3600; for "
        "example 300",
    ),
    "a feature gate of no chart": (
        config(karpenter={"featureGates": {"drift": True}}),
        "karpenter-eks:karpenter.featureGates.drift: found true; unknown field; remove it; known are capacityBuffer, "
        "nodeOverlay, "
        "nodeRepair, reservedCapacity, spotToSpotConsolidation, staticCapacity",
    ),
    "an add-on's version without its build": (
        config(cluster={"addons": {"vpc-cni": {"version": "1.20.0"}}}),
        'karpenter-eks:cluster.addons.vpc-cni.version: found "1.20.0"; must be a version such as "v1.20.0-eksbuild.1"; '
        "for "
        "example v1.20.0-eksbuild.1",
    ),
    "an account as a number": (
        config(allowedAccountIds=[123456789012]),
        "karpenter-eks:allowedAccountIds[0]: found 123456789012; must be text; write it in quotes",
    ),
    "a list of pools": (
        config(nodePools=[{"name": "default"}]),
        'karpenter-eks:nodePools: found [{"name": "default"}]; must be a map; write keys and values',
    ),
    "a key of nobody's": (
        config(nodepools={}),
        "karpenter-eks:nodepools: found {}; unknown field; did you mean nodePools?",
    ),
}


@pytest.mark.parametrize(("data", "line"), FORM.values(), ids=FORM.keys())
def test_a_mistake_is_one_line_with_path_value_rule_and_remedy(data: dict[str, Any], line: str) -> None:
    assert errors(data) == [line], "people have to guess what is wrong, or see more than the one mistake they made"


def test_the_defaults_are_those_of_the_brief() -> None:
    settings = loaded(config()).settings
    nodes = settings.cluster.system_nodes
    assert (nodes.instance_types, nodes.min_size, nodes.desired_size, nodes.max_size) == (("m5.large",), 1, 2, 10)
    assert settings.cluster.version == "1.36"
    assert settings.cluster.public_access is None, "the API server is open to the internet by default"
    assert (settings.karpenter.version, settings.karpenter.namespace, settings.karpenter.replicas) == (
        "1.14.3",
        "kube-system",
        2,
    )
    assert (settings.karpenter.resources.cpu, settings.karpenter.resources.memory) == ("1", "1Gi")
    assert settings.interruption_queue.enabled
    created = settings.network.created
    assert created is not None
    assert (created.cidr, created.zones, created.nat_gateways) == ("10.0.0.0/16", 3, "single")


def test_the_environment_is_the_stack_when_the_file_does_not_say() -> None:
    assert loaded(config()).settings.environment == "dev"
    assert loaded(config(environment="")).settings.environment == "dev", "Pulumi.yaml's empty default counts as a name"
    assert loaded(config(environment="staging")).settings.environment == "staging"


def test_settings_cannot_be_changed_after_loading() -> None:
    settings = loaded(config()).settings
    with pytest.raises(ValidationError, match="frozen"):
        settings.environment = "prod"  # type: ignore[misc]


def test_camel_case_keys_reach_their_fields() -> None:
    settings = loaded(
        config(
            cluster={"addons": {"vpc-cni": {"version": "v1.20.0-eksbuild.1", "configuration": {"env": {"X": "1"}}}}},
            karpenter={"resources": {"cpu": 2, "memory": "2Gi"}, "logLevel": "debug"},
        )
    ).settings
    assert settings.cluster.addons.vpc_cni.version == "v1.20.0-eksbuild.1"
    assert settings.cluster.addons.vpc_cni.configuration == {"env": {"X": "1"}}
    assert settings.karpenter.resources.cpu == "2", "YAML's number is not taken as a quantity"
    assert settings.karpenter.log_level == "debug"
