"""Pages whose fields and pictures are called like members of forms and documents, which they hide from every script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.perception import Snapshot
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_folder
from tests.integration.engine_page import EXTENSION, EnginePages

Serve = Callable[[str], Page]

MEMBERS: dict[str, list[str]] = json.loads((EXTENSION / "dom_clobbering.json").read_text(encoding="utf-8"))
"""What the build guards."""

_CHAIN = """(kind) => {
  const names = new Set();
  for (let at = window[kind].prototype; at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return [...names];
}"""
FORM = """
<style>h2 {{ cursor: pointer }} .far {{ margin-top: 2000px }}</style>
<main><form id=order title=Order aria-label=Order action=#
onsubmit="sent.push(new FormData(this).get('q')); return false">
<h2>Order</h2><label>Query <input name=q></label><label><input type=checkbox name=agree> Agree</label>
<ul><li>One</li><li>Two</li></ul>
<table><tr><th>Name</th><th>Price</th></tr><tr><td>Kiwi</td><td>3</td></tr><tr><td>Plum</td><td>4</td></tr></table>
<p>{fields}</p><button class=far>Send</button></form></main>
<p id=after>After</p><script>var sent = [];</script>"""
"""A form; `fields` is what it is tried with."""


def with_fields(names: list[str]) -> str:
    kinds = (
        "<input name={} size=3>",
        "<button type=button name={}>.</button>",
        "<input type=hidden name={}>",
    )
    return FORM.format(fields=" ".join(kinds[i % 3].format(name) for i, name in enumerate(names)))


HIDING = with_fields(MEMBERS["form"])
HARMLESS = with_fields([f"field{i}" for i in range(len(MEMBERS["form"]))])
PICTURES = "".join(
    f"<img name={name} alt='' width=4 height=4>" for name in MEMBERS["form"] + MEMBERS["document"]
)


def facts(snapshot: Snapshot) -> list[tuple[object, ...]]:
    return [(node.ref, node.role, node.name, node.states, node.box) for node in snapshot.nodes]


def test_the_build_knows_every_member(engine: EnginePages) -> None:
    engine.show("")
    known = {*MEMBERS["form"], *MEMBERS["document"]}
    for kind in ("HTMLFormElement", "HTMLDocument"):
        assert set(engine.page.evaluate(_CHAIN, kind)) <= known


def test_a_form_is_read_whatever_its_fields_are_called(serve_html: Serve) -> None:
    page, plain = serve_html(HIDING), serve_html(HARMLESS)
    assert page.evaluate("document.forms[0].parentNode.localName") == "input"
    assert facts(page.snapshot()) == facts(plain.snapshot())
    for change in (
        "Element.prototype.append.call(order, 'more')",
        "document.querySelector('li').append('!')",
        "document.querySelector('[name=q]').value = 'typed'",
        "HTMLElement.prototype.setAttribute.call(order, 'title', 'Other')",
        "HTMLElement.prototype.setAttribute.call(order, 'hidden', '')",
        "HTMLElement.prototype.removeAttribute.call(order, 'hidden')",
        "after.append(order)",
    ):
        for one in (page, plain):
            one.evaluate(f"(() => {{ const order = document.getElementById('order'); {change}; }})()")
        assert facts(page.snapshot()) == facts(plain.snapshot()), change


def test_both_engines_say_the_same(serve_html: Serve) -> None:
    page = serve_html(HIDING)
    ours, theirs = page.snapshot(), page.snapshot(engine="cdp")
    assert [(node.ref, node.role, node.name) for node in ours.elements] == [
        (node.ref, node.role, node.name) for node in theirs.elements
    ]


@pytest.fixture
def serve_to(kind: tuple[str, Browser], tmp_path: Path) -> Iterator[Serve]:
    """Serves HTML to a browser with one kind of input."""
    opened: list[Page] = []
    with serve_folder(tmp_path) as site:

        def serve(html: str) -> Page:
            (tmp_path / "index.html").write_text(f"<!doctype html>{html}", encoding="utf-8")
            opened.append(kind[1].open(site.url))
            return opened[-1]

        yield serve
        for page in opened:
            page.close()


def test_a_form_is_used_whatever_its_fields_are_called(serve_to: Serve) -> None:
    page = serve_to(HIDING)
    page.fill("textbox 'Query'", "kiwi")
    page.check("checkbox 'Agree'")
    assert page.evaluate("document.querySelector('[name=agree]').checked")
    page.click("button 'Send'")
    page.wait_for(function="sent.length === 1")
    page.submit("textbox 'Query'")
    page.wait_for(function="sent.length === 2")
    assert page.evaluate("sent") == ["kiwi", "kiwi"]


def test_its_content_is_taken(serve_html: Serve) -> None:
    page = serve_html(HIDING)
    assert sb.tables(page)[0].to_numpy().tolist() == [["Kiwi", 3], ["Plum", 4]]


def test_a_document_is_read_and_used_whatever_its_pictures_are_called(serve_html: Serve) -> None:
    page, plain = (
        serve_html(FORM.format(fields="") + PICTURES),
        serve_html(FORM.format(fields="") + PICTURES.replace("name=", "data-")),
    )
    assert page.evaluate("document.body.localName") == "img"
    assert facts(page.snapshot()) == facts(plain.snapshot())
    page.fill("textbox 'Query'", "plum")
    page.click("button 'Send'")
    page.wait_for(function="sent.length === 1")
    assert [node.ref for node in page.snapshot().elements] == [
        node.ref for node in page.snapshot(engine="cdp").elements
    ]


def test_an_element_called_like_what_the_extension_keeps(serve_html: Serve) -> None:
    page = serve_html(
        "<button id=skillbook>One</button><a id=skillbookBlocker></a><form name=skillbookCall></form>"
    )
    page.click("button 'One'")
