"""Plays the kubelet of every instance: the Node comes when the instance runs and may join, and goes with it."""

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from botocore.exceptions import ClientError
from kubernetes import client, config

from lab.emulated_aws import ask, root_client
from lab.nodes import NODE_GROUP_EFFECTS, node, refusal
from lab.player import play
from lab.state import State
from lab.user_data import Registration, registration

REFUSED = "refused-nodes.json"


class Kubelet:
    """Nodes of the lab's instances.

    Args:
        state: The lab.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        api = config.new_client_from_config(state.admin_kubeconfig)  # type: ignore[no-untyped-call]  # not annotated
        self._core: Any = client.CoreV1Api(api)
        self._refused: dict[str, str] = {}
        self._type = cache(self._describe_type)
        self._image = cache(self._describe_image)

    def step(self) -> None:
        """Compare instances with nodes once, and do what is missing."""
        instances = {found["instanceId"]: found for found in self._instances()}
        alive = {name for name, found in instances.items() if found["state"] in {"pending", "running"}}
        nodes = {self._instance_of(found): found.metadata for found in self._core.list_node().items}
        for instance_id, found in instances.items():
            if found["state"] == "running" and instance_id not in nodes:
                try:
                    self._join(found)
                except ClientError as error:  # its type, AMI or node group is gone: the others must not wait for it
                    print(f"{instance_id} does not join yet: {error}", flush=True)  # noqa: T201 (this is its log)
        for instance_id, meta in nodes.items():
            # A node that waits for a finalizer has been deleted already.
            if instance_id is not None and instance_id not in alive and meta.deletion_timestamp is None:
                self._leave(meta.name, instance_id)
        self._forget(set(self._refused) - alive)

    @staticmethod
    def _instance_of(found: Any) -> str | None:
        provider: str = found.spec.provider_id or ""
        return provider.rsplit("/", 1)[-1] or None

    def _instances(self) -> list[dict[str, Any]]:
        return list(ask(self._state, "instances"))

    def _join(self, instance: Mapping[str, Any]) -> None:
        described = self._type(instance["instanceType"])
        why = refusal(instance, described, self._image(instance["imageId"]))
        if why is not None:
            self._refuse(instance, why)
            return
        try:
            self._core.create_node(node(instance, described, self._registration(instance)))
        except client.ApiException as error:
            if error.status != 409:  # 409: the address's last node is still going away, so it is tried again
                self._refuse(instance, f"the API server refuses its node: {_message(error)}")
            return
        print(f"{instance['instanceId']} joined as {instance['privateDnsName']}", flush=True)  # noqa: T201 (log)
        self._forget({instance["instanceId"]} & set(self._refused))

    def _registration(self, instance: Mapping[str, Any]) -> Registration:
        group = instance["tags"].get("eks:nodegroup-name")
        if group is None:
            return registration(instance["userData"])
        cluster = instance["tags"]["eks:cluster-name"]
        found = self._aws("eks").describe_nodegroup(clusterName=cluster, nodegroupName=group)["nodegroup"]
        taints = [
            {"key": t["key"], "value": t.get("value", ""), "effect": NODE_GROUP_EFFECTS[t["effect"]]}
            for t in found.get("taints") or []
        ]
        own = {"eks.amazonaws.com/nodegroup": group, "eks.amazonaws.com/capacityType": found["capacityType"]}
        return Registration({**(found.get("labels") or {}), **own}, tuple(taints))

    def _leave(self, name: str, instance_id: str) -> None:
        with suppress(client.ApiException):
            self._core.delete_node(name)
            print(f"{instance_id} has ended, and so has its node {name}", flush=True)  # noqa: T201 (log)

    def _refuse(self, instance: Mapping[str, Any], why: str) -> None:
        if self._refused.get(instance["instanceId"]) != why:
            self._refused[instance["instanceId"]] = why
            print(f"{instance['instanceId']} does not join: {why}", flush=True)  # noqa: T201 (this is its log)
            self._write_refused()

    def _forget(self, instances: set[str]) -> None:
        if instances:
            self._refused = {found: why for found, why in self._refused.items() if found not in instances}
            self._write_refused()

    def _write_refused(self) -> None:
        file = Path(self._state.folder) / REFUSED
        unfinished = file.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(self._refused, indent=1))
        unfinished.replace(file)

    def _describe_type(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._aws("ec2").describe_instance_types(InstanceTypes=[name])["InstanceTypes"][0]
        return found

    def _describe_image(self, image_id: str) -> str | None:
        images = self._aws("ec2").describe_images(ImageIds=[image_id])["Images"]
        return str(images[0]["Architecture"]) if images else None

    def _aws(self, service: str) -> Any:
        return root_client(self._state, service)


def _message(error: client.ApiException) -> str:
    try:
        return str(json.loads(error.body or "")["message"])
    except (KeyError, TypeError, ValueError):
        return str(error.reason)


def run(folder: Annotated[Path, typer.Option("--dir")]) -> None:
    """Play kubelets until the lab ends."""
    play(folder, Kubelet)


if __name__ == "__main__":
    typer.run(run)
