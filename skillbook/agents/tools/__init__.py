"""The tools an agent can call; `tool_table.py` gathers them."""
