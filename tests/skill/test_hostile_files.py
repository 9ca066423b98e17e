"""Skill files that somebody made to break things: what a loop, a parameter and a text may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbook.errors import InvalidSkill
from skillbook.skill import Skill
from skillbook.skill.files.skill_folder import read_skill, write_skill
from skillbook.skill.files.stored_skill import prompt_text
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Loop, SkillStep

HEAD = "---\nname: shop\ndescription: Buys things.\n---\n\n{body}\n"
LOOP = "version: 2\nsteps:\n- command: for_each\n  loop: {loop}\n  steps:\n  - command: reload\n"
ITEMS = "{items: row, key: cell nth 1, name: order, "


def read(folder: Path, replay: str, body: str = "Buy.") -> SkillSpec:
    place = folder / "shop"
    place.mkdir(exist_ok=True)
    (place / "SKILL.md").write_text(HEAD.format(body=body))
    (place / "replay.yaml").write_text(replay)
    return read_skill(place)


def nested(depth: int) -> str:
    text = "- command: reload"
    for number in range(depth):
        inner = "\n".join(f"  {line}" for line in text.splitlines())
        text = f"- command: for_each\n  loop: {{items: row, key: cell, name: n{number}}}\n  steps:\n{inner}"
    return f"version: 2\nsteps:\n{text}\n"


@pytest.mark.parametrize(
    ("loop", "where", "what"),
    [
        ("[1, 2]", "steps[0].loop", "dictionary"),
        ("row", "steps[0].loop", "dictionary"),
        ("null", "steps[0]", "for_each needs a loop"),
        ("{items: 7, key: cell, name: order}", "steps[0].loop.items", "string"),
        ("{items: 'row [', key: cell, name: order}", "steps[0].loop", "selector"),
        ("{items: row, key: [cell], name: order}", "steps[0].loop.key", "string"),
        ("{items: row, key: cell, name: '<b>'}", "steps[0].loop.name", "pattern"),
        ("{items: \"row '${input:order}'\", key: cell, name: order}", "step 1 (for_each)", "not declared"),
        (ITEMS + "max_items: 999999999999}", "steps[0].loop.max_items", "10000"),
        (ITEMS + "max_items: .inf}", "steps[0].loop.max_items", "integer"),
        (ITEMS + "max_items: -1}", "steps[0].loop.max_items", "greater"),
        (ITEMS + "max_items: true}", "steps[0].loop.max_items", "integer"),
        (ITEMS + "max_items: '5'}", "steps[0].loop.max_items", "integer"),
        (ITEMS + "next: false}", "steps[0].loop.next", "string"),
        (ITEMS + "next: 'button ['}", "steps[0].loop", "selector"),
        (ITEMS + "pages: 3}", "steps[0].loop.pages", "no such field"),
    ],
)
def test_a_loop_says_what_it_goes_over_or_is_refused(
    loop: str, where: str, what: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidSkill) as caught:
        read(tmp_path, LOOP.replace("{loop}", loop))
    assert "replay.yaml" in caught.value.message
    assert where in caught.value.message
    assert what in caught.value.message


@pytest.mark.parametrize(
    ("replay", "what"),
    [
        (nested(4), "more than 3 deep"),
        (nested(12), "more than 3 deep"),
        (nested(200), "nested too deeply"),
        (
            "version: 2\nsteps:\n- command: for_each\n  steps:\n  - command: reload\n",
            "needs a loop and steps",
        ),
        (LOOP.replace("{loop}", ITEMS + "}").replace("  - command: reload", "    reload"), "valid list"),
        ("version: 2\nsteps:\n- command: click\n  steps:\n  - command: reload\n", "nothing else has them"),
        (
            LOOP.replace("{loop}", ITEMS + "}") + "- command: press\n  params: {key: '${input:order}'}\n",
            "step 3 (press) uses ${input:order}, which is not declared",
        ),
        (
            LOOP.replace("{loop}", ITEMS + "}").replace(
                "reload", "press\n    params: {key: '${input:nope}'}"
            ),
            "step 2 (press) uses ${input:nope}, which is not declared",
        ),
        ("inputs: {order: {}}\n" + LOOP.replace("{loop}", ITEMS + "}"), "which is an input already"),
        ("start: 'http://x.test/${input:order}'\n" + LOOP.replace("{loop}", ITEMS + "}"), "start or origins"),
    ],
)
def test_what_stands_around_a_loop_is_checked(replay: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidSkill) as caught:
        read(tmp_path, replay)
    assert what in caught.value.message


def test_three_loops_in_one_another_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, nested(3)).item_names == {"n0", "n1", "n2"}


STEP = "version: 2\nsteps:\n- command: {command}\n  params: {params}\n"


@pytest.mark.parametrize(
    ("command", "params", "what"),
    [
        ("press", "{key: a, actor: person}", "press has no parameter 'actor'; it has: key"),
        ("press", "{key: a, approval: x}", "no parameter 'approval'"),
        ("wait_for", "{text: a, actor: person}", "no parameter 'actor'"),
        ("upload", "{files: [/etc/passwd], given_files: [/etc/passwd]}", "no parameter 'given_files'"),
        ("click", "{ref: d1:e5}", "no parameter 'ref'"),
        ("fill", "{value: [1]}", "the parameter 'value'"),
        ("fill", "{value: {a: b}}", "the parameter 'value'"),
        ("select", "{values: Large}", "the parameter 'values'"),
        ("select", "{values: [[a]]}", "the parameter 'values'"),
        ("scroll", "{dy: .inf}", "the parameter 'dy'"),
        ("goto", "{url: 'http://x.test', wait: forever}", "the parameter 'wait'"),
        ("wait_for", "{seconds: 1000000}", "the parameter 'seconds'"),
        ("wait_for", "{text: x, timeout: .nan}", "the parameter 'timeout'"),
        ("extract", "{within: table}", "extract has no parameter 'within'; it has: none"),
    ],
)
def test_parameters_are_those_of_the_command(command: str, params: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidSkill, match=r"line 3, column 3, steps\[0\]") as caught:
        read(tmp_path, STEP.replace("{command}", command).replace("{params}", params))
    assert what in caught.value.message


def test_numbers_are_texts_where_a_command_takes_texts(tmp_path: Path) -> None:
    text = "{values: [1, '${input:size}', true]}"
    replay = STEP.format(command="select", params=text) + "inputs: {size: {}}\n"
    assert read(tmp_path, replay).steps[0].params["values"] == [1, "${input:size}", True]


def test_what_to_extract_belongs_to_an_extract_step(tmp_path: Path) -> None:
    with pytest.raises(InvalidSkill, match="only an extract step"):
        read(tmp_path, "version: 2\nsteps:\n- command: reload\n  extract: {within: table}\n")
    with pytest.raises(InvalidSkill, match=r"steps\[0\]\.extract\.fields"):
        read(tmp_path, "version: 2\nsteps:\n- command: extract\n  extract: {fields: [{a: 7}]}\n")


def test_a_loops_item_that_the_text_names_is_no_input(tmp_path: Path) -> None:
    replay = LOOP.replace("{loop}", "{items: row, key: cell, name: order_number}")
    spec = read(tmp_path, replay, body="For ${input:who}: approve ${input:order_number}.")
    assert [one.name for one in spec.inputs] == ["who"]
    assert Skill(spec).prompt(who="Ann") == "For Ann: approve the order number."
    assert "For ${input:who}: approve the order number." in prompt_text(spec)
    assert read_skill(write_skill(spec, tmp_path / "again")) == spec


def test_a_loops_item_may_be_named_in_a_skill_that_was_not_read_from_a_file() -> None:
    loop = Loop(items="row", key="cell", name="order")
    step = SkillStep(command="for_each", loop=loop, steps=[SkillStep(command="reload")])
    spec = SkillSpec(name="shop", description="x", body="Approve ${input:order}.", steps=[step])
    assert Skill(spec).prompt() == "Approve the order."
