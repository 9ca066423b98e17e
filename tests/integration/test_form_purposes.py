"""What forms are for, on real pages: types and `autocomplete` before words, by both engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest

from skillbook.perception.summary import summarize
from skillbook.session.sync import Page

FORMS = {
    "payment": "<label>Number <input autocomplete='cc-number'></label><label>Password hint <input></label>",
    "billing": "<label>Street <input autocomplete='billing street-address'></label>",
    "login": "<label>Kto <input autocomplete=username></label><label>Co <input type=password></label>",
    "register": "<label>Kto <input></label><label>Co <input type=password autocomplete=new-password></label>",
    "upload": "<label>X <input type=file></label>",
}


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_types_decide_what_forms_are_for(
    engine: Literal["dom", "cdp"], read_html: Callable[[str], Page]
) -> None:
    page = read_html("".join(f"<form>{fields}<button>OK</button></form>" for fields in FORMS.values()))
    assert [form.purpose for form in summarize(page.snapshot(engine=engine)).forms] == list(FORMS)
