"""Stand-in for Pulumi's aws plugin: the types that the stack uses, over boto3."""
