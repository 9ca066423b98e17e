"""A person points at an element in the real page: trusted input that the test sends by the browser's own protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future

import playwright.async_api as pw
import pytest

from skillbook.errors import CommandTimeout
from skillbook.io_thread import io
from skillbook.perception.nodes import Node
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_folder
from tests.integration.test_demonstration import hands_on, person_browser, press
from tests.integration.users_browser import until

__all__ = ["person_browser"]

PAGE = """<!doctype html><title>Shop</title><script>
  window.got = [];
  for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'keydown'])
    document.addEventListener(type, (event) => got.push(`${type} ${event.isTrusted}`), true);
</script>
<h1>Lamps</h1>
<button id="buy" onclick="this.textContent = 'Bought'"><span>Buy</span> <b id="now">now</b></button>
<button id="sold" disabled>Sold out</button>
<p id="words">Only words.</p>
<div id="host" style="display: inline-block"></div><script>
  const root = host.attachShadow({ mode: 'closed' });
  root.innerHTML = '<button style="width:120px;height:30px">Hidden deep</button>';
</script>
<iframe title="Frame" srcdoc="<button id=inner onclick='parent.got.push(`inner`)'>Inner</button>"
  width="300" height="60"></iframe>"""
HOST = "document.documentElement.lastElementChild.localName === 'div'"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "shop.html").write_text(PAGE)
    (folder / "other.html").write_text("<!doctype html><title>Other</title><button>Elsewhere</button>")
    with serve_folder(folder) as served:
        yield served


@pytest.fixture
def shop(person_browser: Browser, site: Site) -> Iterator[Page]:
    page = person_browser.open(f"{site.url.rstrip('/')}/shop.html")
    yield page
    page.close()


async def begin(page: Page, hands: pw.Page, seconds: float = 20) -> Future[Node | None]:
    """Have the page wait for the person, which its badge shows."""
    picking = io.submit(page.driver.pick("Click it", timeout=seconds))
    await hands.wait_for_function(HOST)
    return picking


async def picked(picking: Future[Node | None]) -> Node | None:
    return await asyncio.wait_for(asyncio.wrap_future(picking), 15)


async def got(hands: pw.Page) -> list[str]:
    found: list[str] = await hands.evaluate("got")
    return found


@pytest.mark.parametrize(
    ("selector", "name"),
    [
        ("#now", "Buy now"),
        ("#sold", "Sold out"),
        ("#words", "Only words."),
        ("#host", "Hidden deep"),
        ("h1", "Lamps"),
    ],
)
async def test_what_is_pressed_is_the_element_and_the_page_gets_none_of_it(
    person_browser: Browser, shop: Page, selector: str, name: str
) -> None:
    async with hands_on(person_browser, shop.url) as hands:
        picking = await begin(shop, hands)
        await press(hands, hands.locator(selector), clicks=2)
        node = await picked(picking)
        assert node is not None
        assert (node.name or node.text) == name
        assert await got(hands) == []
        assert await hands.locator("#buy").text_content() == "Buy now"


async def test_in_a_frame_too_and_afterwards_the_page_is_as_ever(person_browser: Browser, shop: Page) -> None:
    async with hands_on(person_browser, shop.url) as hands:
        picking = await begin(shop, hands)
        inner = hands.frame_locator("iframe").locator("#inner")
        await inner.hover()
        await inner.page.frames[-1].wait_for_function(HOST)
        await press(hands, inner)
        node = await picked(picking)
        assert node is not None
        assert node.name == "Inner"
        assert node.ref is not None
        assert node.ref.startswith("f")
        assert await got(hands) == []
        await hands.wait_for_function(f"!({HOST})")

        async def pressed() -> bool:
            await press(hands, inner)
            return "inner" in await got(hands)

        async with asyncio.timeout(10):
            while not await pressed():
                pass


async def test_escape_ends_it_and_a_page_can_neither_choose_nor_end(
    person_browser: Browser, shop: Page
) -> None:
    async with hands_on(person_browser, shop.url) as hands:
        picking = await begin(shop, hands)
        await hands.evaluate(
            """() => { for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
              buy.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: 20, clientY: 80 }));
            buy.click();
            document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
            }"""
        )
        assert "click false" in await got(hands)
        await hands.mouse.click(600, 20)  # on nothing
        assert not picking.done()
        await hands.keyboard.press("Escape")
        assert await picked(picking) is None
        assert "keydown true" not in await got(hands)


async def test_a_page_that_comes_meanwhile_waits_too(person_browser: Browser, shop: Page, site: Site) -> None:
    async with hands_on(person_browser, shop.url) as hands:
        picking = await begin(shop, hands)
        await hands.goto(f"{site.url.rstrip('/')}/other.html")
        await hands.wait_for_function(HOST)
        await press(hands, hands.get_by_role("button"))
        node = await picked(picking)
        assert node is not None
        assert node.name == "Elsewhere"


async def test_it_ends_with_its_time_and_with_whoever_asked(person_browser: Browser, shop: Page) -> None:
    async with hands_on(person_browser, shop.url) as hands:
        picking = await begin(shop, hands, seconds=1)
        with pytest.raises(CommandTimeout):
            await picked(picking)
        await hands.wait_for_function(f"!({HOST})")
        picking = await begin(shop, hands)
        picking.cancel()
        await hands.wait_for_function(f"!({HOST})")
        await press(hands, hands.locator("#buy"))
        await until(lambda: shop.get("text", "button 'Bought'") == "Bought", "the click")


async def test_what_a_call_presses_meanwhile_is_no_choice(person_browser: Browser, shop: Page) -> None:
    async with hands_on(person_browser, shop.url) as hands:
        picking = await begin(shop, hands)
        await asyncio.to_thread(shop.click, "button 'Buy now'")
        assert await hands.locator("#buy").text_content() == "Bought"
        assert not picking.done()
        picking.cancel()


def test_a_second_request_ends_the_first(shop: Page) -> None:
    first = io.submit(shop.driver.pick("One", timeout=20))
    second = io.submit(shop.driver.pick("Two", timeout=20))
    assert first.result(10) is None
    second.cancel()
