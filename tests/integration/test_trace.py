"""A run as one HTML file: complete, offline, inert, without secrets."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import InvalidInput
from skillbook.policy.secrets import store
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall

PAGE = """<meta charset=utf-8><title>Cart &lt;script&gt;window.hit = 1&lt;/script&gt;</title>
<h1>&lt;img src=x onerror="window.hit = 1"&gt; Cart</h1><p>key hush-trace-1</p>
<button onclick="fetch('/count?of=tea'); out.textContent = 'Added'">Add</button><p id=out></p>"""


def test_a_run_is_one_file_that_opens_anywhere(serve_html: Callable[[str], Page], tmp_path: Path) -> None:
    store.add("trace_key", "hush-trace-1", origins=None)
    page = serve_html(PAGE)
    calls = [
        ToolCall("click", {"target": "button 'Add'"}),
        ToolCall("click", {"target": "e999"}),
        ToolCall("screenshot", {}),
    ]
    run = sb.agent(
        page, "Add <b>tea</b>", model=ScriptedModel([*calls, "It is in the cart."]), autonomy="all"
    ).run()
    with pytest.raises(InvalidInput, match=r"\.html"):
        run.trace(tmp_path / "run.txt")
    text = run.trace(tmp_path / "run.html").read_text(encoding="utf-8")
    assert "<b>tea" not in text
    assert "<script" not in text
    assert "<img src=x" not in text
    assert "hush-trace-1" not in text
    for said in (
        "It is in the cart.",
        "Added",
        "/count?of=tea",
        "Page before",
        "unknown_ref",
        "data:image/png;base64,",
    ):
        assert said in text, said
    assert re.findall(r"(?:src|href)=\"([^d#][^\"]*)", text) == []
    assert "default-src 'none'" in text
    assert text.count("<section id=") == 3

    shown = serve_html(text)
    assert shown.evaluate("window.hit ?? 0") == 0
    assert shown.evaluate("getComputedStyle(document.body).display") == "grid"
    assert shown.evaluate("[...document.images].every((each) => each.complete && each.naturalWidth > 0)")
