"""Reusable components of a Karpenter installation on Amazon EKS."""
