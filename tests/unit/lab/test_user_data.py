"""Labels and taints are read from the user data that Karpenter writes, whatever the AMI family is."""

from lab.user_data import registration

NODE_CONFIG = """apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
metadata: {}
spec:
  cluster: {apiServerEndpoint: "https://127.0.0.1", name: demo}
  kubelet:
    config:
      maxPods: 29
      registerWithTaints:
      - {effect: NoExecute, key: karpenter.sh/unregistered}
      - {effect: NoSchedule, key: workload, value: "true"}
    flags:
    - --node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=default,empty="
"""
MIME = """MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

{}
--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo --node-labels=not=this
--//--
"""
TOML = """[settings]
[settings.kubernetes]
cluster-name = 'demo'
[settings.kubernetes.node-labels]
'karpenter.sh/nodepool' = 'default'
[settings.kubernetes.node-taints]
'karpenter.sh/unregistered' = [':NoExecute']
workload = ['true:NoSchedule']
"""
LABELS = {"karpenter.sh/capacity-type": "spot", "karpenter.sh/nodepool": "default", "empty": ""}
UNREGISTERED = {"effect": "NoExecute", "key": "karpenter.sh/unregistered"}
WORKLOAD = {"effect": "NoSchedule", "key": "workload", "value": "true"}


def test_a_node_config_alone() -> None:
    found = registration(NODE_CONFIG)
    assert found.labels == LABELS, "nodes would lack the labels that their pool gives them"
    assert list(found.taints) == [UNREGISTERED, WORKLOAD], "pods that do not tolerate the pool would run on it"


def test_a_node_config_in_mime_with_a_script_beside_it() -> None:
    found = registration(MIME.replace("{}", NODE_CONFIG))
    assert found.labels == LABELS, "a class with user data of its own would get nodes without labels"
    assert list(found.taints) == [UNREGISTERED, WORKLOAD]


def test_taints_given_as_a_flag() -> None:
    text = NODE_CONFIG.replace("    flags:", "    flags:\n    - --register-with-taints=a=b:NoSchedule,c:NoExecute")
    taints = registration(text).taints
    assert {"key": "a", "value": "b", "effect": "NoSchedule"} in taints
    assert {"key": "c", "value": "", "effect": "NoExecute"} in taints


def test_bottlerocket() -> None:
    found = registration(TOML)
    assert found.labels == {"karpenter.sh/nodepool": "default"}
    assert {**UNREGISTERED, "value": ""} in found.taints, "a taint without a value would be lost"
    assert WORKLOAD in found.taints


def test_no_user_data_gives_nothing() -> None:
    assert registration("").labels == {}
    assert registration("").taints == ()
