"""The gate of new documents: no input gets through until the content script is there (FAULT 21)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import CDPSession

from tests.integration.engine_page import EnginePages, build_engine, engine_pages

pytestmark = pytest.mark.integration

PAGE = """<!doctype html><body><script>window.seen = []
for (const kind of ["pointerdown", "mousedown", "click", "keydown", "beforeinput", "input", "keyup"])
  addEventListener(kind, (event) => seen.push(event.type), true)</script>
<input style='position: fixed; inset: 0' autofocus></body>"""
ALL = ["pointerdown", "mousedown", "click", "keydown", "beforeinput", "input", "keyup"]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EnginePages]:
    with engine_pages(build_engine(tmp_path_factory.mktemp("engine"))) as pages:
        yield pages


@pytest.fixture
def gate(engine: EnginePages, tmp_path: Path) -> dict[str, Any]:
    """Show a document with a gate: its session, its world's name and the event that opens it."""
    engine.show("")
    made = engine.page.evaluate("skillbookGate()")
    session = engine.page.context.new_cdp_session(engine.page)
    session.send("Page.enable")
    session.send("Page.addScriptToEvaluateOnNewDocument", made["script"])
    (tmp_path / "page.html").write_text(PAGE)
    engine.page.goto((tmp_path / "page.html").as_uri())
    return {**made, "session": session}


def use(engine: EnginePages) -> list[str]:
    engine.page.evaluate("seen.length = 0")
    engine.page.mouse.click(100, 100)
    engine.page.keyboard.press("a")
    return list(engine.page.evaluate("seen"))


def announce(session: CDPSession, world: str, name: str) -> None:
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    made = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": world})
    place = {"contextId": made["executionContextId"]}
    session.send("Runtime.evaluate", {"expression": f"dispatchEvent(new Event({json.dumps(name)}))", **place})


def test_fault_21_nothing_gets_through_until_the_content_script_says_so(
    engine: EnginePages, gate: dict[str, Any]
) -> None:
    assert use(engine) == []
    announce(gate["session"], "another world", "some other event")
    assert use(engine) == []
    announce(gate["session"], "another world", gate["opens"])
    assert use(engine) == ALL
    assert engine.page.input_value("input") == "a"


def test_events_of_the_pages_own_pass(engine: EnginePages, gate: dict[str, Any]) -> None:
    engine.page.evaluate("document.querySelector('input').click()")
    assert engine.page.evaluate("seen") == ["click"]


def test_a_gate_that_nobody_opens_does_so_itself(engine: EnginePages, gate: dict[str, Any]) -> None:
    deadline = time.monotonic() + 10
    while use(engine) != ALL:
        assert time.monotonic() < deadline
