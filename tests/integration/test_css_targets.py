"""CSS that only the page can answer, and elements that no snapshot tells."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.errors import AmbiguousMatch, NoMatch, SelectorError, SelectorSyntaxError, StaleRef
from skillbook.session.sync import Page

PAGE = """<ul id=list><li><b class=grip>::</b> One<li><b class=grip>::</b> Two</ul>
<div class=plain id=area style="width:50px;height:20px">Plain</div>
<x-box></x-box><script>
  customElements.define("x-box", class extends HTMLElement {
    connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<i part=deep class=deep>Deep</i>"; }
  });
  document.addEventListener("click", (event) => { document.title = event.composedPath()[0].outerHTML; }, true);
</script>"""


@pytest.mark.parametrize(
    ("selector", "hit"),
    [
        ("css '#list li:nth-child(2) .grip'", "grip"),
        ("css '.grip' nth 2", "grip"),
        ("css 'ul + .plain'", "plain"),
        ("css 'i[part=deep]'", "deep"),
    ],
)
def test_the_page_answers(show_html: Callable[[str], Page], selector: str, hit: str) -> None:
    page = show_html(PAGE)
    page.click(selector)
    assert f'class="{hit}"' in page.evaluate("document.title")


@pytest.mark.usefixtures("hasty")
def test_what_is_wrong_is_told(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(PAGE)
    with pytest.raises(AmbiguousMatch, match="2 elements"):
        page.click("css 'li > .grip:first-child'")
    with pytest.raises(SelectorSyntaxError, match="no CSS selector"):
        page.click("css 'li:nth-child('")
    with pytest.raises(NoMatch):
        page.click("css 'ul ~ video'", timeout=1)


TEXTS = """<div id=all style="height:300px"><div><span>Foo</span><span>Bar</span></div>
<section aria-label=S><h2>Head</h2><button>A</button><span>Press here</span><button>B</button></section>
<div><div>One</div><div>Two</div></div><p>Read the <em>terms</em> and <i>conditions</i> now</p>
<ul><li><span>Inbox</span><span>Move</span><li><span>Sent</span><span>Move on</span></ul>
<p><b>Twice</b> and <b>Twice</b></p></div><script>
  all.addEventListener("click", (event) => { document.title = event.target.textContent; });
</script>"""


def test_a_text_is_pressed_where_it_stands(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(TEXTS)
    for text in ("Foo", "Bar", "Press here", "Two", "terms", "conditions", "Move", "Inbox"):
        page.click(f"text '{text}'")
        assert page.evaluate("document.title") == text
    page.click("text ~'ms'")
    assert page.evaluate("document.title") == "terms"
    with pytest.raises(AmbiguousMatch, match="2 elements match"):
        page.click("text 'Twice'")


LABELS = """<h1>Cards</h1><div id=cards>
<p class=card>Plain <span class=label>one</span> text</p>
<div class=card><div><span class=label>two</span></div></div>
<div class=card hidden><b class=label>three</b></div>
<button class=card>Go <i class=label>four</i></button>
<template><b class=label>never</b></template>
<p class=card style="visibility: hidden"><b class=label>five</b></p>
<ul class=card><li>Six</li><li class=label aria-hidden=true>six</li></ul></div>
<div id=host></div>
<x-slots><p slot=b class=label>slot b</p><p slot=a class=label>slot a</p><p class=label>no slot</p></x-slots>
<iframe srcdoc="<p><span class=label>framed</span> and <i class=label>framed too</i></p>" title=F></iframe>
<p class=label>last</p>
<script>
  host.attachShadow({ mode: "closed" }).innerHTML = "<div>In <b class=label>closed</b></div>";
  customElements.define("x-slots", class extends HTMLElement {
    connectedCallback() {
      const slots = "<slot name=a></slot><slot name=b></slot>";
      this.attachShadow({ mode: "open" }).innerHTML = `${slots}<em class=label>own</em>`;
    }
  });
  const pressed = [];
  document.addEventListener("click", (event) => { pressed.push(event.composedPath()[0].textContent); }, true);
