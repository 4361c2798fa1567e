"""Commands that people run beside Pulumi."""
