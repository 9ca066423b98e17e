"""Calls of other programs that a person decides: in the side panel, and by answers that are bound to their question."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from playwright.sync_api import Page, expect

from skillbook.io_thread import io
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.client_list import ClientList
from skillbook.mcp_server.person_questions import KEY
from skillbook.mcp_server.request_handlers import RequestHandlers
from skillbook.session.sync import Browser
from tests.integration.side_panel import PanelWorld, panel_world
from tests.integration.test_mcp_server import MODERN, Shop, call, clients_of, visit
from tests.waiting import until

DELETE = {"target": "button 'Delete order 7'"}


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.server.shutdown()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PanelWorld]:
    folder = tmp_path_factory.mktemp("mcp_panel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SKILLBOOK_HOME", str(folder / "home"))
        with panel_world(Path(folder)) as world:
            yield world


class Visit:
    """A client without dialogs at work, on a thread of its own: the test's is Playwright's."""

    def __init__(self, browser: Browser, work: Any, limits: ClientLimits | None = None) -> None:
        self.answer: Any = None
        self._thread = threading.Thread(target=self._run, args=(browser, work, limits), daemon=True)
        self._thread.start()

    def _run(self, browser: Browser, work: Any, limits: ClientLimits | None) -> None:
        try:
            self.answer = visit(browser, work, limits=limits)
        except BaseException as error:
            self.answer = error

    def over(self) -> Any:
        """What it answers, once it is over."""
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self.answer


def open_run(panel: Page) -> None:
    """Show the run that waits; the panel may show one that is over, or have opened this one by itself."""
    waits = panel.get_by_role("region", name="Waiting for you")
    elsewhere = panel.get_by_role("button", name="What Tester does here waits for you")
    expect(waits.or_(elsewhere)).to_be_visible()
    if elsewhere.is_visible():
        elsewhere.click()


def test_the_side_panel_approves_and_rejects_what_a_client_without_dialogs_wants(
    world: PanelWorld, shop: Shop
) -> None:
    shop.sent.clear()
    world.browser.allow(shop.url)
    panel = world.open_panel()
    waits = panel.get_by_role("region", name="Waiting for you")

    answers: list[str] = []

    async def delete_twice(client: Client) -> None:
        await call(client, "open", url=shop.url)
        for _ in range(2):
            answers.append(await call(client, "click", **DELETE))

    at_work = Visit(world.browser, delete_twice)
    open_run(panel)
    expect(waits).to_contain_text("Delete order 7")
    expect(panel.get_by_role("region", name="skillbook run")).to_contain_text("Tester, over MCP")
    panel.get_by_role("button", name="Reject…").click()
    panel.get_by_label("What to tell the agent").fill("keep it")
    panel.get_by_role("button", name="Reject", exact=True).click()
    expect(panel.get_by_role("region", name="skillbook run")).to_contain_text("rejected")
    until(lambda: answers, "the rejection never reached the client")
    assert "keep it" in answers[0]
    assert shop.sent == []
    expect(panel.get_by_role("list").get_by_text("rejected").first).to_be_visible()
    expect(waits).to_contain_text("Delete order 7")
    panel.get_by_role("button", name="Approve", exact=True).click()
    panel.get_by_role("button", name="Yes, do it").click()
    # What the press sends is asked about, too, unless the approved step covers it.
    again = panel.get_by_role("button", name=re.compile("^(Approve|Yes, do it.*)$"))

    def is_over() -> bool:
        # Pressed without waiting for it: the call may end, and take the button away, at any moment.
        again.evaluate_all(
            "(all) => all.filter((one) => !one.disabled).slice(0, 1).forEach((one) => one.click())"
        )
        return len(answers) == 2

    until(is_over, "the approved call never ended")
    assert at_work.over() is None
    assert "gone" in answers[1]
    assert shop.sent == ["DELETE /orders/7"]
    panel.close()


def test_stop_in_the_side_panel_ends_the_clients_run(world: PanelWorld, shop: Shop) -> None:
    shop.sent.clear()
    world.browser.allow(shop.url)
    panel = world.open_panel()

    async def delete(client: Client) -> str:
        await call(client, "open", url=shop.url)
        return await call(client, "click", **DELETE)

    at_work = Visit(world.browser, delete)
    open_run(panel)
    expect(panel.get_by_role("region", name="Waiting for you")).to_contain_text("Delete order 7")
    panel.get_by_role("button", name="Stop", exact=True).click()
    assert "stop" in at_work.over().lower()
    assert shop.sent == []
    panel.close()


@pytest.fixture
def client_world(world: PanelWorld, shop: Shop) -> Browser:
    shop.sent.clear()
    world.browser.allow(shop.url)
    return world.browser


def test_an_answer_decides_on_its_own_question_and_on_no_other(client_world: Browser, shop: Shop) -> None:
    async def never(context: Any, params: Any) -> types.ElicitResult:
        raise AssertionError("the test brings the answers itself")

    def answered(decision: str) -> Any:
        return {KEY: types.ElicitResult(action="accept", content={"decision": decision})}

    async def work(client: Client) -> None:
        async def click(state: str | None = None, decision: str = "") -> Any:
            brought = {"request_state": state, "input_responses": answered(decision)} if state else {}
            return await client.session.call_tool("click", DELETE, allow_input_required=True, **brought)

        await call(client, "open", url=shop.url)
        first = await click()
        assert isinstance(first, types.InputRequiredResult)
        rejected = await click(first.request_state, "reject")
        assert rejected.is_error
        second = await click()
        assert second.request_state != first.request_state
        for state in (first.request_state, "made up"):
            refused = await click(state, "approve")
            assert refused.is_error
            assert "no question that waits" in refused.content[0].text
        assert shop.sent == []
        done = await click(second.request_state, "approve")
        while isinstance(done, types.InputRequiredResult):
            done = await click(done.request_state, "approve")
        assert not done.is_error
        assert shop.sent == ["DELETE /orders/7"]
        again = await click(second.request_state, "approve")
        assert again.is_error
        assert shop.sent == ["DELETE /orders/7"]

    visit(client_world, work, mode=MODERN, person=never)


def test_the_persons_tabs_are_a_clients_only_where_they_are_shared(client_world: Browser, shop: Shop) -> None:
    async def tabs(clients: ClientList, key: str) -> str:
        server = RequestHandlers(clients, key).server()
        info = types.Implementation(name=f"Tester {key}", version="1")
        async with Client(server, mode="legacy", client_info=info) as client:
            if clients.limits.tabs == "own":
                await call(client, "open", url=f"{shop.url}/{key}")
            return await call(client, "tabs", do="list")

    async def both(kind: Any) -> list[str]:
        clients = clients_of(client_world, ClientLimits(tabs=kind))
        try:
            return await asyncio.gather(*(tabs(clients, key) for key in ("ann", "bob")))
        finally:
            await asyncio.gather(*(clients.leave(key) for key in ("ann", "bob")))

    client_world.open(f"{shop.url}/kernels")
    persons = client_world.open(f"{shop.url}/persons")
    persons.driver.shared_by = "user"  # as the browser says of a tab that was shared by hand
    paths = ("/ann", "/bob", "/kernels", "/persons")
    ann, bob = io.sync(both("own"), timeout=60)
    assert [path for path in paths if path in ann] == ["/ann"]
    assert [path for path in paths if path in bob] == ["/bob"]
    ann, bob = io.sync(both("shared"), timeout=60)
    assert [path for path in paths if path in ann] == ["/persons"]
    assert [path for path in paths if path in bob] == ["/persons"]
    assert not persons.closed, "a client that leaves closes its own tabs only"
