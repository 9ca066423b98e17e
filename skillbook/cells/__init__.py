"""Cells: short Python programs over a page that a model writes, run in a sandbox that stops at each call."""
