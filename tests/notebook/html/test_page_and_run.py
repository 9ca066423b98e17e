"""Static HTML of pages and runs: complete, and everything from a page literal (fault 24)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from skillbook.agents.run.run_words import STATE_WORDS
from skillbook.notebook.escaping import show_hidden
from skillbook.notebook.html.page_and_run import MAX_ROWS, page_html, pair_html, record_html
from skillbook.notebook.page.panel_source import PageView, Row, Shot
from skillbook.protocol.asks.run_asks import RunView, StepLine
from tests.notebook.test_escaping import HOSTILE, read

OURS = {
    "div", "style", "header", "b", "span", "ul", "li", "i", "img", "u", "s", "table", "thead", "tbody", "tr", "th",
    "td", "br", "a", "code", "pre",
}  # fmt: skip


def view_of(text: str) -> PageView:
    row = Row("e1", "button", text, 0, f"= {text}", True, (10, 20, 30, 40))
    return PageView(text, text, (row,), 0, Shot(b"picture", "png", 100, 100))


def run(title: str, state: str, **more: Any) -> RunView:
    words = STATE_WORDS[state]
    return RunView(
        id="r1", kind="goal", title=title, state=state, words=words, started=0, status="failed", **more
    )


def step(number: int, words: str, outcome: str, decision: str = "approve", **more: Any) -> StepLine:
    return StepLine(number=number, words=words, outcome=outcome, decision=decision, **{"ok": True, **more})


def hostile(text: str) -> RunView:
    steps = [step(1, text, text, text, tool="run_cell", code=text, record=text, said=text)]
    return run(text, "failed", model=text, steps=steps, result=text, error=text, hint=text)


@pytest.mark.parametrize("text", HOSTILE)
def test_fault_24_hostile_page_text_is_literal(text: str) -> None:
    for html in (
        page_html(view_of(text)),
        record_html([(hostile(text), text)], view_of(text)),
        pair_html("http://x", text),
    ):
        reader = read(html)
        assert reader.tags <= OURS
        assert reader.attributes <= {"class", "style", "title", "alt", "src", "href", "target", "rel"}
        assert show_hidden(text) in reader.text
        outside = (
            re.sub(r'title="[^"]*"', "", html).replace("<span>$</span>", "").replace("<span>\\</span>", "")
        )
        assert not set("$\\") & set(re.sub(r"<style>.*?</style>", "", outside, flags=re.DOTALL))


def test_a_page_has_its_nodes_and_boxes() -> None:
    rows = (Row("e1", "main", "", 0), Row("e2", "button", "Buy", 1, "disabled", True, (50, 25, 100, 50)))
    html = page_html(PageView("https://shop.test/", "Shop", rows, 7, Shot(b"x", "jpeg", 200, 100)))
    text = read(html).text
    assert "Shop" in text
    assert "button “Buy” disabled [e2]" in text
    assert "… and 7 more" in text
    assert "left: 25.00%; top: 25.00%; width: 50.00%; height: 50.00%" in html
    assert 'src="data:image/jpeg;base64,eA=="' in html


def test_boxes_are_cut_at_the_screenshot_and_left_out_beyond_it() -> None:
    rows = (
        Row("e1", "button", "half", 0, "", True, (-50, 0, 100, 10)),
        Row("e2", "button", "below", 0, "", True, (0, 500, 10, 10)),
        Row("e3", "button", "nowhere", 0, "", True, None),
    )
    html = page_html(PageView("u", "t", rows, 0, Shot(b"x", "png", 100, 100)))
    assert html.count("<u style") == 1
    assert "left: 0.00%; top: 0.00%; width: 50.00%" in html


def test_the_screenshot_may_begin_elsewhere() -> None:
    rows = (Row("e1", "link", "", 0, "", True, (60, 70, 20, 20)),)
    html = page_html(PageView("u", "t", rows, 0, Shot(b"x", "png", 100, 100, origin=(50, 50))))
    assert "left: 10.00%; top: 20.00%; width: 20.00%; height: 20.00%" in html


def test_long_pages_are_cut() -> None:
    rows = tuple(Row(f"e{n}", "link", str(n), 0) for n in range(1, MAX_ROWS + 51))
    assert "… and 50 more" in read(page_html(PageView("u", "t", rows))).text


def test_a_step_is_in_words_with_what_the_model_said_and_the_decision() -> None:
    steps = [
        step(1, "Click the link 'Glow'", "ok", record="the list item 'Oakline'", said="I look closer."),
        step(2, "Click the button 'Buy'", "no", "skip", ok=False, declined=True),
    ]
    html = record_html([(run("Buy", "succeeded", steps=steps), "")], None)
    text = read(html).text
    assert "Click the link 'Glow' in the list item 'Oakline'" in text
    assert "I look closer." in text
    assert "approved" in text
    assert "skipped" in text
    assert 'class="bad"' not in html


def test_fault_89_a_cell_has_its_code_and_lines_stay_lines() -> None:
    code = "for row in rows:\n    page.click(row)"
    cell = step(1, "Run a cell (2 lines)", "two rows\nread", tool="run_cell", code=code)
    html = record_html([(run("Read", "succeeded", steps=[cell]), "")], None)
    assert "<pre>for row in rows:<br>    page.click(row)</pre>" in html
    assert "two rows<br>read" in html
    assert "⏎" not in html


def test_fault_89_a_fork_leaves_the_record_of_its_run() -> None:
    first = run("Buy", "cancelled", steps=[step(1, "Click it", "went on")])
    fork = run("Buy", "succeeded", origin="A fork of run 1 at step 1.", result="bought")
    text = read(record_html([(first, "Click it"), (fork, "")], None)).text
    assert (
        text.index("stopped")
        < text.index("went on")
        < text.index("Waits for you: Click it")
        < text.index("A fork of run 1")
        < text.index("bought")
    )


def test_a_run_has_goal_steps_and_result() -> None:
    more = {"tokens": 1234, "cost": 0.0123, "model": "model", "result": "first\nsecond"}
    shown = run("Buy", "succeeded", steps=[step(1, "Click the link 'Glow'", "went on")], **more)
    html = record_html([(shown, "")], None)
    text = read(html).text
    assert "done · 1 step · 1,234 tokens · $0.0123 · model" in text
    assert "sb.resume(" not in text
    assert "first<br>second" in html


def test_what_waits_and_the_way_on_are_kept() -> None:
    text = read(record_html([(run("Buy", "awaiting_user"), "Click the button 'Buy'")], None)).text
    assert "Waits for you: Click the button 'Buy'" in text
    assert "sb.resume('r1', page)" in text
