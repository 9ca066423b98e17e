"""How often a person is asked about requests: never on ordinary reading tasks, once per kind of write elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.session.sync import Browser, Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site, serve_site
from tests.integration.conftest import APPS, INSTALLED
from tests.shown import after_reading

pytestmark = pytest.mark.gym
DEMOS = "/usr/share/doc/libjs-jquery-ui-docs/examples"
PYDOCS = "/usr/share/doc/python3.11/html"
Solve = Callable[..., Run]


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Django's admin, with three items; its address."""
    if not (INSTALLED / "django").exists():
        pytest.skip("Django isn't installed: `python tests/apps/install.py` does it")
    command = [sys.executable, str(APPS / "django_admin.py"), str(tmp_path_factory.mktemp("django"))]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, env={"PYTHONPATH": str(INSTALLED / "django")}
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.terminate()


def items(admin: str) -> list[str]:
    with urllib.request.urlopen(f"{admin}/names") as answer:
        names: list[str] = json.load(answer)
    return names


@pytest.fixture
def solve(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Solve]:
    """Has a scripted model make calls on a page; the person approves calls, and `on_request` decides on requests."""
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SKILLBOOK_MODEL", "scripted")
    with OpenAIServer([]) as server:
        monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)

        def play(
            page: Page, *calls: ToolCall, on_request: Callable[[Run], Any] | None = None, **options: Any
        ) -> tuple[Run, list[str]]:
            server.script.extend([*calls, "done"])
            run, asked = sb.agent(page, "Do it.", **options).run(), []
            while run.status == "waiting":
                assert run.pending is not None
                if run.pending.request is None:
                    after_reading(run).approve()
                    continue
                asked.append(str(run.pending.request.fact))
                (on_request or (lambda run: after_reading(run).reject("no")))(run)
            assert run.status == "succeeded", run.error
            return run, asked

        yield play


def click(target: str) -> ToolCall:
    return ToolCall("click", {"target": target})


def fill(target: str, value: str) -> ToolCall:
    return ToolCall("fill", {"target": target, "value": value})


def press(key: str, target: str) -> ToolCall:
    return ToolCall("press", {"key": key, "target": target})


READING: dict[str, tuple[str, str, list[ToolCall]]] = {
    "search a list": ("admin", "/admin/shop/item/", [fill("textbox", "lamp"), click("button 'Search'")]),
    "sort a table": ("admin", "/admin/shop/item/", [click("link 'Name'")]),
    "read a record": ("admin", "/admin/shop/item/", [click("link '1'"), ToolCall("snapshot", {})]),
    "search a shop": ("shop", "/", [fill("searchbox", "lamp"), press("Enter", "searchbox")]),
    "page through results": ("shop", "/search?q=a", [click("link 'Next'")]),
    "search documentation": (
        "pydocs",
        "/search.html",
        [fill("textbox", "asyncio"), click("button 'search'")],
    ),
    "go on to the next page": ("pydocs", "/library/json.html", [click("link 'next' nth 1")]),
    "pick a date": (
        "jqueryui",
        "/datepicker/default.html",
        [click("textbox"), click("link 'Next'"), click("link '15'")],
    ),
    "take a suggestion": (
        "jqueryui",
        "/autocomplete/default.html",
        [ToolCall("type", {"target": "textbox", "text": "ja"}), press("ArrowDown", "textbox")],
    ),
    "filter by a tab": ("jqueryui", "/tabs/default.html", [click("tab 'Proin dolor'")]),
}


@pytest.fixture(scope="module")
def bases(admin: str, jqueryui: Site) -> Iterator[dict[str, str]]:
    with serve_site("shop") as shop:
        yield {
            "admin": admin,
            "shop": shop.url.rstrip("/"),
            "pydocs": jqueryui.url + PYDOCS,
            "jqueryui": jqueryui.url + DEMOS,
        }


@pytest.mark.parametrize("task", READING)
def test_nobody_is_asked_about_requests_of_tasks_that_read(
    task: str, bases: dict[str, str], open_page: Callable[[str], Page], solve: Solve
) -> None:
    where, path, calls = READING[task]
    run, asked = solve(open_page(bases[where] + path), *calls, autonomy="reads")
    assert run.steps["ok"].all(), run.steps.to_string()
    assert asked == []


LIST, ADD = "/admin/shop/item/", "/admin/shop/item/add/"


def test_django_admin_asks_before_it_adds_edits_and_deletes(
    admin: str, open_page: Callable[[str], Page], solve: Solve
) -> None:
    before = items(admin)
    tasks: dict[str, tuple[str, list[ToolCall]]] = {
        "/admin/shop/item/add/ ": (ADD, [fill("textbox 'Name:'", "sofa"), click("button 'Save'")]),
        "/admin/shop/item/{id}/change/ ": (
            LIST + "1/change/",
            [fill("textbox 'Name:'", "stolen"), click("button 'Save'")],
        ),
        "'Go' deletes, which can't be undone; it sends POST": (
            LIST,
            [
                ToolCall("check", {"target": "checkbox name~'action - chair'"}),
                ToolCall("select", {"target": "combobox", "values": ["Delete selected items"]}),
                click("button 'Go'"),
            ],
        ),
    }
    for said, (path, calls) in tasks.items():
        run, asked = solve(open_page(admin + path), *calls, autonomy="all")
        assert (run.steps["ok"] | (run.steps["error"] == "not_sent")).all(), run.steps.to_string()
        # What can't be undone was approved with what it sends, so that the request itself isn't asked about again.
        questions = asked or [step.reason for step in run.records if step.effect == "irreversible"][-1:]
        assert len(questions) == 1
        assert said in questions[0]
        assert items(admin) == before


def test_each_kind_of_write_asks_once(
    admin: str, browser: Browser, open_page: Callable[[str], Page], solve: Solve
) -> None:
    calls = []
    for name in ("bench", "stool", "couch"):
        calls += [
            ToolCall("goto", {"url": admin + ADD}),
            fill("textbox 'Name:'", name),
            click("button 'Save'"),
        ]
    _, asked = solve(
        open_page(admin + LIST),
        *calls,
        autonomy="all",
        on_request=lambda run: after_reading(run).approve(always="session", vary=["name"]),
    )
    browser.rules.clear()
    assert len(asked) == 1
    assert {"bench", "stool", "couch"} <= set(items(admin))
