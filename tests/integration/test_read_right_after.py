"""What is read right after a press or an opening is what that brings: a page of each kind, by public calls alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from skillbook.session.sync import Page
from tests.integration.caused_pages import CLICKED, LOADED, SIGNED, CausedSite

Open = Callable[[str], Page]


@pytest.fixture(scope="module")
def site() -> Iterator[CausedSite]:
    """The server of the pages."""
    with CausedSite() as site:
        yield site


@pytest.mark.parametrize("name", list(CLICKED))
def test_a_text_read_right_after_a_press_is_what_that_brings(
    name: str, site: CausedSite, open_page: Open
) -> None:
    page = open_page(f"{site.url}/page/clicked/{list(CLICKED).index(name)}")
    page.click("button 'Go'")
    began = time.monotonic()
    assert page.text("css '#out' nth 1") == CLICKED[name].ends_with
    assert time.monotonic() - began < 5.5


@pytest.mark.parametrize("name", list(LOADED))
def test_a_text_read_right_after_an_opening_is_what_that_brings(
    name: str, site: CausedSite, open_page: Open
) -> None:
    page = open_page(f"{site.url}/page/loaded/{list(LOADED).index(name)}")
    assert page.text("css '#out' nth 1") == LOADED[name].ends_with


@pytest.mark.parametrize("name", list(CLICKED))
def test_what_a_press_changed_is_what_it_brings(name: str, site: CausedSite, open_page: Open) -> None:
    page = open_page(f"{site.url}/page/clicked/{list(CLICKED).index(name)}")
    result = page.click("button 'Go'")
    assert result.diff is not None
    assert result.diff.newer.has_text(CLICKED[name].ends_with)


@pytest.mark.parametrize("name", list(SIGNED))
def test_a_page_that_a_server_pushes_to_is_waited_for_while_it_says_that_it_works(
    name: str, site: CausedSite, open_page: Open
) -> None:
    page = open_page(f"{site.url}/page/signed/{list(SIGNED).index(name)}")
    page.click("button 'Go'")
    began = time.monotonic()
    assert page.text("css '#out' nth 1") == SIGNED[name].ends_with
    assert time.monotonic() - began < 5.5
    began = time.monotonic()
    page.text("css '#out' nth 1")
    assert time.monotonic() - began < 1.5, "its budget is spent"
