"""A command is an entry of the table, its handler and its test: all else is made of the entry."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
ENTRY = """

class PaintParams(WireModel):
    ref: Ref
    colour: str = Field(description="The new colour.")


ACT_COMMANDS += (
    Command(
        name="paint",
        params=PaintParams,
        result=ActionOutcome,
        effect=Effect.WRITE,
        description="Paint an element.",
        doc=":param target: What to paint.",
    ),
)
"""
LOOK = """
import inspect, json, sys
from skillbook.cells.stubs import short_stubs, stub_text
from skillbook.mcp_server.client_tools import client_tools
from skillbook.agents.tools.offered import make_offer
from skillbook.protocol.generate import command_table
from skillbook.serving.terminal.terminal_run import run_tools
from skillbook.serving.terminal.known_verbs import known_verbs
from skillbook.session import aio, sync

tools = run_tools(None)
offer = make_offer(tools.values(), files=True)
json.dump({
    "methods": [
        f"{inspect.signature(owner.paint)}\\n{inspect.getdoc(owner.paint)}"
        for owner in (aio.Page, sync.Page, aio.Element, sync.Element)
    ],
    "awaitable": inspect.iscoroutinefunction(aio.Page.paint),
    "tool": tools["paint"].description,
    "offered": [each["function"] for each in offer.schemas if each["function"]["name"] == "paint"],
    "client": [
        [tool.description, sorted(tool.schema["properties"])]
        for tool in client_tools(read_only=False, cells=True, page_tools=False) if tool.name == "paint"
    ],
    "cell": [line for line in (short_stubs() + stub_text()).splitlines() if "paint(" in line],
    "verb": known_verbs()["paint"].help,
    "page": [line for line in command_table().splitlines() if "`paint`" in line],
}, sys.stdout)
"""


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a checkout has of a command that only the table knows."""
    folder = tmp_path_factory.mktemp("checkout")
    without = shutil.ignore_patterns("_extension", "__pycache__", "aio", "sync", "known_verbs.json", "static")
    shutil.copytree(ROOT / "skillbook", folder / "skillbook", ignore=without)
    with (folder / "skillbook/protocol/commands/act.py").open("a", encoding="utf-8") as table:
        table.write(ENTRY)
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    for arguments in (["-m", "skillbook.twin"], ["-c", LOOK]):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_pages_and_elements_have_its_method_with_a_docstring(derived: dict[str, Any]) -> None:
    assert derived["awaitable"]
    for method in derived["methods"]:
        assert "colour: 'str', *, timeout: 'float | None' = None) -> 'ActionResult'" in method
        assert "Paint an element." in method
        assert "colour : str\n    The new colour." in method
    assert ["What to paint." in method for method in derived["methods"]] == [True, True, False, False]


def test_agents_and_clients_have_its_tool(derived: dict[str, Any]) -> None:
    assert derived["tool"] == "Paint an element."
    (offered,) = derived["offered"]
    assert offered["description"] == "Paint an element."
    assert offered["parameters"]["properties"].keys() == {"target", "colour"}
    assert derived["client"] == [["Paint an element.", ["colour", "target"]]]


def test_code_and_the_terminal_can_call_it(derived: dict[str, Any]) -> None:
    assert derived["cell"] == [
        "    paint(target, colour: str)  # Paint an element",
        "    def paint(self, target: Target, colour: str) -> ActionResult: ...  # Paint an element.",
    ]
    assert derived["verb"] == "Paint an element."


def test_the_documentation_lists_it(derived: dict[str, Any]) -> None:
    assert derived["page"] == ["| `paint` | write | `target`, `colour` | Paint an element. |"]
