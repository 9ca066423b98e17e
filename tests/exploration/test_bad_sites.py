"""Sites that loop, redirect for ever, open dialogs or are huge: a clear result, and every tab closed."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import skillbook as sb
from skillbook.exploration import Exploration, visits
from skillbook.exploration.page_states import is_loop, refusal
from skillbook.session.sync import Browser

pytestmark = pytest.mark.browser
Site = Callable[[Mapping[str, Any]], Any]


def explore(browser: Browser, url: str, goal: str = "submarine insurance", **options: Any) -> Exploration:
    """Explore without what is known from before; no other tab may be left."""
    page = browser.open(url)
    try:
        return sb.explore(page, goal, remember=False, **options)
    finally:
        assert browser.refresh() == [page]
        page.close()


def test_a_site_of_endless_pages_ends_by_its_templates(browser: Browser, site: Site) -> None:
    def calendar(path: str) -> str:
        day = int((re.findall(r"\d+", path) or ["0"])[-1])
        links = "".join(f"<a href='/day/{n}'>{n}</a> " for n in range(day + 1, day + 40))
        facets = "".join(f"<a href='/all?{a}=1&{b}=2'>{a}{b}</a> " for a in "abcdefg" for b in "hijklm")
        return f"<title>Day {day}</title><h1>Day {day}</h1>{links}{facets}"

    result = explore(browser, site({"*": calendar}).url, max_pages=60)
    assert not result.found
    assert "no link is left" in result.why
    assert result.opened <= 1 + 8 + 24
    assert (result.frame["why"] == "too many pages of this kind").any()


def test_one_of_many_that_says_the_goal_is_opened_all_the_same(browser: Browser, site: Site) -> None:
    names = [f"Item {chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(60)]
    pages = {f"/item/{n}": f"<title>{name}</title><h1>{name}</h1>" for n, name in enumerate(names)}
    start = "".join(f"<a href='/item/{n}'>{name}</a> " for n, name in enumerate(names))
    result = explore(browser, site({"/": start, **pages}).url, "item bz")
    assert result.found
    assert result.address.endswith(f"/item/{names.index('Item bz')}")
    assert result.opened == 2


def test_a_site_that_asks_to_wait_is_left_alone_for_as_long(browser: Browser, site: Site) -> None:
    came: list[float] = []

    def busy(_: str) -> Any:
        came.append(time.monotonic())
        return (
            (429, "2") if len(came) == 1 else "<title>Submarine insurance</title><h1>Submarine insurance</h1>"
        )

    start = "<h1>Start</h1><a href='/insurance'>Submarine insurance</a>"
    found = explore(browser, site({"/": start, "/insurance": busy}).url)
    assert found.address.endswith("/insurance")
    assert came[1] - came[0] >= 1.9
    later = explore(browser, site({"/": start, "/insurance": (429, "3600")}).url)
    assert "answered with status 429 and asks to wait 3600 s" in later.frame["why"].tolist()


def test_relative_links_that_make_the_path_longer_go_in_circles() -> None:
    assert is_loop("http://x.test/a/b/a/b/a")
    assert not is_loop("http://x.test/a/b/a")
    assert is_loop("http://x.test/" + "/".join(map(str, range(20))))
    assert refusal("http://x.test/a/a/a", "A", {"http://x.test"}) == "an address that goes in circles"


@pytest.mark.more
def test_redirects_without_end_are_one_failed_page(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visits, "PAGE_SECONDS", 10.0)

    def on(path: str) -> tuple[int, str]:
        return 302, f"/again/{int(path.rpartition('/')[2]) + 1}"

    def by_script(path: str) -> str:
        return f"<h1>On</h1><script>location = '/script/{int(path.rpartition('/')[2]) + 1}'</script>"

    def answer(path: str) -> Any:
        return on(path) if path.startswith("/again") else by_script(path)

    start = "<h1>Start</h1><a href='/again/1'>Again</a> <a href='/script/1'>By script</a> <a href='/good'>Good</a>"
    began = time.monotonic()
    result = explore(browser, site({"/": start, "/good": "<h1>Good</h1>", "*": answer}).url)
    frame = result.frame.set_index("address")
    assert not result.found
    assert frame[frame.index.str.endswith("/again/1")]["status"].item() == "failed"
    assert frame[frame.index.str.endswith("/good")]["status"].item() == "seen"
    assert time.monotonic() - began < 90


def test_dialogs_do_not_hold_it_up(browser: Browser, site: Site) -> None:
    pages = {
        "/": "<h1>Start</h1><a href='/alert'>Alert</a> <a href='/leave'>Leave</a> <a href='/good'>Good</a>"
        "<main><button aria-expanded=false onclick='confirm(1)'>Details</button></main>",
        "/alert": "<h1>Alert</h1><script>alert('You won'); alert('again')</script>",
        "/leave": "<h1>Leave</h1><script>addEventListener('beforeunload', e => e.preventDefault())</script>",
        "/good": "<h1>Good</h1><a href='/hours'>Opening hours</a>",
        "/hours": "<h1>Opening hours</h1>",
    }
    shop = site(pages)
    result = explore(browser, shop.url, "opening hours")
    assert result.found, result.why
    missed = explore(browser, shop.url)
    frame = missed.frame.set_index("address")
    assert not missed.found
    assert frame.loc[f"{shop.url}/good", "status"] == "seen"
    assert frame.loc[f"{shop.url}/ › Details", "status"] in {"left out", "failed"}
    assert shop.writes == []


@pytest.mark.more
def test_a_page_of_50_000_elements_is_one_page_among_others(browser: Browser, site: Site) -> None:
    rows = "".join(f"<p><a href='/row/{n}'>Row {n}</a></p>" for n in range(25_000))
    pages = {"/": "<h1>Start</h1><a href='/big'>Everything</a>", "/big": f"<h1>Big</h1>{rows}"}
    pages |= {"*": lambda path: f"<h1>{path}</h1>"}
    began = time.monotonic()
    result = explore(browser, site(pages).url, "row 24999")
    assert result.found, result.why
    assert result.address.endswith("/row/24999")
    assert time.monotonic() - began < 90


def test_a_page_that_never_answers_is_left(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from skillbook.exploration import visits

    monkeypatch.setattr(visits, "PAGE_SECONDS", 3.0)

    over = threading.Event()

    def late(path: str) -> str:
        over.wait(60)
        return "<h1>Late</h1>"

    shop = site(
        {
            "/": "<h1>Start</h1><a href='/late'>Late</a> <a href='/good'>Good</a>",
            "/late": late,
            "/good": "<h1>G</h1>",
        }
    )
    began = time.monotonic()
    result = explore(browser, shop.url)
    frame = result.frame.set_index("address")
    assert frame.loc[f"{shop.url}/late", "status"] == "failed"
    assert "3 s" in frame.loc[f"{shop.url}/late", "why"]
    assert time.monotonic() - began < 60, "it waited for the page's answer"
    over.set()


def test_links_that_change_something_by_their_address_are_not_followed(browser: Browser, site: Site) -> None:
    names = ("logout", "delete?id=3", "cart/add/3", "unsubscribe", "good")
    shop = site(
        {"/": "<h1>Start</h1>" + "".join(f"<a href='/{name}'>Item</a> " for name in names), "*": "<h1>x</h1>"}
    )
    explore(browser, shop.url)
    assert {path for _, path in shop.requests} == {"/", "/good"}


def test_a_login_wall_in_the_middle_is_a_page_like_another(browser: Browser, site: Site) -> None:
    login = "<title>Sign in</title><form method=post><input name=user><input type=password><button>Go</button></form>"
    shop = site(
        {"/": "<h1>Start</h1><a href='/orders'>Orders</a>", "/orders": (302, "/login"), "/login": login}
    )
    result = explore(browser, shop.url, "orders")
    assert not result.found
    assert result.frame.set_index("address").loc[f"{shop.url}/orders", "why"] == f"led to {shop.url}/login"
    assert shop.writes == []


def test_a_page_that_sends_something_as_it_loads_is_seen_all_the_same(browser: Browser, site: Site) -> None:
    send = "<script>addEventListener('load', () => fetch('/seen', {method: 'POST', body: '{\"delete\": 1}'}))</script>"
    pages = {"/": "<h1>Start</h1><a href='/a'>A</a> <a href='/b'>B</a>", "/seen": "ok"}
    pages |= {f"/{name}": f"<h1>{name}</h1>{send}<a href='/hours'>Hours</a>" for name in "ab"}
    pages |= {"/hours": "<h1>Opening hours</h1>" + send}
    shop = site(pages)
    assert explore(browser, shop.url, "opening hours").found
