"""The tools an agent can call; `table.py` gathers them."""
