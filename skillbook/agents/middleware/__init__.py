"""The agent's middleware, one concern a file; `run/build_agent.py` puts them in order."""
