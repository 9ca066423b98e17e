"""A chat in the real side panel: its skill runs by a click, and a twin that was recorded there reads another chat."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import Page as PlaywrightPage

from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import Script, ToolCall
from skillbook.testing.site import Site, serve_site
from skillbook.testing.sites.chat import CODE, PHONE, Message
from tests.integration.side_panel import PanelWorld, panel_world

SKILLS = Path(__file__).resolve().parents[2] / "skills"
LONG, SHORT = "Nadia Okafor", "Jane Smith"


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer([]) as server:
        yield server


@pytest.fixture(scope="module")
def chat() -> Iterator[Site]:
    with serve_site("chat") as site:
        yield site


@pytest.fixture(scope="module")
def world(model: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PanelWorld]:
    folder = tmp_path_factory.mktemp("panel_chat")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SKILLBOOK_HOME", str(folder / "home"))
        patch.setenv("SKILLBOOK_BASE_URL", model.base_url)
        patch.setenv("SKILLBOOK_MODEL", "scripted")
        patch.setenv("SKILLBOOK_MODEL_RETRIES", "0")
        Path("skills").mkdir()
        shutil.copy(SKILLS / "whatsapp-messages.prompt.md", "skills")
        with panel_world(folder) as world:
            yield world


@pytest.fixture(scope="module")
def panel(world: PanelWorld) -> PlaywrightPage:
    return world.open_panel()


@pytest.fixture(scope="module")
def page(world: PanelWorld, panel: PlaywrightPage, chat: Site) -> PlaywrightPage:
    """The chat in front, signed in to as a person does."""
    page = world.show(chat.url)
    page.get_by_label("Phone number").fill(PHONE)
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Code").fill(CODE)
    page.get_by_role("button", name="Link").click()
    page.get_by_role("list", name="Chats").wait_for()
    return page


def messages(chat: Site, name: str) -> list[Message]:
    return next(each.messages for each in chat.app.chats if each.name == name)  # type: ignore[no-any-return]


def approve(panel: PlaywrightPage, words: str) -> None:
    """Approve what waits, once it is what is meant."""
    expect(panel.get_by_role("region", name="Waiting for you")).to_contain_text(words)
    panel.get_by_role("button", name="Approve", exact=True).click()


def run(card: Locator, name: str, value: str, at: int = 0) -> None:
    """Open a skill's card, give its input, and run it."""
    head = card.get_by_role("button", name=name)
    if head.get_attribute("aria-expanded") == "false":
        head.click()
    card.get_by_role("textbox").nth(at).fill(value)
    card.get_by_role("button", name="Run on this tab").click()


def test_the_chat_skill_runs_by_a_click(
    panel: PlaywrightPage, page: PlaywrightPage, chat: Site, model: OpenAIServer
) -> None:
    said = "There are 95 messages, and these are all."
    open_chat = ToolCall("click", {"target": f"listitem '{LONG}' in list 'Chats'"})
    model.script = Script(
        [open_chat, ToolCall("extract", {"within": "list 'Messages'", "scroll": True}), said]
    )
    run(panel.get_by_role("region", name="Skills"), "Whatsapp messages", LONG)
    approve(panel, "let an agent follow its prompt")
    approve(panel, LONG)
    approve(panel, "Messages")
    expect(panel.locator(".sbp-result")).to_contain_text(said)
    table = panel.get_by_role("grid")
    expect(table).to_have_attribute("aria-rowcount", "96")
    known = messages(chat, LONG)
    expect(table.get_by_role("gridcell", name=known[0].text, exact=True).first).to_be_visible()
    assert len(known) == 95


@pytest.mark.more
def test_a_twin_is_recorded_in_the_panel_and_reads_another_chat(
    panel: PlaywrightPage, page: PlaywrightPage, chat: Site, model: OpenAIServer
) -> None:
    asked = len(model.requests)
    page.goto(chat.url)
    panel.get_by_role("tab", name="Start").click()
    panel.get_by_label("What you are going to show").fill(f"Read the messages of '{SHORT}'")
    recorder = panel.get_by_role("region", name="Record a skill")
    recorder.get_by_role("button", name="Record a skill").click()
    expect(recorder.get_by_text("Recording", exact=True)).to_be_visible()
    page.get_by_role("list", name="Chats").get_by_text(SHORT, exact=True).first.click()
    steps = recorder.get_by_role("list", name="Recorded steps").get_by_role("listitem")
    expect(steps).to_have_count(1)
    # The chat scrolls itself to its last message, which is no step.
    page.get_by_role("list", name="Messages").get_by_role("listitem").last.hover()
    page.mouse.wheel(0, -150)
    expect(steps).to_have_count(2)
    recorder.get_by_role("button", name="Undo").click()
    expect(steps).to_have_count(1)
    recorder.get_by_role("button", name="Redo").click()
    expect(steps).to_have_count(2)
    recorder.get_by_role("button", name="Delete step 2").click()
    expect(steps).to_have_count(1)
    recorder.get_by_role("button", name="Read rows…").click()
    expect(recorder.get_by_text("Click it in the page")).to_be_visible()
    page.get_by_role("list", name="Messages").get_by_role("listitem").last.click()
    expect(steps).to_have_count(2)
    recorder.get_by_role("button", name="Stop").click()
    recorder.get_by_label("Name of the skill").fill("read-chat")
    recorder.get_by_role("button", name="Save").click()
    expect(recorder.get_by_role("button", name="Record a skill")).to_be_visible()
    card = panel.get_by_role("region", name="Skills").get_by_role("listitem").filter(has_text="Read chat")
    page.goto(chat.url)
    panel.get_by_role("tab", name="Start").click()
    run(card, "Read chat", LONG, at=1)
    rows = str(len(messages(chat, LONG)) + 1)
    expect(panel.get_by_role("grid")).to_have_attribute("aria-rowcount", rows)
    expect(panel.locator(".sbp-status")).to_have_text("done")
    assert len(model.requests) == asked, "a recorded skill needs no model"
