"""What can't be acted on is refused within the time that the documentation says."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from skillbook.errors import NotActionable
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

PAGE = """<div style="position:relative"><button>Save</button><div style="position:absolute;inset:0">Wait</div></div>
<label style="position:relative">Name <input disabled></label><script>setInterval(() => { document.title += '.' }, 300)
</script><button style="visibility:hidden;display:inline" id=late onclick="document.title = 'pressed'">Late</button>"""


@pytest.mark.parametrize(
    "act",
    [
        lambda page: page.click("button 'Save'"),
        lambda page: page.hover("button 'Save'"),
        lambda page: page.fill("textbox 'Name'", "Ann"),
    ],
)
def test_what_stays_unready_is_refused_after_five_seconds(
    serve_html: Serve, act: Callable[[Page], object]
) -> None:
    page = serve_html(PAGE)
    started = time.monotonic()
    with pytest.raises(NotActionable):
        act(page)
    assert time.monotonic() - started < 9


def test_a_caller_may_wait_longer(serve_html: Serve) -> None:
    page = serve_html("<button disabled id=b onclick=\"document.title = 'pressed'\">Go</button>")
    page.evaluate(
        "setInterval(() => { document.title += '.' }, 300); setTimeout(() => { b.disabled = false }, 6500)"
    )
    page.click("button 'Go'", timeout=20)
    assert page.evaluate("document.title").startswith("pressed")
