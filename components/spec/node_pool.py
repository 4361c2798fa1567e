"""A NodePool in the configuration: every field of karpenter.sh/v1 NodePool, and the conveniences of this stack.

Source: pkg/apis/crds/karpenter.sh_nodepools.yaml of karpenter-provider-aws@1.14.3.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from components.spec.defaults import (
    DEFAULT_CONSOLIDATE_AFTER,
    DEFAULT_CONSOLIDATION_POLICY,
    DEFAULT_EXPIRE_AFTER,
    DEFAULT_NODE_CLASS,
)
from components.spec.durations import BudgetDuration, Duration, NillableDuration
from components.spec.fields import NODE_POOL_CRD, STACK, LabelValue, Quantity, Strict, Text, doc, text_or_number
from components.spec.patterns import BUDGET_NODES, MOMENT, QUALIFIED_NAME

PresetName = Literal[
    "general", "customer-facing", "batch-spot", "arm64", "gpu", "high-memory", "stateful", "reserved", "static"
]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Operator = Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"]
Reason = Literal["Underutilized", "Empty", "Drifted"]
Effect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


def _qualified(value: str) -> str:
    if QUALIFIED_NAME.search(value) is None:
        kind, message = "qualified_name", 'must be "name" or "domain/name" of letters, digits, "-", "_" and "."'
        raise PydanticCustomError(kind, message)
    return value


def _moment(value: str) -> str:
    if MOMENT.search(value) is not None:
        try:
            datetime.fromisoformat(value)
        except ValueError:
            pass
        else:
            return value
    kind, message = "moment", "must be a date and time of RFC 3339, such as 2026-01-01T00:00:00Z"
    raise PydanticCustomError(kind, message)


def _budget_nodes(value: str) -> str:
    if BUDGET_NODES.search(value) is None:
        kind, message = "budget_nodes", 'must be a number of nodes such as "5", or a percentage from "0%" to "100%"'
        raise PydanticCustomError(kind, message)
    return value


QualifiedName = Annotated[
    str, AfterValidator(_qualified), WithJsonSchema({"type": "string", "pattern": QUALIFIED_NAME.pattern})
]


class Requirement(Strict):
    """One condition on the instances of a pool: a label key, an operator, values."""

    key: QualifiedName = doc(
        ...,
        "Label that the instance must have, for example an architecture, an instance category or a zone.",
        source=NODE_POOL_CRD,
        allowed=(
            "a well-known label, or one of your own outside karpenter.sh and karpenter.k8s.aws; at most 316 characters"
        ),
        example="karpenter.k8s.aws/instance-category",
        max_length=316,
    )
    operator: Operator = doc(
        ...,
        "How the label relates to the values. Gt, Lt, Gte and Lte compare whole numbers.",
        source=NODE_POOL_CRD,
        example="In",
    )
    values: tuple[LabelValue, ...] | None = doc(
        None,
        "Values to compare with: at least one for In and NotIn, none for Exists and DoesNotExist, exactly one "
        "whole number from 0 for Gt, Lt, Gte and Lte.",
        source=NODE_POOL_CRD,
        example='["c", "m", "r"]',
        strict=False,
    )
    min_values: int | None = doc(
        None,
        "Least number of different values that must stay possible when Karpenter chooses: keeps Spot flexible. Alpha.",
        source=NODE_POOL_CRD,
        allowed="1 to 50; with In at most the number of values",
        default_text="no minimum",
        example="5",
        ge=1,
        le=50,
    )


class Taint(Strict):
    """A taint of the pool's nodes."""

    key: QualifiedName = doc(..., "Key of the taint.", source=NODE_POOL_CRD, example="workload")
    value: QualifiedName | None = doc(None, "Value of the taint.", source=NODE_POOL_CRD, example="batch")
    effect: Effect = doc(
        ..., "What happens to pods that do not tolerate the taint.", source=NODE_POOL_CRD, example="NoSchedule"
    )
    time_added: Annotated[str, AfterValidator(_moment)] | None = doc(
        None,
        "When the taint was added. Kubernetes sets it; there is no use in configuring it.",
        source=NODE_POOL_CRD,
        allowed="a date and time of RFC 3339",
        example="2026-01-01T00:00:00Z",
    )


