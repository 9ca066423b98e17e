"""The agent's middleware, one concern a file; `build.py` puts them in order."""
