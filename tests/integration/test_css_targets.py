"""CSS that only the page can answer, and elements that no snapshot tells."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import AmbiguousMatch, NoMatch, SelectorSyntaxError
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
<p><b>Twice</b> and <b>twice</b></p></div><script>
  all.addEventListener("click", (event) => { document.title = event.target.textContent; });
</script>"""


def test_a_text_is_pressed_where_it_stands(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(TEXTS)
    for text in ("Foo", "Bar", "Press here", "Two", "terms", "conditions", "Move", "Inbox"):
        page.click(f"text '{text}'")
        assert page.evaluate("document.title") == text
    page.click("text ~'ms'")
    assert page.evaluate("document.title") == "terms"
    with pytest.raises(AmbiguousMatch, match="2 elements show"):
        page.click("text 'Twice'")
