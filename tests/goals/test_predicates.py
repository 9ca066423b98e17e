from __future__ import annotations

import pytest

import skillbook as sb
from skillbook import goals
from skillbook.errors import InvalidInput
from skillbook.perception.summary import PageSummary, summarize
from tests.trees import snapshot

SIGN_IN = """
banner
  link "Home" + href=/
main
  heading "Welcome back" level=1
  form "Sign in"
    textbox "E-mail" +
    textbox "Password" + secret type=password
    button "Sign in" + type=submit
"""
INVOICES = """
banner
  link "Sign out" + href=/out
main
  heading "Your invoices" level=1
  table "Invoices"
    row
      columnheader "Date"
      columnheader "Amount"
      columnheader "File"
    row
      cell "2026-10-01"
      cell "€12.00"
      cell
        link "Download" + href=/i/1.pdf
    row
      cell "2026-09-01"
      cell "€12.00"
      cell
        link "Download" + href=/i/2.pdf
"""


def page(tree: str) -> PageSummary:
    return summarize(snapshot(tree))


@pytest.mark.parametrize(
    ("goal", "at_login", "at_invoices"),
    [
        (goals.form(purpose="login"), True, False),
        (goals.form(fields=["mail", "password"]), True, False),
        (goals.form(fields=["street"]), False, False),
        (goals.action(kind="logout"), False, True),
        (goals.action(kind="download", label="download"), False, True),
        (goals.action(label="Home"), True, False),
        (goals.collection(fields=["date", "amount"]), False, True),
        (goals.collection(fields=["date"], at_least=3), False, False),
        (goals.collection(name="invoice"), False, True),
        (goals.text("welcome  BACK"), True, False),
        (goals.text("invoice", where="heading"), False, True),
        (goals.text("amount", where="heading"), False, False),
        (goals.url("https://shop.example/*"), False, False),
        (goals.download(), False, False),
    ],
    ids=repr,
)
def test_where_a_goal_holds(goal: goals.Goal, at_login: bool, at_invoices: bool) -> None:
    assert goal.holds(page(SIGN_IN)) is at_login
    assert goal.holds(page(INVOICES)) is at_invoices
    assert (~goal).holds(page(SIGN_IN)) is not at_login


def test_goals_are_combined() -> None:
    inside = goals.action(kind="logout") & ~goals.form(purpose="login")
    either = goals.form(purpose="login") | goals.collection(name="invoices")
    assert [inside.holds(page(SIGN_IN)), inside.holds(page(INVOICES))] == [False, True]
    assert either.holds(page(SIGN_IN))
    assert either.holds(page(INVOICES))
    assert repr(either & ~goals.text("x")) == (
        "(form(purpose='login') | collection(name='invoices')) & ~text(words='x')"
    )


def test_a_file_is_what_was_downloaded_and_pages_with_files_are_near() -> None:
    wanted = goals.download("*.pdf")
    assert wanted.holds(page(INVOICES), downloads=["invoice-2026-10.PDF"])
    assert not wanted.holds(page(INVOICES), downloads=["terms.html"])
    assert goals.download("invoice").holds(page(SIGN_IN), downloads=["Invoice 17.pdf"])
    near, far = (goals.download("invoice").nearness(page(tree)) for tree in (INVOICES, SIGN_IN))
    assert 0 == far < near < 1


def test_an_address_fits_a_pattern() -> None:
    summary = page(SIGN_IN)
    assert summary.url == "http://site.test/"
    assert goals.url("http://site.test/*").holds(summary)
    assert goals.url("site").holds(summary)
    assert not goals.url("*[s]ite*").holds(summary)


@pytest.mark.parametrize(
    "make",
    [
        lambda: goals.form(),
        lambda: goals.form(purpose="dance"),
        lambda: goals.action(),
        lambda: goals.action(kind="dance"),
        lambda: goals.collection(),
        lambda: goals.text("  "),
        lambda: goals.url(""),
        lambda: goals.text("a") & "b",  # type: ignore[operator]
        lambda: goals.from_words("please"),
    ],
)
def test_goals_that_say_nothing_are_refused(make: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        make()  # type: ignore[operator]
    assert caught.value.hint


@pytest.mark.parametrize(
    ("words", "goal"),
    [
        ("Download last month's invoice", "download(name='invoice')"),
        ("Télécharger la facture du mois dernier", "download(name='facture')"),
        ("Lade die Rechnung von März 2025 herunter", "download(name='rechnung')"),
        ("log in", "action(kind='logout')"),
        ("the contact form", "form(purpose='contact')"),
        ("Find the sign up form", "form(purpose='register')"),
        ("opening hours", "text(words='opening hours', where='heading')"),
        ("How do I configure a proxy?", "text(words='configure proxy', where='heading')"),
        ("list of all users", "collection(name='users') | text(words='users', where='heading')"),
        (
            "bitte eine Liste aller Nutzer",
            "collection(name='nutzer') | text(words='nutzer', where='heading')",
        ),
    ],
)
def test_words_become_predicates(words: str, goal: str) -> None:
    assert repr(sb.goals.from_words(words)) == goal


JOB = """
main
  heading "Driver" level=1
  button "Apply now" +
  button "Bewerben" +
  button "Confirm" +
"""
CARD = """
form "Checkout" tag=form
  textbox "Number" + type=text autocomplete=cc-number
  button "Next" + type=submit
form "Invoice" tag=form
  textbox "Street" + type=text autocomplete="billing street-address"
  button "Next" + type=submit
"""


def test_kinds_and_purposes_of_checkouts_and_applications() -> None:
    assert goals.action(kind="apply").holds(page(JOB))
    assert goals.action(kind="confirm").holds(page(JOB))
    assert not goals.action(kind="save").holds(page(JOB))
    assert goals.form("payment_method").holds(page(CARD))
    assert goals.form("billing").holds(page(CARD))
    assert not goals.form("login").holds(page(CARD))
