"""The lab: the whole stack on one machine, without an AWS account."""
