"""DataFrames: types, provenance, completeness, and the log that survives a crash."""
