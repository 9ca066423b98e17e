"""What only a person gets past, on real pages: each kind is noticed, ordinary pages raise no alarm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents.review.person_help import find_obstacle
from skillbook.io_thread import io
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.shown import after_reading

Serve = Callable[[str], Page]
ROBOT = "<h2>One more step</h2><label><input type=checkbox id=r> I'm not a robot</label><button>Go</button>"
OBSTACLES = {
    "captcha box": (ROBOT, "captcha"),
    "captcha page": ("<h1>Verify you are human</h1><p>This takes a moment.</p>", "captcha"),
    "captcha de": ("<label><input type=checkbox> Ich bin kein Roboter</label>", "captcha"),
    "login": (
        "<h1>Sign in</h1><input aria-label=Name><input type=password><button>Sign in</button>",
        "login",
    ),
    "login fr": ("<input aria-label=Nom><input type=password><button>Se connecter</button>", "login"),
    "login by steps": ("<h1>Log in</h1><input type=email aria-label=Email><button>Next</button>", "login"),
    "two factor": (
        "<h1>Check</h1><label>Verification code <input></label><button>Continue</button>",
        "two_factor",
    ),
    "two factor de": ("<label>Bestätigungscode <input></label><button>Weiter</button>", "two_factor"),
    "cookies": (
        "<p>News</p><a href=#>Read</a><dialog id=d><p>We use cookies.</p><button>Accept all</button></dialog>"
        "<script>d.showModal()</script>",
        "cookies",
    ),
    "cookies es": (
        "<a href=#>Leer</a><div role=dialog style='position:fixed;inset:0;background:#fff'>Usamos cookies"
        "<button>Aceptar</button></div>",
        "cookies",
    ),
    "permission": (
        "<a href=#>Map</a><dialog open>The map wants to use your location<button>Allow</button></dialog>",
        "permission",
    ),
}
NAMED = "<input aria-label=Name>"
PASSWORD = "<input type=password>"
CONSENT = "We use cookies<button>OK, accept</button>"
BADGE = "https://www.google.com/recaptcha/api2/anchor?size=invisible"
LINKS = "".join(f"<a href=#{number}>Article {number}</a> " for number in range(30))
ORDINARY = {
    "shop with a sign-in form in its header": f"<form>{NAMED}{PASSWORD}<button>Sign in</button></form>{LINKS}",
    "registration": f"<h1>New account</h1>{NAMED}{PASSWORD}{PASSWORD}<button>Create</button>",
    "sign-in link": "<a href=#>Sign in</a><h1>Lamps</h1><label>Search <input></label><button>Search</button>",
    "cookie bar below": f"{LINKS}<div role=dialog style='position:fixed;bottom:0'>{CONSENT}</div>",
    "cookie recipe": "<h1>Chocolate cookies</h1><p>Bake them.</p><button>Accept the recipe</button>",
    "coupon": "<label>Discount code <input></label><label>ZIP code <input></label><label>Security code <input></label>",
    "story about robots": "<h1>Why I am not afraid of a robot</h1><p>A captcha is a test.</p>",
    "hidden badge": f"<iframe src='{BADGE}' width=256 height=60></iframe>",
    "dialog of an app": "<dialog id=d>Delete the file?<button>Allow</button></dialog><script>d.showModal()</script>",
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_an_obstacle_is_noticed(name: str, read_html: Serve) -> None:
    html, kind = OBSTACLES[name]
    found = find_obstacle(read_html(f"<meta charset=utf-8>{html}").snapshot())
    assert found is not None
    assert found.kind == kind
    assert found.message


@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_page_raises_no_alarm(name: str, read_html: Serve) -> None:
    assert find_obstacle(read_html(f"<meta charset=utf-8>{ORDINARY[name]}").snapshot()) is None


def test_a_goal_that_speaks_of_signing_in_needs_nobody(read_html: Serve) -> None:
    snapshot = read_html(OBSTACLES["login"][0]).snapshot()
    assert find_obstacle(snapshot, "Sign in as Ann with ${secret:pw}") is None


@pytest.mark.parametrize("app", ["swagger", "shoelace", "jqueryui"])
def test_applications_raise_no_alarm(
    app: str, request: pytest.FixtureRequest, open_page: Callable[[str], Page]
) -> None:
    page = open_page(request.getfixturevalue(app).url)
    page.wait_for(idle=True)
    assert find_obstacle(page.snapshot()) is None


def test_what_the_person_does_becomes_steps_and_is_noticed(serve_html: Serve, tmp_path: Path) -> None:
    page = serve_html(
        "<button onclick='document.title=\"saved\"' disabled id=b>Save</button>"
        "<label><input type=checkbox onchange='b.disabled=false;this.parentNode.hidden=true'> I'm not a robot</label>"
    )
    model = ScriptedModel([ToolCall("click", {"target": "button 'Save'"}), "saved"])
    run = sb.agent(page, "Save it", model, autonomy="all").auto()
    assert run.status == "waiting"
    assert run.pending is not None
    assert run.pending.obstacle is not None
    assert model.requests == [], "the model is not queried before the person was"
    page.click("checkbox")
    wait_until_noticed(run)
    answered = after_reading(run).approve()
    assert answered is not None
    assert answered.tool == "request_assistance"
    assert run.status == "succeeded"
    assert [(step.tool, step.decision, step.ok) for step in run.records] == [
        ("check", "person", True),
        ("request_assistance", "approve", True),
        ("click", "auto", True),
    ]
    assert "says that it is done" in run.messages[1].text
    skill = run.save_skill("save-it", tmp_path, prove=False)
    assert [step.command for step in skill.spec.steps] == ["check", "click"]


def test_what_an_agent_sends_after_a_person_helped_is_asked_about(serve_html: Serve) -> None:
    """While a person acts, everything goes; the run decides again once it goes on."""
    page = serve_html(
        "<button disabled id=b onclick=\"fetch('/write', {method: 'POST'})\">Go</button>"
        "<label><input type=checkbox onchange='b.disabled=false;this.parentNode.hidden=true'> I'm not a robot</label>"
    )
    model = ScriptedModel([ToolCall("click", {"target": "button 'Go'"}), "gone"])
    run = sb.agent(page, "Press Go", model, autonomy="all").auto()
    page.click("checkbox")
    wait_until_noticed(run)
    after_reading(run).approve()
    assert run.pending is not None
    assert run.pending.tool == "send_request"
    after_reading(run).reject("no")
    assert run.status == "succeeded"


def test_a_person_who_cannot_help_is_reported(serve_html: Serve) -> None:
    page = serve_html(ROBOT)
    run = sb.agent(page, "Go on", ScriptedModel([lambda seen: seen[-1].text]), autonomy="all").auto()
    after_reading(run).reject("no idea")
    assert run.status == "succeeded"
    assert "could not do it: no idea" in run.result
    assert not run.records[-1].ok


def test_nothing_pauses_where_that_is_not_wanted(serve_html: Serve) -> None:
    run = sb.agent(serve_html(ROBOT), "Go on", ScriptedModel(["done"]), autonomy="all", assist=False).run()
    assert run.status == "succeeded"


def wait_until_noticed(run: Any) -> None:
    """The page is at rest soon after what the person did; then the obstacle is looked for again."""

    async def wait() -> None:
        noticed = asyncio.Event()
        run.on_change.append(lambda _: noticed.set())
        while not run.help_noticed:
            await noticed.wait()
            noticed.clear()

    io.sync(wait(), timeout=10)
