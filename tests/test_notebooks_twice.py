"""Every bundled notebook passes *Run All* twice in one kernel, as people run it."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest

pytestmark = pytest.mark.browser
FOLDER = Path(__file__).parents[1] / "notebooks"
KEEPS_SECRETS = "assistance"
"""A secret belongs to an origin as long as the kernel lives. The others take minutes; `make test-more` runs them."""
NOTEBOOKS = [
    pytest.param(path, id=path.stem, marks=() if path.stem == KEEPS_SECRETS else pytest.mark.more)
    for path in sorted(FOLDER.glob("*.ipynb"))
]


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_it_runs_twice_in_one_kernel(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from nbclient import NotebookClient

    monkeypatch.setenv("SKILLBOOK_QUIET", "1")
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(path.parents[1]), os.environ.get("PYTHONPATH", "")])
    )
    book = nbformat.read(path, as_version=4)
    once = [
        cell
        for cell in book.cells
        if cell.cell_type == "code" and "raises-exception" not in cell.metadata.get("tags", [])
    ]
    book.cells = [cell.copy() for _ in range(2) for cell in once]
    client = NotebookClient(book, timeout=60, resources={"metadata": {"path": str(path.parent)}})
    client.execute()
