"""New documents start with their input blocked, until the content script is there (FAULT 21)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import CDPSession

from tests.integration.engine_page import EnginePages

PAGE = """<!doctype html><body><script>window.seen = []
for (const kind of ["pointerdown", "mousedown", "click", "keydown", "beforeinput", "input", "keyup"])
  addEventListener(kind, (event) => seen.push(event.type), true)</script>
<input style='position: fixed; inset: 0' autofocus></body>"""
ALL = ["pointerdown", "mousedown", "click", "keydown", "beforeinput", "input", "keyup"]


class Blocked(NamedTuple):
    """A document whose input is blocked."""

    session: CDPSession
    lifted_by: str


Block = Callable[[int], Blocked]


@pytest.fixture
def block(engine: EnginePages, tmp_path: Path) -> Iterator[Block]:
    """Show a document whose input is blocked for so many milliseconds at most."""

    engine.show("")
    session = engine.page.context.new_cdp_session(engine.page)

    def show(longest: int) -> Blocked:
        made = engine.page.evaluate(f"skillbookBlocker({longest})")
        session.send("Page.enable")
        session.send("Page.addScriptToEvaluateOnNewDocument", made["script"])
        (tmp_path / "page.html").write_text(PAGE)
        engine.page.goto((tmp_path / "page.html").as_uri())
        return Blocked(session, made["liftedBy"])

    yield show
    session.detach()


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
    engine: EnginePages, block: Block
) -> None:
    session, lifted_by = block(600_000)
    assert use(engine) == []
    announce(session, "another world", "some other event")
    assert use(engine) == []
    announce(session, "another world", lifted_by)
    assert use(engine) == ALL
    assert engine.page.input_value("input") == "a"


def test_events_of_the_pages_own_pass(engine: EnginePages, block: Block) -> None:
    block(600_000)
    engine.page.evaluate("document.querySelector('input').click()")
    assert engine.page.evaluate("seen") == ["click"]


def test_a_block_that_nobody_lifts_ends_by_itself(engine: EnginePages, block: Block) -> None:
    block(100)
    deadline = time.monotonic() + 10
    while use(engine) != ALL:
        assert time.monotonic() < deadline
