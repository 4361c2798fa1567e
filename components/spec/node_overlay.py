"""A NodeOverlay in the configuration: prices and extended resources of instance types, as Karpenter reckons with them.

Needs the feature gate nodeOverlay, which the stack sets as soon as there is one. Alpha.
Source: pkg/apis/crds/karpenter.sh_nodeoverlays.yaml of karpenter-provider-aws@1.14.3.
"""

from __future__ import annotations

from components.spec.fields import OVERLAY_CRD, LabelValue, Quantity, Strict, doc
from components.spec.node_pool import Operator, QualifiedName
from components.spec.patterns import PRICE, PRICE_ADJUSTMENT


class OverlayRequirement(Strict):
    """One condition on the instances that an overlay changes."""

    key: QualifiedName = doc(
        ...,
        "Label of the instance: a well-known one, karpenter.sh/nodepool, or a label of the pool.",
        source=OVERLAY_CRD,
        example="karpenter.k8s.aws/instance-family",
        max_length=316,
    )
    operator: Operator = doc(..., "How the label relates to the values.", source=OVERLAY_CRD, example="In")
    values: tuple[LabelValue, ...] | None = doc(
        None,
        "Values to compare with: at least one for In and NotIn, none for Exists and DoesNotExist, exactly one whole "
        "number from 0 for Gt, Lt, Gte and Lte.",
        source=OVERLAY_CRD,
        example='["m7i"]',
        strict=False,
    )


class NodeOverlaySpec(Strict):
    """One entry of `nodeOverlays`: the spec of a NodeOverlay."""

    requirements: tuple[OverlayRequirement, ...] = doc(
        ...,
        "Instances that the overlay changes.",
        source=OVERLAY_CRD,
        allowed="at most 100",
        example="[{key: karpenter.k8s.aws/instance-family, operator: In, values: [m7i]}]",
        strict=False,
        max_length=100,
    )
    price: str | None = doc(
        None,
        "Price of an hour that replaces the list price, for example after a discount that AWS's price list does "
        "not show.",
        source=OVERLAY_CRD,
        unit="USD an hour",
        allowed="digits, and decimals after a point, in quotes; not together with priceAdjustment",
        example='"0.096"',
        pattern=PRICE,
    )
    price_adjustment: str | None = doc(
        None,
        "Change of the price: an amount or a percentage, with its sign.",
        source=OVERLAY_CRD,
        unit="USD an hour, or percent",
        allowed='"+0.02", "-0.02", "+10%", "-15%"; at most 100% down; not together with price',
        example='"-15%"',
        pattern=PRICE_ADJUSTMENT,
    )
    capacity: dict[QualifiedName, Quantity] | None = doc(
        None,
        "Extended resources that the instances have, and that Karpenter cannot know.",
        source=OVERLAY_CRD,
        allowed="no cpu, memory, ephemeral-storage or pods, nor other resources that Karpenter knows",
        example='{example.com/fpga: "1"}',
    )
    weight: int | None = doc(
        None,
        "Which overlay counts where several match: the one with the higher weight; at equal weight they are merged in "
        "alphabetical order.",
        source=OVERLAY_CRD,
        allowed="1 to 10000",
        default_text="0",
        example="10",
        ge=1,
        le=10_000,
    )
