"""By what documents in frames find each other, no page hears: neither the one around nor the ones in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from skillbook.session.sync import Browser, Page
from tests.integration.caused_pages import FILES, HEAD, CausedSite

LISTENS = "<script>onmessage=e=>document.body.append(' received '+JSON.stringify(e.data))</script>"
LISTENS_FIRST = LISTENS.replace("onmessage=", "addEventListener('message',").replace(")<", "),true)<")
FRAMES = """for(let i=0;i<6;i++){const f=document.createElement('iframe');
f.src=`http://${['localhost','127.0.0.1'][i%2]}:${location.port}/hearing?ms=${i*40}`;document.body.append(f)}
const box=document.createElement('div');document.body.append(box);const f=document.createElement('iframe');
f.srcdoc="<p>Shadowed";box.attachShadow({mode:'closed'}).append(f);go.onclick=()=>location.reload()"""


@pytest.fixture(scope="module")
def site() -> Iterator[CausedSite]:
    """A page whose frames are of this site and of another one, come one after another, and have frames themselves."""
    hears = LISTENS_FIRST + LISTENS
    inner = f"{hears}<p>Inner</p>"
    FILES["/innermost"] = ("text/html", inner)
    FILES["/hearing"] = ("text/html", f"{inner}<iframe src=/innermost></iframe>")
    FILES["/around"] = ("text/html", f"{hears}{HEAD}<script>{FRAMES}</script>")
    with CausedSite() as site:
        yield site


def test_no_page_hears_by_what_frames_are_found(
    site: CausedSite, browser: Browser, open_page: Callable[[str], Page]
) -> None:
    browser.allow(site.url.replace("127.0.0.1", "localhost"))
    page = open_page(f"{site.url}/around")
    for turn in range(2):
        if turn:
            page.click("button 'Go'")
        # read again and again, as frames come
        texts = [str(page.snapshot().text()) for _ in range(4)]
        assert not [text for text in texts if "received" in text]
        assert (texts[-1].count('"Inner"'), texts[-1].count("Shadowed")) == (12, 1)