class Budget(Strict):
    """How many of the pool's nodes may go at once, at which times, for which reasons.

    Where several budgets are active, the smallest counts. Where none is active, nothing holds Karpenter back.
    """

    nodes: Annotated[Text, AfterValidator(_budget_nodes), text_or_number(BUDGET_NODES.pattern)] = doc(
        "10%",
        "Nodes of the pool that may be on their way out at once: a number, or a percentage (rounded up).",
        source=NODE_POOL_CRD,
        unit="nodes, or percent of the pool's nodes",
        allowed='"0" to any number, or "0%" to "100%"',
        example='"1"',
    )
    schedule: str | None = doc(
        None,
        "When the budget becomes active: cron with five fields (minute, hour, day of month, month, day of week 0-6 or "
        "sun-sat), or @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually. Always UTC.",
        source=NODE_POOL_CRD,
        unit="cron, UTC",
        default_text="always active",
        example='"0 9 * * mon-fri"',
    )
    duration: BudgetDuration | None = doc(
        None,
        "How long the budget stays active after each hit of the schedule. Needed with a schedule, refused without one.",
        source=NODE_POOL_CRD,
        unit="hours and minutes",
        example='"8h"',
    )
    reasons: tuple[Reason, ...] | None = doc(
        None,
        "Kinds of disruption that the budget limits.",
        source=NODE_POOL_CRD,
        allowed="Underutilized, Empty, Drifted; each once",
        default_text="all of them",
        example="[Drifted]",
        strict=False,
    )


class Disruption(Strict):
    """When Karpenter may take nodes away that run well."""

    consolidation_policy: Literal["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"] = doc(
        DEFAULT_CONSOLIDATION_POLICY,
        "Which nodes consolidation looks at: empty ones; also those whose pods fit elsewhere or on something "
        "cheaper; or (Balanced, new in 1.14) those whose saving outweighs the disturbance. Ignored on static "
        "pools.",
        source=NODE_POOL_CRD,
        example="WhenEmpty",
    )
    consolidate_after: NillableDuration = doc(
        DEFAULT_CONSOLIDATE_AFTER,
        "How long a node must have been without pods coming or going before consolidation considers it. Ignored "
        "on static pools.",
        source=NODE_POOL_CRD,
        unit="hours, minutes, seconds",
        allowed='"0s" and longer, or "Never"',
        example='"5m"',
    )
    budgets: tuple[Budget, ...] | None = doc(
        None,
        "Limits on how many nodes go at once. Expiry (expireAfter) and interruptions take no notice of them.",
        source=NODE_POOL_CRD,
        allowed="at most 50",
        default_text='one budget of "10%"',
        example='[{nodes: "10%"}]',
        strict=False,
        max_length=50,
    )


class BusinessHours(Strict):
    """Local hours in which nodes stay in place; becomes budgets in UTC."""

    timezone: str | None = doc(
        None,
        "Time zone of the hours, by its IANA name. A zone with daylight saving gets windows that cover both "
        "offsets, so nodes stay in place up to an hour longer on one side of the day.",
        source=STACK,
        default_text="the preset's, or must be given",
        example="Europe/Berlin",
    )
    days: tuple[Weekday, ...] = doc(
        ("mon", "tue", "wed", "thu", "fri"),
        "Days of the week, in local time, on which the hours begin.",
        source=STACK,
        allowed="mon to sun, each once",
        example="[mon, tue, wed, thu, fri]",
        strict=False,
        min_length=1,
    )
    from_: str | None = doc(
        None,
        "Local time at which the hours begin.",
        source=STACK,
        alias="from",
        default_text="the preset's, or must be given",
        unit="24-hour clock, HH:MM",
        example='"08:00"',
        pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$",
        allowed="00:00 to 23:59",
    )
    to: str | None = doc(
        None,
        "Local time at which the hours end; earlier than `from` means the next day.",
        source=STACK,
        unit="24-hour clock, HH:MM",
        default_text="the preset's, or must be given",
        example='"18:00"',
        pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
        allowed="00:00 to 24:00, other than `from`",
    )


