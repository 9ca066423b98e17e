"""`sb.explore` and its awaitable twin."""

from __future__ import annotations

from typing import Any

from skillbook.errors import InvalidInput
from skillbook.exploration.search import Exploration, Search
from skillbook.goals import Goal, from_words
from skillbook.io_thread import io
from skillbook.session.drivers import require_driver


def explore(page: Any, goal: str | Goal, *, beam: int = 4, depth: int = 3, pages: int = 40) -> Exploration:
    """Find the way to a goal on a page's site, by links that only read, in background tabs.

    Parameters
    ----------
    page : where to begin; it shows the page that was found.
    goal : in words, or a predicate of `sb.goals`.
    beam, depth : links followed at a time, and links from the start at most.
    pages : pages opened at most.

    Raises
    ------
    InvalidInput : a number is below 1, or the goal has no words.
    """
    return io.sync(_search(page, goal, beam, depth, pages).run())


async def aexplore(
    page: Any, goal: str | Goal, *, beam: int = 4, depth: int = 3, pages: int = 40
) -> Exploration:
    """Like `explore`, awaitable from any loop."""
    return await io.wait(_search(page, goal, beam, depth, pages).run())


def _search(page: Any, goal: str | Goal, beam: int, depth: int, pages: int) -> Search:
    if min(beam, depth, pages) < 1:
        raise InvalidInput("beam, depth and pages are at least 1")
    wanted = from_words(goal) if isinstance(goal, str) else goal
    words = goal if isinstance(goal, str) else repr(goal)
    return Search(require_driver(page), wanted, words, beam, depth, pages)
