"""Checkboxes whose label is all link, fields with suggestions, and images that want a password."""

from __future__ import annotations

import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from skillbook.errors import NotActionable
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site

Serve = Callable[[str], Page]

HIDDEN = "position:absolute;opacity:0;width:1px;height:1px"
BOXES = {
    "shown": "<label><input type=checkbox><a href='#away'>Terms</a></label>",
    "hidden": f"<label><input type=checkbox style='{HIDDEN}'><a href='#away'>Terms</a></label>",
    "beside": f"<input type=checkbox id=b style='{HIDDEN}'><label for=b><a href='#away'>Terms</a></label>",
    "two links": f"""<input type=checkbox id=b style='{HIDDEN}'><label for=b><a href='#away'>Terms</a>
        <a href='#away'>Privacy</a></label>""",
    "custom": """<label style='position:relative'><input type=checkbox style='position:absolute;opacity:0'>
        <i style='display:inline-block;width:16px;height:16px;border:1px solid'></i>
        <a href='#away'>Terms</a></label>""",
}


@pytest.mark.parametrize("kind_of_box", BOXES)
def test_a_checkbox_whose_label_is_a_link_is_checked_and_the_link_is_not_followed(
    kind: tuple[str, Browser], serve_html: Serve, kind_of_box: str
) -> None:
    url = serve_html(BOXES[kind_of_box]).url
    page = kind[1].open(url)
    page.check("checkbox ~'Terms'", timeout=5)
    assert page.evaluate("document.querySelector('input').checked") is True
    assert page.url == url
    page.uncheck("checkbox ~'Terms'", timeout=5)
    assert page.evaluate("document.querySelector('input').checked") is False
    assert page.url == url
    page.close()


def test_what_only_its_link_could_check_is_refused(serve_html: Serve) -> None:
    page = serve_html("<label><input type=checkbox style='display:none'><a href='#away'>Terms</a></label>")
    url = page.url
    with pytest.raises(NotActionable, match="link 'Terms'"):
        page.check("checkbox 'Terms'", timeout=1)
    assert page.url == url


def test_a_field_with_suggestions_takes_text_and_choices(
    kind: tuple[str, Browser], serve_html: Serve
) -> None:
    url = serve_html(
        "<label>Fruit <input list=fruits></label><datalist id=fruits><option value=Apple><option value=Pear></datalist>"
    ).url
    page = kind[1].open(url)
    page.fill("combobox 'Fruit'", "Pear")
    assert page.get("value", "combobox 'Fruit'") == "Pear"
    page.select("combobox 'Fruit'", "Apple")
    assert page.get("value", "combobox 'Fruit'") == "Apple"
    page.close()


class _Guarded(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        guarded = self.path.startswith("/inner")
        body = (
            b""
            if guarded
            else b"<!doctype html><title>Photos</title><p>Hello</p>"
            + 3 * (b"<img src=/inner.png><iframe src=/inner></iframe>")
        )
        self.send_response(401 if guarded else 200)
        if guarded:
            self.send_header("WWW-Authenticate", 'Basic realm="Photos"')
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_what_wants_a_password_in_a_page_does_not_hold_it_up(
    browser: Browser, open_page: Callable[[str], Page]
) -> None:
    with Site(ThreadingHTTPServer(("127.0.0.1", 0), _Guarded)) as site:
        started = time.monotonic()
        page = open_page(site.url)
        assert "Hello" in page.snapshot().text()
        page.reload()
        assert time.monotonic() - started < 15
