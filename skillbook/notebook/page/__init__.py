"""What the panel shows of a page and a run, as plain data."""
