"""Errors of skillbook's own are a few lines in IPython, and whole on request; elsewhere nothing changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
RAISE = """
from skillbook.perception.snapshot import Snapshot
from tests.trees import snapshot
page = snapshot('main\\n  button "Save" +')
def press(name):
    return page.find(f"button '{name}'")
"""
SHOWN = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="NoColor")
shell.run_cell({setup!r}, store_history=True)
for cell in {cells!r}:
    shell.run_cell(cell, store_history=True)
    print("=====")
"""


def shown(*cells: str) -> list[str]:
    """What a real IPython shell prints for each cell."""
    code = SHOWN.format(setup=RAISE, cells=cells)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    return [part.strip() for part in ran.stdout.split("=====")[:-1]]


def test_an_error_is_its_line_what_happened_and_what_to_try_and_whole_on_request() -> None:
    short, whole, nested, other = shown(
        "x = 1\npage.find(\"button 'Safe'\")", "%tb", "press('Safe')", "1 / 0"
    )
    assert short.split("\n") == [
        "Cell In[2], line 2: page.find(\"button 'Safe'\")",
        "NoMatch: nothing matches button 'Safe' [no_match]",
        '  Try: the nearest are button "Save" [ref=e2] in main',
        "  `%tb` shows the whole traceback.",
    ]
    assert "one_match.py" in whole
    assert "Traceback (most recent call last)" in whole
    assert nested.startswith("Cell In[1], line 5: return page.find(")
    assert "Traceback (most recent call last)" in other


def test_an_interrupted_run_is_three_lines() -> None:
    (lines,) = shown(
        "from skillbook.errors import RunInterrupted\n"
        "raise RunInterrupted('The run stopped after 2 steps; run.start() goes on.')"
    )
    assert lines.split("\n") == [
        "Cell In[2], line 2: raise RunInterrupted('The run stopped after 2 steps; run.start() goes on.')",
        "RunInterrupted: The run stopped after 2 steps; run.start() goes on.",
        "  `%tb` shows the whole traceback.",
    ]


def test_under_plain_python_nothing_changes() -> None:
    code = f"{RAISE}\npress('Safe')"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
    assert ran.stderr.startswith("Traceback (most recent call last)")
    assert "one_match.py" in ran.stderr
