from __future__ import annotations

import pytest

from skillbook.perception.kinds import form_purpose, kind_of_action, login_state
from skillbook.perception.ranking import rank
from skillbook.perception.summary import Action, summarize
from skillbook.perception.tokens import tokens
from skillbook.testing.trees import snapshot

SHOP = """
banner
  link "Home" + href=/
  link "Log in" + href=/login
  search
    searchbox "Search products" +
    button "Go" +
main
  form "Sign in"
    textbox "E-mail" + required type=email
    textbox "Password" + secret type=password
    button "Sign in" + type=submit
""" + "".join(
    f'  generic tag=div.card\n    heading "P{n}" level=3\n    generic tag=div.price\n      "€{n}"\n'
    f'    button "Add to cart" +\n    link "Details of P{n}" + href=/p/{n}\n'
    for n in range(8)
)
FAR = """contentinfo
  link "Invoices and billing" + box=0,5000,10,10 href=/billing
  button "Delete account" + disabled
"""


def test_what_a_page_offers() -> None:
    page = snapshot(SHOP + FAR)
    summary = summarize(page)
    assert summary.login == "out"
    assert summary.landmarks == ["banner", "search", "main", "form", "contentinfo"]
    assert [(form.purpose, form.submit_label, len(form.fields)) for form in summary.forms] == [
        ("search", "Go", 1),
        ("login", "Sign in", 2),
    ]
    assert [(c.kind, c.count, list(c.fields)) for c in summary.collections] == [
        ("cards", 8, ["title", "price", "link"])
    ]
    buy = next(action for action in summary.actions if action.label == "Add to cart")
    assert (buy.items, buy.kind, buy.above_fold) == (8, "add_to_cart", True)
    assert "Delete account" not in [action.label for action in summary.actions]
    assert page[buy.id].name == "Add to cart"


def test_limits() -> None:
    many = "main\n" + "".join(f'  button "Button number {n}" +\n' for n in range(500))
    summary = summarize(snapshot(many))
    assert len(summary.actions) == 30
    assert tokens(summary.text()) <= 1500
    found = summary.query("number 444")
    assert isinstance(found[0][1], Action)
    assert found[0][1].label == "Button number 444"


def test_details_and_query() -> None:
    page = snapshot(SHOP + FAR)
    summary = summarize(page)
    score, best = summary.query("invoice|billing|statement", kind="action", top_k=1)[0]
    assert isinstance(best, Action)
    assert (best.label, best.above_fold, score > 0.3) == ("Invoices and billing", False, True)
    details = summary.details(best.id)
    assert details["selector"] == "link 'Invoices and billing'"
    assert page.find(details["selector"]).ref == best.id
    assert summary.query("zebra") == []


def test_ranking_is_stable_and_prefers_whole_words() -> None:
    texts = ["download report", "downloads", "report a bug", "unrelated", "Download the yearly report as PDF"]
    order = [at for _, at in rank("download report", texts)]
    assert order[0] == 0
    assert order[1] == 4
    assert 3 not in order
    assert rank("download report", texts) == rank("download report", texts)
    assert rank("", texts) == []


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Log in", "login"),
        ("Sign out", "logout"),
        ("In den Warenkorb", "add_to_cart"),
        ("Delete draft", "delete"),
        ("Next page", "next_page"),
        ("Basketball", None),
        ("", None),
    ],
)
def test_kinds(label: str, kind: str | None) -> None:
    assert kind_of_action(label) == kind


def test_purposes_and_login_state() -> None:
    assert form_purpose(["Card number text", "CVC text"], "Pay", "") == "payment"
    assert form_purpose(["Name text", "Password password"], "Create account", "") == "register"
    assert form_purpose(["Colour text"], "Go", "") is None
    assert login_state(snapshot('link "Sign out" +')) == "in"
    assert login_state(snapshot('link "Home" +')) == "unknown"
