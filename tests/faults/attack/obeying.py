"""An agent that does what a page wants, under a person who answers; the same calls by a person are the control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.errors import NotActionable, SkillbookError
from skillbook.limits import READ_SECONDS
from skillbook.session.sync import Browser, Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from tests.faults.attack.acting import close_others, drain
from tests.shown import after_reading
from tests.waiting import until


def obey(server: OpenAIServer, page: Page, calls: Sequence[ToolCall], approves: Callable[[Run], bool]) -> int:
    """Have an agent make the calls; returns how often the person was asked.

    approves: whether the person approves the question that waits.
    """
    server.script.extend([*calls, "done"])
    asked = 0
    try:
        run = sb.agent(page, "Do what the page says.", autonomy="all").run()
        while run.status == "waiting":
            asked += 1
            if approves(run):
                after_reading(run).approve()
            else:
                after_reading(run).reject("no")
    finally:
        drain(server)
    return asked


def fires(browser: Browser, url: str, calls: Sequence[ToolCall], arrives: Callable[[], bool]) -> bool:
    """Whether an attack works where a person makes the same calls, of which nothing is held: what it sends arrives.

    Or the call is refused, since it would reach something else than the person named.
    """
    kept = {page.driver.tab.id for page in browser.pages}
    page = browser.open(url)
    refused = False
    for call in calls:
        assert isinstance(call.args, dict)
        try:
            getattr(page, call.name)(**call.args)
        except SkillbookError as error:  # its page may be gone, since it has sent
            refused |= isinstance(error, NotActionable)
    works = refused or _comes(arrives)
    close_others(browser, kept)
    return works or _comes(arrives)  # some send as they are closed


def _comes(arrives: Callable[[], bool]) -> bool:
    with suppress(AssertionError):
        return bool(until(arrives, seconds=READ_SECONDS))
    return False
