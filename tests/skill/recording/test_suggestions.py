"""A text that only leads to a list of suggestions: the option that was chosen of it is the input."""

from __future__ import annotations

import pytest

from skillbook.errors import InvalidInput
from skillbook.skill.authoring.demonstration import marked
from skillbook.skill.authoring.skill_writer import skill_from_recording
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.recording.recorded_steps import RecordedStep, Recording
from tests.skill.recorded import page

FORM = """
main
  combobox "Species" + value="{typed}"
  listbox "Suggestions"
{options}
"""
NAMES = ("Cladonia pyxidata", "Cladonia fimbriata")
EMPTY = page(FORM.format(typed="", options=""))
OPEN = page(FORM.format(typed="clad", options="\n".join(f'    option "{name}" +' for name in NAMES)))


def saved(typed: str = "", chosen: str = "", *, text: str = "clad", seen: bool = True) -> SkillSpec:
    """What becomes of a text and a choice that are marked so.

    seen: whether the page was read before the choice; otherwise the page itself found the option.
    """
    option = OPEN.find_all(f"option '{NAMES[0]}'")[0]
    fill = RecordedStep(
        "fill", {"value": text}, EMPTY.find_all("combobox")[0], url_before=EMPTY.url, before=EMPTY, after=OPEN
    )
    click = RecordedStep("click", node=option, url_before=OPEN.url, before=OPEN)
    if not seen:
        around = {"role": "option", "name": NAMES[0]}
        click = RecordedStep("click", named=f"option '{NAMES[0]}'", around=around, url_before=OPEN.url)
    steps = [marked(step, name, "it") if name else step for step, name in ((fill, typed), (click, chosen))]
    return skill_from_recording(Recording("By hand", tuple(steps), by_hand=True), "find").spec


def parts(spec: SkillSpec) -> tuple[dict[str, object], object, str]:
    """The inputs with their defaults, what is typed, and which option is chosen."""
    assert spec.steps[1].target is not None
    inputs = {one.name: one.default for one in spec.inputs if one.name != "site"}
    return inputs, spec.steps[0].params["value"], spec.steps[1].target.selectors[0]


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize(("typed", "chosen"), [("species", ""), ("", "species")])
def test_the_options_name_is_the_input_and_is_typed(typed: str, chosen: str, seen: bool) -> None:
    """The text alone would choose the recorded option whatever is given."""
    value = "${input:species}"
    assert parts(saved(typed, chosen, seen=seen)) == ({"species": NAMES[0]}, value, f"option '{value}'")


@pytest.mark.parametrize("seen", [True, False])
def test_where_both_are_named_each_is_an_input(seen: bool) -> None:
    inputs = {"part": "clad", "species": NAMES[0]}
    found = parts(saved("part", "species", seen=seen))
    assert found == (inputs, "${input:part}", "option '${input:species}'")


def test_where_neither_is_marked_it_stays_as_it_was_done() -> None:
    assert parts(saved()) == ({}, "clad", f"option '{NAMES[0]}'")


def test_what_is_not_in_the_options_name_is_an_input_of_its_own() -> None:
    assert parts(saved("who", text="Ann")) == ({"who": "Ann"}, "${input:who}", f"option '{NAMES[0]}'")


def test_an_option_that_was_named_in_part_is_no_input() -> None:
    around = {"role": "option", "name": NAMES[0]}
    with pytest.raises(InvalidInput, match="act 2 names only a part of 'Cladonia pyxidata'"):
        marked(RecordedStep("click", named="option 'Cladonia p'", around=around), "species", "act 2")
    with pytest.raises(InvalidInput, match="nothing was typed or chosen in act 3"):
        marked(RecordedStep("press", {"key": "Enter"}), "species", "act 3")
