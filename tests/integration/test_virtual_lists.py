"""Virtualised lists tell how many rows they have, estimated from the room that they keep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.perception.collections import find_collections
from skillbook.session.sync import Page

SCRIPT = Path(__file__).resolve().parent / "pages" / "virtual.js"
KINDS = ["absolute", "list", "moved", "padded", "table", "plain", "options", "page"]


@pytest.fixture(scope="module")
def script() -> str:
    return SCRIPT.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_about_a_thousand(serve_html: Callable[[str], Page], script: str, kind: str) -> None:
    page = serve_html(f"<script>{script}</script>")
    page.evaluate(f"build({kind!r}, 1000)")
    for part in (0, 0.5, 1):
        page.evaluate(f"scrollList({part})")
        for engine in ("dom", "cdp"):
            snapshot = page.snapshot(engine=engine)
            (found,) = find_collections(snapshot)
            assert found.estimated, (part, engine)
            assert found.count < 50
            assert 980 <= found.total <= 1020, (part, engine, found)
            assert "of about 1,0" in snapshot.text() or "of about 99" in snapshot.text(), snapshot.text()
    page.evaluate(f"build({kind!r}, 12)")
    assert [(one.total, one.estimated) for one in find_collections(page.snapshot())] == (
        [] if kind in {"plain", "options"} else [(12, False)]
    )
