"""A pytest plugin: notebooks that a person saved pass `pytest --nbval`, which runs them without anything live.

A view or panel that was live when the notebook was saved is a widget with a record beside it. In a notebook that
pytest runs there is neither: a page or snapshot is its plain text, and a panel is nothing. Skillbook marks its outputs
in their metadata; before a cell is compared they become what the quiet notebook has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_HTML = '<div class="skb-static'
_CELL_FILE = (r"\S*ipykernel_\d+/\d+\.py", "CELL")
"""A warning names the cell by a file that is another one in every kernel."""


def pytest_collection_modifyitems(items: Sequence[Any]) -> None:
    """Compare each cell of a notebook by what it shows where nothing is live."""
    for item in items:
        cell = getattr(item, "cell", None)
        if type(item).__name__ == "IPyNbCell" and cell is not None:
            item.parent.sanitize_patterns.update([_CELL_FILE])
            cell.outputs = [quiet(output) for output in cell.outputs if not is_live(output)]


def is_live(output: Any) -> bool:
    """Whether a saved output is one that a quiet notebook doesn't have."""
    return bool(output.get("metadata", {}).get("skillbook") == "live")


def quiet(output: Any) -> Any:
    """A saved output as a quiet notebook has it; `output` itself is changed."""
    data = output.get("data", {})
    marked = output.get("metadata", {}).get("skillbook") == "static"
    if marked or str(data.get("text/html", "")).startswith(_HTML):
        data.pop("text/html", None)
    return output
