"""A shop that searches, sorts, filters and pages by POST: few questions on harmless tasks, and one for each order."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.session.sync import Browser, Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site, serve_app
from skillbook.testing.sites.web import Request, Response
from tests.shown import after_reading

FIELDS = """<input type=hidden name=csrf value={csrf}><input type=hidden name=list value=lamps>
<label>Search products <input name=q></label>
<label>Sort by <select name=sort onchange="form.requestSubmit ? form.submit() : 0">
<option value=name>Name<option value=price>Price</select></label>
<label>Category <select name=category><option value=all>All<option value=desk>Desk</select></label>
<label><input type=checkbox name=stock value=1> In stock</label>"""
SEARCH = (
    "<form method=post action=/list>"
    + FIELDS
    + "<button>Search</button><button name=page value=2>Next</button></form>"
)
TAB = """<div role=tablist><button role=tab onclick="fetch('/tab', {method: 'POST',
headers: {'content-type': 'application/json'}, body: JSON.stringify({tab: 'reviews'})})">Reviews</button></div>"""
ORDER = "<form method=post action=/basket>" + FIELDS + "<button>Search</button></form>"


class Shop:
    """The shop; `more` stands on each page, and `search` in the place of its search form."""

    def __init__(self) -> None:
        self.search, self.more = SEARCH, TAB
        self.others: list[str] = []
        self.sent: list[Request] = []

    def respond(self, request: Request) -> Response:
        if request.method == "POST":
            self.sent.append(request)
        search = self.others[int(request.query["other"])] if "other" in request.query else self.search
        page = (search + self.more).replace("{csrf}", secrets.token_hex(12))
        return Response(f"<!doctype html><title>Shop</title>{page}<ul><li>Lamp<li>Chair</ul>")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_app(Shop()) as site:
        yield site


@pytest.fixture
def shop(site: Site) -> Shop:
    shop: Shop = site.app
    shop.search, shop.more, shop.sent = SEARCH, TAB, []
    return shop


Solve = Callable[..., list[str]]


@pytest.fixture
def solve(
    site: Site,
    browser: Browser,
    open_page: Callable[[str], Page],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[Solve]:
    """Has a scripted model make calls; the person approves all, and says of forms that they only read.

    Returns what was asked.
    """
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SKILLBOOK_MODEL", "scripted")
    browser.rules.clear()
    page = open_page(site.url)
    with OpenAIServer([]) as server:
        monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)

        def play(*calls: ToolCall, autonomy: str, learns: bool = True) -> list[str]:
            server.script.extend([*calls, "done"])
            run, asked = sb.agent(page, "Do it.", autonomy=autonomy).run(), []
            while run.status == "waiting":
                assert run.pending is not None
                asked.append(repr(run.pending))
                review = run.pending.review
                always: Any = "form" if review.form else "session" if review.learn else None
                after_reading(run).approve(always=always if learns else None)
            assert run.status == "succeeded", run.error
            assert run.steps["ok"].all(), run.steps.to_string()
            return asked

        yield play
    browser.rules.clear()


def click(target: str) -> ToolCall:
    return ToolCall("click", {"target": target})


def fill(target: str, value: str) -> ToolCall:
    return ToolCall("fill", {"target": target, "value": value})


def choose(target: str, value: str) -> ToolCall:
    return ToolCall("select", {"target": target, "values": [value]})


def search(text: str) -> list[ToolCall]:
    return [fill("textbox 'Search products'", text), click("button 'Search'")]


WAIT = ToolCall("wait_for", {"text": "Lamp"})
TASKS: dict[str, list[ToolCall]] = {
    "search": search("lamp"),
    "search for something else": search("a chair"),
    "search for a word that deletes": [*search("delete key"), WAIT],
    "search by Enter": [
        fill("textbox 'Search products'", "desk"),
        ToolCall("press", {"key": "Enter", "target": "textbox 'Search products'"}),
        WAIT,
    ],
    "sort by price": [choose("combobox 'Sort by'", "Price"), WAIT],
    "sort by price again": [choose("combobox 'Sort by'", "Price"), ToolCall("snapshot", {})],
    "filter by category": [choose("combobox 'Category'", "Desk"), click("button 'Search'"), WAIT],
    "filter by stock": [ToolCall("check", {"target": "checkbox 'In stock'"}), click("button 'Search'")],
    "turn the page": [click("button 'Next'"), WAIT],
    "look at a tab": [click("tab 'Reviews'"), WAIT],
}


