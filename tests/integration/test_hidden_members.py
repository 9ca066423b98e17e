"""Pages whose fields and pictures are called like members of forms and documents, which they hide from every script.

Each behaves like the same page whose fields are called otherwise: an access that is not made by `dom.ts` shows here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.perception import Snapshot
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_folder
from tests.integration.engine_page import EnginePages

Serve = Callable[[str], Page]

_MEMBERS = """() => {
  const members = (kind) => {
    const names = new Set();
    for (let at = kind.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at))
      for (const name of Object.getOwnPropertyNames(at)) names.add(name);
    return names;
  };
  const elements = Object.getOwnPropertyNames(window).filter((name) => /^(HTML|SVG)\\w*Element$/.test(name));
  const ofElements = new Set(elements.flatMap((name) => [...members(window[name])]));
  return [[...ofElements], [...members(HTMLDocument), ...ofElements]];
}"""
"""What elements of any kind have, for what is read of a field is asked of its form by mistake; and documents."""
FORM = """
<style>h2 {{ cursor: pointer }} .far {{ margin-top: 2000px }}</style>
<main><form id=order title=Order aria-label=Order action=#
onsubmit="sent.push(new FormData(this).get('q')); return false">
<h2>Order</h2><label>Query <input name=q></label><label><input type=checkbox name=agree> Agree</label>
<label>Size <select name=sized><option>Small<option>Large</select></label>
<ul><li>One</li><li>Two</li></ul><h3 onmouseover="over++" onclick="pressed++">Details</h3>
<table><tr><th>Name</th><th>Price</th></tr><tr><td>Kiwi</td><td>3</td></tr><tr><td>Plum</td><td>4</td></tr></table>
<p>{fields}</p><button class=far>Send</button></form></main>
<p id=after>After</p><script>var sent = [], over = 0, pressed = 0;</script>"""
"""A form; `fields` is what it is tried with."""
_STATE = """[sent, over > 0, pressed, ...["q", "agree", "sized"].map((name) => {
  const { value, checked } = Element.prototype.querySelector.call(order, `[name=${name}]`);
  return [value, checked];
})]"""


def with_fields(names: list[str]) -> str:
    kinds = (
        "<input name={} size=3>",
        "<button type=button name={}>.</button>",
        "<input type=hidden name={}>",
    )
    return FORM.format(fields=" ".join(kinds[i % 3].format(name) for i, name in enumerate(names)))


def with_pictures(names: list[str], attribute: str = "name") -> str:
    pictures = (f"<img {attribute}={name} alt='' width=4 height=4>" for name in names)
    return FORM.format(fields="") + "".join(pictures)


@pytest.fixture(scope="module")
def members(engine: EnginePages) -> list[list[str]]:
    """The names of all members of elements, and of documents, in this browser."""
    engine.show("")
    found: list[list[str]] = engine.page.evaluate(_MEMBERS)
    assert {"parentNode", "getAttribute", "elements", "value"} <= {*found[0]}
    assert {"body", "activeElement"} <= {*found[1]}
    return found


@pytest.fixture(scope="module")
def hiding(members: list[list[str]]) -> str:
    return with_fields(members[0])


@pytest.fixture(scope="module")
def harmless(members: list[list[str]]) -> str:
    return with_fields([f"field{i}" for i in range(len(members[0]))])


def facts(snapshot: Snapshot) -> list[tuple[object, ...]]:
    return [(node.ref, node.role, node.name, node.states, node.box) for node in snapshot.nodes]


def test_a_form_is_read_whatever_its_fields_are_called(serve_html: Serve, hiding: str, harmless: str) -> None:
    page, plain = serve_html(hiding), serve_html(harmless)
    assert page.evaluate("document.forms[0].parentNode.localName") != "main"
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


def test_both_engines_say_the_same(read_html: Serve, hiding: str) -> None:
    page = read_html(hiding)
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


def use(page: Page) -> list[Any]:
    """Act on a form, and read it; what came of it."""
    page.fill("textbox 'Query'", "kiwi")
    page.check("checkbox 'Agree'")
    page.select("combobox 'Size'", "Large")
    page.hover("heading 'Details'")
    page.click("heading 'Details'")
    page.click("button 'Send'")
    page.wait_for(function="sent.length === 1")
    page.submit("textbox 'Query'")
    page.wait_for(function="sent.length === 2")
    page.press("Enter", "textbox 'Query'")
    page.wait_for(function="sent.length === 3")
    page.scroll("form 'Order'")
    page.highlight("form 'Order'")
    form = [page.get(what, "form 'Order'") for what in ("css", "role", "name", "box", "attributes")]
    states = [
        page.is_(what, "form 'Order'") for what in ("visible", "enabled", "in_view", "invalid", "required")
    ]
    rest = [
        page.get("title"),
        page.is_("checked", "checkbox 'Agree'"),
        page.get("options", "combobox 'Size'"),
    ]
    return [*page.evaluate(_STATE), *form, *states, *rest, facts(page.snapshot())]


def test_a_form_is_used_whatever_its_fields_are_called(serve_to: Serve, hiding: str, harmless: str) -> None:
    assert use(serve_to(hiding)) == use(serve_to(harmless))


def test_its_content_is_taken(read_html: Serve, hiding: str) -> None:
    page = read_html(hiding)
    assert sb.tables(page)[0].to_numpy().tolist() == [["Kiwi", 3], ["Plum", 4]]


def test_a_document_is_read_and_used_whatever_its_pictures_are_called(
    serve_to: Serve, members: list[list[str]]
) -> None:
    page, plain = serve_to(with_pictures(members[1])), serve_to(with_pictures(members[1], "data-name"))
    assert page.evaluate("document.body.localName") == "img"
    assert facts(page.snapshot()) == facts(plain.snapshot())
    assert use(page) == use(plain)
    assert [node.ref for node in page.snapshot().elements] == [
        node.ref for node in page.snapshot(engine="cdp").elements
    ]


def test_an_element_called_like_what_the_extension_keeps(serve_html: Serve) -> None:
    page = serve_html(
        "<button id=skillbook>One</button><a id=skillbookBlocker></a><form name=skillbookCall></form>"
    )
    page.click("button 'One'")
