"""Native lists with several options of one name, and files for a field that takes one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.errors import InvalidParams
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

LISTS = """<label>Town <select id=town><option value="">Choose
<optgroup label=Illinois><option value=il>Springfield<option value=ch>Chicago</optgroup>
<optgroup label=Missouri><option value=mo>Springfield</optgroup><option value=x>Elsewhere</select></label>
<label>Owner <select id=owner><option>Choose<option value=11>J. Smith<option value=22>J. Smith
<option value=33>K. Roe</select></label>
<label>Case <select id=case><option value=1>apple<option value=2>Apple</select></label>
<label>Twice <select id=twice><option value=0>None<option value=7>Same<option value=7>Same</select></label>"""


@pytest.fixture
def page(serve_html: Serve) -> Page:
    return serve_html(LISTS)


def _value(page: Page, name: str) -> str:
    value: str = page.evaluate(f"document.getElementById('{name}').value")
    return value


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("Town", "Springfield", ["in Illinois: value 'il'", "in Missouri: value 'mo'"]),
        ("Town", "springfield", ["in Illinois: value 'il'"]),
        ("Owner", "J. Smith", ["value '11'", "value '22'"]),
        ("Case", "APPLE", ["value '1'", "value '2'"]),
    ],
)
def test_a_name_of_several_options_is_refused_and_says_what_tells_them_apart(
    page: Page, field: str, value: str, said: list[str]
) -> None:
    before = _value(page, field.lower())
    with pytest.raises(InvalidParams) as refused:
        page.select(f"combobox '{field}'", value)
    assert all(text in str(refused.value) for text in said)
    assert _value(page, field.lower()) == before


@pytest.mark.parametrize(
    ("field", "value", "by", "now"),
    [
        ("Town", "mo", "value", "mo"),
        ("Town", "mo", None, "mo"),
        ("Town", "Missouri / Springfield", None, "mo"),
        ("Town", "Chicago", None, "ch"),
        ("Owner", "22", "value", "22"),
        ("Owner", "2", "index", "22"),
        ("Case", "Apple", None, "2"),
        ("Twice", "Same", None, "7"),
    ],
)
def test_one_of_them_is_chosen_by_what_it_alone_has(
    page: Page, field: str, value: str, by: str | None, now: str
) -> None:
    page.select(f"combobox '{field}'", value, by=by)
    assert _value(page, field.lower()) == now


def test_a_snapshot_shows_the_groups_of_options(page: Page) -> None:
    text = page.snapshot().text(budget=None)
    assert (
        'group "Illinois": Springfield | Chicago | group "Missouri": Springfield | no group: Elsewhere'
        in text
    )


@pytest.mark.parametrize("through", ["button 'Document'", "button 'Browse'"])
def test_two_files_for_a_field_that_takes_one_are_refused_before_anything_is_set(
    serve_html: Serve, tmp_path: Path, through: str
) -> None:
    page = serve_html(
        """<label>Document <input type=file id=f onchange="out.textContent = f.files.length"></label>
        <button onclick="f.click()">Browse</button><p id=out></p>"""
    )
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file in files:
        file.write_text("text")
    with pytest.raises(InvalidParams, match="the page takes one"):
        page.upload(through, *map(str, files))
    assert page.evaluate("document.getElementById('f').files.length") == 0
    page.upload(through, str(files[0]))
    assert page.evaluate("document.getElementById('f').files[0].name") == "a.txt"
