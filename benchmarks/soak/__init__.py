"""Thousands of mixed actions with a fault every few dozen, and what must hold throughout."""
