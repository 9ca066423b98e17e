"""The examples that a newcomer tries first, run as they stand in the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from skillbook.session.sync import Browser

ROOT = Path(__file__).parents[2]


def example(page: str, beginning: str) -> str:
    """The one block of Python on a page that begins so."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
    [found] = [block for block in blocks if block.startswith(beginning)]
    return found


def test_the_first_session_of_the_readme(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    code, *_ = example("README.md", "import skillbook as sb").partition("run = sb.agent")
    names: dict[str, Any] = {}
    try:
        exec(code, names)
        assert names["lamps"].skillbook.complete
        assert len(names["lamps"]) == 12
        assert "Lamp" in (tmp_path / "lamps.csv").read_text(encoding="utf-8")
    finally:
        if "browser" in names:
            names["browser"].close()


def test_the_test_that_shows_how_to_write_one(browser: Browser) -> None:
    names: dict[str, Any] = {}
    exec(example("docs/write_a_test.md", "import pytest"), names)
    names["test_search_finds_lamps"](browser)
