"""The way from the side panel to a browser's kernel: cheap to import, so that starting a browser stays fast.

What answers, with agents and tables, is imported at the first ask or the first run, on a thread of its own.
"""

from __future__ import annotations

import asyncio
import sys
import time
import weakref
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from skillbook.errors import InvalidParams, NotConnected, UnknownCommand
from skillbook.io_thread import io
from skillbook.protocol.asks import ASKS
from skillbook.session.browser_driver import BrowserDriver

if TYPE_CHECKING:
    from skillbook.serving.answers import Answers


def answer_asks(driver: BrowserDriver) -> None:
    """Have a browser's kernel answer what its side panel asks; keeps no browser alive."""
    found = weakref.ref(driver)

    async def answer(name: str, params: dict[str, Any]) -> Any:
        browser = found()
        if browser is None:
            raise NotConnected("this kernel closed the browser")
        browser.asked_at = time.monotonic()
        return await take_ask(browser, name, params)

    driver.server.answer_with(answer)


async def take_ask(driver: BrowserDriver, name: str, params: dict[str, Any]) -> Any:
    """Answer one ask.

    Raises UnknownCommand: there is no such ask. InvalidParams : its parameters don't fit. SkillbookError : the
        answer's.
    """
    ask = ASKS.get(name)
    if ask is None:
        raise UnknownCommand(f"this kernel knows no {name[:64]!r}", hint="update skillbook, or the extension")
    try:
        given = ask.params.model_validate(params)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidParams(f"{name}: {place or 'its parameters'}: {first['msg']}") from None
    answers = await answers_of(driver)
    result = await answers.take(name, given)
    return result.model_dump(mode="json", fallback=str)


async def answers_of(driver: BrowserDriver) -> Answers:
    """What answers for a browser, made at its first use; on the I/O thread."""
    made = driver.answers
    if made is None:
        make = await asyncio.to_thread(import_answers)
        if driver.answers is None:
            driver.answers = make(driver)
        made = driver.answers
    answers: Answers = made
    return answers


def import_answers() -> Any:
    """The class of what answers; its imports take long."""
    from skillbook.serving.answers import Answers

    return Answers


def note_run(run: Any) -> None:
    """Show a run that starts in the side panel of its browser; from any thread.

    One that a workflow of the side panel starts is shown in that workflow's run.
    """
    driver = getattr(run.page, "browser", None)
    if not isinstance(driver, BrowserDriver):
        return
    # Another thread may be importing it just now: then it has started no workflow.
    belongs = getattr(sys.modules.get("skillbook.serving.answers"), "belongs_to_workflow", None)
    if belongs is None or not belongs(run):
        _note(driver, "note_run", run)


async def carry_exploration(search: Any) -> Any:
    """Run an exploration, shown in the side panel if that has asked for anything yet; on the I/O thread."""
    driver = search.driver.browser
    answers: Answers | None = driver.answers if isinstance(driver, BrowserDriver) else None
    return await (search.run() if answers is None else answers.explore(search))


def note_recording(rec: Any) -> None:
    """Show a recording that starts in the side panel of its browser; from any thread."""
    if isinstance(rec.driver.browser, BrowserDriver):
        _note(rec.driver.browser, "note_recording", rec)


def _note(driver: BrowserDriver, what: str, thing: Any) -> None:
    async def note() -> None:
        getattr(await answers_of(driver), what)(thing)

    def begin() -> None:
        task = asyncio.ensure_future(note())
        _noting.add(task)
        task.add_done_callback(_noting.discard)

    io.call_soon(begin)


_noting: set[asyncio.Future[None]] = set()
