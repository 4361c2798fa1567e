"""Everything about an EC2NodeClass that is not a selector, a volume, an AMI or user data."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from components.spec import quantities
from components.spec.ami_fit import check_amis
from components.spec.model_problems import join
from components.spec.node_class import NodeClassSpec
from components.spec.node_class_kubelet import Kubelet
from components.spec.node_class_parts import MetadataOptions, NetworkInterface
from components.spec.problems import ABSENT, Problem
from components.spec.selectors import check_selectors, given
from components.spec.user_data import check_user_data
from components.spec.volumes import check_volumes

_IAM_NAME: Final = re.compile(r"^[A-Za-z0-9_+=,.@-]+\Z")
_NAME_LENGTHS: Final = {"role": 64, "instanceProfile": 128}
_TAG_TEXT: Final = re.compile(r"^[\w\s.:/=+@-]*\Z")
_TAG_KEY_LENGTH: Final = 128
_TAG_VALUE_LENGTH: Final = 256
MOST_TAGS: Final = 42
"""EC2 takes 50 on an instance; Karpenter adds up to 8 of its own."""

KUBELET_IMAGE_GC_HIGH: Final = 85
KUBELET_IMAGE_GC_LOW: Final = 80
"""The kubelet's own thresholds (pkg/kubelet/apis/config/v1beta1/defaults.go of Kubernetes 1.36)."""

