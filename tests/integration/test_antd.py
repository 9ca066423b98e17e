"""Ant Design's lists, which lay their value over the field that holds their focus."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import NoMatch, NotActionable
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site
from tests.integration.test_demonstration import hands_on, has, person_browser, press

__all__ = ["person_browser"]
Serve = Callable[[str], Page]

WITH_VALUE = """<style>
.list { position: relative; width: 200px; height: 32px; border: 1px solid }
.list input { position: absolute; inset: 0; opacity: 0; width: 100% }
.list span { position: absolute; inset: 0; padding: 4px }</style>
<label for=f>Size</label><div class=list onmousedown="list.hidden = !list.hidden">
<input id=f role=combobox aria-haspopup=listbox aria-expanded=false readonly><span id=shown>Small</span>LAID_OVER</div>
<ul role=listbox id=list hidden>
<li role=option onclick="shown.textContent = 'Large'; list.hidden = true">Large</ul>"""


@pytest.fixture
def page(antd: Site, open_page: Callable[[str], Page]) -> Page:
    page = open_page(antd.url)
    page.wait_for(text="Priority")
    return page


def test_lists_with_a_value_are_chosen_from(page: Page) -> None:
    chosen = {"Priority": "High", "City": "Medium", "Tags": "High", "Level": "Low"}
    for name, value in chosen.items():
        page.select(f"combobox '{name}'", value)
    page.fill("textbox 'Name'", "Ann")
    page.fill("combobox 'Topic'", "Anything")
    page.click("button 'Save'")
    page.wait_for(text="Anything")
    assert json.loads(page.get("text", "status")) == {
        "name": "Ann",
        "priority": "high",
        "city": "medium",
        "tags": ["low", "high"],
        "level": "low",
        "topic": "Anything",
    }


def test_a_form_of_such_lists_is_filled_in_and_sent(page: Page) -> None:
    values = {"Name": "Ann", "Priority": "High", "City": "Medium", "Tags": ["High"], "Level": "Low"}
    result = sb.load_skill("fill_form").run(page, values=values, submit=True, button="Save")
    assert result.ok, result.error
    assert json.loads(page.get("text", "status")) == {
        "name": "Ann",
        "priority": "high",
        "city": "medium",
        "tags": ["low", "high"],
        "level": "low",
    }


def test_a_snapshot_holds_no_list_to_be_covered_by_its_value(page: Page) -> None:
    assert not [node.name for node in page.snapshot().elements if "obscured" in node.states]


def test_a_click_on_a_list_lands_on_the_value_over_it(serve_html: Serve) -> None:
    page = serve_html(WITH_VALUE.replace("LAID_OVER", ""))
    page.click("combobox 'Size'", timeout=3)
    assert page.evaluate("list.hidden") is False
    page.click("option 'Large'")
    page.select("combobox 'Size'", "Large")
    assert page.evaluate("shown.textContent") == "Large"


@pytest.mark.parametrize(
    "over",
    [
        "<button style='position:absolute;inset:0'>Clear</button>",
        "<span role=tooltip style='inset:0;z-index:1'>Choose first</span>",
        "</div><div style='position:fixed;inset:0'>Please wait",
    ],
)
def test_something_else_over_a_list_still_covers_it(serve_html: Serve, over: str) -> None:
    page = serve_html(WITH_VALUE.replace("LAID_OVER", over).replace("<label for=f>", "<label>"))
    page.evaluate("document.getElementById('f').setAttribute('aria-label', 'Size')")
    with pytest.raises(NotActionable, match="covers it"):
        page.click("combobox 'Size'", timeout=1)
    assert page.evaluate("list.hidden") is True


async def test_fault_97_a_list_with_a_value_that_a_person_chose_from_is_chosen_from(
    antd: Site, person_browser: Browser, tmp_path: Path
) -> None:
    page = person_browser.open(antd.url)
    page.wait_for(text="Priority")
    rec = sb.record(page, "Order for 'Ann' with the priority 'High'")
    async with hands_on(person_browser, page.url) as hands:
        await press(hands, hands.get_by_label("Name"))
        await hands.keyboard.type("Ann")
        await has(rec, 2)
        await press(hands, hands.locator("#priority"))
        await has(rec, 3)
        await press(hands, hands.locator(".ant-select-item-option").filter(has_text="High"))
        await has(rec, 4)
        await press(hands, hands.get_by_role("button", name="Save"))
        await has(rec, 5)
    skill = rec.save_skill("order", tmp_path, prove=False)
    fill, choice, send = skill.spec.steps
    assert (fill.command, choice.command, send.command) == ("fill", "select", "click")
    assert choice.target is not None
    assert choice.target.selectors[0] == "combobox '* Priority :'"
    assert {one.name: one.default for one in skill.inputs} == {
        "site": antd.url.rstrip("/"),
        "name": "Ann",
        "priority": "High",
    }
    fresh = person_browser.open(antd.url)
    for value in ("Medium", "High"):
        result = skill.run(fresh, priority=value)
        assert result.ok, result.error
        assert json.loads(fresh.get("text", "status"))["priority"] == value.lower()
    fresh.close()


def test_an_option_that_such_a_list_lacks_is_refused_in_time(page: Page) -> None:
    for name in ("Priority", "City"):
        started = time.monotonic()
        with pytest.raises(NoMatch, match="has no option 'Huge'"):
            page.select(f"combobox '{name}'", "Huge")
        assert time.monotonic() - started < 10, (
            f"{name}: a quiet machine takes 1 to 4 s; one that asks a server is awaited"
        )
