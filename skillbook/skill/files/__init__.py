"""Skills on disk: bounded reading, safe YAML, atomic writing."""
