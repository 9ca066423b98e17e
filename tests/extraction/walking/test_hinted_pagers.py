from __future__ import annotations

import time
from typing import Any

import pytest

from skillbook.extraction.driver import extract_frame
from skillbook.extraction.walking.extract_options import Pace
from skillbook.extraction.walking.pagers import find_next
from skillbook.perception.site_hints import SiteHints
from tests.extraction.walking.test_pagers import table

MORE = "button + html_id=more"


def hints(**said: Any) -> SiteHints:
    return SiteHints.model_validate({"origin": "http://site.test", **said})


async def test_a_hinted_pager_is_followed(pages: Any) -> None:
    source = pages(table(1, MORE), table(4))
    source.pages = [page.with_hints(hints(pager="button [id=more]")) for page in source.pages]
    frame = await extract_frame(source, next=True)
    assert source.done == [("click", source.pages[0].find("button [id=more]").ref)]
    assert list(frame["Size"]) == [1, 2, 3, 4, 5, 6]
    assert find_next(pages(table(1, MORE)).pages[0], True).leads_on is False


@pytest.mark.parametrize(
    "control",
    [
        'button "Delete all" + html_id=more',
        "link + html_id=more href=http://elsewhere.test/",
        "generic html_id=more",
        "button + html_id=more\n  button + html_id=more",
    ],
)
def test_a_hinted_pager_that_leads_off_or_is_not_the_only_match_is_not_followed(
    pages: Any, control: str
) -> None:
    page = pages(table(1, control)).pages[0].with_hints(hints(pager="any [id=more]"))
    assert not find_next(page, True).leads_on


def test_a_hinted_pager_that_is_disabled_ends_the_pages(pages: Any) -> None:
    page = pages(table(1, "button + disabled html_id=more")).pages[0]
    found = find_next(page.with_hints(hints(pager="button [id=more]")), True)
    assert (found.leads_on, found.why) == (False, "the way to the next page is disabled")


async def test_pages_are_turned_no_faster_than_hints_say(pages: Any) -> None:
    page = pages(table(1)).pages[0].with_hints(hints(crawl_delay=0.2))
    begun, pace = time.monotonic(), Pace()
    await pace.rest_on(page)
    await pace.rest_on(page)
    assert time.monotonic() - begun >= 0.4
