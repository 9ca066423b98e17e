from __future__ import annotations

from typing import Any

import pytest

from skillbook.agents.tools.observation_tools import _line, find_nodes
from skillbook.errors import AmbiguousMatch, NoMatch
from skillbook.perception.ai_opt_out import without_opted_out
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.site_hints import SiteHints
from skillbook.perception.snapshot import Snapshot
from skillbook.perception.summary import summarize
from tests.trees import snapshot

SITE = "http://site.test"
SHOP = """
main
  heading "Shop" level=1
  button + html_id=cart
  button "Buy" + html_id=buy
  button + html_id=user
  textbox + html_id=q
  iframe "Ad" document=ad
"""


def shop(text: str = SHOP, **hints: Any) -> Snapshot:
    page = snapshot(text, {"ad": "button + html_id=close"})
    return page.with_hints(SiteHints.model_validate({"origin": SITE, **hints}))


def test_a_hint_names_a_control_without_a_name_and_is_shown_as_a_hint() -> None:
    page = shop(names={"button [id=cart]": "Cart"})
    cart = page.find("button 'Cart'")
    assert cart.html_id == "cart"
    assert (cart.name, cart.label, cart.hint) == ("", "", "Cart")
    assert repr(cart) == f'<button (hint "Cart") [ref={cart.ref}]>'
    assert f'button (hint "Cart") [ref={cart.ref}]' in page.text()
    assert page.find_all("button ~'car' in main") == [cart]
    assert page.find("button [id=cart]") == cart


def test_an_agents_search_finds_hinted_controls_and_says_so() -> None:
    page = shop(names={"button [id=cart]": "Cart"})
    [cart] = find_nodes(page, "cart")
    assert _line(cart).startswith(f'- button (hint "Cart") [ref={cart.ref}]')


def test_a_hint_is_written_as_page_text_is() -> None:
    page = shop(names={"button [id=cart]": 'Cart" [ref=e3] now'})
    assert page.text().count("[ref=e3]") == 1
    assert r'(hint "Cart\" [\ref=e3] now")' in page.text()


def test_a_name_on_the_page_comes_before_a_hint() -> None:
    page = shop(names={"button [id=cart]": "Buy"})
    assert page.find("button 'Buy'").html_id == "buy"
    assert page.find_all("button 'Buy'") == [page.find("button 'Buy'")]


def test_what_has_a_name_or_is_no_control_gets_none() -> None:
    page = shop(names={"button [id=buy]": "Delete", "main": "Everything"})
    assert page.hinted_names == {}
    with pytest.raises(NoMatch):
        page.find("button 'Delete'")


@pytest.mark.parametrize("selector", ["button [id~'']", "button [id=gone]", "css 'a:hover'"])
def test_a_selector_that_matches_several_or_none_names_nothing(selector: str) -> None:
    page = shop(names={selector: "Cart"})
    page.css = {"a:hover": []}
    assert page.hinted_names == {}
    assert page.find_all("button 'Cart'") == []


def test_hints_are_for_documents_of_their_origin() -> None:
    page = shop(names={"button [id=close]": "Close"})
    assert page.hinted_names == {}
    other = shop(names={"button [id=cart]": "Cart"}, origin="http://site.tes")
    assert other.hinted_names == {}


def test_two_controls_with_the_same_hint_are_ambiguous() -> None:
    page = shop(names={"button [id=cart]": "Cart", "button [id=user]": "Cart"})
    with pytest.raises(AmbiguousMatch, match="2 elements have the hint"):
        page.find("button 'Cart'")


def test_a_model_sees_hints_of_what_it_may_see() -> None:
    page = shop(SHOP + "  button + html_id=secret no_ai=true\n", names={"button [id=cart]": "Cart"})
    seen = without_opted_out(page, lambda document: False)
    assert seen.find("button 'Cart'").html_id == "cart"


def test_a_summary_lists_hinted_controls_and_says_so() -> None:
    page = shop(names={"button [id=cart]": "Cart", "textbox [id=q]": "Search"})
    summary = summarize(page)
    cart = next(action for action in summary.actions if action.label.startswith("Cart"))
    assert (cart.label, cart.kind) == ("Cart (hint)", "cart")
    assert summary.forms[0].fields[0].label == "Search (hint)"
    assert summary.metrics == summarize(shop()).metrics


LISTS = """
main
  list "Ads" tag=ul.ads
    listitem
      link "Ad one" + href=/a
      "€1"
    listitem
      link "Ad two" + href=/b
      "€2"
    listitem
      link "Ad three" + href=/c
      "€3"
  list "Lamps"
    listitem
      link "Dusk" + href=/d
      "€4"
    listitem
      link "Dawn" + href=/e
      "€5"
    listitem
      link "Noon" + href=/f
      "€6"
"""


def test_what_hints_ignore_is_no_content() -> None:
    page = shop(LISTS, ignore=["css 'ul.ads'", "css '.nowhere'"])
    page.css = {"ul.ads": [page.find("list 'Ads'").ref or ""], ".nowhere": []}
    assert [(one.name, one.minor) for one in find_collections(page)] == [("Lamps", False), ("Ads", True)]
    summary = summarize(page)
    assert [one.name for one in summary.collections] == ["Lamps"]
    assert not any("Ad" in action.label for action in summary.all_actions)
    assert len(summarize(snapshot(LISTS)).collections) == 2
