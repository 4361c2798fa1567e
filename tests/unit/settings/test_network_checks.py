"""Networks in which nodes could not live."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.settings.support import config, errors, loaded, warnings

VPC = "vpc-0123456789abcdef0"
SUBNETS = [f"subnet-0123456789abcdef{n}" for n in range(4)]
ENDPOINTS = ["ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "ssm", "sts", "sqs"]


def existing(**changes: Any) -> dict[str, Any]:
    return {"existing": {"vpcId": VPC, "privateSubnetIds": SUBNETS[:2], **changes}}


def test_a_network_is_made_or_given_never_both() -> None:
    assert errors(config(network={"create": {}, **existing()})) == [
        'karpenter-eks:network: found ["create", "existing"]; must have exactly one of create and existing; remove one '
        "of the two"
    ]


def test_an_existing_network_makes_nothing() -> None:
    settings = loaded(config(network=existing(publicSubnetIds=SUBNETS[2:]))).settings
    assert settings.network.created is None, "a VPC is made beside the one that people named"
    assert settings.network.existing is not None
    assert settings.network.existing.public_subnet_ids == tuple(SUBNETS[2:])


@pytest.mark.parametrize("subnets", [[SUBNETS[0]], [SUBNETS[0], SUBNETS[0]], []])
def test_an_existing_network_needs_two_private_subnets(subnets: list[str]) -> None:
    [line] = errors(config(network=existing(privateSubnetIds=subnets)))
    assert line.startswith("karpenter-eks:network.existing.privateSubnetIds: found ["), line
    assert "must name at least two different subnets, in different availability zones" in line, (
        "EKS refuses it at creation"
    )


def test_a_subnet_id_is_checked() -> None:
    assert errors(config(network=existing(privateSubnetIds=[*SUBNETS[:2], "subnet-x"]))) == [
        'karpenter-eks:network.existing.privateSubnetIds[2]: found "subnet-x"; must be the id of a subnet; write '
        "subnet-... as "
        "EC2 shows it"
    ]


def test_a_private_subnet_is_not_a_public_one() -> None:
    [line] = errors(config(network=existing(publicSubnetIds=SUBNETS[1:3])))
    assert f'publicSubnetIds: found ["{SUBNETS[1]}"]; must not repeat private subnets' in line


def test_without_nat_every_endpoint_that_karpenter_needs_must_be_there() -> None:
    [line] = errors(config(network={"create": {"natGateways": "none", "interfaceEndpoints": ["ecr.api", "sts"]}}))
    assert line == (
        'karpenter-eks:network.create.interfaceEndpoints: found ["ecr.api", "sts"]; must include ec2, ecr.dkr, eks, '
        "eks-auth, "
        "ssm, sqs: without NAT, AWS is reached only through endpoints; add them, or set natGateways to single or "
        "perZone"
    ), "nodes come up that never join"


def test_without_queue_its_endpoint_is_not_needed() -> None:
    network = {"create": {"natGateways": "none", "interfaceEndpoints": ENDPOINTS[:-1]}}
    assert errors(config(network=network, interruptionQueue={"enabled": False})) == []


def test_without_nat_prices_images_and_profiles_need_another_way() -> None:
    network = {"create": {"natGateways": "none", "interfaceEndpoints": ENDPOINTS}}
    told = warnings(config(network=network))
    assert [text.split(": ")[0] for text in told] == [
        "karpenter-eks:karpenter.values.settings.isolatedVPC",
        "karpenter-eks:karpenter.chartRepository",
        "karpenter-eks:nodeClasses.default.instanceProfile",
    ], "Karpenter starts, and then launches nothing, without a word beforehand"


def test_an_isolated_network_that_is_complete_gets_no_hint() -> None:
    network = {"create": {"natGateways": "none", "interfaceEndpoints": ENDPOINTS}}
    data = config(
        network=network,
        karpenter={
            "values": {
                "settings": {"isolatedVPC": True},
                "controller": {"image": {"repository": "123456789012.dkr.ecr.us-west-2.amazonaws.com/karpenter"}},
            }
        },
        nodeClasses={"default": {"instanceProfile": "nodes"}},
        controllerRole={"extraNodeRoleArns": ["arn:aws:iam::123456789012:role/nodes"]},
    )
    assert errors(data) == []
    assert warnings(data) == []


def test_a_mistake_elsewhere_does_not_make_up_mistakes_here() -> None:
    network = {"create": {"natGateways": "none", "interfaceEndpoints": ENDPOINTS}}
    told = errors(config(network=network, karpenter={"replicas": "two"}))
    assert told == [
        'karpenter-eks:karpenter.replicas: found "two"; must be a whole number; write a whole number without quotes'
    ]
    told = errors(config(network={"create": {"natGateways": "none", "zones": 9}}))
    assert told == ["karpenter-eks:network.create.zones: found 9; must be 2, 3 or 4; for example 3"]


@pytest.mark.parametrize("cidr", ["10.0.0.0/15", "10.0.0.0/21", "10.0.0.1/16", "8.8.0.0/16", "home"])
def test_a_range_that_is_no_private_network_of_the_right_size_is_refused(cidr: str) -> None:
    [line] = errors(config(network={"create": {"cidr": cidr}}))
    assert line.startswith(f'karpenter-eks:network.create.cidr: found "{cidr}"; must ')
