"""Which of a task's states may follow which, as docs/agents.md says."""

from __future__ import annotations

import re
from pathlib import Path


def documented_transitions() -> dict[str, set[str]]:
    """Read the table; a state after which nothing follows is left out."""
    text = (Path(__file__).parents[3] / "docs/agents.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| (`.+`) \|$", text, re.MULTILINE)
    return {state: set(re.findall(r"`(\w+)`", following)) for state, following in rows}
