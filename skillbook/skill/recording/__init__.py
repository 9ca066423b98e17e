"""From what was done to steps that can be replayed."""
