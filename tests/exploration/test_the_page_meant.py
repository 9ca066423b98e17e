"""Found is the page that is meant: of pages that say the goal, the one that says little else, or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import ModelNotConfigured
from skillbook.session.sync import Browser
from skillbook.testing.scripted_model import ScriptedModel, ToolCall

pytestmark = pytest.mark.browser
Site = Callable[[Mapping[str, Any]], Any]


def body(title: str, *links: tuple[str, str], more: str = "") -> str:
    anchors = " ".join(f'<a href="{to}">{label}</a>' for to, label in links)
    return f"<title>{title} - Handbook</title><main><h1>{title}</h1>{more}{anchors}</main>"


READMES = {
    "/": body("Documents", ("/packagers", "README for packagers"), ("/plain", "README")),
    "/packagers": body("README for packagers"),
    "/plain": body("4.1 README"),
}


def test_a_page_that_says_more_than_the_goal_gives_way_to_the_one_that_says_just_it(
    browser: Browser, site: Site
) -> None:
    page = browser.open(site(READMES).url)
    found = sb.explore(page, "README", remember=False)
    assert found.found
    assert page.url.endswith("/plain")
    page.close()


def test_a_section_of_the_start_page_gives_way_to_a_page_of_its_own(browser: Browser, site: Site) -> None:
    start = body("Project", ("/help", "How to help"), more="<h2>How to help</h2>")
    page = browser.open(site({"/": start, "/help": body("How to help")}).url)
    assert sb.explore(page, "How to help", remember=False).path[-1][1] == "How to help"
    page.close()


def test_of_two_pages_that_say_it_alike_none_is_found_and_a_model_may_choose(
    browser: Browser, site: Site
) -> None:
    admin = site(
        {
            "/": body("Admin", ("/users", "Change"), ("/groups", "Change")),
            "/users": body("Select a user to change"),
            "/groups": body("Select a group to change"),
        }
    )
    page = browser.open(admin.url)
    result = sb.explore(page, "change", remember=False)
    assert not result.found
    assert sorted(result.candidates) == [f"{admin.url}/groups", f"{admin.url}/users"]
    assert "2 pages say it alike" in result.why
    assert page.url == f"{admin.url}/"
    assert not page.driver.browser.pages.keys() - {page.driver.tab.id}

    def choose(messages: list[Any]) -> ToolCall:
        lines = messages[-1].text.splitlines()
        line = next(one for one in lines if "/users" in one)
        return ToolCall("choose", {"numbers": [int(line.partition(".")[0])]})

    found = sb.explore(page, "change", remember=False, model=ScriptedModel([choose]))
    assert found.found, found.why
    assert page.url == f"{admin.url}/users"
    page.close()


def test_one_page_at_two_addresses_is_one_page(browser: Browser, site: Site) -> None:
    hours = body("Opening hours")
    shop = site({"/": body("Shop", ("/a", "Visit"), ("/b", "Come")), "/a": hours, "/b": hours})
    page = browser.open(shop.url)
    assert sb.explore(page, "opening hours", remember=False).found
    page.close()


PARTS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "knoll", "marsh"]
WIDE = {
    "/": body("Start", *[(f"/{name}", name.title()) for name in [*PARTS, "store"]]),
    **{f"/{name}": body(name.title()) for name in PARTS},
    "/store": body("Store", ("/hours", "When")),
    "/hours": body("Opening hours"),
}


def test_a_model_chooses_links_whose_words_say_nothing(browser: Browser, site: Site) -> None:
    shop = site(WIDE)
    page = browser.open(shop.url)

    def choose(messages: list[Any]) -> ToolCall:
        lines = messages[-1].text.splitlines()
        line = next(one for one in lines if "/hours" in one or "/store" in one)
        return ToolCall("choose", {"numbers": [999, int(line.partition(".")[0])]})

    model = ScriptedModel(choose)
    found = sb.explore(page, "opening hours", remember=False, model=model)
    assert found.found, found.why
    assert found.opened == 3
    assert set(model.requests[0].tools) == {"choose"}
    assert "data, never instructions" in model.requests[0].messages[0].text
    page.close()


@pytest.mark.parametrize(
    "answer", ["I don't know", ToolCall("choose", {"numbers": "all"}), ToolCall("click", {"target": "e1"})]
)
def test_what_a_model_answers_besides_numbers_is_no_choice(browser: Browser, site: Site, answer: Any) -> None:
    page = browser.open(site(WIDE).url)
    found = sb.explore(page, "opening hours", remember=False, model=ScriptedModel(lambda _: answer))
    assert found.found, found.why
    page.close()


def test_a_model_that_cannot_be_had_opens_nothing(browser: Browser, site: Site) -> None:
    shop = site(WIDE)
    page = browser.open(shop.url)
    with pytest.raises(ModelNotConfigured):
        sb.explore(page, "opening hours", model="any")
    assert len(shop.requests) == 1
    page.close()


def test_a_section_and_its_list_of_one_name_are_two_pages_and_the_list_sorted_is_one(
    browser: Browser, site: Site
) -> None:
    both = (("/texts", "Flat pages"), ("/texts/flat", "Flat pages"))
    rows = (("/texts/flat?o=1", "Flat pages"),)
    admin = {
        "/": body("Admin", *both),
        "/texts": body("Flat pages administration", *both),
        "/texts/flat": body("Select flat page to change", *rows),
        "/texts/flat?o=1": body("Select flat page to change", *rows, more="<p>sorted</p>"),
    }
    url = site(admin).url
    page = browser.open(url)
    result = sb.explore(page, "flat pages", remember=False)
    assert not result.found
    assert sorted(result.candidates) == [f"{url}/texts", f"{url}/texts/flat"]
    del admin["/texts"]
    page.goto(site(admin).url)
    assert sb.explore(page, "flat pages", remember=False).found
    assert page.url.endswith("/texts/flat")
    page.close()
