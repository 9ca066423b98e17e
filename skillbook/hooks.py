"""What an upper layer does for a lower one, which may not import it.

`import skillbook` sets every hook once, in `skillbook/wiring.py`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing `typing` is a good part of what a command of a terminal costs
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Any


def print_pair_link(url: str, name: str) -> None:
    """Write the pairing link to standard error."""
    sys.stderr.write(f"To pair your browser with {name!r}, open this in it:\n  {url}\n")


def print_frame(frame: Any, rows: int) -> None:
    """Write the first rows of a DataFrame to standard output."""
    sys.stdout.write(f"{frame.head(rows).to_string()}\n")


def _run(search: Any) -> Coroutine[Any, Any, Any]:
    found: Coroutine[Any, Any, Any] = search.run()
    return found


def _said_nowhere() -> AbstractContextManager[Callable[[], object] | None]:
    from contextlib import nullcontext

    return nullcontext()


def _nothing_around(run: Any) -> AbstractContextManager[Any]:
    from contextlib import nullcontext

    return nullcontext(run)


class Hooks:
    """The hooks in force. No dataclass, which would import `inspect` for every command of a terminal.

    pair_link: called with the pairing URL and the kernel's name.
    mimebundle: called with a Browser, Page or Element for its rich display; None where plain text will do.
    snapshot_taken: called on the I/O thread with the page's driver and each snapshot of it.
    page_is_shown: called with a page's driver; whether anything shows the page live.
    tabulate: makes a table of records, such as a journal's metrics.
    tabulate_journal: makes a table of a journal's steps; the requests that were held are given as well.
    tabulate_requests: makes a table of a page's requests.
    tabulate_metrics: makes a table of a page's metrics before and after an action, with the change if wanted.
    recent_acts: makes a table of a page's last acts, given its driver.
    make_series: makes a Series of values by name, with a name of its own.
    load_skill: called with the name of a saved or built-in skill, for that skill.
    run_prompt: awaited with `page, prompt, *, spec, model` to run a skill that is a prompt only.
    browser_opened: called on the I/O thread with the driver of each browser that was started or can be paired.
    run_started: called with each run at its `start()`, on the caller's thread.
    run_awaited: called with each run that a caller waits for; what it gives is entered meanwhile.
    awaited_call: makes, for each call that a caller waits for, what is entered meanwhile, and called on the caller's
        thread as long as it waits.
    progress_line: called with the words of a call that lasts and the unit of its number; gives a line that shows how
        far it is, or None where nobody would see it.
    recording_started: called with each recording at its start, on the caller's thread.
    map_skill: called with a skill, its inputs and options, to run it for every row.
    skill_unapproved: called with a skill that is about to be refused because nobody has approved it.
    make_scout: called with a model and a page's driver; what it makes says which element is meant, or heals a step.
    show_frame: called with an extracted DataFrame and how many of its rows to show.
    make_link_chooser: called with a model; what it makes chooses among links and pages for an exploration.
    exploration_started: called with each exploration and its budget of pages at its start, on the caller's thread; what
        it returns is called on the I/O thread with the pages opened so far, and whether it has ended.
    carry_exploration: called with each exploration; what it gives is awaited on the I/O thread for its result.
    live_view: called with a Page or a run for what shows it live where a cell's value is shown, as marimo does.
    running_cell: which cell of a notebook runs, and which run of it that is; None outside of notebooks.
    running_request: when the running cell was requested, in seconds since 1970 by this computer's clock, and whether
        its client sends queued cells at once; None outside of notebooks.
    site_hints: called with an address and skillbook's folder; what a person knows of that site, or None.
    clicks_blocked: why clicks in a panel can't arrive while a cell runs; empty where they can.
    """

    def __init__(self) -> None:
        self.pair_link: Callable[[str, str], None] = print_pair_link
        self.mimebundle: Callable[[Any], dict[str, Any] | None] | None = None
        self.snapshot_taken: Callable[[Any, Any], None] | None = None
        self.page_is_shown: Callable[[Any], bool] = lambda page: False
        self.tabulate: Callable[[list[Any]], Any] = list
        self.tabulate_journal: Callable[[list[Any], list[Any]], Any] = lambda steps, requests: list(steps)
        self.tabulate_requests: Callable[[list[Any]], Any] = list
        self.tabulate_metrics: Callable[[Any, Any, bool], Any] = lambda before, after, is_other: (
            before,
            after,
        )
        self.recent_acts: Callable[[Any], Any] = lambda page: list(page.recent)
        self.make_series: Callable[[dict[str, Any], str], Any] = lambda values, name: values
        self.load_skill: Callable[[str], Any] | None = None
        self.run_prompt: Callable[..., Awaitable[Any]] | None = None
        self.browser_opened: Callable[[Any], None] | None = None
        self.run_started: Callable[[Any], None] | None = None
        self.run_awaited: Callable[[Any], AbstractContextManager[Any]] = _nothing_around
        self.awaited_call: Callable[[], AbstractContextManager[Callable[[], object] | None]] = _said_nowhere
        self.progress_line: Callable[[str, str], Any] = lambda words, unit: None
        self.recording_started: Callable[[Any], None] | None = None
        self.map_skill: Callable[..., Any] | None = None
        self.skill_unapproved: Callable[[Any], None] | None = None
        self.make_scout: Callable[[Any, Any], Any] | None = None
        self.show_frame: Callable[[Any, int], None] = print_frame
        self.make_link_chooser: Callable[[Any], Any] | None = None
        self.exploration_started: Callable[[Any, int], Any] | None = None
        self.carry_exploration: Callable[[Any], Coroutine[Any, Any, Any]] = _run
        self.live_view: Callable[[Any], Any] = repr
        self.site_hints: Callable[[str, Path], Any] = lambda url, home: None
        self.clicks_blocked: Callable[[], str] = str
        self.running_cell: Callable[[], tuple[object, object] | None] = lambda: None
        self.running_request: Callable[[], tuple[float, bool] | None] = lambda: None


hooks = Hooks()


def bundle(thing: Any) -> dict[str, Any]:
    """The mimebundle of a thing: its repr, and what the front end adds."""
    plain: dict[str, Any] = {"text/plain": repr(thing)}
    extra = hooks.mimebundle(thing) if hooks.mimebundle else None
    return {**(extra or {}), **plain}
