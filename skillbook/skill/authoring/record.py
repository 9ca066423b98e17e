"""Beginning to record a page: what a person does by hand, or the Python calls in a `with` block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillbook.errors import InvalidSkill
from skillbook.hooks import hooks
from skillbook.session.page_driver import PageDriver, driver_of
from skillbook.skill.authoring.demonstration import Demonstration

if TYPE_CHECKING:
    from skillbook.session.aio import Page as AioPage
    from skillbook.session.sync import Page


def record(page: Page | AioPage, goal: str = "") -> Demonstration:
    """Record what a person does in a page by hand, until `stop()` or `save_skill()`; in a `with` block, Python calls.

    Steps appear in the notebook as they are done, and in a corner of the page. What is typed into password fields
    stays in the page: the step names a secret.

    Parameters
    ----------
    page : Page or AioPage
        The page to do it on.
    goal : str
        What it is for; texts in it that are typed or chosen become inputs. `rec.input(number)` marks others.

    Returns
    -------
    Demonstration
        The recording under way.

    Examples
    --------
    >>> rec = sb.record(page, "Search for lamp")  # doctest: +SKIP
    >>> rec.save_skill("search-products")  # doctest: +SKIP

    >>> with sb.record(page, "Search for lamp") as rec:  # doctest: +SKIP
    ...     page.fill("searchbox", "lamp")
    ...     page.press("Enter")
    >>> rec.save_skill("search-products")  # doctest: +SKIP
    """
    return _begin(Demonstration(driver_of(page), goal))


def recording(page: Page | AioPage, goal: str = "") -> Demonstration:
    """Record Python calls on a page, as `with sb.record(page) as rec:` does.

    Parameters
    ----------
    page : Page
        The page to do it on.
    goal : str
        What it is for; texts in it that are typed or chosen become inputs.

    Returns
    -------
    Demonstration
        The recording under way, for a `with` statement.

    Examples
    --------
    >>> with sb.recording(page, "Search for lamp") as rec:  # doctest: +SKIP
    ...     page.fill("searchbox", "lamp")
    ...     page.press("Enter")
    >>> rec.save_skill("search-products")  # doctest: +SKIP
    """
    return _begin(Demonstration(driver_of(page), goal, "calls"))


def check_free(driver: PageDriver) -> None:
    """Refuse to record a page twice.

    Raises InvalidSkill: it is recorded already.
    """
    if driver.on_done is not None or driver.on_gesture is not None:
        raise InvalidSkill("this page is recorded already", hint="stop that recording first")


def _begin(made: Demonstration) -> Demonstration:
    check_free(made.driver)
    made.start()
    if hooks.recording_started is not None:
        hooks.recording_started(made)
    return made
