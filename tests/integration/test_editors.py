"""Editors that are pages of their own, or draw themselves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.errors import NotActionable
from skillbook.session.sync import Page

Serve = Callable[[str], Page]


def test_the_body_of_a_frame_is_typed_into_while_the_focus_is_elsewhere(show_html: Serve) -> None:
    """A frame keeps its focused element while the keys go to the page around it."""
    page = show_html(
        "<input aria-label=Before><iframe title=Editor srcdoc='<body contenteditable aria-label=Letter>Old</body>'>"
        "</iframe>"
    )
    page.fill("generic 'Letter'", "New")
    page.fill("textbox 'Before'", "x")
    page.type("generic 'Letter'", " text")
    assert page.evaluate("document.querySelector('iframe').contentDocument.body.innerText") == "New text"


def test_an_editor_that_draws_itself_is_filled_whole(show_html: Serve) -> None:
    """Its field is as wide as the caret, has no text of its own, and knows itself what is selected."""
    page = show_html(
        "<div id=field role=textbox aria-multiline=true aria-label=Code tabindex=0 style='width:0;height:20px'></div>"
        "<pre id=drawn>first\nsecond</pre><script>"
        "const context = new EditContext(); field.editContext = context; let all = false;"
        "field.onkeydown = (e) => { if (e.ctrlKey && e.key === 'a') { all = true; e.preventDefault(); } };"
        "context.addEventListener('textupdate', (e) => {"
        "  drawn.textContent = all ? e.text : drawn.textContent + e.text; all = false; });</script>"
    )
    page.fill("textbox 'Code'", "whole")
    assert page.evaluate("drawn.textContent") == "whole"
    page.type("textbox 'Code'", "!")
    assert page.evaluate("drawn.textContent") == "whole!"


def test_lines_come_into_an_editor_as_they_are(show_html: Serve) -> None:
    """Code editors indent what is typed by themselves, and not what is pasted."""
    page = show_html(
        "<div><textarea id=f aria-label=Code style='width:2px;height:2px;opacity:0'></textarea>"
        "<pre id=shown>old</pre></div><script>"
        "const take = (text) => { shown.textContent = f.dataset.all ? text : shown.textContent + text;"
        "  delete f.dataset.all };"
        "f.onkeydown = (e) => {"
        "  if (e.ctrlKey && e.key === 'a') { f.dataset.all = 1; e.preventDefault() }"
        "  else if (e.key === 'Delete') take('');"
        "  else if (e.key === 'Enter') { take('\\n    '); e.preventDefault() } };"
        "f.oninput = () => { take(f.value.replace(/\\n/g, '\\n    ')); f.value = '' };"
        "f.onpaste = (e) => { take(e.clipboardData.getData('text/plain')); e.preventDefault() }</script>"
    )
    page.fill("textbox 'Code'", "if it:\n    go()")
    assert page.evaluate("shown.textContent") == "if it:\n    go()"
    page.type("textbox 'Code'", "\n    stop()")
    assert page.evaluate("shown.textContent") == "if it:\n    go()\n    stop()"
    page.type("textbox 'Code'", "a\n  b", clear=True)
    assert page.evaluate("shown.textContent") == "a\n  b"


LINES = "".join(f"<div class=cm-line>line {at}</div>" for at in range(30))
VIRTUAL = (  # as CodeMirror renders a long document
    "<div class=cm-editor><div class=cm-scroller style='height:200px;overflow:auto'>"
    "<div class=cm-content contenteditable=true role=textbox aria-multiline=true aria-label=Code>{lines}</div>"
    "</div></div>"
)
GAP = "<div class=cm-gap style='height:9000px' contenteditable=false></div>"


@pytest.mark.parametrize("lines", [f"{LINES}{GAP}", f"{GAP}{LINES}", f"{LINES}{GAP}{LINES}"])
def test_the_value_of_an_editor_with_a_part_of_its_text_is_refused(show_html: Serve, lines: str) -> None:
    page = show_html(VIRTUAL.format(lines=lines))
    with pytest.raises(NotActionable, match="only a part of its text"):
        page.get("value", "textbox 'Code'")
    assert page.get("text", "textbox 'Code'").startswith("line 0")
    assert "only a part of its text is on the page" in page.snapshot().text()


@pytest.mark.parametrize(
    "lines", [LINES, f"<p>One line</p><img alt=Map style='height:900px;width:9px'>{LINES}", "<p>One line"]
)
def test_the_value_of_an_editor_with_all_its_text_is_read(show_html: Serve, lines: str) -> None:
    page = show_html(VIRTUAL.format(lines=lines))
    assert "line" in page.get("value", "textbox 'Code'")
    assert "only a part" not in page.snapshot().text()


EDIT_CONTEXT = (  # as Monaco takes what is typed: a part of the text is in it, for screen readers, behind the lines
    "<div style='position:relative;height:90px'>"
    "<div id=f role=textbox aria-multiline=true aria-label=Code tabindex=0 style='position:absolute;inset:0;{}'>a</div>"
    "<div style='position:absolute;inset:0'>a<br>b</div></div><script>f.editContext = new EditContext()</script>"
)


def test_the_value_of_an_element_behind_an_editors_lines_is_refused(show_html: Serve) -> None:
    page = show_html(EDIT_CONTEXT.format("z-index:-1"))
    with pytest.raises(NotActionable, match="hidden field"):
        page.get("value", "textbox 'Code'")
    assert show_html(EDIT_CONTEXT.format("z-index:1")).get("value", "textbox 'Code'") == "a"


def test_a_row_with_a_part_of_an_editors_text_is_not_complete(show_html: Serve) -> None:
    rows = "".join(
        f"<tr><td>{name}<td>{VIRTUAL.format(lines=lines)}"
        for name, lines in [("a", LINES), ("b", f"{LINES}{GAP}")]
    )
    page = show_html(f"<table><tr><th>Name<th>Code{rows}</table>")
    (frame,) = sb.tables(page)
    assert not frame.skillbook.complete
    assert "1 editor has only a part of the text on the page" in frame.skillbook.reason
