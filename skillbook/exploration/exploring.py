"""`sb.explore`: blocking for a page of `sb.launch()`, awaitable for one of `sb.aio.launch()`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, overload

from skillbook.errors import InvalidInput
from skillbook.exploration.beam_search import Search
from skillbook.exploration.outcome import Exploration
from skillbook.goals import Goal, from_words
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.session.aio import Page as AioPage

if TYPE_CHECKING:
    from skillbook.session.sync import Page

Progress = Callable[[int, int], object]


@overload
def explore(
    page: Page,
    goal: str | Goal,
    *,
    beam: int = 4,
    depth: int = 3,
    pages: int = 40,
    model: Any = None,
    progress: Progress | None = None,
    remember: bool = True,
) -> Exploration: ...
@overload
def explore(
    page: AioPage,
    goal: str | Goal,
    *,
    beam: int = 4,
    depth: int = 3,
    pages: int = 40,
    model: Any = None,
    progress: Progress | None = None,
    remember: bool = True,
) -> Coroutine[Any, Any, Exploration]: ...
def explore(
    page: Page | AioPage,
    goal: str | Goal,
    *,
    beam: int = 4,
    depth: int = 3,
    pages: int = 40,
    model: Any = None,
    progress: Progress | None = None,
    remember: bool = True,
) -> Any:
    """Find the way to a goal on a page's site, by links and controls that only read, in background tabs.

    Only links of the page's own origin are followed, and none whose words or address say that it signs in or out or
    changes something; tabs, menus, what is collapsed and pagers without addresses are pressed under the same rule. What
    a page that was opened asks to send is refused, but for what it sends by itself as it loads. robots.txt is
    respected where the browser's settings say so.

    Found is the page that says the goal's words most exactly. Where several say them alike, none is found, and
    `.candidates` names them. The same call goes on where one was cut short, within a day.

    Parameters
    ----------
    page : where to begin; it shows the page that was found.
    goal : in words, or a predicate of `sb.goals`.
    beam : links followed before the next best ones are chosen.
    depth : links from the start at most.
    pages : pages opened at most.
    model : chooses among links where their words don't tell, and among pages that say the goal alike; a LangChain name
        or a `BaseChatModel`. It sees labels and addresses, fenced, at most 20,000 tokens of them in all.
    progress : called with pages opened and pages known, after every few pages; without it a notebook shows the site as
        it becomes known.
    remember : whether pages of earlier explorations of the site are tried first, and this one's are kept for the next.

    Returns
    -------
    What was found. Where nothing was, `.found` is False and `.why` says what came nearest.

    Raises
    ------
    InvalidInput : a number is below 1, or the goal has no words.
    ModelNotConfigured : the model can't be had.
    Stopped : `browser.stop()` was called; every background tab is closed.
    KeyboardInterrupt : with what was seen so far as its `exploration`.
    """
    if min(beam, depth, pages) < 1:
        raise InvalidInput("beam, depth and pages are at least 1")
    wanted = from_words(goal) if isinstance(goal, str) else goal
    words = goal if isinstance(goal, str) else repr(goal)
    chooser = (
        hooks.make_link_chooser(model) if model is not None and hooks.make_link_chooser is not None else None
    )
    search = Search(
        page.driver, wanted, words, beam=beam, depth=depth, pages=pages, progress=progress, remember=remember,
        chooser=chooser,
    )  # fmt: skip
    if progress is None and hooks.exploration_started is not None:
        watcher = hooks.exploration_started(search.result, pages)
        if watcher is not None:
            search.show_on(watcher)
    if isinstance(page, AioPage):
        return io.wait(search.run())
    try:
        return io.sync(search.run())
    except KeyboardInterrupt as stop:
        stop.exploration = search.result  # type: ignore[attr-defined]
        stop.add_note("what was seen so far is in the exception's `exploration`")
        raise
