"""The page about built-in skills says what there is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
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
    calls = list(_calls())
    assert len(calls) >= 7
    for name, given in calls:
        known = builtin_skill(name)
        assert known is not None
        known.check(dict.fromkeys(given - {"choose", "approve", "implied"}, "x"))


def _calls() -> Iterator[tuple[str, set[str]]]:
    """The built-in skills that the page's code runs, and their inputs."""
    for code in re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        names: dict[str, str] = {}
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Assign) and (loaded := _loaded(node.value, names)):
                names[ast.unparse(node.targets[0])] = loaded
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".run"):
                assert isinstance(node.func, ast.Attribute)
                if name := _loaded(node.func.value, names):
                    yield name, {str(one.arg) for one in node.keywords}


def _loaded(node: ast.expr, names: dict[str, str]) -> str:
    """The name of the skill that an expression is; empty for anything else."""
    found = re.fullmatch(r"sb\.load_skill\('(\w+)'\)", ast.unparse(node))
    return found[1] if found else names.get(ast.unparse(node), "")


def test_the_library_has_them_beside_saved_ones() -> None:
    library = Library()
    assert set(BUILTIN) <= set(library)
    assert "built-in" in repr(library)
    assert load_skill("fill-form").name == load_skill("fill_form").name == "fill_form"
    assert list(Library("no-such-folder")) == [], "a folder's library has the folder's skills alone"
