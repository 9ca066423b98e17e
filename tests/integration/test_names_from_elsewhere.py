"""Names and orders of arguments that users of Playwright and pandas expect: they do what is expected of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.cells.surface import page_methods
from skillbook.errors import AmbiguousMatch, InvalidParams, NoMatch, SelectorSyntaxError
from skillbook.protocol.refs import names_keys
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_site

Serve = Callable[[str], Page]
FORM = """<label>Name <input onkeydown="seen.textContent += event.key + ' '"></label><output id=seen></output>
<button>Save</button><button>Send</button><ul><li>One</li><li>Two</li></ul>"""
LATE = (
    "<p>Wait</p><script>setTimeout(() => document.body.innerHTML = '<table><tr><td>1</table>', 300)</script>"
)


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site() as site:
        yield site


def test_back_and_forward_have_their_other_names(browser: Browser, shop: Site) -> None:
    page = browser.open(shop.url + "/")
    first = page.url
    page.click("link 'Stores'")
    second = page.url
    assert page.go_back().url == first
    assert page.go_forward().url == second
    page.close()
    assert page_methods()["go_back"].tool == "back"


def test_a_selector_is_what_is_waited_for_if_nothing_else_is_named(serve_html: Serve) -> None:
    page = serve_html(LATE)
    page.wait_for("table")
    assert page.count("table") == 1


@pytest.mark.parametrize("order", ["key first", "target first", "element first", "element"])
def test_a_target_and_its_key_may_stand_in_either_order(show_html: Serve, order: str) -> None:
    page = show_html(FORM)
    field = page[page.snapshot().find("textbox").ref or ""]
    pressed = {
        "key first": lambda: page.press("Home", "textbox 'Name'"),
        "target first": lambda: page.press("textbox 'Name'", "Home"),
        "element first": lambda: page.press(field, "Home"),
        "element": lambda: field.press("Home"),
    }
    pressed[order]()
    assert page.text("status").strip() == "Home"


def test_what_is_no_key_in_either_place_is_refused(show_html: Serve) -> None:
    page = show_html(FORM)
    with pytest.raises(InvalidParams, match="isn't a key's name"):
        page.press(page.find("textbox"))


@pytest.mark.parametrize(
    ("text", "key"),
    [("Enter", True), ("ctrl+a", True), ("Ctrl-A", True), ("é", True), ("button", False), ("e5", False),
     ("textbox 'A+b'", False), ("nothing+a", False), ("", False), ("+", True), ("Control++", True)],
)  # fmt: skip
def test_a_key_is_known_by_its_name(text: str, key: bool) -> None:
    assert names_keys(text) == key


def test_a_snapshot_gives_its_nodes_one_after_the_other(show_html: Serve) -> None:
    snapshot = show_html(FORM).snapshot()
    assert [node.index for node in snapshot] == [node.index for node in snapshot.nodes]
    assert [node.name for node in snapshot if node.role == "button"] == ["Save", "Send"]


def test_find_means_the_same_on_a_page_and_on_a_snapshot(show_html: Serve) -> None:
    page = show_html(FORM)
    snapshot = page.snapshot()
    selector = "button 'Save'"
    assert page.find(selector).ref == snapshot.find(selector).ref
    target = page.click(page.find(selector)).target
    assert target is not None
    assert target.ref == snapshot.find(selector).ref
    assert [node.ref for node in page.find_all("button")] == [
        node.ref for node in snapshot.find_all("button")
    ]
    for wrong, error in (("button", AmbiguousMatch), ("dialog", NoMatch)):
        with pytest.raises(error) as on_page:
            _ = page.find(wrong).ref
        with pytest.raises(error) as on_snapshot:
            snapshot.find(wrong)
        assert on_page.value.message == on_snapshot.value.message


def test_what_is_found_is_a_list_too(show_html: Serve) -> None:
    page = show_html(FORM)
    assert [node.text for node in page.find("listitem")] == ["One", "Two"]
    assert page.find("Save")[0].role == "button"
    assert page.find("nothing of the kind") == []
    with pytest.raises(SelectorSyntaxError):
        page.find_all("nothing of the kind")
    with pytest.raises(AmbiguousMatch, match="take one by its number"):
        _ = page.find("s e").name


def test_one_word_records_by_hand_and_around_calls(browser: Browser, shop: Site, tmp_path: Path) -> None:
    page = browser.open(shop.url + "/")
    with sb.record(page, 'Search for "lamp"') as rec:
        page.fill("searchbox 'Search products'", "lamp")
        page.click("button 'Search'")
    assert rec.way == "calls"
    skill = rec.save_skill("by-calls", tmp_path, prove=False)
    assert [step.command for step in skill.spec.steps] == ["fill", "click"]
    page.close()
