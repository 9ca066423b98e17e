"""Each task of the bundled suites can be done, and is scored as done; `make eval` runs all of them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

import skillbook as sb
from skillbook.evals import Task, load_tasks
from skillbook.evals.served_start import MiniWob
from skillbook.session.sync import Browser, Page
from skillbook.testing.sites.web import Request
from tests.integration.conftest import INSTALLED
from tests.integration.solvers import TASKS as SOLVERS
from tests.integration.solvers import model_of

Solution = Callable[[Page], Any]
LONG = (pytest.mark.soak, pytest.mark.timeout(900))


def lamps(page: Page) -> Any:
    page.goto(page.url + "search?category=Lamps&sort=price")
    read = sb.extract(page, fields={"name": "heading", "price": "price"}, next=True)
    return read


def add_to_cart(page: Page) -> None:
    page.goto(page.url + "product/halo-ring-lamp")
    page.click("button 'Add to cart'")


def remove_from_cart(page: Page) -> None:
    page.click("button 'Remove Aurora Desk Lamp'")
    page.click("button 'Remove' in dialog")


def order(page: Page) -> None:
    page.click("link 'Checkout'")
    for name, value in {"Name": "Ada Lind", "Street": "Torvet 3", "City": "Aarhus"}.items():
        page.fill(f"textbox '{name}'", value)
    page.fill("textbox 'E-mail' in group 'Address'", "ada@example.com")
    page.select("combobox 'Country'", "Denmark")
    page.check("checkbox ~'terms'")
    page.click("button 'Place order'")


def log_in(page: Page) -> None:
    page.click("link 'Log in'")
    page.fill("textbox ~'user'", "demo")
    page.fill("textbox ~'password'", "oak-and-lumen")
    page.click("button 'Log in'")


def newsletter(page: Page) -> None:
    page.click("button 'Newsletter'")
    page.fill("textbox 'E-mail' in dialog", "ada@example.com")
    page.press("Enter")


def sign_in(page: Page) -> None:
    page.fill("textbox 'User name'", "harbour")
    page.fill("textbox 'Password'", "quay-and-tide")
    page.click("button 'Sign in'")


def year(page: Page) -> Any:
    page.goto(page.url + "invoices?year=2025")
    return sb.extract(page, next=True)


def get(path: str, target: str) -> Solution:
    def work(page: Page) -> Any:
        page.goto(page.url + path)
        return page.download(target)

    return work


def link(page: Page) -> None:
    page.fill("textbox 'Phone number'", "+49 170 555 0123")
    page.click("button 'Next'")
    page.fill("textbox 'Code'", "482913")
    page.click("button 'Link'")


def write(name: str, text: str) -> Solution:
    def work(page: Page) -> None:
        page.fill("searchbox 'Search chats'", name)
        page.click(f"listitem ~'{name}' in list 'Chats' nth 1")
        page.fill("textbox 'Type a message'", text)
        page.click("button 'Send'")
        page.wait_for(text=text)

    return work


def inactive(page: Page) -> Any:
    read = sb.extract(page, next=True)
    return read[read["State"] == "inactive"][["Name"]]


def change(path: str, work: Solution) -> Solution:
    def go(page: Page) -> None:
        page.goto(page.url + path)
        work(page)
        page.click("button")

    return go


SOLUTIONS: dict[str, dict[str, Any]] = {
    "shop": {
        "cheapest-lamp": "Kelvin Studio Lamp, $58.78",
        "lamps-in-a-table": lamps,
        "add-to-cart": add_to_cart,
        "remove-from-cart": remove_from_cart,
        "order": order,
        "sold-out": "It is sold out.",
        "log-in": log_in,
        "returned-orders": "4",
        "store-hours": "Rua do Norte 41, Mon–Fri 11–19",
        "newsletter": newsletter,
    },
    "portal": {
        "sign-in": sign_in,
        "newest-amount": "€ 394.26",
        "one-invoice": get("invoices?year=2026", "link 'Download' in row ~'January 2026'"),
        "older-year": "408.24",
        "year-in-a-table": year,
        "billing-guide": get("help/billing", "link 'Download the billing guide'"),
        "sign-out": lambda page: page.click("link 'Sign out'") and None,
    },
    "chat": {
        "link": link,
        "last-message": "See you tomorrow",
        "reply": write("John Doe", "On my way"),
        "right-anna": write("Anna Berg", "Here is the list"),
        "far-down": "Here it is.",
    },
    "admin": {
        "count-people": "28 people",
        "inactive-people": inactive,
        "change-role": change("people/22", lambda page: page.select("combobox 'Role'", "owner")),
        "deactivate": change("people/12", lambda page: page.uncheck("checkbox 'Active'")),
        "delete-right-one": change("people/10/delete", lambda page: None),
        "look-only": "Support",
        "export": lambda page: page.download("link 'Export'"),
    },
    "basics": {
        "click-submit": lambda page: page.click("button 'Submit'") and "Clicked",
        "type-hello": lambda page: page.fill("searchbox 'Search'", "hello") and "Typed",
    },
}


def solve(solutions: dict[str, Any]) -> Callable[[Page, Task], Any]:
    def solution(page: Page, task: Task) -> Any:
        known = solutions[task.name]
        return known(page) if callable(known) else known

    return solution


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("suite", SOLUTIONS)
def test_every_task_of_a_suite_is_scored_as_done(browser: Browser, suite: str) -> None:
    tasks = [task for task in load_tasks(suite) if "internet" not in task.tags]
    assert [task.name for task in tasks] == list(SOLUTIONS[suite])
    found = sb.evaluate(tasks, target=solve(SOLUTIONS[suite]), browser=browser, progress=False)
    assert found.passed == 1.0, found.frame[~found.frame["passed"]].T.to_string()


QUICK = {"shop": ("remove-from-cart",), "portal": ("one-invoice",), "chat": ("right-anna",)}


@pytest.mark.parametrize("suite", QUICK)
def test_one_task_of_each_kind_is_scored_as_done(browser: Browser, suite: str) -> None:
    tasks = [task for task in load_tasks(suite) if task.name in QUICK[suite]]
    found = sb.evaluate(tasks, target=solve(SOLUTIONS[suite]), browser=browser, progress=False)
    assert found.passed == 1.0, found.frame.T.to_string()


def test_the_wrong_thing_done_fails_and_says_what_is_missing(browser: Browser) -> None:
    tasks = [task for task in load_tasks("admin") if task.name == "delete-right-one"]
    found = sb.evaluate(
        tasks, target=lambda page, task: delete(page, 17), browser=browser, progress=False, name="wrong"
    )
    (attempt,) = found.attempts
    assert not attempt.passed
    assert attempt.scores == {"sends": 0.0, "state": 0.0}
    assert attempt.sent == ["POST /people/17/delete"]


@pytest.fixture
def miniwob_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages that `tests/apps/install.py` unpacks stand where the package would."""
    if find_spec("miniwob") is None:
        if not (INSTALLED / "miniwob").exists():
            pytest.skip("MiniWoB++ isn't installed: `python tests/apps/install.py` does it")
        monkeypatch.syspath_prepend(INSTALLED / "miniwob")


@pytest.mark.gym
@pytest.mark.usefixtures("miniwob_package")
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["click-button"], id="one"),
        pytest.param([task.name for task in load_tasks("miniwob")], id="all", marks=LONG),
    ],
)
def test_miniwob_is_judged_by_its_own_reward(browser: Browser, names: list[str]) -> None:
    def solution(page: Page, task: Task) -> Any:
        asked = page.evaluate("core.getUtterance()")
        said = asked if isinstance(asked, str) else asked["utterance"]
        return sb.agent(page, said, model=model_of(SOLVERS[task.name], said), autonomy="all").run()

    tasks = [task for task in load_tasks("miniwob") if task.name in names]
    found = sb.evaluate(tasks, target=solution, browser=browser, progress=False)
    assert found.passed == 1.0, found.frame[~found.frame["passed"]].T.to_string()


def test_miniwob_serves_its_own_files_only(miniwob_package: None) -> None:
    site = MiniWob()
    assert site.respond(Request("GET", "/miniwob/click-test.html")).status == 200
    assert site.respond(Request("GET", "/../__init__.py")).status == 404


def delete(page: Page, number: int) -> None:
    page.goto(f"{page.url}people/{number}/delete")
    page.click("button 'Delete for good'")
