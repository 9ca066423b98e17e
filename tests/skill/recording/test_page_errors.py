"""A recording that ends with an error of the page is saved with a warning: its replay would repeat the error."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from skillbook.skill.authoring.skill_writer import save_recording
from skillbook.skill.recording.page_errors import page_error
from skillbook.skill.recording.recorded_steps import recording_of_run
from tests.skill.recorded import page, step

FORM = 'main\n  textbox "Slug" + value="a"\n  button "Save" +\n'


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ('  alert "The slug is already in use"\n', "The slug is already in use"),
        ('  generic tag=p.error-message\n    "Pick another"\n', "Pick another"),
        ('  textbox "Title" + invalid\n', "'Title' is invalid"),
        ('  alert "Saved"\n', ""),
        ('  status "1 item was added"\n', ""),
        ("", ""),
    ],
)
def test_what_the_page_finds_wrong(added: str, said: str) -> None:
    assert page_error(page(FORM), page(FORM + added)) == said
    assert page_error(page(FORM + added), page(FORM + added)) == ""


def test_a_recording_that_ends_in_an_error_is_warned_of(tmp_path: Path) -> None:
    wrong = page(FORM + '  alert "The slug is already in use"\n')
    steps = [
        step("fill", page(FORM), target="textbox 'Slug'", value="a"),
        step("click", page(FORM), wrong, target="button 'Save'"),
    ]
    with pytest.warns(
        UserWarning, match=r"the page says 'The slug is already in use': a replay does the same"
    ):
        save_recording(recording_of_run("Save the page", steps), "save-page", tmp_path)
    assert (tmp_path / "save-page/SKILL.md").exists()
    steps.append(step("click", wrong, page('main\n  heading "Pages"\n', "/pages"), target="button 'Save'"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save_recording(recording_of_run("Save the page", steps), "save-page", tmp_path)
