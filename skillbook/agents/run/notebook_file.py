"""Notebooks as files: cells, and a run's cells as ones that a person runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from skillbook.skill.model.spec import FIRST_LINE

_IGNORED = {"tags": ["nbval-ignore-output"]}
"""A page is another one each time; nbval still sees an error."""


def text_cell(source: str) -> dict[str, Any]:
    """A cell of Markdown."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code_cell(source: str, *, checked: bool = True) -> dict[str, Any]:
    """A cell of code that hasn't run; nbval compares no outputs of one that isn't `checked`."""
    metadata = {} if checked else _IGNORED
    return {
        "cell_type": "code",
        "metadata": metadata,
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def notebook_text(cells: Sequence[Mapping[str, Any]]) -> str:
    """What a notebook's file holds."""
    notebook = {
        "cells": [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1)


def cells_for_kernel(url: str, cells: Sequence[str]) -> tuple[str, ...]:
    """A run's cells as ones that run in a kernel that has the page as `page`, from where the run began.

    Parameters
    ----------
    url : where the run began.
    """
    return f"{FIRST_LINE}\n\npage.goto({url!r})", *(cell.strip("\n") for cell in cells)


def notebook_of_cells(goal: str, url: str, cells: Sequence[str], cassette: str = "") -> str:
    """A notebook in which a run's cells run as they are: `page` and `sb` are what they know.

    Parameters
    ----------
    url : where the run began.
    cassette : the name of the cassette that it records, and replays from then on; empty for none.
    """
    begin = f"import skillbook\n{FIRST_LINE}\n\nbrowser = skillbook.launch()\npage = browser.open({url!r})"
    end = "browser.close()"
    if cassette:
        begin = begin.replace("\n\n", f"\n\ntape = skillbook.cassette({cassette!r})\n", 1)
        end = f"tape.stop()\n{end}"
    code = [begin, *(cell.strip("\n") for cell in cells), end]
    return notebook_text([text_cell(f"# {goal}"), *(code_cell(each, checked=False) for each in code)])