@pytest.mark.parametrize(("autonomy", "most"), [("reads", 4), ("all", 3)])
def test_ten_harmless_tasks_of_a_shop_that_posts_ask_few_questions(
    autonomy: str, most: int, shop: Shop, solve: Solve
) -> None:
    asked = [question for calls in TASKS.values() for question in solve(*calls, autonomy=autonomy)]
    assert len(shop.sent) == len(TASKS)
    assert len(asked) <= most, "\n".join(asked)
    assert any("this form only reads" in question and "any Search products" in question for question in asked)


@pytest.mark.parametrize("autonomy", ["ask", "reads", "all"])
def test_waiting_and_looking_never_ask(autonomy: str, shop: Shop, solve: Solve) -> None:
    looks = [WAIT, ToolCall("snapshot", {}), ToolCall("find", {"query": "Lamp"}), ToolCall("scroll", {})]
    assert solve(*looks, autonomy=autonomy) == []


def test_the_rule_is_listed_in_words_and_taken_back(
    shop: Shop, solve: Solve, browser: Browser, site: Site
) -> None:
    assert len(solve(*search("lamp"), *search("chair"), autonomy="all")) == 1
    [rule] = browser.rules
    assert str(rule) == (
        f"this form only reads: POST {site.url}/list with any Search products, Sort by, Category, In stock "
        "and the same list, by button 'Search' (session)"
    )
    browser.rules.remove(rule.id)
    assert len(solve(*search("desk"), autonomy="all")) == 1


OTHERS = {
    "another address": SEARCH.replace("/list", "/lists"),
    "one more hidden field": SEARCH.replace("<label>Search", "<input type=hidden name=note value=1><label>Search"),
    "another hidden value": SEARCH.replace("value=lamps", "value=orders"),
    "another button": SEARCH.replace("<button>Search", "<button name=do value=keep>Search"),
    "a button of another name": SEARCH.replace("<button>Search", "<button>Find</button><button>Search"),
    "another address of the button": SEARCH.replace("<button>Search", "<button formaction=/keep>Search"),
    "another record": SEARCH.replace("/list", "/list?of=5"),
    "an order with the same names": ORDER,
    "a field without a label": SEARCH.replace("name=q>", "><input type=hidden name=q value=x>"),
    "a choice that wasn't there": SEARCH.replace("<option value=price>", "<option value=keep selected>"),
    "by another way of writing": SEARCH.replace("method=post", "method=post enctype=text/plain"),
}  # fmt: skip


SOME = (
    "another address",
    "one more hidden field",
    "another button",
    "an order with the same names",
    "a choice that wasn't there",
)
"""What `make test` tries: an address, a field, a button, other fields, and another value of one."""


@pytest.mark.parametrize(
    "names",
    [SOME, pytest.param([name for name in OTHERS if name not in SOME], marks=pytest.mark.more)],
    ids=["some", "others"],
)
def test_whatever_else_is_posted_asks_each_time(
    names: Sequence[str], shop: Shop, solve: Solve, site: Site
) -> None:
    assert len(solve(*search("lamp"), *search("chair"), autonomy="all")) == 1
    shop.others, calls = [OTHERS[name] for name in names], []
    for number, form in enumerate([*shop.others, shop.others[0]]):
        button = "button 'Find'" if "Find" in form else "button 'Search'"
        url = f"{site.url}/?other={number % len(shop.others)}"
        calls += [ToolCall("goto", {"url": url}), fill("textbox 'Search products'", "lamp"), click(button)]
    asked = solve(*calls, autonomy="all", learns=False)
    assert len(asked) == len(names) + 1, "\n".join(asked)
