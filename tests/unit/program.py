"""Runs the whole program under mocks and records what it registers, as the engine would see it."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
import yaml
from pulumi.runtime import mocks, rpc, set_all_config, set_mocks
from pulumi.runtime.stack import run_pulumi_func

ROOT = Path(__file__).parents[2]
ACCOUNT = "123456789012"
AMI_AMD64, AMI_ARM64 = "ami-0a1b2c3d4e5f60001", "ami-0a1b2c3d4e5f60002"
RELEASE = "1.36.0-20261101"
RESOURCE_REFERENCE = {"4dabf18193072939515e22adb298388d": "5cf8f73096256a8f31e491e813e4eb8e"}


@dataclass(frozen=True)
class Registered:
    """One resource as the program registered it."""

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    parent: str
    provider: str
    dependencies: frozenset[str]
    ignore_changes: tuple[str, ...]
    custom: bool
    retained: bool
    triggers: tuple[str, ...]

    @property
    def short(self) -> str:
        """Type and name, for people."""
        return f"{self.type} {self.name}"


@dataclass
class Run:
    """What one run of the program did."""

    resources: list[Registered] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    secret_outputs: set[str] = field(default_factory=set)

    def of(self, token: str) -> list[Registered]:
        """The resources of a type."""
        return [resource for resource in self.resources if resource.type == token]

    def one(self, token: str, name: str | None = None) -> Registered:
        """The only resource of a type, or of a type and name."""
        found = [resource for resource in self.of(token) if name is None or resource.name == name]
        assert len(found) == 1, f"{token} {name}: {[resource.short for resource in found]}"
        return found[0]

    @property
    def urns(self) -> list[str]:
        """All URNs, sorted."""
        return sorted(resource.urn for resource in self.resources)

    def outlived_by(self, urn: str) -> set[str]:
        """Every resource that is still there while this one is being deleted, because this one needs it."""
        by_urn = {resource.urn: resource for resource in self.resources}
        found: set[str] = set()
        left = [urn]
        while left:
            resource = by_urn.get(left.pop())
            if resource is None:
                continue
            needed = {*resource.dependencies, resource.provider.rpartition("::")[0]} - found
            found |= needed
            left += needed
        return found


class Cloud(mocks.Mocks):
    """Answers as AWS and Kubernetes would."""

    def __init__(self, region: str, zones: int, *, preview: bool = False) -> None:
        self.region = region
        self.preview = preview
        self.zones = zones
        self.partition = "aws-cn" if region.startswith("cn-") else "aws"

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]] | None]:
        """Answer an invoke; fail on any that the program should not need."""
        answers: dict[str, dict[str, Any]] = {
            "aws:index/getPartition:getPartition": {"partition": self.partition},
            "aws:index/getCallerIdentity:getCallerIdentity": {"accountId": ACCOUNT},
            "aws:index/getAvailabilityZones:getAvailabilityZones": {
                "names": [f"{self.region}{letter}" for letter in "dcba"[-self.zones :]]
            },
            "aws:iam/getRole:getRole": {
                "name": args.args.get("name"),
                "arn": f"arn:{self.partition}:iam::{ACCOUNT}:role/{args.args.get('name')}",
            },
        }
        assert args.token in answers, f"the program asks for {args.token}"
        assert args.provider, f"{args.token} goes to a default provider"
        return answers[args.token], []

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        """Give a resource its id and computed outputs."""
        if self.preview:
            return "", dict(args.inputs)  # what AWS computes is unknown before the first update
        physical = str(args.inputs.get("name", args.name))
        kind = args.typ.rpartition(":")[2].lower()
        state = {
            "arn": f"arn:{self.partition}:test:{self.region}:{ACCOUNT}:{kind}/{physical}",
            "name": physical,
            **args.inputs,
        }
        if args.typ == "aws:iam/role:Role":
            state["arn"] = f"arn:{self.partition}:iam::{ACCOUNT}:role/{physical}"
        if args.typ == "aws:ec2/launchTemplate:LaunchTemplate":
            state["latestVersion"] = 1
        if args.typ == "aws:sqs/queue:Queue":
            state["url"] = f"https://sqs.{self.region}.amazonaws.com/{ACCOUNT}/{physical}"
        if args.typ == "kubernetes:helm.sh/v3:Release":
            state["status"] = {"status": "deployed"}
        return f"{args.name}-id", state


class Monitor(mocks.MockMonitor):
    """Keeps what MockResourceArgs leaves out: parents, dependencies, options."""

    def __init__(self, cloud: Cloud) -> None:
        super().__init__(cloud)
        self.run = Run()

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        """As the engine does, with the types of all ancestors but the stack."""
        chain = parent.split("::")[2] if parent else ""
        full = type_ if chain in {"", "pulumi:pulumi:Stack"} else f"{chain}${type_}"
        return "urn:pulumi:" + "::".join([pulumi.get_stack(), pulumi.get_project(), full, name])

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802  # the SDK calls it so
        """Record the registration, then answer it."""
        answer = super().RegisterResource(request)  # type: ignore[no-untyped-call]  # the SDK has no types here
        if request.type == "eks:index:Cluster":
            return self._eks_cluster(request, answer)
        self._record(request, answer.urn)
        return answer

    def _record(self, request: Any, urn: str) -> None:
        if request.type == "pulumi:pulumi:Stack":
            return
        self.run.resources.append(
            Registered(
                urn=urn,
                type=request.type,
                name=request.name,
                inputs=rpc.deserialize_properties(request.object),
                parent=request.parent,
                provider=request.provider or next(iter(request.providers.values()), ""),
                dependencies=frozenset(request.dependencies),
                ignore_changes=tuple(request.ignoreChanges),
                custom=request.custom,
                retained=request.retainOnDelete,
                triggers=(*request.replaceOnChanges, *request.replace_with),
            )
        )

    def _eks_cluster(self, request: Any, answer: Any) -> Any:
        """The component of pulumi-eks, with the aws.eks.Cluster inside it."""
        self._record(request, answer.urn)
        if isinstance(self.mocks, Cloud) and self.mocks.preview:
            return answer
        name = rpc.deserialize_properties(request.object)["name"]
        urn = self.make_urn(answer.urn, "aws:eks/cluster:Cluster", f"{request.name}-eksCluster")
        cloud = self.mocks
        assert isinstance(cloud, Cloud)
        issuer = f"oidc.eks.{cloud.region}.amazonaws.com/id/0123"
        state = {
            "name": name,
            "arn": f"arn:{cloud.partition}:eks:{cloud.region}:{ACCOUNT}:cluster/{name}",
            "endpoint": f"https://0123.gr7.{cloud.region}.eks.amazonaws.com",
            "certificateAuthority": {"data": "Q0E="},
        }
        self.resources[urn] = mocks.MockMonitor.ResourceRegistration(urn, name, state)
        outputs = {
            "eksCluster": {**RESOURCE_REFERENCE, "urn": urn, "id": name},
            "oidcIssuer": f"https://{issuer}",
            "oidcProviderUrl": f"https://{issuer}",
            "oidcProviderArn": f"arn:{cloud.partition}:iam::{ACCOUNT}:oidc-provider/{issuer}",
            "clusterSecurityGroupId": "sg-0123456789abcdef0",
        }
        answer.object.update(outputs)
        return answer


def stack_configuration(stack: str) -> dict[str, Any]:
    """What `Pulumi.<stack>.yaml` says, with the AMIs that a user puts in."""
    content: dict[str, Any] = yaml.safe_load((ROOT / f"Pulumi.{stack}.yaml").read_text())["config"]
    nodes = content["karpenter-eks:cluster"]["systemNodes"]
    nodes.setdefault("releaseVersion", RELEASE)
    for entry in content["karpenter-eks:nodeClasses"].values():
        entry.setdefault("amis", {"amd64": AMI_AMD64, "arm64": AMI_ARM64})
    return content


def run(configuration: Mapping[str, Any], *, stack: str = "dev", preview: bool = False, zones: int = 4) -> Run:
    """Run the program once.

    Args:
        configuration: Content of the stack's file below `config`.
        stack: Name of the stack.
        preview: Leave computed outputs unknown, as in the first preview.
        zones: Availability zones of the region.
    """
    # The SDK ties the stack's own resource to the loop that is current when the mocks are set.
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    monitor = Monitor(Cloud(configuration["aws:region"], zones, preview=preview))
    set_mocks(monitor.mocks, project="karpenter-eks", stack=stack, preview=preview, monitor=monitor)
    values = {k: v if isinstance(v, str) else json.dumps(v) for k, v in configuration.items()}
    set_all_config(values, [])
    program = _program()

    async def once() -> None:
        outputs = await program.main()
        for key, value in outputs.items():
            output = pulumi.Output.from_input(value)
            monitor.run.outputs[key] = await output.future(with_unknowns=True)
            if await output.is_secret():
                monitor.run.secret_outputs.add(key)

    try:
        loop.run_until_complete(run_pulumi_func(once))
    finally:
        set_all_config({}, [])
        loop.close()
    return monitor.run


def _program() -> Any:
    spec = importlib.util.spec_from_file_location("stack_program", ROOT / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