_RESTRICTED_TAGS: Final = frozenset(
    {"eks:eks-cluster-name", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim", "karpenter.k8s.aws/ec2nodeclass"}
)


def name_problem(path: str, field: str, name: str) -> Problem | None:
    """What is wrong with the name of a role or instance profile; None when nothing is."""
    where = join(path, field)
    if name.startswith("arn:"):
        last = name.rsplit("/", 1)[-1]
        return Problem(where, name, "must be a name, not an ARN", f"write {last}")
    if "/" in name:
        return Problem(where, name, "must be a name without its path", f"write {name.rsplit('/', 1)[-1]}")
    if _IAM_NAME.search(name) is None:
        return Problem(where, name, "must be letters, digits and _+=,.@-", "correct the name")
    if len(name) > _NAME_LENGTHS[field]:
        rule = f"must be at most {_NAME_LENGTHS[field]} characters, this has {len(name)}"
        return Problem(where, name, rule, "shorten the name")
    return None


def _identity_problems(path: str, spec: NodeClassSpec) -> Iterator[Problem]:
    if spec.role is not None and spec.instance_profile is not None:
        rule = "must have exactly one of role and instanceProfile"
        yield Problem(join(path, "instanceProfile"), spec.instance_profile, rule, "keep one of them")
    for field, name in (("role", spec.role), ("instanceProfile", spec.instance_profile)):
        problem = name_problem(path, field, name) if name is not None else None
        if problem is not None:
            yield problem


def _tag_problem(where: str, key: str, value: str) -> Problem | None:
    if key in _RESTRICTED_TAGS or key.startswith("kubernetes.io/cluster"):
        return Problem(where, key, f"{key} is set by Karpenter itself", "remove it")
    if key.lower().startswith("aws:"):
        return Problem(where, key, "keys that begin with aws: belong to AWS", "rename it")
    if not 1 <= len(key) <= _TAG_KEY_LENGTH or _TAG_TEXT.search(key) is None:
        rule = f"keys of tags are 1 to {_TAG_KEY_LENGTH} letters, digits, spaces and . : / = + - @ _"
        return Problem(where, key, rule, "correct the key")
    if len(value) > _TAG_VALUE_LENGTH or _TAG_TEXT.search(value) is None:
        rule = f"values of tags are at most {_TAG_VALUE_LENGTH} letters, digits, spaces and . : / = + - @ _"
        return Problem(join(where, key), value, rule, "correct the value")
    return None


def _tag_problems(path: str, tags: Mapping[str, str]) -> Iterator[Problem]:
    where = join(path, "tags")
    for key, value in tags.items():
        problem = _tag_problem(where, key, value)
        if problem is not None:
            yield problem
    if len(tags) > MOST_TAGS:
        rule = f"must be at most {MOST_TAGS}: EC2 takes 50, and Karpenter adds its own"
        yield Problem(where, len(tags), rule, "remove some")


def _eviction_problems(path: str, kubelet: Kubelet) -> Iterator[Problem]:
    soft, grace = set(kubelet.eviction_soft or ()), set(kubelet.eviction_soft_grace_period or ())
    for signal in sorted(soft - grace):
        rule = f"{signal} needs an entry here too: a soft threshold counts after its grace period"
        yield Problem(join(path, "evictionSoftGracePeriod"), sorted(grace) or ABSENT, rule, f'add {signal}: "2m"')
    for signal in sorted(grace - soft):
        rule = f"{signal} has a grace period, but no threshold"
        yield Problem(join(path, "evictionSoft"), sorted(soft) or ABSENT, rule, f"add {signal}, or remove its period")


def _soft_below_hard(path: str, kubelet: Kubelet) -> Iterator[Problem]:
    """Soft thresholds that the hard ones come before; only like can be compared with like."""
    hard = kubelet.eviction_hard or {}
    for signal, threshold in (kubelet.eviction_soft or {}).items():
        other = hard.get(signal)
        if other is None or threshold.endswith("%") != other.endswith("%"):
            continue
        if quantities.value(threshold.removesuffix("%")) <= quantities.value(other.removesuffix("%")):
            rule = f"must be above evictionHard ({other}), which evicts pods at once and comes first"
            remedy = "raise it, or lower the hard one"
            yield Problem(join(path, "evictionSoft", signal), threshold, rule, remedy, "warning")


def _image_problems(path: str, kubelet: Kubelet) -> Iterator[Problem]:
    """Thresholds of image removal that the kubelet does not start with; one alone meets the kubelet's own other one."""
    high, low = kubelet.image_gc_high_threshold_percent, kubelet.image_gc_low_threshold_percent
    if high is not None and high <= (KUBELET_IMAGE_GC_LOW if low is None else low):
        rule = f"must be above imageGCLowThresholdPercent ({low})"
        if low is None:
            rule = f"must be {KUBELET_IMAGE_GC_LOW + 1} to 100 while imageGCLowThresholdPercent is the kubelet's own"
        yield Problem(join(path, "imageGCHighThresholdPercent"), high, rule, "raise it, or lower the other one")
    elif low is not None and high is None and low >= KUBELET_IMAGE_GC_HIGH:
        rule = f"must be 0 to {KUBELET_IMAGE_GC_HIGH - 1} while imageGCHighThresholdPercent is the kubelet's own"
        yield Problem(join(path, "imageGCLowThresholdPercent"), low, rule, "lower it, or raise the other one")


def _kubelet_problems(path: str, kubelet: Kubelet, family: str | None) -> Iterator[Problem]:
    yield from _eviction_problems(path, kubelet)
    yield from _soft_below_hard(path, kubelet)
    yield from _image_problems(path, kubelet)
    for index, address in enumerate(kubelet.cluster_dns or ()):
        try:
            ipaddress.ip_address(address)
        except ValueError:
            yield Problem(join(path, "clusterDNS", index), address, "must be an IP address", "for example 10.100.0.10")
    if kubelet.max_pods == 0:
        yield Problem(join(path, "maxPods"), 0, "leaves no room for any pod", "for example 110")
    if family == "Bottlerocket" and kubelet.pods_per_core is not None:
        rule = "Bottlerocket ignores podsPerCore"
        yield Problem(join(path, "podsPerCore"), kubelet.pods_per_core, rule, "use maxPods", "warning")
    if family == "Custom" and given(kubelet):
        rule = "a Custom AMI gets none of these; they only tell Karpenter what to reckon with"
        yield Problem(path, given(kubelet), rule, "set them in userData too", "warning")


def _interface_problems(path: str, interfaces: Sequence[NetworkInterface]) -> Iterator[Problem]:
    places = [(each.network_card_index, each.device_index) for each in interfaces]
    if not any(
        each.interface_type == "interface" and place == (0, 0) for each, place in zip(interfaces, places, strict=True)
    ):
        rule = "must hold the primary interface: networkCardIndex 0, deviceIndex 0, interfaceType interface"
        yield Problem(path, [given(each) for each in interfaces], rule, "add it")
    for card, device in sorted({place for place in places if places.count(place) > 1}):
        yield Problem(path, [card, device], "a pair of card and device stands only once", "change one of the indices")
    cards = [each.network_card_index for each in interfaces if each.interface_type == "efa-only"]
    for card in sorted({card for card in cards if cards.count(card) > 1}):
        yield Problem(path, card, "a network card has at most one efa-only interface", "remove one of them")


def _metadata_problems(path: str, options: MetadataOptions) -> Iterator[Problem]:
    if options.http_tokens == "optional":
        rule = "lets anything that can be made to fetch a URL take the node's credentials"
        yield Problem(join(path, "httpTokens"), "optional", rule, "write required", "warning")
    if options.http_endpoint == "disabled":
        rule = "the EKS AMIs ask the metadata service when they start, so nodes will not join"
        yield Problem(
            join(path, "httpEndpoint"), "disabled", rule, "write enabled, unless the AMI is your own", "warning"
        )


def check_class(path: str, spec: NodeClassSpec, family: str | None, kubernetes_version: str) -> Iterator[Problem]:
    """Problems of one class, errors and warnings."""
    yield from check_amis(path, spec, family, kubernetes_version)
    yield from _identity_problems(path, spec)
    yield from check_selectors(path, spec)
    yield from check_volumes(path, spec, family)
    yield from check_user_data(path, family, spec.user_data)
    yield from _tag_problems(path, spec.tags or {})
    yield from _metadata_problems(join(path, "metadataOptions"), spec.metadata_options)
    if spec.kubelet is not None:
        yield from _kubelet_problems(join(path, "kubelet"), spec.kubelet, family)
    if spec.network_interfaces:
        yield from _interface_problems(join(path, "networkInterfaces"), spec.network_interfaces)
    if spec.connection_tracking is not None and not given(spec.connection_tracking):
        rule = "must set at least one of tcpEstablishedTimeout, udpStreamTimeout, udpTimeout"
        yield Problem(join(path, "connectionTracking"), {}, rule, "set one, or remove it")
    if spec.instance_store_policy is not None and (family == "Custom" or (family or "").startswith("Windows")):
        rule = f"{family} ignores it"
        yield Problem(join(path, "instanceStorePolicy"), spec.instance_store_policy, rule, "remove it", "warning")
