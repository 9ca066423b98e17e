"""Fixtures of the fault tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where journals go."""
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
