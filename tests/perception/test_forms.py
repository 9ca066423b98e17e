"""What a form is for: its fields' types first, words last, and the same in every language."""

from __future__ import annotations

import pytest

from skillbook.perception.forms import FieldFacts, form_purpose
from skillbook.perception.summary import Form, summarize
from tests.trees import snapshot


def facts(*fields: str) -> list[FieldFacts]:
    """Fields written as "label | type | autocomplete | name"."""
    return [FieldFacts(*(part.strip() for part in field.split("|"))) for field in fields]


@pytest.mark.parametrize(
    ("fields", "submit", "purpose"),
    [
        (["Card number | text", "CVC | text"], "Pay", "payment"),
        (["Name | text", "Password | password"], "Create account", "register"),
        (["Name | text", "Password | password"], "Weiter", "login"),
        (["Name | text", "Secret | text | current-password"], "Go", "login"),
        (["Colour | text"], "Go", None),
        (["Old | password", "New | password"], "Change", "change_password"),
        (["Email | text", "パスワード | password", "確認 | password"], "登録", "register"),
        (["Поиск | text"], "", "search"),
        (["Kennwort | textbox"], "Weiter", "login"),
        (["Card number | text", "Password hint | text"], "Next", "payment"),
        (["Number | text | cc-number", "Code | password"], "Next", "payment"),
        (["Number | text | | card-number"], "Next", "payment"),
        (["Password hint | text"], "Next", None),
        (["Street | text | billing street-address"], "Next", "billing"),
        (["Strasse | text", "PLZ | text"], "Weiter", "address"),
        (["x | text | street-address"], "Next", "address"),
        (["Attachment | file"], "Go", "upload"),
        (["Anything | date"], "Go", "schedule"),
        (["E-post | email"], "Prenumerera", "newsletter"),
        (["Zahlungsart | combobox"], "Weiter", "payment_method"),
        (["Wiadomość | textbox"], "OK", "contact"),
    ],
)
def test_what_forms_are_for(fields: list[str], submit: str, purpose: str | None) -> None:
    assert form_purpose(facts(*fields), submit, "") == purpose


def test_a_form_of_a_page() -> None:
    page = summarize(
        snapshot(
            'form "Checkout" tag=form\n  textbox "Number" + type=text autocomplete=cc-number\n'
            '  textbox "Password hint" + type=text\n  button "Go" + type=submit\n'
        )
    )
    (form,) = page.forms
    assert isinstance(form, Form)
    assert form.purpose == "payment"
