"""What a skill checks after a step: what was really seen, as far as another run will see it too."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from skillbook.agents.state.step_records import StepRecord
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.request_facts import RequestFact
from skillbook.skill.authoring.skill_writer import save_recording
from skillbook.skill.model.spec_steps import Check
from skillbook.skill.recording.expected_checks import page_error, text_beside
from skillbook.skill.recording.recorded_steps import recording_of_run
from tests.skill.recorded import HOME, SHOP, make, page, search_steps, skill_from_run, step


def test_checks_are_inferred_from_what_was_seen() -> None:
    spec = make('Search for "desk lamp"', *search_steps())
    fill, click, extract = spec.steps
    assert fill.expect == [Check(value="${input:query}")]
    assert Check(url="${input:site}/search?q=${input:query}&sid=*") in click.expect
    assert Check(present="heading 'Results for ${input:query}'") in click.expect
    assert extract.expect == [Check(rows=1)]


def test_a_wait_becomes_a_check() -> None:
    home = page(HOME)
    click, wait = step("click", home, target="button 'Search'"), step("wait_for", home, text="Ready")
    assert Check(text="Ready") in make("Click Search", click, wait).steps[0].expect


def test_dialogs_are_awaited() -> None:
    home = page(HOME)
    with_dialog = page(HOME + 'dialog "Choose a size" modal\n  button "Close" +\n')
    spec = make(
        "Open sizes",
        step("click", home, with_dialog, target="button 'Search'"),
        step("click", with_dialog, home, target="button 'Close'"),
    )
    assert spec.steps[0].expect == [Check(present="dialog 'Choose a size'")]
    assert spec.steps[1].expect == [Check(absent="dialog 'Choose a size'")]


SAVED = """
main
  {message}
    "{text}"
  button "Save" +
