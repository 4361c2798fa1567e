"""Stand-ins for Pulumi plugins that cannot be downloaded; they refuse what they do not know."""
