"""The room in which a model's code runs: what it may do, and all that it may not."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from skillbook.agents.tools.cell_tool import printed_in_short
from skillbook.cells.crossing import ActionResult, Node, from_plain, to_plain
from skillbook.cells.parsed_code import show_faults
from skillbook.cells.sandbox import CellEnd, HostCall, Sandbox, require_sandbox
from skillbook.cells.stubs import short_stubs, stub_text
from skillbook.cells.surface import page_methods
from skillbook.errors import SandboxMissing
from skillbook.protocol.commands import COMMANDS

CALLS = """\
r = page.click("button 'a'")
for n in page.find("row"):
    page.click(n)
[r.changed, page.url, sb.secret("gh"), sb.extract(page, fields={"a": "b"})]
"""
ANSWERS = {
    "click": ActionResult(True, "u"),
    "find": [Node("e1", "row"), Node("e2", "row")],
    "url": "http://x",
}


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    made = Sandbox(1_700_000_000, seconds=1)
    yield made
    await made.close()


async def run(sandbox: Sandbox, code: str) -> tuple[list[HostCall], CellEnd]:
    calls: list[HostCall] = []
    step = await sandbox.start(code)
    while isinstance(step, HostCall):
        calls.append(step)
        step = await sandbox.answer(ANSWERS.get(step.name, [{"a": 1}]))
    return calls, step


async def test_a_cell_stops_at_each_call(sandbox: Sandbox) -> None:
    assert await sandbox.check(CALLS) == []
    calls, end = await run(sandbox, CALLS)
    assert [(call.owner, call.name, call.line) for call in calls] == [
        ("page", "click", 1),
        ("page", "find", 2),
        ("page", "click", 3),
        ("page", "click", 3),
        ("page", "url", 4),
        ("sb", "extract", 4),
    ]
    assert calls[2].args == (Node("e1", "row"),)
    assert CALLS[calls[1].start : calls[1].end] == 'page.find("row")'
    assert end == CellEnd("", [True, "http://x", "<secret 'gh'>", [{"a": 1}]])


async def test_faults_have_lines_and_carets(sandbox: Sandbox) -> None:
    code = "x = 1\npage.clik('é', 3)\npage.fill('a')"
    shown = show_faults(await sandbox.check(code), code)
    assert (
        "line 2: Object of type `Page` has no attribute `clik`\n    page.clik('é', 3)\n    ^^^^^^^^^" in shown
    )
    assert "line 3: No argument provided for required parameter `value`" in shown


async def test_variables_stay_and_failures_are_caught(sandbox: Sandbox) -> None:
    await run(sandbox, "x = [1, 2]")
    assert await sandbox.check("x.append(3)\nlen(x)") == []
    step = await sandbox.start("try:\n    page.back()\nexcept RuntimeError as error:\n    print(error)\nx")
    assert isinstance(step, HostCall)
    end = await sandbox.fail(RuntimeError, "[rejected] no")
    assert end == CellEnd("[rejected] no\n", [1, 2])
    assert await sandbox.evaluate("x") == [1, 2]
    step = await sandbox.start("page.back()")
    end = await sandbox.fail(RuntimeError, "[timeout] late")
    assert isinstance(end, CellEnd)
    assert (end.error, end.error_line, end.lost) == ("RuntimeError: [timeout] late", 1, False)


async def test_a_variable_that_a_failed_cell_never_made_is_none(sandbox: Sandbox) -> None:
    _, end = await run(sandbox, "1 / 0\nx = 1")
    assert end.error == "ZeroDivisionError: division by zero"
    assert await sandbox.evaluate("[type(x).__name__, x]") is None
    assert await sandbox.check("y = 2") == []
    assert (await run(sandbox, "1 + 1"))[1].value == 2


async def test_the_same_code_does_the_same_again() -> None:
    ends = []
    for _ in range(2):
        sandbox = Sandbox(1_700_000_000)
        code = (
            "import random, datetime\n[random.random(), str(datetime.datetime.now()), hash('a') == hash('a')]"
        )
        ends.append((await run(sandbox, code))[1])
        await sandbox.close()
    assert ends[0] == ends[1]
    assert ends[0].value[1].startswith("2023-11-14")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("while True: pass", "time limit"),
        ("x = []\nwhile True: x.append('a' * 100000)", "limit"),
        ("'a' * 10**10", "memory limit"),
        ("def f(n): return f(n + 1)\nf(0)", "recursion"),
        ("2 ** 10**9", ""),
        ("[0] * 10**11", "memory limit"),
        ("import re\nre.match('(a+)+$', 'a' * 40 + 'b')", ""),
    ],
)
async def test_what_never_ends_is_ended(sandbox: Sandbox, code: str, said: str) -> None:
    before = time.monotonic()
    _, end = await run(sandbox, code)
    assert time.monotonic() - before < 8
    assert said in end.error
    assert (await run(sandbox, "1 + 1"))[1].value == 2


async def test_elements_that_are_printed_say_nothing_twice(sandbox: Sandbox) -> None:
    found = [Node("e1", "link", "It's", None, "It's"), Node("e2", "textbox", "Name", "Ann", "Name")]
    step = await sandbox.start("print(page.find('lamp'), 'Node(1)')")
    assert isinstance(step, HostCall)
    end = await sandbox.answer(found)
    assert isinstance(end, CellEnd)
    assert printed_in_short(end.printed) == (
        "[Node(ref='e1', role='link', name=\"It's\"), "
        "Node(ref='e2', role='textbox', name='Name', value='Ann', text='Name', tab=0)] Node(1)\n"
    )


async def test_output_is_kept_in_bounds(sandbox: Sandbox) -> None:
    _, end = await run(sandbox, "for i in range(3000): print('a' * 1000)")
    assert len(end.printed) == 100_000
    assert end.error == ""


async def test_a_killed_process_is_an_error_and_there_is_a_new_one(sandbox: Sandbox) -> None:
    step = await sandbox.start("page.back()")
    assert isinstance(step, HostCall)
    assert sandbox.process is not None
    os.kill(sandbox.process, signal.SIGKILL)
    end = await sandbox.answer(ActionResult())
    assert isinstance(end, CellEnd)
    assert end.lost
    assert "the sandbox ended" in end.error
    assert (await run(sandbox, "1 + 1"))[1].value == 2


ESCAPED = [Path(f"/tmp/escaped{end}") for end in ("", ".html", ".pdf")]
PAYLOADS = [
    "open('/etc/passwd').read()",
    "import os\nos.system('id')",
    "import os\nos.environ['HOME']",
    "import os\nos.listdir('/')",
    "import os\nos.remove('/tmp/x')",
    "import subprocess\nsubprocess.run(['id'])",
    "import socket\nsocket.create_connection(('127.0.0.1', 1))",
    "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
    "import requests",
    "import ctypes\nctypes.CDLL(None)",
    "import importlib\nimportlib.import_module('os')",
    "import sys\nsys.modules['os'].system('id')",
    "import sys\nsys._getframe().f_back",
    "import builtins\nbuiltins.open('/etc/passwd')",
    "import pathlib\npathlib.Path('/etc/passwd').read_text()",
    "from pathlib import Path\nPath('/tmp/escaped').write_text('x')",
    "import shutil\nshutil.rmtree('/tmp/x')",
    "import pickle\npickle.loads(b'cos\\nsystem\\n(S\\'id\\'\\ntR.')",
    "import marshal",
    "import inspect",
    "import gc\ngc.get_objects()",
    "import threading",
    "import multiprocessing",
    "import code\ncode.interact()",
    "import skillbook",
    "import pydantic_monty",
    "__import__('os').system('id')",
    "__builtins__['open']('/etc/passwd')",
    "__loader__",
    "__spec__",
    "eval('__import__(\"os\")').system('id')",
    "exec('import os; os.system(\"id\")')",
    "compile('1', 'x', 'exec').co_code",
    "globals()['__builtins__']",
    "locals()['page'].__class__",
    "vars(page)",
    "dir(page)\npage.__dict__",
    "getattr(page, '__class__')",
    "getattr(page, 'driver')",
    "setattr(page, 'click', 1)",
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__[1].__subclasses__()",
    "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen']",
    "(lambda: 0).__globals__",
    "(lambda: 0).__code__",
    "def f(): pass\nf.__globals__['os']",
    "def f(): yield\nf().gi_frame.f_builtins",
    "async def f(): pass\nf().cr_frame",
    "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame.f_globals",
    "class A:\n    def __del__(self): open('/etc/passwd')\nA()",
    "class A:\n    __class__ = str\nA().__init__.__globals__",
    "class M(type): pass\nclass B(metaclass=M): pass\nM.__subclasses__(M)",
    "type('X', (), {'__reduce__': lambda s: (eval, ('1',))})().__reduce__()",
    "'{0.__class__.__init__.__globals__}'.format(page)",
    "'{page.driver}'.format(page=page)",
    "f'{page.__init__.__globals__}'",
    "page.driver.browser.settings",
    "page.evaluate('1')",
    "page.__init__.__globals__",
    "page.click.__self__",
    "page.click.__func__.__globals__",
    "page.browser.close()",
    "page._driver",
    "page.network.mock('x', json={})",
    "page.on_dialog(None)",
    "page.archive('/tmp/escaped.html')",
    "page.pdf('/tmp/escaped.pdf')",
    "page.screenshot()",
    "sb.launch()",
    "sb.connect()",
    "sb.agent(page, 'x', autonomy='all')",
    "sb.secret.__globals__",
    "sb.__class__.__init__",
    "input('password?')",
    "breakpoint()",
    "help()",
    "exit()",
    "import os\nos.fork()",
    "import os\nos.kill(1, 9)",
    "import signal",
    "import asyncio\nasyncio.run(asyncio.create_subprocess_shell('id'))",
    "import http.client",
    "import sqlite3\nsqlite3.connect('/tmp/x')",
    "import tempfile\ntempfile.mkstemp()",
    "import glob\nglob.glob('/*')",
]


@pytest.mark.parametrize("checked", [True, False], ids=["checked", "unchecked"])
async def test_nothing_gets_out(checked: bool) -> None:
    """Each is refused by the check, or, if it runs, ends in an error, or reaches nothing of this process."""
    assert len(PAYLOADS) >= 60
    sandbox = Sandbox(1_700_000_000, seconds=1)
    got_out = []
    for code in PAYLOADS:
        if checked and await sandbox.check(code):
            continue
        step = (
            await sandbox.start(code)
            if checked
            else await sandbox._alone(lambda code=code: _unchecked(sandbox, code))
        )  # type: ignore[misc]
        if isinstance(step, HostCall):
            offered = step.name in page_methods()
            got_out += [code] if offered else []  # any other name is refused where calls are taken
        elif not step.error and _tells(step.value):
            got_out.append(code)
    await sandbox.close()
    assert got_out == []
    assert [path for path in ESCAPED if await asyncio.to_thread(path.exists)] == []


def _unchecked(sandbox: Sandbox, code: str) -> HostCall | CellEnd:
    sandbox._printed, sandbox._size, sandbox._code = [], 0, code
    session = sandbox._open()
    return sandbox._step(
        lambda: session.feed_start(
            code, inputs=sandbox._objects, print_callback=sandbox._print, skip_type_check=True
        )
    )


def _tells(value: object) -> bool:
    """Whether a value has something of this process or this machine in it."""
    text = str(value)
    return any(
        word in text for word in ("root:", os.getcwd(), "skillbook.", "uid=", "Popen", "/usr/", "session")
    )


def test_the_prompt_is_short() -> None:
    assert len(short_stubs()) <= 3_200
    acting = [
        one.name
        for one in COMMANDS.values()
        if one.scope == "page" and not one.internal and not one.custom_tool
    ]
    missing = (
        set(acting) - set(page_methods()) - {"is", "console", "evaluate", "focus", "submit", "screenshot"}
    )
    assert missing <= {"page_tools", "call_page_tool"}
    for name in page_methods():
        assert f"def {name}(self" in stub_text()
        assert f"    {name}(" in short_stubs()


def test_plain_data_comes_back() -> None:
    value = [
        ActionResult(True, "u", "/x"),
        {"~": "Node", "of": {"ref": "e1"}},
        [Node("e1", "row")],
        None,
        1.5,
    ]
    assert from_plain(to_plain(value)) == value


def test_without_the_sandbox_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with pytest.raises(SandboxMissing, match="isn't installed") as refused:
        require_sandbox()
    assert 'pip install "skillbook[cells]"' in refused.value.hint


OPEN_AT_THE_END = """
import asyncio, threading
from skillbook.cells.sandbox import Sandbox
from skillbook.io_thread import io
for sandbox in [Sandbox(30.0), Sandbox(30.0), Sandbox(30.0)]:
    print(io.sync(sandbox.start("page.back()")).name)
"""


def test_a_process_that_leaves_a_cell_open_ends_well() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", OPEN_AT_THE_END], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout.split()) == (0, ["back"] * 3), ended.stderr