"""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Added Ann Lee.", "Added ${input:name}."),
        ("Your changes have been saved", "Your changes have been saved"),
        ("Order 4711 was placed at 10:45", "was placed at"),
        ("17:20", None),
    ],
)
def test_a_message_says_what_it_said(text: str, kept: str | None) -> None:
    """An error is a message too: that there is one shows nothing."""
    form = page('main\n  textbox "Name" + value=""\n  button "Save" +\n')
    filled = page('main\n  textbox "Name" + value="Ann Lee"\n  button "Save" +\n')
    saved = page(SAVED.format(message="status", text=text))
    spec = make(
        "Add a person named Ann Lee",
        step("fill", form, filled, target="textbox 'Name'", value="Ann Lee"),
        step("click", filled, saved, target="button 'Save'"),
    )
    assert spec.steps[1].expect == [Check(present="status", text=kept)]


def test_a_word_that_names_one_input_and_shows_another_in_its_own_case_is_no_sign() -> None:
    """Another run has that one otherwise: `priority=low`."""
    fields = 'main\n  textbox "Name" + value="{}"\n  textbox "Priority" + value="{}"\n  button "Save" +\n'
    named, filled = page(fields.format("Ann", "")), page(fields.format("Ann", "High"))
    saved = page(SAVED.format(message="status", text="Kept: name=Ann,priority=high"))
    spec = make(
        "Order for 'Ann' with the priority 'High'",
        step("fill", page(fields.format("", "")), named, target="textbox 'Name'", value="Ann"),
        step("fill", named, filled, target="textbox 'Priority'", value="High"),
        step("click", filled, saved, target="button 'Save'"),
    )
    assert spec.steps[2].expect == [Check(present="status", text="Kept:")]


def test_what_loads_and_parts_of_a_value_are_no_check() -> None:
    form = page('main\n  textbox "Name" + value=""\n  button "Save" +\n')
    filled = page('main\n  textbox "Name" + value="Ann Lee"\n  button "Save" +\n')

    def expected(text: str) -> list[Check]:
        return (
            make(
                "Add a person named Ann Lee",
                step("fill", form, filled, target="textbox 'Name'", value="Ann Lee"),
                step(
                    "click", filled, page(SAVED.format(message="status", text=text)), target="button 'Save'"
                ),
            )
            .steps[1]
            .expect
        )

    assert expected("Loading…") == []
    assert expected("Stored as Ann Lee;41;R") == [Check(present="status", text="Stored as")]
    assert expected("Born on July 9, 1985") == [Check(present="status", text="Born on")]


REGISTER = """
main
  textbox "Name" + value="{typed}"
  button "Add" +
  table "People"
    row
      columnheader "Name"
    row
      cell "Bob Ray"
{more}"""


ADDED = '    row\n      cell "Ann Lee"\n'


def test_the_record_that_appeared_is_awaited() -> None:
    empty, filled = page(REGISTER.format(typed="", more="")), page(REGISTER.format(typed="Ann Lee", more=""))
    added = page(REGISTER.format(typed="", more=ADDED))
    spec = make(
        "Add a person named Ann Lee",
        step("fill", empty, filled, target="textbox 'Name'", value="Ann Lee"),
        step("click", filled, added, target="button 'Add'"),
    )
    assert spec.steps[1].expect == [Check(present="cell '${input:name}' in row")]
    assert added.find("cell 'Ann Lee' in row")


def test_a_search_awaits_no_record_of_its_result() -> None:
    """The result of another search is called otherwise."""
    home, filled = page(REGISTER.format(typed="", more="")), page(REGISTER.format(typed="Ann Lee", more=""))
    left = page('main\n  textbox "Name" + value="Ann Lee"\n  button "Add" +\n  table "People"\n' + ADDED)
    spec = make(
        "Look for Ann Lee",
        step("fill", home, filled, target="textbox 'Name'", value="Ann Lee"),
        step("click", filled, left, target="button 'Add'"),
    )
    assert spec.steps[1].expect == []


def test_the_record_that_was_removed_is_gone() -> None:
    listed = page(REGISTER.format(typed="", more=ADDED + '      cell\n        button "Remove" +\n'))
    left = page(REGISTER.format(typed="", more=""))
    spec = make('Remove "Ann Lee"', step("click", listed, left, target="button 'Remove' in row 'Ann Lee'"))
    assert spec.steps[0].expect == [Check(absent="cell '${input:item}' in row")]


def test_a_heading_counts_without_its_numbers() -> None:
    home = page(HOME)
    filled = page(HOME.replace('value=""', 'value="lamp"'))
    found = page('main\n  heading "12 results for lamp" level=2\n', "/search?q=lamp")
    spec = make(
        'Search for "lamp"',
        step("fill", home, filled, target="searchbox 'Search products'", value="lamp"),
        step("click", filled, found, target="button 'Search'"),
    )
    assert Check(present="heading ~'results for ${input:query}'") in spec.steps[1].expect


LIST = """
main
  searchbox "Find" + value="{text}"
  list
    listitem
      link "Ann Lee" + href=/items/18/
  button "More" +
"""


def test_ids_that_follow_from_an_input_are_another_runs_own() -> None:
    """The record that an input found has another id than the recorded one's, also where a later step opens it."""
    empty, found = page(LIST.format(text=""), "/shop/2/"), page(LIST.format(text="Ann Lee"), "/shop/2/")
    opened = page('main\n  heading "Edit" level=1\n  button "Save" +\n', "/shop/2/items/18/edit/")
    spec = make(
        'Edit "Ann Lee"',
        step("fill", empty, found, target="searchbox 'Find'", value="Ann Lee"),
        step("click", found, opened, target="button 'More'"),
    )
    assert Check(url="${input:site}/shop/2/items/*/edit/") in spec.steps[1].expect


def test_ids_without_an_input_are_the_recorded_ones() -> None:
    found = page(LIST.format(text=""))
    opened = page('main\n  heading "Edit" level=1\n  button "Save" +\n', "/items/18/edit/")
    spec = make("Edit the first one", step("click", found, opened, target="button 'More'"))
    assert Check(url="${input:site}/items/18/edit/") in spec.steps[0].expect


