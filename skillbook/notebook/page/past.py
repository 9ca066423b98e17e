"""What there is beside the page as it is now: what is open in this kernel, and a page as it was before a step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_trace import Frame
from skillbook.agents.run.run_words import question_words
from skillbook.agents.state.step_records import FINAL_STATUSES
from skillbook.notebook.escaping import shorten
from skillbook.notebook.page.page_rows import view_of
from skillbook.notebook.page.panel_source import PageView, PastStep
from skillbook.session.browser_driver import BrowserDriver, open_drivers

_CALL_LENGTH = 300


@dataclass
class Past:
    """Which step of a run is looked at. Used on the I/O thread only."""

    run_of: Callable[[], Run]
    changed: Callable[[], None]
    step: PastStep | None = None
    view: PageView | None = None

    def show(self, number: int | None) -> None:
        """Look at a step; None goes back to what is now, and so does a step that there isn't."""
        frames = self.run_of().replay()
        frame = frames[number - 1] if number is not None and 1 <= number <= len(frames) else None
        self.step = self.view = None
        if frame is not None and number is not None:
            self.view = view_before(frame) or PageView("", "", ())
            self.step = PastStep(
                number, len(frames), shorten(frame.call, _CALL_LENGTH), target_of(frame) or ""
            )
        self.changed()


def view_before(frame: Frame) -> PageView | None:
    """The page before a step; None where it was never read, rather than the page of another step."""
    return view_of(frame.before) if frame.before is not None else None


def target_of(frame: Frame) -> str | None:
    """The ref that a step acted on."""
    node = frame.step.extra.get("node")
    target = frame.step.args.get("target") if frame.step.edited is None else frame.step.edited.get("target")
    return (node.ref if node is not None else None) or (target if isinstance(target, str) else None)


def list_open(runs: Iterable[Run], panel_of: Callable[[Run], str] = lambda _: "") -> dict[str, Any]:
    """Everything that is open, as plain data; of each run what it waits for, and what names its panel."""
    return {
        "browsers": [
            {"id": number(driver), "words": words_of(driver), "pages": pages_of(driver)}
            for driver in open_drivers()
        ],
        "runs": [
            {
                "id": number(run),
                "words": f"{run.status}: {run.goal}",
                "can_close": run.status not in FINAL_STATUSES,
                "waits": _question_of(run),
                "goal": run.goal,
                "panel": panel_of(run),
            }
            for run in runs
        ],
    }


def _question_of(run: Run) -> str:
    question = run.first_question
    return "" if question is None else shorten(question_words(question), _CALL_LENGTH)


async def close_open(kind: str, id_: str, runs: Iterable[Run]) -> None:
    """Close a browser or page, or stop a run; nothing where it is gone by now."""
    if kind == "run":
        for run in runs:
            if number(run) == id_:
                await run.halt()
        return
    for driver in open_drivers():
        if kind == "browser" and number(driver) == id_:
            await driver.close()
        for tab, page in list(driver.pages.items()) if kind == "page" else ():
            if f"{number(driver)}/{tab}" == id_:
                await driver.close_page(page)


def number(thing: object) -> str:
    """What names a thing as long as it lives."""
    return str(id(thing))


def words_of(driver: BrowserDriver) -> str:
    """A browser in words, with its state where it isn't connected."""
    status = driver.server.status
    name = status.browser or "Browser"
    return name if status.state == "connected" else f"{name} ({status.state})"


def pages_of(driver: BrowserDriver) -> list[dict[str, str]]:
    """Its pages, each with what names it."""
    return [
        {"id": f"{number(driver)}/{tab}", "words": page.title or page.url}
        for tab, page in driver.pages.items()
    ]
