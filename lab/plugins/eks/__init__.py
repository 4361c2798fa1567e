"""Stand-in for Pulumi's eks plugin: the component Cluster, as the stack uses it."""
