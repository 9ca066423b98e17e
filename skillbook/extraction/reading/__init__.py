"""One snapshot in, rows out: by field, by example, by schema."""
