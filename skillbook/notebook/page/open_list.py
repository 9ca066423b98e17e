"""What is open in this kernel: browsers, their pages, and runs; for the panel that stands beside the notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.step_records import FINAL_STATUSES
from skillbook.session.browser_driver import BrowserDriver, open_drivers


def list_open(runs: Iterable[Run]) -> dict[str, Any]:
    """Everything that is open, as plain data.

    Parameters
    ----------
    runs : Iterable
        The runs that have a panel.

    Returns
    -------
    dict
        `browsers`, each with its `pages`, and `runs`; each thing has an `id` for `close_open` and `words`.
    """
    return {
        "browsers": [
            {"id": number(driver), "words": _words_of(driver), "pages": _pages_of(driver)}
            for driver in open_drivers()
        ],
        "runs": [
            {
                "id": number(run),
                "words": f"{run.status}: {run.goal}",
                "can_close": run.status not in FINAL_STATUSES,
            }
            for run in runs
        ],
    }


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


def _words_of(driver: BrowserDriver) -> str:
    status = driver.server.status
    name = status.browser or "Browser"
    return name if status.state == "connected" else f"{name} ({status.state})"


def _pages_of(driver: BrowserDriver) -> list[dict[str, str]]:
    return [
        {"id": f"{number(driver)}/{tab}", "words": page.title or page.url}
        for tab, page in driver.pages.items()
    ]
