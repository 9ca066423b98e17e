"""Site hints on a real page: names of icons, a pager that says nothing, a list of advertisements, a pace."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import NoMatch
from skillbook.extraction.frames.completeness import IncompleteFrame
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_app
from skillbook.testing.sites.web import Request, Response

CART = "button [id='cart']"
DELAY = 0.5


class Lamps:
    """A shop whose cart is an icon, `icon`, and whose pages are turned by a control that says nothing."""

    icon = "<svg width=20 height=20></svg>"

    def respond(self, request: Request) -> Response:
        at = int(request.query.get("page", "0"))
        ads = "".join(f"<li><a href='/ad/{n}'>Offer {n}</a><b>€{n}9.00</b>" for n in range(3))
        lamps = "".join(
            f"<li><a href='/lamp/{n}'>Lamp {n}</a><b>€{n}.50</b>" for n in range(3 * at, 3 * at + 3)
        )
        on = f"<button id=on onclick=\"location='/?page={at + 1}'\"><svg width=20 height=20></svg></button>"
        return Response(
            f"<title>Lamps</title><button id=cart onclick=\"said.textContent='The cart is open'\">{self.icon}</button>"
            f"<p id=said>Closed</p><ul class=ads>{ads}</ul><main><h1>Lamps</h1><ul>{lamps}</ul></main>"
            + (on if at < 2 else "")
        )


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.chdir(tmp_path)  # where `skills/hints` is
    with serve_app(Lamps()) as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    page = browser.open(site.url)
    yield page
    page.close()


def test_hints_name_controls_and_say_what_is_content(page: Page, site: Site) -> None:
    with pytest.raises(NoMatch):
        page.click("button 'Cart'", timeout=0.1)
    hints = sb.skills.hints
    hints.add(
        site.url, names={CART: "Cart"}, pager="button [id='on']", ignore=["css 'ul.ads'"], crawl_delay=DELAY
    )
    assert 'button (hint "Cart") [ref=' in page.snapshot().text()
    with sb.recording(page) as rec:
        page.click("button 'Cart'")
    assert page.snapshot().has_text("The cart is open")
    with pytest.warns(IncompleteFrame, match="way to the next one"):
        assert [list(frame.iloc[:, 0])[:1] for frame in sb.tables(page)] == [["Lamp 0"]]
    begun = time.monotonic()
    frame = sb.extract(page, next=True)
    assert list(frame.iloc[:, 0]) == [f"Lamp {n}" for n in range(9)]
    assert time.monotonic() - begun >= 2 * DELAY

    hints.off(site.url)
    assert "(hint" not in page.snapshot().text()
    page.goto(site.url)
    with pytest.raises(NoMatch):
        page.click("button 'Cart'", timeout=0.1)
    # A skill keeps the selectors that the element has by itself.
    skill = rec.save_skill("open-cart", prove=False)
    result = skill.run(page)
    assert result.ok, result.error
    assert page.snapshot().has_text("The cart is open")


def test_a_heal_that_found_an_icon_becomes_a_hint(page: Page, site: Site) -> None:
    site.app.icon = "Cart"
    page.reload()
    with sb.recording(page) as rec:
        page.click("button 'Cart'")
    skill = rec.save_skill("open-cart", prove=False)
    site.app.icon = Lamps.icon
    result = skill.run(page, start="always")
    assert result.ok, result.error
    assert result.patch is not None
    assert sb.skills.hints.add_patch(result.patch)[0].origin == site.url
    assert page.snapshot().find("button 'Cart'").html_id == "cart"
