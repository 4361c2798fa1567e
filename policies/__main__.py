"""The policy pack: `pulumi preview --policy-pack policies --policy-pack-config policies/config.<env>.json`."""

from importlib import import_module

from pulumi_policy import PolicyPack

if __name__ == "__main__":
    PolicyPack("karpenter-eks", import_module("rules").POLICIES)
