"""Secrets that a page copies from the field where they were filled in: in no report, and in no screenshot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.policy.secrets import MASK
from skillbook.session.sync import Browser, Page

VALUES = ("mauve walrus 71", "olive badger 38")
"""Of one length in a typewriter's font, so that screenshots differ only in what can be read."""
STYLE = "<style>* { font-family: monospace }</style><input id=f aria-label=Key><div id=d></div>"
COPIES = {
    "text": "d.textContent = 'You typed ' + v",
    "split": "d.innerHTML = v.replace(/./g, '<b>$&</b>')",
    "field": "d.innerHTML = '<input id=g><textarea id=h></textarea>'; g.value = h.value = v",
    "editable": "d.contentEditable = 'true'; d.textContent = v",
    "placeholder": "d.innerHTML = '<input id=g>'; g.placeholder = v",
    "generated": "d.dataset.copy = v; d.innerHTML = '<style>#d::before { content: attr(data-copy) }</style>'",
    "button": "d.innerHTML = '<input type=button id=g>'; g.value = v",
    "list": "d.innerHTML = '<select id=g><option id=h></select>'; h.textContent = v",
    "svg": "d.innerHTML = '<svg width=400 height=40><text y=20 id=g></text></svg>'; g.textContent = v",
    "open root": "d.attachShadow({mode: 'open'}).textContent = v",
    "closed root": "d.attachShadow({mode: 'closed'}).innerHTML = `<p>${v}</p>`",
    "frame": "d.innerHTML = `<iframe srcdoc='<p style=\"font-family: monospace\">${v}</p>'></iframe>`",
    "as an address": "d.textContent = encodeURIComponent(v)",
    "numbered list": "d.innerHTML = '<ol><li value=3 id=g></ol>'; g.textContent = v",
}


@pytest.fixture
def copied(
    serve_html: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str, int], Page]:
    """Fill a secret in, and have the page copy what was typed."""

    def fill(name: str, copy: str, number: int) -> Page:
        monkeypatch.setenv(f"SKILLBOOK_SECRET_COPIED_{number}", VALUES[number])
        page = serve_html(STYLE)
        page.fill("textbox 'Key'", sb.secret(f"copied.{number}", origins={page.url.rsplit("/", 1)[0]}))
        page.evaluate(f"{{ const v = f.value; {copy}; f.value = ''; f.blur() }} 0")
        if name == "frame":
            page.wait_for(function="frames[0]?.document.body?.innerText")
        return page

    return fill


@pytest.mark.parametrize("name", COPIES)
def test_fault_22_a_copied_secret_is_in_no_screenshot(
    copied: Callable[[str, str, int], Page], name: str
) -> None:
    pages = [copied(name, COPIES[name], number) for number in (0, 1)]
    for options in ({}, {"full_page": True}):
        first, second = (page.screenshot(**options) for page in pages)
        assert first == second, "the screenshots differ by the secrets"


def test_what_a_screenshot_masked_is_seen_again(copied: Callable[[str, str, int], Page]) -> None:
    page = copied("text", COPIES["text"], 0)
    page.screenshot()
    assert page.evaluate(
        "getComputedStyle(d).color !== 'rgba(0, 0, 0, 0)' && !document.adoptedStyleSheets.length"
    )


def test_fault_22_a_copied_secret_is_in_no_report(
    copied: Callable[[str, str, int], Page], browser: Browser, tmp_path: Path
) -> None:
    value = VALUES[0]
    page = copied("text", f"{COPIES['text']}; document.title = v; console.log('got', v); d.title = v", 0)
    before = page.snapshot()
    outcome = page.fill("textbox 'Key'", "other")
    page.evaluate("void (d.insertAdjacentHTML('beforeend', '<p>' + document.title + ' again</p>'))")
    changed = page.snapshot().diff(before)
    told = [
        before.text(), changed.text(), repr(outcome), str(outcome.diff), page.title, repr(page),
        str(page.console()), str(page.get("text")), str(page.get("html")), str(page.get("title")),
        str(page.get("attributes", "paragraph")), str(page.summary()), str(sb.tables(page)),
    ]  # fmt: skip
    for text in told:
        assert value not in text
    assert MASK in before.text()
    assert MASK in page.title
    assert MASK in str(page.console())
    page.evaluate("void (document.querySelector('input').placeholder = d.title)")
    assert value not in str(page.get("attribute", "textbox", name="placeholder"))
    file = browser.export_journal(tmp_path / "export.json", values=True)
    assert value not in file.read_text(encoding="utf-8")
    assert value.encode() not in browser.driver.journal.path.read_bytes()
