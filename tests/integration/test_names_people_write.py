"""Names as people write them: without a field's required mark, in the other form of an accented letter."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.errors import NoMatch
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

MARKED = """<meta charset=utf-8><style>.req::before { content: '*'; margin-right: 4px }</style>
<label>* Name <input></label><label>Customer * <input></label><label>City*: <input></label>
<label class=req>Town <input></label><label>Street <span aria-hidden=false>＊</span><input></label>
<label><input type=checkbox> I agree *</label>
<label>Kind * <select><option>a<option>b</select></label><label>Email <input></label><label>Email * <input></label>"""


@pytest.mark.parametrize("name", ["Name", "Customer", "City", "Town", "Street"])
def test_a_required_field_answers_to_its_name(show_html: Serve, name: str) -> None:
    page = show_html(MARKED)
    page.fill(f"textbox '{name}'", "x")
    assert page.get("value", f"label '{name}'") == "x"


def test_other_kinds_of_fields_do_too_and_the_exact_name_comes_first(show_html: Serve) -> None:
    page = show_html(MARKED)
    page.check("checkbox 'I agree'")
    page.select("combobox 'Kind'", "b")
    page.fill("textbox 'Email'", "one")
    page.fill("textbox 'Email *'", "two")
    values = page.evaluate(
        "[...document.querySelectorAll('label')].slice(-2).map(label => label.control.value)"
    )
    assert values == ["one", "two"]
    with pytest.raises(NoMatch):
        page.fill("textbox '*'", "x", timeout=0.2)


@pytest.mark.parametrize(("page_form", "written"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_both_forms_of_an_accented_letter_are_one(show_html: Serve, page_form: str, written: str) -> None:
    def theirs(text: str) -> str:
        return unicodedata.normalize(page_form, text)  # type: ignore[arg-type]

    def ours(text: str) -> str:
        return unicodedata.normalize(written, text)  # type: ignore[arg-type]

    page = show_html(
        theirs(
            """<meta charset=utf-8><label>Café <input id=f oninput="this.value = this.value.normalize('FORM')"></label>
            <div contenteditable role=textbox aria-label=Größe></div>
            <select aria-label=Wählen><option>Müll<option>Öl</select>
            <p>Résumé prêt</p><button onclick="this.textContent += '!'">Prüfen</button>""".replace(
                "FORM", page_form
            )
        )
    )
    page.fill(ours("textbox 'Café'"), ours("déjà vu"))
    page.fill(ours("textbox 'Größe'"), ours("zwölf"))
    page.select(ours("combobox 'Wählen'"), ours("Öl"))
    assert page.get("value", ours("combobox 'Wählen'")) in {"Öl", theirs("Öl")}
    page.click(ours("button 'Prüfen'"))
    page.wait_for(text=ours("Résumé prêt"), timeout=2)
    page.wait_for(selector=ours("button ~'Prüfen!'"), timeout=2)


def test_a_field_answers_to_a_placeholder_that_is_its_only_name(show_html: Serve) -> None:
    page = show_html(
        "<input placeholder='Your mail'><textarea placeholder=Comment></textarea>"
        "<input placeholder=City aria-label=Town>"
    )
    for selector in (
        "placeholder 'Your mail'",
        "placeholder ~'comm'",
        "css '[placeholder=Comment]'",
        "placeholder 'City'",
    ):
        page.fill(selector, "x", timeout=2)
        assert page.value(selector) == "x"
    assert 'placeholder "Your mail"' not in page.text()


def test_a_file_field_answers_to_its_label(serve_html: Serve, tmp_path: Path) -> None:
    (file := tmp_path / "cv.txt").write_text("cv")
    page = serve_html(
        "<label>CV <input type=file></label><label for=h>Photo</label><input id=h type=file style='display:none'>"
    )
    for name in ("CV", "Photo"):
        page.upload(f"label '{name}'", str(file), timeout=5)
        assert len(page.find(f"label '{name}'")) == 1
    assert page.evaluate("[...document.querySelectorAll('input')].map(field => field.files.length)") == [1, 1]


LABELLED = """<label for=d>Due date</label><input id=d aria-label="Choose date">
<label for=p>Pick a day</label><button id=p>none yet</button>
<span id=c>Currency</span><div role=combobox tabindex=0 id=v aria-expanded=false aria-labelledby="c v">EUR</div>
<span id=a>Animal</span><button id=w aria-haspopup=listbox aria-labelledby="w a">Cat</button>
<button>Other</button><script>
  document.addEventListener("click", (event) => { document.title = event.target.id; });
</script>"""


@pytest.mark.parametrize(
    ("target", "hit"),
    [
        ("label 'Due date'", "d"),
        ("textbox 'Choose date'", "d"),
        ("label 'Pick a day'", "p"),
        ("label 'Currency'", "v"),
        ("combobox 'Currency'", "v"),
        ("button 'Animal'", "w"),
    ],
)
def test_what_labels_say_names_a_control_that_is_called_otherwise(
    show_html: Serve, target: str, hit: str
) -> None:
    page = show_html(LABELLED)
    page.click(target, timeout=2)
    assert page.evaluate("document.title") == hit


@pytest.mark.usefixtures("hasty")
def test_a_buttons_text_is_no_label(show_html: Serve) -> None:
    with pytest.raises(NoMatch):
        show_html(LABELLED).click("label 'Other'", timeout=0.5)
