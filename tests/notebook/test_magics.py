"""The magics in a real IPython shell."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from skillbook.errors import ConfigError, SkillNotFound
from skillbook.notebook import enable_nested_asyncio, load_ipython_extension
from skillbook.notebook.magics import complete_magic, read_inputs

SKILL = """---
description: Find books.
---
Find ${input:query} in ${input:shop:the shop}.
"""


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[InteractiveShell]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    shell = InteractiveShell()
    load_ipython_extension(shell)
    yield shell
    shell.history_manager.end_session()


@pytest.fixture
def skill(tmp_path: Path) -> str:
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "find-books.prompt.md").write_text(SKILL)
    return "find-books"


def complete(shell: InteractiveShell, line: str) -> list[str]:
    return complete_magic(shell, SimpleNamespace(line=line))


def test_the_magics_are_there(shell: InteractiveShell) -> None:
    magics = shell.magics_manager.magics
    assert {"sb_open", "sb_snap", "sb_run_skill"} <= magics["line"].keys()
    assert "sb_agent" in magics["cell"]


def test_without_a_page_they_say_what_to_do(shell: InteractiveShell) -> None:
    with pytest.raises(UsageError, match="%sb_open URL"):
        shell.run_line_magic("sb_snap", "")
    shell.user_ns["page"] = "not a page"
    with pytest.raises(UsageError, match="no page in the variable 'page'"):
        shell.run_line_magic("sb_snap", "")


@pytest.mark.parametrize(
    ("line", "cell", "message"),
    [
        ("", "  \n", "write the goal"),
        ("--name 2x", "goal", "can't be a variable"),
        ("--autonomy most", "goal", "invalid choice: 'most'"),
        ("--max-steps many", "goal", "invalid int value"),
    ],
)
def test_agent_arguments_are_checked(shell: InteractiveShell, line: str, cell: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        shell.run_cell_magic("sb_agent", line, cell)


def test_a_missing_skill_is_named(shell: InteractiveShell) -> None:
    with pytest.raises(SkillNotFound, match="nosuch"):
        shell.run_line_magic("sb_run_skill", "nosuch")


def test_inputs() -> None:
    assert read_inputs(["a=1", 'b="two words"', "c='x=y'", "d="]) == {
        "a": "1",
        "b": "two words",
        "c": "x=y",
        "d": "",
    }
    for words in (["a"], ["=1"], ["two words=1"], ["a=1", "a=2"]):
        with pytest.raises(UsageError):
            read_inputs(words)


def test_completion(shell: InteractiveShell, skill: str) -> None:
    assert complete(shell, "%sb_run_skill ")[0] == skill
    assert "search" in complete(shell, "%sb_run_skill "), "the built-in skills are there too"
    assert complete(shell, "%sb_run_skill search ") == ["query=", "field="]
    assert complete(shell, f"%sb_run_skill {skill} ") == ["query=", "shop="]
    assert complete(shell, f"%sb_run_skill {skill} query=x sh") == ["shop="]
    assert complete(shell, "%sb_run_skill nosuch ") == []
    assert "--model" in complete(shell, "%%sb_agent --")
    assert complete(shell, "%%sb_agent --autonomy ") == ["ask", "reads", "all"]
    assert complete(shell, "%sb_open --h") == ["--headed", "--help"] or "--headed" in complete(
        shell, "%sb_open --h"
    )


def test_ipython_requests_completion(shell: InteractiveShell, skill: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        _, found = shell.complete("", "%sb_run_skill find", 18)  # as ipykernel does
    assert skill in found


def test_nested_loops() -> None:
    code = (
        "import asyncio, skillbook as sb\n"
        "name = sb.enable_nested_asyncio()\n"
        "async def inner(): return 7\n"
        "async def outer(): return asyncio.get_running_loop().run_until_complete(inner())\n"
        "print(name, asyncio.run(outer()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() in (["nest_asyncio2", "7"], ["nest_asyncio", "7"])


def test_nested_loops_need_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="nested event loops"):
        enable_nested_asyncio()
