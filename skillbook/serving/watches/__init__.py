"""Watches: skills and pages that `skillbook serve` looks at every so often."""
