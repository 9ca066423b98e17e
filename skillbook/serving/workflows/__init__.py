"""Workflows: a person's own functions on a page, callable by name."""
