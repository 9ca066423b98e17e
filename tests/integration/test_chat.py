"""A chat that looks like those people use: part of its lists is in the page, and messages load upwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.session.sync import Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site, serve_site
from skillbook.testing.sites.chat import CODE, PHONE

SKILLS = Path(__file__).resolve().parents[2] / "skills"
LONG = "Nadia Okafor"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_site("chat") as site:
        yield site


@pytest.fixture
def chat(site: Site, open_page: Callable[[str], Page]) -> Page:
    """The chat, signed in to."""
    page = open_page(site.url)
    if page.url.endswith("/login"):
        page.fill("textbox 'Phone number'", PHONE)
        page.click("button 'Next'")
        page.fill("textbox 'Code'", CODE)
        page.click("button 'Link'")
    return page


def test_it_has_the_roles_and_names_of_such_chats(chat: Page) -> None:
    chat.click("listitem 'John Doe'")
    chat.wait_for(selector="listitem in list 'Messages'")
    text = chat.snapshot().text()
    said = [re.sub(r" \[ref=e\d+\]", "", line.strip()) for line in text.splitlines()]
    at = 0
    for line in (Path(__file__).parent / "pages" / "chat.txt").read_text().splitlines():
        found = [n for n in range(at, len(said)) if said[n].startswith(line)]
        assert found, (line, said[at:])
        at = found[0] + 1


@pytest.mark.parametrize("layout", ["plain", "reverse"])
def test_messages_that_load_upwards_are_read_to_the_first(chat: Page, site: Site, layout: str) -> None:
    chat.goto(f"{site.url}/?layout={layout}")
    chat.click(f"listitem '{LONG}' in list 'Chats'")
    known = next(each for each in site.app.chats if each.name == LONG).messages
    frame = sb.extract(chat, within="list 'Messages'", scroll=True)
    assert len(frame) == len(known)
    assert frame.skillbook.complete
    rows = frame if layout == "plain" else frame[::-1]
    assert list(rows["text"].fillna("")) == [each.text for each in known]
    assert list(rows["by"]) == [each.by or "You" for each in known]


def test_every_chat_is_read_by_its_parts(chat: Page, site: Site) -> None:
    frame = sb.extract(chat, within="list 'Chats'", scroll=True)
    assert list(frame["name"]) == [each.name for each in site.app.chats]
    assert frame.skillbook.complete


def test_a_message_is_written_in_a_shadow_root(chat: Page, site: Site) -> None:
    chat.click("listitem 'Anna Berg'")
    chat.fill("textbox 'Type a message'", "Good morning\nAnna")
    chat.click("button 'Send'")
    assert site.app.sent[-1] == ("Anna Berg", "Good morning\nAnna")
    assert chat.get("text", "textbox 'Type a message'").strip() == ""


def test_a_model_reads_a_chat_by_the_skill(
    chat: Page, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    skill = sb.load_skill(SKILLS / "whatsapp-messages.prompt.md")
    script: list[Any] = [
        ToolCall("click", {"target": f"listitem '{LONG}' in list 'Chats'"}),
        ToolCall("extract", {"within": "list 'Messages'", "scroll": True}),
        "There are 95 messages, and these are all.",
    ]
    with OpenAIServer(script) as server:
        monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)
        monkeypatch.setenv("SKILLBOOK_MODEL", "scripted")
        skill.approve()
        result = skill.run(chat, model="scripted", chat=LONG)
    assert result.ok, result.error
    assert len(result.frame) == 95


@pytest.mark.more
def test_a_recorded_chat_replays_on_another_one(chat: Page, site: Site, tmp_path: Path) -> None:
    with sb.recording(chat, "Read the messages of 'Jane Smith'") as rec:
        chat.click("listitem 'Jane Smith'")
        sb.extract(chat, within="list 'Messages'", scroll=True)
    skill = rec.save_skill("read-chat", tmp_path, prove=False)
    (name,) = [one.name for one in skill.inputs if one.name != "site"]
    for chosen in ("Jane Smith", LONG):
        chat.goto(site.url)
        result = skill.run(chat, start="here", **{name: chosen})
        assert result.ok, result.error
        known = next(each for each in site.app.chats if each.name == chosen).messages
        assert list(result.frame["text"].fillna("")) == [each.text for each in known]
    refused = skill.run(chat, start="here", raise_on_error=False, **{name: "Nobody Here"})
    assert not refused.ok
