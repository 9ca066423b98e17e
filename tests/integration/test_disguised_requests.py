"""Requests in disguise, ways past the debugger, and a filled secret's ways out: nothing arrives unasked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from skillbook.session.sync import Browser
from skillbook.skill.files.skill_folder import write_skill
from skillbook.skill.library import load_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.channels import CHANNELS, SECRETS
from tests.faults.attack.obeying import obey
from tests.faults.attack.sends import HABITS, QUERIES, Kind, Tried, try_kind
from tests.faults.attack.site import serve_attack


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[OpenAIServer, Site]]:
    folder = tmp_path_factory.mktemp("sends")
    with OpenAIServer([]) as server, serve_attack() as site, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SKILLBOOK_HOME", str(folder / "home"))
        patch.setenv("SKILLBOOK_BASE_URL", server.base_url)
        patch.setenv("SKILLBOOK_MODEL", "scripted")
        patch.setenv("SKILLBOOK_MODEL_RETRIES", "0")
        patch.setenv("SKILLBOOK_SECRET_ATTACKEDBANK", "s3cr3t-of-the-bank")
        yield server, site


def tried(browser: Browser, rig: tuple[OpenAIServer, Site], kind: Kind, *names: str) -> list[Tried]:
    """Some attacks of a kind; `make attack` tries them all."""
    assert set(names) <= set(kind.attacks)
    return try_kind(browser, *rig, replace(kind, attacks={name: kind.attacks[name] for name in names}))


def test_fault_48_a_write_that_says_it_queries_is_asked_about(
    browser: Browser, rig: tuple[OpenAIServer, Site]
) -> None:
    names = ("JSON-RPC by another method", "GraphQL comment ended by CR", "GET with a method override")
    tries = tried(browser, rig, QUERIES, *names)
    assert [each for each in tries if each.arrived or not each.asked] == []


def test_fault_49_an_operation_that_resembles_a_habit_is_asked_about(
    browser: Browser, rig: tuple[OpenAIServer, Site]
) -> None:
    names = ("another method in a list (Livewire)", "another target header (AWS)", "another id in the path")
    tries = tried(browser, rig, HABITS, *names)
    assert [each for each in tries if each.arrived or not each.asked] == []


def test_fault_52_nothing_leaves_past_the_debugger(browser: Browser, rig: tuple[OpenAIServer, Site]) -> None:
    names = ("link prefetch", "sandboxed new frame", "new frame")
    windows = ("encoded letters in a new window",)
    assert [each for each in tried(browser, rig, CHANNELS, *names, *windows) if each.arrived] == []


def test_fault_50_a_filled_secret_leaves_for_no_other_origin(
    browser: Browser, rig: tuple[OpenAIServer, Site]
) -> None:
    names = ("authorization", "body, escaped", "host name", "WebSocket", "foreign frame", "new window")
    assert [each for each in tried(browser, rig, SECRETS, *names) if each.arrived] == []


def test_fault_52_what_the_browser_sends_by_itself_is_switched_off(
    browser: Browser, rig: tuple[OpenAIServer, Site]
) -> None:
    """Neither the debugger nor a rule sees these; where skillbook launches the browser, pages don't have them."""
    page = browser.open(rig[1].url)
    names = ["fetchLater", "BackgroundFetchManager", "PaymentRequest", "IdentityCredential"]
    assert page.evaluate(f"{names}.filter((name) => name in window)") == []


def test_what_an_agent_caused_is_asked_about_although_a_skill_ran_since(
    browser: Browser, rig: tuple[OpenAIServer, Site], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The skill and then the agent come to the page anew; what the click sends late isn't the page's own doing."""
    server, site = rig
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    step = SkillStep(command="wait_for", params={"seconds": 2})
    spec = SkillSpec(name="look", description="Looks.", origins=[site.url], steps=[step])
    load_skill(write_skill(spec, tmp_path / "skills")).approve()
    later = "setTimeout(() => fetch('/late', {method: 'POST', body: 'a'}), 3300)"
    site.app.pages["/late-page"] = f'<button onclick="{later}">Go</button>'
    page = browser.open(f"{site.url}/late-page")
    click, waits = ToolCall("click", {"target": "button 'Go'"}), ToolCall("wait_for", {"seconds": 2})
    asked = obey(
        server,
        page,
        [click, ToolCall("run_skill", {"name": "look"}), waits],
        lambda run: not run.pending.request,
    )
    assert asked == 1
    assert "POST /late" not in site.app.arrived