@pytest.mark.parametrize(
    ("after", "check"),
    [
        ('  "Thank you, Ann Lee"\n', Check(text="Thank you, ${input:name}")),
        ('  "17:20"\n', Check(url="${input:site}/")),
        ("", Check(url="${input:site}/")),
    ],
)
def test_a_step_that_sends_something_always_checks_something(after: str, check: Check) -> None:
    form = page('main\n  textbox "Name" + value=""\n  button "Save" +\n')
    filled = page('main\n  textbox "Name" + value="Ann Lee"\n  button "Save" +\n')
    sent = step("click", filled, page('main\n  button "Save" +\n' + after), target="button 'Save'")
    sent.extra["sent"] = [RequestFact("POST", SHOP, "/people")]
    spec = make("Add Ann Lee", step("fill", form, filled, target="textbox 'Name'", value="Ann Lee"), sent)
    assert spec.steps[1].expect == [check]


def sent_step(before: Snapshot, after: Snapshot) -> StepRecord:
    sent = step("click", before, after, target="button 'Save'")
    sent.extra["sent"] = [RequestFact("POST", SHOP, "/people")]
    return sent


TIP = 'main\n  status\n    "{tip}"\n  textbox "Name" + value="{name}"\n  button "Save" +\n'


def test_fault_96_a_tip_that_changes_is_no_sign_of_success() -> None:
    """Another load of the page says another one."""
    empty, filled = (
        page(TIP.format(tip="Use the arrows", name="")),
        page(TIP.format(tip="Use the arrows", name="Ann Lee")),
    )
    saved = page(TIP.format(tip="Press F1 for help", name=""))
    fill = step("fill", empty, filled, target="textbox 'Name'", value="Ann Lee")
    assert make("Add Ann Lee", fill, sent_step(filled, saved)).steps[1].expect == [
        Check(url="${input:site}/")
    ]
    answered = page(TIP.format(tip="Ann Lee was added", name=""))
    [check] = make("Add Ann Lee", fill, sent_step(filled, answered)).steps[1].expect
    assert check.text == "${input:name} was added"


def test_fault_96_a_chance_text_is_offered_and_not_taken() -> None:
    form = page('main\n  textbox "Name" + value=""\n  button "Save" +\n')
    filled = page('main\n  textbox "Name" + value="Ann Lee"\n  button "Save" +\n')
    after = page('main\n  button "Save" +\n  "Tip: lamps save energy"\n')
    skill = skill_from_run(
        "Add Ann Lee",
        [step("fill", form, filled, target="textbox 'Name'", value="Ann Lee"), sent_step(filled, after)],
        "add",
    )
    assert skill.spec.steps[1].expect == [Check(url="${input:site}/")]
    [offered] = skill.offered_checks
    assert "Tip: lamps save energy" in offered
    assert "step 2" in offered


SHOWN = 'main\n  button "Count" +\n  "Shelf one"\n'


@pytest.mark.parametrize(
    ("after", "sign"),
    [
        (SHOWN + '  "Seven chairs are there"\n', "Seven chairs are there"),
        ('main\n  button "Count" +\n  "Tip: lamps save energy"\n', None),  # in another text's place
        (SHOWN + '  "Seven chairs"\n  "One lamp"\n', None),
        (SHOWN, None),
    ],
)
def test_a_press_is_known_by_the_only_text_that_came(after: str, sign: str | None) -> None:
    [press] = make("Count it", step("click", page(SHOWN), page(after), target="button 'Count'")).steps
    assert press.expect == ([Check(text=sign)] if sign else [])


def test_a_text_after_an_input_may_be_another_ones_and_is_offered() -> None:
    form, filled = (
        page(f'main\n  textbox "Name" + value="{name}"\n  button "Show" +\n') for name in ("", "Ann Lee")
    )
    after = page('main\n  textbox "Name" + value="Ann Lee"\n  button "Show" +\n  "Painter"\n')
    fill = step("fill", form, filled, target="textbox 'Name'", value="Ann Lee")
    skill = skill_from_run(
        "Show Ann Lee", [fill, step("click", filled, after, target="button 'Show'")], "show"
    )
    assert skill.spec.steps[1].expect == []
    assert "'Painter'" in skill.offered_checks[0]


