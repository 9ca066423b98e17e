"""`sb.explore`: blocking for a page of `sb.launch()`, awaitable for one of `sb.aio.launch()`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, overload

from skillbook.errors import InvalidInput
from skillbook.exploration.beam_search import Search
from skillbook.exploration.outcome import Exploration
from skillbook.goals import Goal, from_words
from skillbook.hooks import hooks
from skillbook.io_thread import io, unshown
from skillbook.session.aio import Page as AioPage
from skillbook.session.page_driver import PageDriver
from skillbook.warning import renamed

if TYPE_CHECKING:
    from skillbook.session.sync import Page

Progress = Callable[[int, int], object]


@overload
def explore(
    page: Page,
    goal: str | Goal,
    beam: int = 4,
    max_depth: int = 3,
    *,
    max_pages: int = 40,
    model: Any = None,
    progress: Progress | None = None,
    remember: bool = True,
    depth: int | None = None,
    pages: int | None = None,
) -> Exploration: ...
@overload
def explore(
    page: AioPage,
    goal: str | Goal,
    beam: int = 4,
    max_depth: int = 3,
    *,
    max_pages: int = 40,
    model: Any = None,
    progress: Progress | None = None,
    remember: bool = True,
    depth: int | None = None,
    pages: int | None = None,
) -> Coroutine[Any, Any, Exploration]: ...
def explore(
    page: Page | AioPage,
    goal: str | Goal,
    beam: int = 4,
    max_depth: int = 3,
    *,
    max_pages: int = 40,
    model: Any = None,
    progress: Progress | None = None,
    remember: bool = True,
    depth: int | None = None,
    pages: int | None = None,
) -> Any:
    """Find the way to a goal on a page's site, by links and controls that only read, in background tabs.

    Only links of the page's own origin are followed, and none whose words or address say that it signs in or out or
    changes something; tabs, menus, what is collapsed and pagers without addresses are pressed under the same rule. What
    a page that was opened asks to send is refused, but for what it sends by itself as it loads. robots.txt is
    respected if the browser's settings say so.

    A page counts as found if it says the goal's words most exactly. If several say them alike, none is found, and
    `.candidates` names them. The same call goes on where one was cut short, within a day.

    Parameters
    ----------
    page : Page
        Where to begin; it shows the page that was found.
    goal : str or Goal
        In words, or a predicate of `sb.goals`.
    beam : int
        Links followed before the next best ones are chosen.
    max_depth : int
        Links from the start at most.
    max_pages : int
        Pages opened at most.
    model : str, BaseChatModel or False, optional
        Chooses among links if their words don't tell, and among pages that say the goal alike. It sees labels and
        addresses, fenced, at most 20,000 tokens of them in all. By default no model does.
    progress : function, optional
        Called with pages opened and pages known, after every few pages; by default a notebook shows the site as
        it becomes known.
    remember : bool
        Try pages of earlier explorations of the site first, and keep this one's for the next.
    depth, pages : int, optional
        Former names of `max_depth` and `max_pages`.

    Returns
    -------
    Exploration
        If nothing was found, `.found` is False and `.why` says what came nearest.

    Raises
    ------
    InvalidInput
        A number is below 1, or the goal has no words.
    ModelNotConfigured
        The model can't be had.
    Stopped
        `browser.stop()` was called; every background tab is closed.
    KeyboardInterrupt
        With what was seen so far as its `exploration`.

    Examples
    --------
    >>> sb.explore(page, "opening hours", max_pages=20).path  # doctest: +SKIP
    """
    max_depth = renamed("depth", depth, "max_depth", max_depth)
    max_pages = renamed("pages", pages, "max_pages", max_pages)
    search = make_search(
        page.driver, goal, beam, max_depth, max_pages, model=model, progress=progress, remember=remember
    )
    if progress is None and hooks.exploration_started is not None:
        watcher = hooks.exploration_started(search.result, max_pages)
        if watcher is not None:
            search.show_on(watcher)
    if isinstance(page, AioPage):
        return io.wait(hooks.carry_exploration(search), unshown)
    try:
        return io.sync(hooks.carry_exploration(search), meanwhile=unshown)
    except KeyboardInterrupt as stop:
        stop.exploration = search.result  # type: ignore[attr-defined]
        stop.add_note("what was seen so far is in the exception's `exploration`")
        raise


def make_search(
    driver: PageDriver,
    goal: str | Goal,
    beam: int = 4,
    max_depth: int = 3,
    max_pages: int = 40,
    *,
    model: Any = None,
    progress: Progress | None = None,
    remember: bool = True,
) -> Search:
    """The search that `explore` runs, with its parameters.

    Raises InvalidInput: a number is below 1, or the goal has no words. ModelNotConfigured : the model can't be had.
    """
    for name, number in {"beam": beam, "max_depth": max_depth, "max_pages": max_pages}.items():
        if number < 1:
            raise InvalidInput(f"{name}={number} explores nothing", hint="give at least 1")
    wanted = from_words(goal) if isinstance(goal, str) else goal
    words = goal if isinstance(goal, str) else repr(goal)
    chooser = hooks.make_link_chooser(model) if model and hooks.make_link_chooser is not None else None
    return Search(
        driver, wanted, words, beam=beam, depth=max_depth, pages=max_pages, progress=progress,
        remember=remember, chooser=chooser,
    )  # fmt: skip
