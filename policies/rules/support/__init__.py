"""What the rules share: reading values that may be unknown or oddly typed, and turning checks into policies."""
