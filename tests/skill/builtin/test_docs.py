"""The page about built-in skills says what there is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from skillbook.skill.builtin import BUILTIN, builtin_skill
from skillbook.skill.library import Library, load_skill

PAGE = (Path(__file__).resolve().parents[3] / "docs/builtin_skills.md").read_text(encoding="utf-8")


def test_every_skill_and_input_is_in_the_table() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    cells = [row.split("|")[1:3] for row in rows]
    listed = {
        name: re.findall(r"`(\w+)`", given)
        for names, given in cells
        for name in re.findall(r"`(\w+)`", names)
    }
    assert set(listed) == set(BUILTIN)
    for name, skill in BUILTIN.items():
        assert set(listed[name]) == {one.name for one in skill.inputs}, name


def test_the_examples_name_skills_and_inputs_that_there_are() -> None:
    calls = re.findall(r'sb\.load_skill\("(\w+)"\)\.run\((.*?)\)(?:\.\w+)?$', PAGE, re.MULTILINE)
    assert len(calls) >= 9
    for name, arguments in calls:
        known = builtin_skill(name)
        assert known is not None
        call = ast.parse(f"run({arguments})", mode="eval").body
        assert isinstance(call, ast.Call)
        given = {str(one.arg) for one in call.keywords} - {"choose", "approve", "implied"}
        known.check(dict.fromkeys(given, "x"))


def test_the_library_has_them_beside_saved_ones() -> None:
    library = Library()
    assert set(BUILTIN) <= set(library)
    assert "built-in" in repr(library)
    assert load_skill("fill-form").name == load_skill("fill_form").name == "fill_form"
    assert list(Library("no-such-folder")) == [], "a folder's library has the folder's skills alone"
