"""Karpenter itself: its CRDs, then its controller."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as kubernetes

from components.arguments import check_args, child_options
from components.spec.helm_values import check_overrides, values
from components.spec.problems import Problem

RELEASE = "karpenter"
CRD_RELEASE = "karpenter-crd"


class KarpenterArgs(TypedDict):
    """Arguments of Karpenter."""

    version: str
    "Version of both charts, such as `1.14.3`."
    chart_repository: str
    "Where the charts come from: an OCI registry (`oci://...`) or a folder with `karpenter` and `karpenter-crd`."
    namespace: str
    "Namespace of the controller; it must be there."
    cluster_name: pulumi.Input[str]
    "Name of the cluster."
    cluster_endpoint: pulumi.Input[str]
    "URL of the API server."
    queue_name: NotRequired[pulumi.Input[str]]
    "Name of the interruption queue; absent means that there is none."
    replicas: int
    "Number of controllers."
    cpu: str
    "CPU request and limit of each."
    memory: str
    "Memory request and limit of each."
    log_level: str
    "`error`, `info` or `debug`."
    zonal_shift: bool
    "Whether the controller follows zonal shifts of the cluster."
    feature_gates: Mapping[str, bool]
    "Feature gates that are not left at the chart's own value, by their camelCase names."
    timeout_seconds: int
    "How long each chart may take to become ready, in seconds."
    values: NotRequired[Mapping[str, Any]]
    "Further values of the controller's chart, merged last."


class Karpenter(pulumi.ComponentResource):
    """The chart karpenter-crd, then the chart karpenter without its own CRDs, at one version.

    Helm never updates CRDs that lie in a chart's own folder; as a release of their own they follow the version.

    Raises:
        pulumi.InputPropertiesError: With every wrong argument.
    """

    namespace: pulumi.Output[str]
    "Namespace of the controller; known once the controller is ready."
    version: pulumi.Output[str]
    "Version of both charts; known once the controller is ready."

    def __init__(self, name: str, args: KarpenterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("karpenter-eks:index:Karpenter", name, {}, opts)
        check_args(KarpenterArgs, args, _problems(args))
        crds = self._release(f"{name}-crd", CRD_RELEASE, args, child_options(self, opts), {})
        inputs = {
            "cluster_name": args["cluster_name"],
            "cluster_endpoint": args["cluster_endpoint"],
            "queue_name": args.get("queue_name"),
        }
        release = self._release(
            name,
            RELEASE,
            args,
            child_options(self, opts, crds),
            pulumi.Output.all(**inputs).apply(
                lambda known: values(
                    **known,
                    replicas=args["replicas"],
                    cpu=args["cpu"],
                    memory=args["memory"],
                    log_level=args["log_level"],
                    feature_gates=args["feature_gates"],
                    zonal_shift=args["zonal_shift"],
                    overrides=args.get("values", {}),
                )
            ),
        )
        self.namespace = release.status.apply(lambda _: args["namespace"])
        self.version = release.status.apply(lambda _: args["version"])
        self.register_outputs({"namespace": self.namespace, "version": self.version})

    def _release(
        self,
        name: str,
        chart: str,
        args: KarpenterArgs,
        opts: pulumi.ResourceOptions,
        chart_values: pulumi.Input[Mapping[str, Any]],
    ) -> kubernetes.helm.v3.Release:
        repository = args["chart_repository"]
        is_registry = repository.startswith("oci://")
        return kubernetes.helm.v3.Release(
            name,
            name=chart,
            chart=f"{repository}/{chart}" if is_registry else str(PurePosixPath(repository) / chart),
            # A chart in a folder has one version: the folder's.
            version=args["version"] if is_registry else None,
            namespace=args["namespace"],
            skip_crds=True,
            timeout=args["timeout_seconds"],
            values=chart_values,
            opts=opts,
        )


def _problems(args: KarpenterArgs) -> list[Problem]:
    problems = check_overrides(args.get("values", {}), "values")
    queue = args.get("queue_name")
    if isinstance(queue, str) and (":" in queue or "/" in queue):
        rule = "must be the queue's name, neither its ARN nor its URL"
        problems.append(Problem("queue_name", queue, rule, f"pass {queue.replace('/', ':').rsplit(':', 1)[-1]}"))
    return problems
