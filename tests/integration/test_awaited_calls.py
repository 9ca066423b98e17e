"""A call that lasts says what it waits for: to whoever waits in a notebook or a terminal, and to an MCP client."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import Client

import skillbook as sb
from skillbook.errors import SkillbookError
from skillbook.hooks import hooks
from skillbook.session.aio.browser import Page as AioPage
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_app
from skillbook.testing.sites.web import Request, Response
from tests.integration.test_mcp_server import MODERN, Person, call, visit

LATE = (
    "<button onclick=\"setTimeout(() => { document.body.append('Saved') }, 2900)\">Save</button>"
    "<script>addEventListener('load', () => {})</script>"
)


class Line:
    """What is shown of one call that lasts."""

    def __init__(self, lines: list[str], words: str) -> None:
        self._lines, self._words = lines, words

    def show(self, done: int, note: str) -> None:
        self._lines.append(f"{self._words}: {note}")

    def __exit__(self, *error: object) -> None:
        """It is over."""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was shown of calls that lasted."""
    lines: list[str] = []
    monkeypatch.setattr(hooks, "progress_line", lambda words, unit: Line(lines, words))
    return lines


def test_calls_that_wait_say_for_what(serve_html: Callable[[str], Page], shown: list[str]) -> None:
    page = serve_html(LATE)
    page.click("button 'Save'")
    assert not shown
    page.get("text")
    assert any(line.startswith("get text: waiting for a timer") for line in shown), shown
    shown.clear()
    with pytest.raises(SkillbookError):
        page.click("button 'Never'", timeout=3)
    assert shown[0].startswith("click button 'Never'")
    shown.clear()
    with pytest.raises(SkillbookError):
        page.wait_for(text="Nowhere", timeout=3)
    assert shown[0].startswith("wait_for Nowhere")


async def test_awaitable_calls_say_it_too(serve_html: Callable[[str], Page], shown: list[str]) -> None:
    page = serve_html(LATE)
    with pytest.raises(SkillbookError):
        await AioPage(page.browser, page.driver).click("button 'Never'", timeout=3)
    assert shown[0].startswith("click button 'Never'")


READS: dict[str, Callable[[Page], object]] = {
    "markdown": lambda page: page.markdown(),
    "find button": lambda page: page.find("button"),
    "summary": lambda page: page.summary(),
    "query save": lambda page: page.query("save"),
    "snapshot dom": lambda page: page.snapshot(),
    "Reading page": lambda page: sb.tables(page),
}


@pytest.mark.parametrize("words", READS)
def test_each_read_that_lasts_says_what_it_waits_for(
    words: str, serve_html: Callable[[str], Page], shown: list[str]
) -> None:
    page = serve_html(LATE.replace("2900", "2995"))
    page.click("button 'Save'")
    READS[words](page)
    assert any(line.startswith(f"{words}: ") and "waiting for" in line for line in shown), shown


def test_an_address_that_answers_late_is_shown_while_it_opens(browser: Browser, shown: list[str]) -> None:
    class Late:
        def respond(self, request: Request) -> Response:
            time.sleep(3.2)
            return Response("<h1>Late</h1>")

    with serve_app(Late()) as site:
        page = browser.open(f"{site.url}/")
        page.close()
    assert shown
    assert shown[0].startswith(f"open {site.url}/"), shown


def test_a_skill_that_lasts_says_what_it_waits_for(
    serve_html: Callable[[str], Page], shown: list[str], tmp_path: Path
) -> None:
    page = serve_html(LATE)
    recording = sb.record(page)
    page.click("button 'Save'")
    page.wait_for(text="Saved")
    skill = recording.save_skill("late", tmp_path / "skills")
    page.reload()
    shown.clear()
    result = skill.run(page)
    assert result.ok, result.error
    assert any(line.startswith("run late: ") and "waiting for" in line for line in shown), shown


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
