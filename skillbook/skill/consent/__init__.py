"""What a person agrees to before a skill runs, and what its replay may send."""
