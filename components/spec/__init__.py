"""Documents, names and rules as plain data: no Pulumi here."""
