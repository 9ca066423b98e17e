from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.launcher import chromium_search as find

MakeProgram = Callable[[str, str], Path]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeProgram:
    """Makes programs that print a version, on a machine where nothing else is installed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "playwright"))
    monkeypatch.delenv("SKILLBOOK_CHROMIUM", raising=False)
    monkeypatch.chdir(tmp_path)
    places = find._places
    monkeypatch.setattr(find, "_places", lambda: (path for path in places() if tmp_path in path.parents))

    def make(name: str, says: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return make
