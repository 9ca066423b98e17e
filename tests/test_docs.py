"""The documentation says what there is: faults, paths, names, settings, errors, commands. Its sentences are short."""

from __future__ import annotations

import ast
import inspect
import os
import re
import textwrap
import tomllib
from argparse import ArgumentParser
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.cells.in_kernel import CellNames
from skillbook.cli.subcommands import SUBCOMMANDS
from skillbook.config import Settings
from skillbook.errors import error_classes
from skillbook.extraction.frames.accessor import FrameAccessor
from skillbook.notebook.magics import SkillbookMagics
from skillbook.perception.action_intent import ACTION_KINDS
from skillbook.perception.forms import FORM_PURPOSES
from skillbook.protocol.commands import COMMANDS
from skillbook.session.cassette import Cassette
from skillbook.skill.authoring.demonstration import Demonstration
from skillbook.skill.replay.skill_result import SkillResult
from tests.prose import GENERATED, ROOT, pages, sentences

LONGEST_SENTENCE = 40
"""Words. We aim at 25; what is longer than this can't be read at once."""
FAULTS = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
SHOWN, OPEN = FAULTS.split("## Known, and not closed yet")
CLASSES: dict[str, type | tuple[type, ...]] = {
    "page": sb.Page,
    "browser": sb.Browser,
    "run": sb.Run,
    "skill": sb.Skill,
    "snap": sb.Snapshot,
    "rec": Demonstration,
    "result": (SkillResult, sb.ActionResult),
    "tape": Cassette,
    "df.skillbook": FrameAccessor,
}
"""The classes of the variables in the examples."""


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def every_page() -> list[Path]:
    """Those that people wrote, and those that generators wrote."""
    return [*pages(), *(ROOT / "docs" / name for name in sorted(GENERATED))]


@cache
def docs() -> str:
    return "\n".join(map(text_of, every_page()))


@cache
def repository() -> set[str]:
    """Every path of ours, with a slash in front; without what is built or installed."""
    skipped = {"node_modules", "__pycache__", "installed", "dist", "build"}
    found = set()
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [each for each in folders if each not in skipped and not each.startswith(".")]
        found |= {f"/{named(Path(folder) / each)}" for each in (*folders, *files)}
    return found


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- faults -----------------------------------------------------------------------------------


def numbers(text: str) -> set[str]:
    return set(re.findall(r"^\| (\d\d) \|", text, re.MULTILINE))


def cited() -> set[str]:
    tests = (ROOT / "tests").rglob("test_*.py")
    return {number for path in tests for number in re.findall(r"fault_(\d\d)", text_of(path))}


def test_every_fault_that_a_test_is_named_after_is_listed() -> None:
    assert len(cited()) > 20
    assert cited() - numbers(SHOWN) == set()


def test_every_fault_listed_as_survived_has_a_test() -> None:
    assert numbers(SHOWN) - cited() == set()


def test_no_fault_is_listed_twice() -> None:
    assert numbers(SHOWN) & numbers(OPEN) == set()


# --- what there is, is in the docs ------------------------------------------------------------


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_exists(page: str) -> None:
    """A path in backticks stands for itself, or for the end of one, as `nodes/` does below its package."""
    spelled = re.findall(r"`([\w.-]*(?:/[\w.-]*)+|[\w-]+\.(?:py|ts|md|json|toml))`", text_of(ROOT / page))
    ends = {path.split("/", at)[-1] for path in repository() for at in range(1, path.count("/") + 1)}
    assert len(spelled) > 5
    assert [path for path in spelled if path != "dist/" and path.rstrip("/") not in ends] == []


