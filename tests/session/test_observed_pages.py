"""What is wanted of every action of a page, and what is told again to a browser that may have forgotten it."""

from __future__ import annotations

import asyncio

import pytest

from skillbook.errors import InvalidParams
from skillbook.session.arguments import checked_observe
from skillbook.session.devices import ShownAs
from tests.session.rig import URL, Rig


async def test_nothing_is_watched_or_measured_unless_that_is_wanted(rig: Rig) -> None:
    page = await rig.open()
    result = await page.act("click", "button 'Save'")
    assert (result.requests, result.measured, result.metrics) == ((), None, None)
    assert not rig.sent("metrics")
    assert not rig.sent("watch_network")
    assert "watch_bytes" not in rig.sent("tabs_open")[0]


async def test_an_observed_page_is_watched_from_the_start_and_measured_around_each_action(rig: Rig) -> None:
    nodes = iter([10, 14])
    rig.extension.handlers |= {
        "metrics": lambda params, tab: {"lcp": 5.0, "nodes": next(nodes)},
        "watch_network": lambda params, tab: {},
    }
    page = await rig.driver.open(URL, observe=frozenset({"network", "metrics"}))
    result = await page.act("click", "button 'Save'")
    assert rig.sent("tabs_open")[0]["watch_bytes"] == rig.driver.settings.network_bytes
    assert page.network.on
    assert result.measured == ({"LCP": 5.0, "nodes": 10}, {"LCP": 5.0, "nodes": 14})
    assert result.metrics.loc["nodes"].tolist() == [10, 14, 4]


async def test_an_action_goes_on_if_the_page_cannot_be_measured(rig: Rig) -> None:
    page = await rig.driver.open(URL, observe=frozenset({"metrics"}))
    result = await page.act("click", "button 'Save'")
    assert result.changed
    assert result.measured == (None, None)


async def test_a_browser_that_was_away_is_told_again_what_the_page_is_shown_as(rig: Rig) -> None:
    rig.extension.handlers |= {
        "emulate": lambda params, tab: {},
        "tabs_list": lambda params, tab: {
            "tabs": [{"id": 7, "url": URL, "title": "Orders", "status": "complete", "active": True}]
        },
    }
    page = await rig.open()
    await page.emulation.set(ShownAs({"dark": True}, "dark=True"))
    await rig.extension.disconnect()
    await rig.extension.connect()
    async with asyncio.timeout(20):
        while len(rig.sent("emulate")) < 2:  # noqa: ASYNC110 - the other side's
            await asyncio.sleep(0.01)
    assert rig.sent("emulate")[1] == {"dark": True, "words": "dark=True"}


def test_what_can_be_observed() -> None:
    assert checked_observe("network") == {"network"}
    assert checked_observe(["network", "metrics"]) == {"network", "metrics"}
    with pytest.raises(InvalidParams, match="nothing is known of 'cookies'"):
        checked_observe("cookies")
