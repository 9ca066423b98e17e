"""Static HTML of pages and runs: complete, and everything from a page literal (fault 24)."""

from __future__ import annotations

import re

import pytest

from skillbook.notebook.escaping import show_hidden
from skillbook.notebook.html.page_and_run import MAX_ROWS, page_html, pair_html, record_html
from skillbook.notebook.page.panel_source import PageView, PanelState, Row, Shot, StepView
from tests.notebook.test_escaping import HOSTILE, read

OURS = {
    "div", "style", "header", "b", "span", "ul", "li", "i", "img", "u", "s", "table", "thead", "tbody", "tr", "th",
    "td", "br", "a", "code", "pre",
}  # fmt: skip


def view_of(text: str) -> PageView:
    row = Row("e1", "button", text, 0, f"= {text}", True, (10, 20, 30, 40))
    return PageView(text, text, (row,), 0, Shot(b"picture", "png", 100, 100))


def state_of(text: str) -> PanelState:
    step = StepView(1, text, text, text, False, "reject", cell=text)
    return PanelState(
        text, "failed", 1, 5, 10, 0.5, text, steps=(step,), result=text, error=text, resume=text
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_fault_24_hostile_page_text_is_literal(text: str) -> None:
    for html in (
        page_html(view_of(text)),
        record_html(state_of(text), view_of(text)),
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
    call = "click link 'Glow' in listitem 'Oakline'"
    steps = (
        StepView(1, "click", 'target="e92"', "ok", True, "approve", said="I look closer.", call=call),
        StepView(2, "click", 'target="e93"', "no", False, "skip", call="click button 'Buy'", declined=True),
    )
    html = record_html(PanelState("Buy", "succeeded", steps=steps), None)
    text = read(html).text
    assert "Click link 'Glow' in listitem 'Oakline'" in text
    assert "I look closer." in text
    assert "approved" in text
    assert "skipped" in text
    assert "e92" not in text
    assert 'class="bad"' not in html


def test_fault_89_a_cell_has_its_code_and_lines_stay_lines() -> None:
    code = "for row in rows:\n    page.click(row)"
    step = StepView(1, "run_cell", "", "two rows\nread", True, "approve", call="cell (2 lines)", cell=code)
    html = record_html(PanelState("Read", "succeeded", steps=(step,)), None)
    assert "<pre>for row in rows:<br>    page.click(row)</pre>" in html
    assert "two rows<br>read" in html
    assert "⏎" not in html


def test_fault_89_a_fork_leaves_the_record_of_its_run() -> None:
    first = PanelState("Buy", "stopped", steps=(StepView(1, "click", "", "went on", True, "approve"),))
    fork = PanelState("Buy", "succeeded", origin="A fork of run 1 at step 1.", result="bought")
    text = read(record_html(fork, None, [first])).text
    assert (
        text.index("stopped") < text.index("went on") < text.index("A fork of run 1") < text.index("bought")
    )


def test_a_run_has_goal_steps_and_result() -> None:
    steps = (StepView(1, "click", 'target="e2"', "went on", True, "approve", "write", 12.4),)
    state = PanelState("Buy", "succeeded", 1, 50, 1234, 0.0123, "model", steps=steps, result="first\nsecond")
    html = record_html(state, None)
    text = read(html).text
    assert "succeeded · 1 step · 1,234 tokens · $0.0123 · model" in text
    assert 'click(target="e2")' in text
    assert "first<br>second" in html
