"""Each limit of `skillbook mcp`, given as on its command line, holds for the official client."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

import skillbook as sb
from skillbook.mcp_server import person_questions
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.mcp_options import add_limits, limits_of
from skillbook.session.sync import Browser
from skillbook.testing.site import serve_site
from tests.integration.test_mcp_server import MODERN, Person, Shop, call, visit

DRAG = {"target": "heading 'Shop'", "to": "button 'Greet'"}
SKILL = Path(__file__).resolve().parents[2] / "skills" / "search-products"


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.server.shutdown()


def given(*words: str) -> ClientLimits:
    """The limits of a command line."""
    parser = argparse.ArgumentParser()
    add_limits(parser)
    return limits_of(parser.parse_args(words))


@pytest.mark.parametrize(("wish", "asked"), [("all", ["drag"]), ("writes", ["drag"]), ("irreversible", [])])
def test_ask_says_which_calls_wait_for_the_person(
    browser: Browser, shop: Shop, wish: str, asked: list[str]
) -> None:
    browser.allow(shop.url)
    person = Person("approve")

    async def work(client: Client) -> list[str]:
        await call(client, "open", url=shop.url)
        found = []
        for name, args in (("snapshot", {}), ("drag", DRAG)):
            before = len(person.asked)
            said = await call(client, name, **args)
            assert "rejected" not in said
            assert "not_allowed" not in said
            found += [name] if len(person.asked) > before else []
        return found

    assert visit(browser, work, mode=MODERN, person=person, limits=given("--ask", wish)) == asked


def test_ask_in_panel_leaves_the_clients_dialog_out(
    browser: Browser, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_questions, "ANSWER_SECONDS", 0.2)
    browser.allow(shop.url)
    browser.driver.asked_at = float("-inf")
    shop.sent.clear()
    person = Person("approve")

    async def work(client: Client) -> str:
        await call(client, "open", url=shop.url)
        return await call(client, "click", target="button 'Delete order 7'")

    said = visit(browser, work, mode=MODERN, person=person, limits=given("--ask-in-panel"))
    assert "side panel" in said
    assert (person.asked, shop.sent) == ([], [])


def test_counts_and_places_end_where_the_options_say(browser: Browser, shop: Shop) -> None:
    browser.allow(shop.url)
    shop.sent.clear()

    async def two_calls(client: Client) -> None:
        await call(client, "open", url=shop.url)
        assert "Greet" in await call(client, "snapshot")  # the last one's answer comes
        for _ in range(2):
            assert "--max-calls" in await call(client, "snapshot")

    async def one_a_minute(client: Client) -> None:
        await call(client, "tabs", do="list")
        said = await call(client, "tabs", do="list")
        assert "budget_exceeded" in said
        assert "go on in" in said

    async def looks(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert not {"click", "fill", "run_cell"} & names
        await call(client, "open", url=shop.url)
        for name, args in (("click", {"target": "button 'Next'"}), ("press", {"key": "Enter"})):
            assert "only reads" in await call(client, name, **args)

    async def elsewhere(client: Client) -> None:
        assert "Shop" in await call(client, "open", url=shop.url)
        assert "isn't one of the origins" in await call(client, "open", url="http://127.0.0.1:9/")

    visit(browser, two_calls, limits=given("--max-calls", "2"))
    visit(browser, one_a_minute, limits=given("--calls-a-minute", "1"))
    visit(browser, looks, limits=given("--read-only"))
    visit(browser, elsewhere, limits=given("--origins", shop.url))
    assert (given("--tabs", "shared").tabs, given().tabs) == (
        "shared",
        "own",
    )  # see test_mcp_panel_answers.py
    assert shop.sent == []


def test_a_skill_is_a_tool_whose_rows_are_structured_and_long_calls_say_how_far_they_are(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    shutil.copytree(SKILL, tmp_path / "skills" / "search-products")
    sb.load_skill("search-products").approve()

    said: list[tuple[float, float | None, str]] = []

    async def note(done: float, total: float | None, words: str | None) -> None:
        if float(done).is_integer():  # a call that lasts says in between what it waits for
            said.append((done, total, words or ""))

    async def work(client: Client) -> None:
        [tool] = [tool for tool in (await client.list_tools()).tools if tool.name == "skill_search-products"]
        assert tool.output_schema is not None
        await call(client, "open", url=site.url)
        done = await client.call_tool(tool.name, {"query": "lamp"}, progress_callback=note)
        assert not done.is_error, done.content
        found = done.structured_content
        assert found is not None
        assert found["complete"] is True
        assert found["text"].startswith("<page-content untrusted")
        assert set(found) <= set(tool.output_schema["properties"]), "no words of the page outside of the text"
        [rows] = (await client.read_resource(found["csv"])).contents
        assert isinstance(rows, types.TextResourceContents)
        assert len(rows.text.splitlines()) == found["rows"] + 1 > 5
        assert "lamp" in rows.text.lower()
        steps = sb.load_skill("search-products").planned
        assert [(total, words.partition(":")[0]) for _, total, words in said] == [
            (steps, f"step {number} of {steps}") for number in range(1, (steps or 0) + 1)
        ]
        said.clear()
        await call(client, "open", url=f"{site.url}/search?q=lamp")
        read = {"next": "link 'Next'", "max_pages": 2}
        pages = await client.call_tool("extract", read, progress_callback=note)
        assert [(done, total, words.partition(",")[0]) for done, total, words in said] == [
            (1, 2, "page 1"),
            (2, 2, "page 2"),
        ]
        assert said[-1][2] == f"page 2, {pages.structured_content['rows']} rows so far"

    with serve_site("shop") as site:
        browser.allow(site.url)
        visit(browser, work, mode=MODERN, person=Person("approve"))


def test_a_person_saves_by_a_prompt_what_their_client_did(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))

    async def work(client: Client) -> None:
        [prompt] = [one for one in (await client.list_prompts()).prompts if one.name == "save_what_was_done"]
        assert [(one.name, one.required) for one in prompt.arguments or []] == [
            ("name", True),
            ("last", False),
        ]
        with pytest.raises(MCPError, match="nothing was done"):
            await client.get_prompt(prompt.name, {"name": "find-lamps"})
        await call(client, "open", url=site.url)
        await call(client, "fill", target="searchbox 'Search products'", value="lamp")
        await call(client, "press", key="Enter")
        told = (await client.get_prompt(prompt.name, {"name": "find-lamps"})).messages[0].content.text
        assert "What can't be undone in it asks each time" in told
        assert "Fill searchbox 'Search products' with lamp" in told
        with pytest.raises(MCPError, match="find-lamps"):
            await client.get_prompt(prompt.name, {"name": "find-lamps"})

    with serve_site("shop") as site:
        browser.allow(site.url)
        visit(browser, work, mode=MODERN, person=Person("approve"))
    skill = sb.load_skill("find-lamps")
    assert [step.command for step in skill.spec.steps][-2:] == ["fill", "press"]
    assert [one.name for one in skill.inputs] == ["site", "query"]


def test_resources_and_prompts_are_read_by_the_client(
    browser: Browser, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    shutil.copytree(SKILL, tmp_path / "skills" / "search-products")
    sb.load_skill("search-products").approve()
    browser.allow(shop.url)

    async def work(client: Client) -> None:
        assert (await client.list_resources()).resources == []
        await call(client, "open", url=shop.url)
        await call(client, "snapshot")
        await call(client, "screenshot")
        await call(client, "extract")
        listed = {str(each.uri): each.mime_type for each in (await client.list_resources()).resources}
        read = {}
        for uri, kind in listed.items():
            [content] = (await client.read_resource(uri)).contents
            assert content.mime_type == kind
            read[uri] = content
        page, journal = read["skillbook://page"], read["skillbook://journal"]
        assert isinstance(page, types.TextResourceContents)
        assert page.text.startswith("<page-content untrusted")
        assert 'button "Greet"' in page.text
        assert isinstance(journal, types.TextResourceContents)
        tools = [step["tool"] for step in json.loads(journal.text)]
        assert tools == ["goto", "snapshot", "screenshot", "extract"]
        shot, rows = read["skillbook://screenshot/3"], read["skillbook://rows/4"]
        assert isinstance(shot, types.BlobResourceContents)
        begins = {"image/png": "iVBOR", "image/jpeg": "/9j/"}
        assert shot.blob.startswith(begins[listed["skillbook://screenshot/3"] or ""])
        assert isinstance(rows, types.TextResourceContents)
        assert rows.text.splitlines() == ["Lamp,Price", "Oslo,12", "Rome,9"]
        with pytest.raises(MCPError, match="list the resources"):
            await client.read_resource("skillbook://rows/9")
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        prompt = prompts["skill_search-products"]
        assert {"site", "query"} == {each.name for each in prompt.arguments or []}
        filled = await client.get_prompt(prompt.name, {"query": "brass lamp"})
        assert "brass lamp" in filled.messages[0].content.text
        with pytest.raises(MCPError, match="no-such-skill"):
            await client.get_prompt("skill_no-such-skill", {})

    visit(browser, work, mode=MODERN, person=Person("approve"))
