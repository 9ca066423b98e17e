"""Pages, and parts of pages, that ask not to be used by AI, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import NotAllowed
from skillbook.io_thread import io
from skillbook.session.actions.shown_page import visible_to_ai
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_folder


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))


@pytest.mark.parametrize(
    "html",
    ["<div data-no-ai><button onclick='window.hit = 1'>Go</button></div>",
     "<meta name=Robots content='noindex, noai'><button onclick='window.hit = 1'>Go</button>"],
    ids=["part", "page"],
)  # fmt: skip
def test_agents_keep_off_what_asks_for_no_ai(
    serve_html: Callable[[str], Page], browser: Browser, html: str
) -> None:
    page = serve_html(html)
    go = ToolCall("click", {"target": str(page.snapshot().find("button 'Go'").ref)})
    run = sb.agent(page, "go", model=ScriptedModel([go, "done"]), autonomy="all").run()
    assert run.records[0].error == "not_allowed"
    assert page.evaluate("window.hit ?? 0") == 0
    policy = browser.driver.gateway.policy
    browser.allow(page.url, despite_no_ai=True)
    try:
        sb.agent(page, "go", model=ScriptedModel([go, "done"]), autonomy="all").run()
        assert page.evaluate("window.hit ?? 0") == 1
    finally:
        policy.despite_no_ai.clear()
    page.click("button 'Go'")


OPTED_OUT = """<main><h1>Shop <span data-no-ai>hush one</span></h1><p>Open words</p>
<div data-no-ai><p>hush two</p><button id=in>hush three</button><iframe srcdoc="<p>hush four</p>"></iframe></div>
<div data-no-ai style="visibility:hidden"><b style="visibility:visible">hush five</b></div>
<div data-no-ai=false>Not closed</div><ul><li>a</li><li data-no-ai>hush six</li></ul>
<button onclick="late.textContent = 'hush seven'; open_.textContent = 'Came'">More</button>
<div data-no-ai id=late></div><p id=open_></p></main>"""


def said_to(model: ScriptedModel) -> str:
    return "\n".join(str(message.content) for request in model.requests for message in request.messages)


def test_models_are_not_shown_what_asks_for_no_ai(
    serve_html: Callable[[str], Page], browser: Browser
) -> None:
    page = serve_html(OPTED_OUT)
    seen = page.snapshot()
    own, main = seen.text(), str(seen.find("main").ref)
    assert [
        word for word in ("one", "two", "three", "four", "five", "six") if f"hush {word}" not in own
    ] == []
    inside = str(seen.find("button 'hush three'").ref)
    calls = [
        ToolCall("snapshot", {}), ToolCall("find", {"query": "hush"}), ToolCall("list_tables", {}),
        ToolCall("capture", {"targets": [inside]}), ToolCall("capture", {"targets": ["button name~'three'"]}),
        ToolCall("get", {"what": "text", "target": main}), ToolCall("get", {"what": "text", "target": inside}),
        ToolCall("click", {"target": "button 'Mohr'"}), ToolCall("click", {"target": "button 'More'"}),
    ]  # fmt: skip
    model = ScriptedModel([*calls, "done"])
    run = sb.agent(page, "look", model=model, autonomy="all").run()
    assert [record.error for record in run.records] == [
        None,
        None,
        None,
        "unknown_ref",
        "no_match",
        "not_allowed",
        "not_allowed",
        "no_match",
        None,
    ]
    said = said_to(model)
    assert "Open words" in said
    assert "Not closed" in said
    assert "Came" in said
    assert "asks not to be used by AI" in said
    assert "hush" not in said
    assert "hush seven" in page.snapshot().text()


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_pages_that_ask_for_no_ai_are_shown_to_people_alone(
    serve_html: Callable[[str], Page], browser: Browser, engine: Any
) -> None:
    page = serve_html(
        "<meta name=robots content='noindex,NoAI'><title>hush</title><h1>hush</h1><p>more hush</p>"
    )
    seen = page.snapshot(engine=engine)
    assert "more hush" in seen.text()
    assert "hush" not in visible_to_ai(page.driver, seen).text()
    assert "hush" not in visible_to_ai(page.driver, serve_html(OPTED_OUT).snapshot(engine=engine)).text()
    browser.allow(page.url, despite_no_ai=True)
    try:
        assert visible_to_ai(page.driver, seen) is seen
    finally:
        browser.driver.gateway.policy.despite_no_ai.clear()


def test_agents_and_skills_go_where_robots_txt_lets_them(
    browser: Browser, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /private\n", encoding="utf-8")
    (tmp_path / "open.html").write_text("<a href=private.html>In</a><a href='#x'>Here</a>", encoding="utf-8")
    (tmp_path / "private.html").write_text("<p>Private", encoding="utf-8")
    with serve_folder(tmp_path) as site:
        base = site.url.rstrip("/")
        page = open_page(f"{base}/open.html")
        forbidden = {"url": f"{base}/private.html"}
        calls = [
            ToolCall("goto", forbidden), ToolCall("tabs_open", forbidden), ToolCall("click", {"target": "link 'In'"}),
            ToolCall("click", {"target": "link 'Here'"}), ToolCall("goto", {"url": f"{base}/open.html?2"}),
        ]  # fmt: skip
        run = sb.agent(page, "go", model=ScriptedModel([*calls, "done"]), autonomy="all").run()
        assert [record.error for record in run.records] == [*["not_allowed"] * 3, None, None]
        with pytest.raises(NotAllowed, match=r"robots\.txt") as refused:
            io.sync(page.driver.act("goto", actor="replay", url=forbidden["url"]))
        assert "despite_robots=True" in refused.value.hint
        assert "private" not in page.url
        browser.allow(base, despite_robots=True)
        io.sync(page.driver.act("goto", actor="replay", url=forbidden["url"]))
        assert page.url.endswith("/private.html")
        browser.driver.gateway.policy.despite_robots.clear()
        page.goto(f"{base}/private.html?person")
        assert page.url.endswith("?person")


def test_what_asks_later_is_left_out_from_then_on(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<main><p>First</p><div id=part><p>hush</p></div><p>Last</p></main>")
    assert "hush" in visible_to_ai(page.driver, page.snapshot()).text()
    for change, there in (
        ("part.setAttribute('data-no-ai', '')", False),
        ("part.setAttribute('data-no-ai', 'false')", True),
        ("part.parentElement.setAttribute('data-no-ai', '')", False),
        ("part.parentElement.removeAttribute('data-no-ai')", True),
        ("document.head.insertAdjacentHTML('beforeend', '<meta name=robots content=noai>')", False),
        ("document.querySelector('meta').remove()", True),
    ):
        page.evaluate(f"void ({change})")
        assert ("hush" in visible_to_ai(page.driver, page.snapshot()).text()) is there, change
        assert "hush" in page.snapshot().text()
