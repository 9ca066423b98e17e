"""A call that lasts says what it waits for: to whoever waits in a notebook or a terminal, and to an MCP client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mcp import Client

from skillbook.errors import SkillbookError
from skillbook.hooks import hooks
from skillbook.session.sync import Browser, Page
from tests.integration.test_mcp_server import MODERN, Person, call, visit

LATE = (
    "<button onclick=\"setTimeout(() => { document.body.append('Saved') }, 2900)\">Save</button>"
    "<script>addEventListener('load', () => {})</script>"
)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was shown of calls that lasted."""
    words: list[str] = []

    @contextmanager
    def show(call: Any) -> Iterator[Callable[[], None]]:
        yield lambda: words.append(f"{call.words}: {call.awaits}")

    monkeypatch.setattr(hooks, "call_awaited", show)
    return words


def test_calls_that_wait_say_for_what(serve_html: Callable[[str], Page], shown: list[str]) -> None:
    page = serve_html(LATE)
    page.click("button 'Save'")
    assert not shown
    page.get("text")
    assert any(line.startswith("get text: a timer") for line in shown), shown
    shown.clear()
    with pytest.raises(SkillbookError):
        page.click("button 'Never'", timeout=3)
    assert shown[0].startswith("click button 'Never'")
    shown.clear()
    with pytest.raises(SkillbookError):
        page.wait_for(text="Nowhere", timeout=3)
    assert shown[0].startswith("wait_for Nowhere")


def test_an_mcp_client_is_told_what_a_long_call_waits_for(
    serve_html: Callable[[str], Page], browser: Browser
) -> None:
    url = serve_html("<h1>Empty</h1>").url
    said: list[str] = []

    async def note(done: float, total: float | None, words: str | None) -> None:
        said.append(words or "")

    async def work(client: Client) -> None:
        await call(client, "open", url=url)
        await client.call_tool("click", {"target": "button 'Never'"}, progress_callback=note)

    visit(browser, work, mode=MODERN, person=Person("approve"))
    assert any("Never" in words for words in said), said
