"""The tools an agent can call; `offered.py` gathers them."""
