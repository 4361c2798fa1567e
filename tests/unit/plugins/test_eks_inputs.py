"""What the stand-in for the eks plugin takes, and what it refuses by name."""

from typing import Any

import pulumi
import pulumi_eks as eks
import pytest
from pulumi._types import input_type_py_to_pulumi_names, input_type_to_dict

from lab.plugins.eks.cluster import _refuse_unknown


def as_sent(arguments: Any) -> dict[str, Any]:
    """A typed argument as the SDK sends it, with what the SDK fills in by itself."""
    names = input_type_py_to_pulumi_names(type(arguments))
    return {names.get(name, name): value for name, value in input_type_to_dict(arguments).items()}


def inputs(**changed: Any) -> dict[str, Any]:
    return {
        "name": "cluster",
        "authenticationMode": "API",
        "skipDefaultNodeGroup": True,
        "skipDefaultSecurityGroups": True,
        "corednsAddonOptions": as_sent(eks.CoreDnsAddonOptionsArgs(enabled=False)),
        "kubeProxyAddonOptions": as_sent(eks.KubeProxyAddonOptionsArgs(version="v1", configuration_values={"a": 1})),
        "vpcCniOptions": as_sent(eks.VpcCniOptionsArgs(addon_version="v1", configuration_values={"a": 1})),
        **changed,
    }


def test_what_the_stack_gives_is_taken() -> None:
    _refuse_unknown(inputs())


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"fargate": True}, "does not know fargate"),
        (
            {"vpcCniOptions": as_sent(eks.VpcCniOptionsArgs(enable_prefix_delegation=True))},
            "does not know vpcCniOptions.enablePrefixDelegation",
        ),
        (
            {"vpcCniOptions": {"resolveConflictsOnCreate": "NONE"}},
            "does not know vpcCniOptions.resolveConflictsOnCreate",
        ),
        ({"authenticationMode": "CONFIG_MAP"}, "knows only authenticationMode = API"),
        ({"skipDefaultSecurityGroups": False}, "knows only skipDefaultSecurityGroups = True"),
        ({"corednsAddonOptions": {}}, "knows only enabled = False"),
    ],
)
def test_what_would_be_dropped_is_refused(changed: dict[str, Any], named: str) -> None:
    with pytest.raises(pulumi.InputPropertiesError) as refused:
        _refuse_unknown(inputs(**changed))
    assert named in str(refused.value), "an input that the official plugin acts on is dropped in the lab"
