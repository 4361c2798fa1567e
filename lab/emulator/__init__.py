"""Emulated AWS: ministack in front, moto as its EC2, and what Karpenter needs beyond both."""