class NodePoolSpec(Strict):
    """One entry of `nodePools`: the spec of a NodePool, flattened, with presets and business hours."""

    preset: PresetName | None = doc(
        None,
        "A kind of workload whose settings the pool starts from (docs/node-pools.md). What the entry says itself "
        "comes first: requirements replace those of the preset with the same key, maps are merged, lists and "
        "values replaced.",
        source=STACK,
        default_text="none: the defaults below",
        example="batch-spot",
    )
    business_hours: BusinessHours | None = doc(
        None,
        "Local hours in which Karpenter takes no node of this pool away by its own choice.",
        source=STACK,
        example='{timezone: Europe/Berlin, days: [mon, tue, wed, thu, fri], from: "08:00", to: "18:00"}',
    )
    node_class: str = doc(
        DEFAULT_NODE_CLASS,
        "Name of the entry of `nodeClasses` that the pool's nodes are made from (nodeClassRef in the CRD).",
        source=NODE_POOL_CRD,
        example="default",
        min_length=1,
    )
    requirements: tuple[Requirement, ...] | None = doc(
        None,
        "Conditions on the instances. Together with the labels at most 100. Without a preset a list replaces the "
        "default whole: name architecture and capacity type in it, too.",
        source=NODE_POOL_CRD,
        default_text="amd64, linux, on-demand, categories c, m and r, instance generation above 2",
        allowed="at most 100",
        example="[{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}, "
        "{key: kubernetes.io/arch, operator: In, values: [amd64]}]",
        strict=False,
        max_length=100,
    )
    labels: dict[QualifiedName, LabelValue] | None = doc(
        None,
        "Labels of the pool's nodes, besides those that Karpenter sets.",
        source=NODE_POOL_CRD,
        allowed="at most 100; no key of karpenter.sh or karpenter.k8s.aws except the well-known ones",
        example="{team: payments}",
        max_length=100,
    )
    annotations: dict[QualifiedName, str] | None = doc(
        None, "Annotations of the pool's nodes.", source=NODE_POOL_CRD, example='{example.com/owner: "payments"}'
    )
    taints: tuple[Taint, ...] | None = doc(
        None,
        "Taints of the pool's nodes: pods without a matching toleration stay away.",
        source=NODE_POOL_CRD,
        example="[{key: workload, value: batch, effect: NoSchedule}]",
        strict=False,
    )
    startup_taints: tuple[Taint, ...] | None = doc(
        None,
        "Taints that something on the node removes soon after start, such as a CNI's agent. A startup taint that "
        "nothing removes leaves the node without pods for ever.",
        source=NODE_POOL_CRD,
        example='[{key: node.cilium.io/agent-not-ready, value: "true", effect: NoExecute}]',
        strict=False,
    )
    expire_after: NillableDuration = doc(
        DEFAULT_EXPIRE_AFTER,
        "Age at which a node is replaced. A ceiling: budgets do not hold it back.",
        source=NODE_POOL_CRD,
        unit="hours, minutes, seconds",
        allowed='"0s" and longer, or "Never"',
        example='"720h"',
    )
    termination_grace_period: Duration | None = doc(
        None,
        "Longest time that a leaving node waits for its pods. When it is over pods are deleted, whatever their "
        "PodDisruptionBudget or do-not-disrupt annotation says.",
        source=NODE_POOL_CRD,
        unit="hours, minutes, seconds",
        default_text="waits without limit",
        example='"48h"',
    )
    limits: dict[QualifiedName, Quantity] | None = doc(
        None,
        "Most that the pool's nodes may have together, by resource: cpu, memory, nodes, nvidia.com/gpu and so on. "
        "Static pools know only `nodes`.",
        source=NODE_POOL_CRD,
        unit="Kubernetes quantities",
        default_text='cpu: "1000"; none on static pools',
        example='{cpu: "1000", memory: 4000Gi}',
    )
    weight: int | None = doc(
        None,
        "Priority among the pools: the higher is tried first. Refused on static pools.",
        source=NODE_POOL_CRD,
        allowed="1 to 100",
        default_text="0, after all pools with a weight",
        example="10",
        ge=1,
        le=100,
    )
    replicas: int | None = doc(
        None,
        "Makes the pool static: it keeps this many nodes, whatever pods ask for. A pool cannot change between "
        "static and dynamic. Needs the feature gate staticCapacity, which the stack sets. Alpha.",
        source=NODE_POOL_CRD,
        unit="nodes",
        allowed="0 and more",
        default_text="dynamic",
        example="3",
        ge=0,
        le=2**63 - 1,
    )
    disruption: Disruption = doc(
        Disruption(),
        "When Karpenter may take nodes away that run well.",
        source=NODE_POOL_CRD,
        default_text="WhenEmptyOrUnderutilized after 1m",
        example="{consolidationPolicy: WhenEmpty, consolidateAfter: 5m}",
    )
