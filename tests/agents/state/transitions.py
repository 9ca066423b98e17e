"""Which of a task's states may follow which, as docs/agents.md draws it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from skillbook.agents.state.task_states import Phase


def documented_transitions() -> dict[str, set[str]]:
    """Read the drawing; `working` stands for each of the busy states."""
    text = (Path(__file__).parents[3] / "docs/agents.md").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    groups = {"working": get_args(Phase)}
    for before, after in re.findall(r"^ +(\w+) --> (\w+)$", text, re.MULTILINE):
        for one in groups.get(before, [before]):
            found.setdefault(one, set()).update(groups.get(after, [after]))
    return found