def test_the_layers_are_those_that_are_checked() -> None:
    contracts = tomllib.loads(text_of(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["id"] == "layers")
    checked = " › ".join(re.sub(r"[()]|skillbook\.", "", layer) for layer in layers)
    assert checked in " ".join(text_of(ROOT / "ARCHITECTURE.md").split())


def test_every_public_name_is_in_the_docs() -> None:
    assert [name for name in sb.__all__ if f"sb.{name}" not in docs()] == []


@pytest.mark.parametrize(
    "name", ["extract", "tables", "explore", "agent", "launch", "connect", "cassette", "secret"]
)
def test_every_option_is_in_the_docs(name: str) -> None:
    parameters = inspect.signature(getattr(sb, name)).parameters.values()
    options = [one.name for one in parameters if one.default is not one.empty]
    missing = [one for one in options if f"{one}=" not in docs() and f"`{one}`" not in docs()]
    assert missing == []


def test_every_setting_is_in_the_docs_and_no_other() -> None:
    known = {f"SKILLBOOK_{name.upper()}" for name in Settings.model_fields}
    listed = set(re.findall(r"SKILLBOOK_[A-Z_]+[A-Z]", text_of(ROOT / "docs" / "settings.md")))
    assert known - listed == set()
    others = {"SKILLBOOK_TRUST_DOTENV", "SKILLBOOK_SESSION"}
    named = set(re.findall(r"SKILLBOOK_[A-Z_]+[A-Z]", docs()))
    assert {name for name in named if not name.startswith("SKILLBOOK_SECRET_")} - known - others == set()


def test_every_kind_and_purpose_is_in_the_docs() -> None:
    page = text_of(ROOT / "docs" / "agents.md")
    assert [name for name in (*ACTION_KINDS, *FORM_PURPOSES) if f"`{name}`" not in page] == []


def test_every_error_is_in_the_docs() -> None:
    page = text_of(ROOT / "docs" / "errors.md")
    classes = [cls for cls in error_classes().values() if cls.__module__.startswith("skillbook.errors")]
    missing = [cls.__name__ for cls in classes if f"`{cls.__name__}`" not in page]
    assert missing == [] or missing == ["SkillbookError"]
    assert "`SkillbookError`" in page


def test_every_command_is_in_the_docs() -> None:
    page = text_of(ROOT / "docs" / "commands.md")
    assert [
        one.name for one in COMMANDS.values() if not one.internal and f"| `{one.name}` |" not in page
    ] == []


def test_every_shell_command_and_option_is_in_the_docs() -> None:
    page = text_of(ROOT / "docs" / "terminal.md") + text_of(ROOT / "docs" / "notebook_tests.md")
    for one in SUBCOMMANDS:
        assert f"`skillbook {one.name}" in page
        parser = ArgumentParser(add_help=False)
        one.arguments(parser)
        options = [option for option in parser._option_string_actions if option.startswith("--")]
        assert [option for option in options if option not in page] == [], one.name


def test_every_magic_is_in_the_docs() -> None:
    page = text_of(ROOT / "docs" / "terminal.md")
    magics = [f"%{name}" for name in SkillbookMagics.magics["line"]]
    magics += [f"%%{name}" for name in SkillbookMagics.magics["cell"]]
    assert len(magics) >= 4
    assert [magic for magic in magics if f"`{magic}" not in page] == []


# --- what is in the docs, there is ------------------------------------------------------------


def classes_of(owner: str) -> tuple[type, ...]:
    found = CLASSES.get(owner, ())
    return found if isinstance(found, tuple) else (found,)


def has(cls: type, name: str) -> bool:
    """Whether objects of a class have an attribute, set in a method or not."""
    if name in dir(cls) or name in getattr(cls, "__dataclass_fields__", ()):
        return True
    sources = (inspect.getsource(each) for each in cls.__mro__ if each.__module__.startswith("skillbook"))
    return any(re.search(rf"\bself\.{name}\b|^    {name}:", source, re.M) for source in sources)


def ours(page: Path) -> str:
    """A page's text without others' names, which stand in the first column of one table."""
    text = text_of(page)
    return re.sub(r"^\| [^|]+", "", text, flags=re.M) if page.name == "questions.md" else text


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_method_and_attribute_named_exists(page: Path) -> None:
    code = "\n".join(re.findall(r"`([^`]+)`", ours(page)))
    wrong = []
    for owner, name in re.findall(r"(?<![\w.\"'])(df\.skillbook|[a-z]+)\.([a-z_]+)\b(?!/)", code):
        if re.search(rf"{re.escape(owner)}\.{name}\.?(?:py|ts|md|ipynb)\b", code):
            continue
        if owner in CLASSES and not any(has(cls, name) for cls in classes_of(owner)):
            wrong.append(f"{owner}.{name}")
        in_cells = page.name == "cells.md" and name in vars(CellNames)
        if owner == "sb" and name not in sb.__all__ and not in_cells:
            wrong.append(f"sb.{name}")
    assert wrong == []


def examples(text: str) -> Iterator[str]:
    for block in re.findall(r"^( *)```python\n(.*?)^\1```", text, re.M | re.S):
        yield textwrap.dedent(block[1])


def callee(node: ast.expr) -> Any:
    """What an example calls, as far as a name says it."""
    name = ast.unparse(node)
    owner, _, method = name.rpartition(".")
    if owner == "sb":
        return getattr(sb, method, None)
    return next((getattr(cls, method) for cls in classes_of(owner) if hasattr(cls, method)), None)


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_example_is_python_with_arguments_that_there_are(page: Path) -> None:
    for code in examples(text_of(page)):
        for call in ast.walk(ast.parse(code)):
            found = callee(call.func) if isinstance(call, ast.Call) else None
            if found is None or not isinstance(call, ast.Call) or not callable(found):
                continue
            parameters = inspect.signature(found).parameters
            if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
                continue
            given = {str(one.arg) for one in call.keywords} - {"None"}
            assert given - set(parameters) == set(), ast.unparse(call)


@pytest.mark.parametrize("page", pages(), ids=named)
def test_every_argument_named_in_a_sentence_exists(page: Path) -> None:
    wrong = []
    for name, arguments in re.findall(r"`((?:[a-z]+\.)+[a-z_]+)\(([^`]*)\)`", ours(page)):
        found = callee(ast.parse(name, mode="eval").body)
        if not callable(found):
            continue
        parameters = inspect.signature(found).parameters
        if not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
            given = re.findall(r"(?:^|,\s*)(\w+)=(?!=)", arguments)
            wrong += [f"{name}({one}=)" for one in given if one not in parameters]
    assert wrong == []


# --- links and sentences ----------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    heads = re.findall(r"^#+ +(.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", every_page(), ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", text_of(page), flags=re.M | re.S)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(text_of(file))):
            broken.append(target)
    assert broken == []


def test_every_page_is_in_the_index() -> None:
    index = text_of(ROOT / "docs" / "README.md")
    assert [
        one.name
        for one in (ROOT / "docs").glob("*.md")
        if one.name not in {"README.md", "index.md"} and f"({one.name}" not in index
    ] == []


@pytest.mark.parametrize("page", pages(), ids=named)
def test_no_sentence_is_too_long(page: Path) -> None:
    long = [each for each in sentences(text_of(page)) if len(each.split()) > LONGEST_SENTENCE]
    assert long == []
