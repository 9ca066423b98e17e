"""Documents that a page opens anew with `document.open()`, which takes all listeners away, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import NotActionable
from skillbook.session.sync import Page

WRITTEN = """<title>new</title><button onclick='out.textContent += 1'>Count</button><p id=out></p>
<input aria-label=Name onkeydown='if (window.moves) other.focus()'><input id=other aria-label=Other>
<button style='position: absolute; top: 200px' onclick='out.textContent += `moved`'
 onmousemove='over.hidden = false'>Move</button>
<button id=over hidden style='position: fixed; inset: 0' onclick='out.textContent += `over`'>Over</button>
<iframe srcdoc='<button>Inner</button>'></iframe>"""
OPENS = """<!doctype html><title>old</title><html><template id=written>%s</template><button onclick='
const text = written.innerHTML; document.open(); document.write(text); document.close()'>Open</button>"""


@pytest.fixture
def page(serve_html: Callable[[str], Page]) -> Page:
    page = serve_html(OPENS % WRITTEN)
    page.click("button 'Open'")
    assert page.snapshot().find("button 'Inner'").frame is not None
    return page


def test_everything_works_as_in_any_document(page: Page) -> None:
    page.fill("textbox 'Name'", "Ann")
    page.type("textbox 'Other'", "Bo")
    changed = page.click("button 'Count'").diff.text()
    assert page.evaluate("[...document.querySelectorAll('input')].map((each) => each.value)") == ["Ann", "Bo"]
    assert '"1"' in changed
    page.click("button 'Inner'")


def test_a_press_is_kept_from_what_comes_under_the_mouse(page: Page) -> None:
    with pytest.raises(NotActionable, match=r"button 'Over'( \[e\d+\])? covers it"):
        page.click("button 'Move'", timeout=2)
    assert page.evaluate("out.textContent") == ""


def test_keys_are_kept_from_where_the_focus_went(page: Page) -> None:
    page.evaluate("window.moves = true")
    with pytest.raises(NotActionable, match="focus left"):
        page.type("textbox 'Name'", "xyz")
    assert page.evaluate("other.value") == ""
