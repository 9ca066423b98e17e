"""A person's workflows as tools of other programs' agents, by the official client, in both eras."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pandas as pd
import pytest
from mcp import Client

import skillbook as sb
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.session.sync import Browser
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.integration.test_mcp_server import MODERN, Person, Shop, call, visit


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.server.shutdown()


@pytest.fixture
def flows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workflows of the person's, known for one test."""
    monkeypatch.setattr(workflows, "_known", dict(workflows._known))

    @sb.workflow("greet-all")
    def greet_all(page: Any, *, names: list[str], loud: bool = False) -> Iterator[Any]:
        """Greet each of some people.

        Parameters
        ----------
        names
            whom to greet.
        """
        said = []
        for number, name in enumerate(names, 1):
            page.fill("textbox 'Name'", name.upper() if loud else name)
            page.click("button 'Greet'")
            said.append(page.get("text", "css '#said'"))
            yield number, len(names)
        yield pd.DataFrame({"said": said})

    @sb.workflow("tidy")
    def tidy(page: Any) -> Any:
        """Have an agent delete the order."""
        model = ScriptedModel([ToolCall("click", {"target": "button 'Delete order 7'"}), "Deleted."])
        return sb.agent(page, "Delete order 7", model=model, autonomy="all").start()


@pytest.mark.parametrize("mode", ["legacy", MODERN])
@pytest.mark.usefixtures("flows")
def test_a_workflow_is_a_tool_that_reports_progress_and_gives_rows(
    browser: Browser, shop: Shop, mode: str
) -> None:
    browser.allow(shop.url)
    person, progress = Person("approve"), list[tuple[float, float | None]]()

    async def note(done: float, total: float | None, message: str | None) -> None:
        progress.append((done, total))

    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "workflow_copilot" not in tools
        offered = tools["workflow_greet-all"]
        assert offered.description == "Workflow: Greet each of some people."
        assert offered.input_schema["properties"]["names"] == {
            "type": "array",
            "description": "whom to greet.",
        }
        assert offered.input_schema["required"] == ["names"]
        assert offered.annotations is not None
        assert offered.annotations.destructive_hint is True
        await call(client, "open", url=shop.url)
        given = {"names": ["Ann", "Bo"]}
        done = await client.call_tool("workflow_greet-all", given, progress_callback=note)
        text = done.content[0].text
        assert "Hello Ann" in text, text
        assert "2 rows" in text
        assert done.structured_content is not None
        assert done.structured_content["rows"] == 2
        listed = [str(each.uri) for each in (await client.list_resources()).resources]
        assert done.structured_content["csv"] in listed
        rows = await client.read_resource(done.structured_content["csv"])
        assert rows.contents[0].text.splitlines() == ["said", "Hello Ann", "Hello Bo"]
        wrong = await call(client, "workflow_greet-all", nmaes=[])
        assert "no input 'nmaes'" in wrong
        assert "there is no workflow 'copilot'" in await call(client, "workflow_copilot", goal="x")

    visit(browser, work, mode=mode, person=person)
    # A call that lasts says in between what it waits for.
    assert [report for report in progress if float(report[0]).is_integer()] == [(1.0, 2.0), (2.0, 2.0)]
    assert "Run your workflow" in person.asked[0]
    assert "greet-all" in person.asked[0]
    assert "acts in your name" in person.asked[0]


@pytest.mark.parametrize("mode", ["legacy", MODERN])
@pytest.mark.usefixtures("flows")
def test_what_an_agent_of_a_workflow_asks_is_answered_in_the_clients_dialog(
    browser: Browser, shop: Shop, mode: str
) -> None:
    browser.allow(shop.url)
    shop.sent.clear()

    class Second(Person):
        """Lets the workflow start, and what its agent wants only where it says so."""

        async def __call__(self, context: Any, params: Any) -> types.ElicitResult:
            self.decision = "approve" if not self.asked else "reject"
            return await super().__call__(context, params)

    person = Second("approve")

    async def work(client: Client) -> str:
        await call(client, "open", url=shop.url)
        return await call(client, "workflow_tidy")

    said = visit(browser, work, mode=mode, person=person)
    assert len(person.asked) == 2, said
    assert "Click the button 'Delete order 7'" in person.asked[1]
    assert shop.sent == []


def test_a_workflow_gives_what_its_agent_found_and_fails_where_it_started_none(
    browser: Browser, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workflows, "_known", dict(workflows._known))

    def greet(page: Any) -> Any:
        model = ScriptedModel([ToolCall("click", {"target": "button 'Greet'"}), "Greeted them."])
        return sb.agent(page, "Greet", model=model, autonomy="all")

    sb.workflow("started")(lambda page: greet(page).start())
    sb.workflow("forgotten")(greet)
    browser.allow(shop.url)

    async def work(client: Client) -> None:
        await call(client, "open", url=shop.url)
        assert "Greeted them." in await call(client, "workflow_started")
        forgotten = await client.call_tool("workflow_forgotten", {})
        assert forgotten.is_error
        assert "didn't start" in forgotten.content[0].text
        assert "return run.start()" in forgotten.content[0].text

    visit(browser, work, mode=MODERN, person=Person("approve"))


@pytest.mark.usefixtures("flows")
def test_nothing_of_a_workflow_runs_unless_a_person_lets_it(browser: Browser, shop: Shop) -> None:
    browser.allow(shop.url)

    async def rejected(client: Client) -> None:
        await call(client, "open", url=shop.url)
        assert "rejected" in await call(client, "workflow_greet-all", names=["Ann"])
        assert "Hello Ann" not in await call(client, "read")

    async def only_reads(client: Client) -> None:
        assert not [tool for tool in (await client.list_tools()).tools if tool.name.startswith("workflow_")]
        assert "only reads" in await call(client, "workflow_greet-all", names=["Ann"])

    visit(browser, rejected, person=Person("reject"))
    visit(browser, only_reads, limits=ClientLimits(read_only=True))


@pytest.mark.parametrize("mode", ["legacy", MODERN])
@pytest.mark.usefixtures("flows")
def test_clients_learn_that_workflows_and_skills_came(
    browser: Browser, shop: Shop, mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    changes: asyncio.Queue[str] = asyncio.Queue()

    async def note(message: Any) -> None:
        changes.put_nowait(str(getattr(message, "method", "")))

    async def changed(client: Client) -> set[str]:
        async with asyncio.timeout(20):
            while "tools" not in await changes.get():
                pass
        return {tool.name for tool in (await client.list_tools()).tools}

    async def listen(client: Client) -> None:
        async with client.listen(tools_list_changed=True) as stream:
            async for event in stream:
                changes.put_nowait(f"tools {event}")

    async def work(client: Client) -> None:
        await client.list_tools()
        listening = asyncio.ensure_future(listen(client)) if mode == MODERN else None
        try:
            await asyncio.to_thread(sb.workflow("come"), lambda page: "here")
            assert "workflow_come" in await changed(client)
            folder = tmp_path / "skills" / "look"
            folder.mkdir(parents=True)
            (folder / "replay.yaml").write_text("version: 2\nsteps:\n- command: scroll\n")
            (folder / "SKILL.md").write_text("---\nname: look\ndescription: Looks.\n---\nLook.\n")
            sb.load_skill("look", tmp_path / "skills").approve()
            assert "skill_look" in await changed(client)
        finally:
            if listening is not None:
                listening.cancel()

    visit(browser, work, mode=mode, messages=note)