NUMBERS = """
main
  textbox "Name" + value="{name}"
  spinbutton "Age" + value={age}
  combobox "Level" + value="{level}"
    option "Low"
    option "Medium"
  button "Save" +
  list
    listitem
      "Bob Ray"
      "Medium"
      "30"
{more}"""


@pytest.mark.parametrize(
    ("goal", "field", "value", "sign"),
    [
        ("Add a person of age 30", "spinbutton 'Age'", "30", None),
        ("Add a person of age 41", "spinbutton 'Age'", "41", None),
        ("Add Ann Lee", "textbox 'Name'", "Ann Lee", Check(present="text '${input:name}' in listitem")),
        ("Add Bob Ray", "textbox 'Name'", "Bob Ray", None),
    ],
)
def test_fault_96_a_number_a_default_or_what_was_there_before_is_no_sign(
    goal: str, field: str, value: str, sign: Check | None
) -> None:
    before = page(NUMBERS.format(name="", age=18, level="Low", more=""))
    filled = page(NUMBERS.format(name="", age=18, level="Low", more=""))
    more = f'    listitem\n      "{value}"\n      "Low"\n      "Ann"\n'
    after = page(NUMBERS.format(name="", age=18, level="Low", more=more))
    spec = make(goal, step("fill", before, filled, target=field, value=value), sent_step(filled, after))
    assert spec.steps[1].expect == [sign or Check(url="${input:site}/")]


def test_a_default_that_is_typed_again_is_no_sign() -> None:
    before = page(NUMBERS.format(name="New", age=18, level="Low", more=""))
    after = page(NUMBERS.format(name="New", age=18, level="Low", more='    listitem\n      "New"\n'))
    spec = make(
        "Add a New entry",
        step("fill", before, before, target="textbox 'Name'", value="New"),
        sent_step(before, after),
    )
    assert spec.steps[1].expect == [Check(url="${input:site}/")]


FORM = 'main\n  textbox "Slug" + value="a"\n  button "Save" +\n'


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ('  alert "The slug is already in use"\n', "The slug is already in use"),
        ('  generic tag=p.error-message\n    "Pick another"\n', "Pick another"),
        ('  textbox "Title" + invalid\n', "'Title' is invalid"),
        ('  textbox "Title" + invalid description="Two letters"\n', "'Title' is invalid: Two letters"),
        ('  alert "Ann has one" tag=div.MuiAlert-colorError\n', "Ann has one"),
        ('  list tag=ul.errorlist\n    listitem\n      "Pick another"\n', "Pick another"),
        ('  button "Delete" + tag=button.btn-danger\n', ""),
        ('  list\n    listitem\n      generic tag=b.text-danger\n        "overdue"\n', ""),
        ('  alert "Saved"\n', ""),
        ('  status "1 item was added"\n', ""),
        ("", ""),
    ],
)
def test_what_the_page_finds_wrong(added: str, said: str) -> None:
    assert page_error(page(FORM), page(FORM + added)) == said
    assert page_error(page(FORM + added), page(FORM + added)) == ""


NOTE = 'main\n  "Bob"\ndialog "Note"\n  textbox "Note" +\n{said}  button "Save" +\n{beside}'


@pytest.mark.parametrize(
    ("said", "beside", "text"),
    [('  "20 letters at most"\n', "", "20 letters at most"), ("", '"Tip: ring twice"\n', ""), ("", "", "")],
)
def test_what_came_into_a_form_that_stays_is_its_answer(said: str, beside: str, text: str) -> None:
    before, after = page(NOTE.format(said="", beside="")), page(NOTE.format(said=said, beside=beside))
    save = before.find("button 'Save'")
    assert text_beside(save, after) == text
    assert text_beside(save, page("main\n")) == ""


def test_an_error_that_the_recording_had_is_kept() -> None:
    press = step("click", page(FORM), page(FORM + '  alert "Not found"\n'), target="button 'Save'")
    assert make("Save", press).steps[0].shows_error
    assert (
        not make("Save", step("click", page(FORM), page(FORM), target="button 'Save'")).steps[0].shows_error
    )


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
