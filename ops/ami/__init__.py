"""The life of an AMI: candidate, approved, in use, retired; and back."""