</script>"""
IN_ORDER = [
    *("one", "two", "three", "four", "-", "six", "closed", "own"),
    *("slot b", "slot a", "no slot", "framed", "framed too", "last"),
]


def test_css_is_what_query_selector_all_gives(show_html: Callable[[str], Page]) -> None:
    page = show_html(LABELS)
    page.wait_for(text="framed")
    assert page.count("css '.label'") == len(IN_ORDER)
    found = page.find("css '.label'")
    assert [page.text(node) or "-" for node in found] == IN_ORDER
    numbered = [page.text(f"css '.label' nth {number + 1}") for number in range(len(IN_ORDER))]
    assert [text or "-" for text in numbered] == IN_ORDER
    assert page.count("css '#cards .label'") == page.evaluate(
        "document.querySelectorAll('#cards .label').length"
    )
    for css in (
        "meta",
        "title",
        "template",
        "script",
        "x-slots > p",
        "#cards > *",
        ".card:has(> .label)",
    ):
        assert page.count(f"css '{css}'") == page.evaluate(f"document.querySelectorAll('{css}').length"), css
    assert not page.is_visible("css '.label' nth 3")


def test_css_and_roles_are_one_selector(show_html: Callable[[str], Page]) -> None:
    page = show_html(LABELS)
    assert page.text("css '.label' in css '.card' nth 2") == "two"
    assert page.text("css '.label' in button 'Go four'") == "four"
    assert page.count("css '.label' in (css '.card' nth 3)") == 1
    assert page.count("text 'Six' in css '.card'") == 1
    page.click("css '.label' in css 'p.card:not([style])'")
    page.click("css '.label' nth 4")
    assert page.evaluate("pressed") == ["one", "four"]
    assert page["css 'span.label' nth 2"].text == "two"


@pytest.mark.usefixtures("hasty")
def test_several_matches_are_refused_by_all_alike(show_html: Callable[[str], Page]) -> None:
    page = show_html(LABELS)
    for call in (page.click, page.text, page.value, page.is_visible, page.hover, page.html):
        with pytest.raises(AmbiguousMatch, match="elements match") as failed:
            call("css '#cards span.label'")
        assert len(failed.value.data["candidates"]) == 2
    with pytest.raises(SelectorError, match="needs the page itself"):
        page.snapshot().find("css 'span.label'")


def test_an_action_waits_until_its_element_is_seen(show_html: Callable[[str], Page]) -> None:
    page = show_html(LABELS)
    page.evaluate(
        "void setTimeout(() => { document.querySelector('div.card[hidden]').hidden = false; }, 600)"
    )
    page.click("css '.label' nth 3")
    assert page.evaluate("pressed") == ["three"]


def test_fields_and_within_have_what_is_found(show_html: Callable[[str], Page]) -> None:
    page = show_html(
        "<h1>List</h1><div id=box>" + "".join(
            f"<div class=card><p>Text {n} <span class=tag>t{n}</span> end</p><div><em class=kind>k{n}</em></div></div>"
            for n in range(1, 6)
        ) + "</div>"
    )  # fmt: skip
    frame = sb.extract(page, fields={"tag": "css '.tag'", "kind": "css '.kind'"})
    assert frame.to_numpy().tolist() == [[f"t{n}", f"k{n}"] for n in range(1, 6)]
    frame = sb.extract(page, fields={"tag": "css '.tag'"}, within="css '.card:nth-child(3)'")
    assert frame["tag"].tolist() == ["t3"]


def test_secret_values_are_not_told_by_what_matches(show_html: Callable[[str], Page]) -> None:
    page = show_html(
        "<input type=password value=hush aria-label=P><input value=hush aria-label=Q><p data-x=1>X</p>"
    )
    assert page.count("css 'input[value]'") == 2
    assert page.count("css '[data-x=\\'1\\']'") == 1
    for css in ("[value^=h]", "[v\\\\61lue*=us]", ":has(> [value=hush])"):
        with pytest.raises(SelectorSyntaxError, match="secret"):
            page.count(f"css 'input{css}'")


@pytest.mark.usefixtures("hasty")
def test_what_stops_matching_under_the_mouse_is_not_pressed(show_html: Callable[[str], Page]) -> None:
    page = show_html(
        "<p><button id=one class=safe>Go</button> <button id=two>Go</button></p><script>"
        "one.addEventListener('mouseenter', () => one.classList.remove('safe'));"
        "const pressed = []; addEventListener('click', (event) => pressed.push(event.target.id), true);</script>"
    )
    with pytest.raises((StaleRef, NoMatch)):
        page.click("css '.safe'", timeout=2)
    assert page.evaluate("pressed") == []
    page.evaluate("one.className = 'safe'")
    page.click("css 'button:not(.safe)'")
    assert page.evaluate("pressed") == ["two"]


@pytest.mark.usefixtures("hasty")
def test_a_page_that_stands_still_under_a_press_gets_nothing_of_it(show_html: Callable[[str], Page]) -> None:
    # Input comes late to a busy page, and what guards it has to be there still.
    page = show_html(
        "<p><button id=one class=safe>Go</button></p><script>"
        "const pressed = [], still = () => { const end = performance.now() + 3000; while (performance.now() < end); };"
        "one.addEventListener('mousemove', () => { one.classList.remove('safe'); still(); });"
        "one.addEventListener('lostpointercapture', still);"
        "new MutationObserver(still).observe(one, { attributes: true });"
        "addEventListener('click', (event) => pressed.push(event.target.id), true);</script>"
    )
    with pytest.raises((StaleRef, NoMatch)):
        page.click("css '.safe'", timeout=9)
    assert page.evaluate("pressed") == []
