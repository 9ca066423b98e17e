"""Editors that are pages of their own, or draw themselves."""

from __future__ import annotations

from collections.abc import Callable

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
