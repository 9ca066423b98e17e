from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.perception.action_intent import action_intent, login_state
from skillbook.perception.summary import Action, Form, summarize
from skillbook.perception.summary.ranking import rank
from skillbook.perception.text import count_tokens
from tests.strategies import texts
from tests.trees import snapshot

encoding = pytest.importorskip("bpe_openai").get_encoding("o200k_base")

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


def test_which_share_of_the_controls_has_a_name() -> None:
    page = snapshot(
        'main\n  button "Save" +\n  button "" +\n  link "Home" + href=/\n  link "Out" + href=/out\n'
    )
    assert summarize(page).metrics["ariaCoverage"] == 0.75
    assert summarize(snapshot("main\n")).metrics["ariaCoverage"] == 1.0


def test_limits() -> None:
    many = "main\n" + "".join(f'  button "Button number {n}" +\n' for n in range(500))
    summary = summarize(snapshot(many))
    assert len(summary.actions) == 30
    assert count_tokens(summary.text()) <= 1500
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
        ("Abmelden", "logout"),
        ("Se déconnecter", "logout"),
        ("Iniciar sesión", "login"),
        ("Accedi", "login"),
        ("Sepete ekle", "add_to_cart"),
        ("В корзину", "add_to_cart"),
        ("加入购物车", "add_to_cart"),
        ("商品を検索", "search"),
        ("다음 페이지", "next_page"),
        ("تنزيل الفاتورة", "download"),
        ("صفحه بعد", "next_page"),
        ("Đăng ký", "register"),
        ("Unduh", "download"),
        ("Rechnungen", "billing"),
        ("Tylko niezbędne", "reject"),
        ("Next.js", None),
        ("What we learned about the next generation of phones", None),
        ("Download the yearly report of the whole company", "download"),
        ("", None),
    ],
)
def test_kinds(label: str, kind: str | None) -> None:
    assert action_intent(label) == kind


def test_login_state() -> None:
    assert login_state(snapshot('link "Sign out" +')) == "in"
    assert login_state(snapshot('link "Home" +')) == "unknown"


def test_links_to_the_same_part_are_one_action() -> None:
    page = snapshot(
        'banner\n  link "Help" + href=http://a.test/help/start\n  button "Save" +\n'
        'main\n  button "Save" +\n  link "Help" + href=http://b.test/help/start\n'
        'contentinfo\n  link "Help" + href=http://a.test/help?from=foot\n'
    )
    found = [(action.label, action.landmark, action.items) for action in summarize(page).actions]
    assert sorted(found) == [
        ("Help", "banner", 2),
        ("Help", "main", 1),
        ("Save", "banner", 1),
        ("Save", "main", 1),
    ]


def test_query_by_what_things_are_for() -> None:
    summary = summarize(snapshot(SHOP + FAR + '  link "Price list" + href=/files/prices.PDF?v=2\n'))
    files = [thing for _, thing in summary.query("price", kind="download")]
    assert [thing.label for thing in files if isinstance(thing, Action)] == ["Price list"]
    assert [
        thing.purpose for _, thing in summary.query("sign in", kind="login") if isinstance(thing, Form)
    ] == ["login"]
    assert all(isinstance(thing, Action) for _, thing in summary.query("sign in", kind="action"))
    assert summary.query("sign in", kind="upload") == []


def test_details_tell_the_frames() -> None:
    page = snapshot(
        'iframe "Shop" document=shop ref=e1',
        {"shop": 'iframe "Pay" document=pay ref=e1', "pay": 'button "Pay now" +'},
    )
    summary = summarize(page)
    details = summary.details(summary.actions[0].id)
    assert details["frame_path"] == ["Shop", "Pay"]
    assert details["frame"] == 2
    assert page.find(details["selector"]).ref == summary.actions[0].id
    assert all(page.find(other).ref == summary.actions[0].id for other in details["alternatives"])


def test_html_is_escaped() -> None:
    page = snapshot('main\n  button "<script>alert(1)</script>" +', title="<b>x</b>")
    html = summarize(page).to_html()
    assert "<script>" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert html.count("<li>") == 1


@given(
    st.lists(
        st.tuples(st.sampled_from(["button", "link", "textbox", "checkbox", "tab"]), texts()), max_size=40
    ),
    st.integers(1, 12),
    st.text(max_size=400),
)
def test_any_page_fits_in_real_tokens(nodes: list[tuple[str, str]], times: int, title: str) -> None:
    lines = [f"  {role} {json.dumps(name)} + required" for role, name in nodes * times]
    summary = summarize(snapshot("form\n" + "\n".join(lines), title=title))
    assert len(encoding.encode(summary.text())) <= 1500
    assert len(summary.actions) <= 30
    assert len(summary.forms) <= 20
    assert len(summary.collections) <= 20
    assert summary.query("save 17") == summary.query("save 17")


def test_noisy_pages_fit_in_real_tokens() -> None:
    noise = "".join(map(chr, range(0x4E00, 0x4E50))) + "qxzjvkwbq" * 6
    form = '  form "{0}"\n' + "".join(f'    textbox "{{0}} {at}" +\n' for at in range(20))
    page = "main\n" + "".join(form.format(f"{noise} {at}") for at in range(30))
    page += "".join(f'  button "{at} {noise}" +\n' for at in range(60))
    summary = summarize(snapshot(page, title=noise * 5, url=f"http://a.test/{noise}"))
    assert (len(summary.forms), len(summary.actions)) == (20, 30)
    assert 700 < len(encoding.encode(summary.text())) <= 1500


def test_fields_without_a_form_are_not_sent_by_another_forms_button() -> None:
    person = '  form "Person"\n    textbox "Name" +\n    button "Save" + type=submit'
    tree = f'main\n  searchbox "Filter entries" +\n{person}'
    loose, bound = sorted(
        summarize(snapshot(tree)).forms, key=lambda form: len(form.fields[0].label), reverse=True
    )
    assert (loose.fields[0].label, loose.submit) == ("Filter entries", None)
    assert bound.submit_label == "Save"
