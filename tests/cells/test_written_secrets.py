"""A secret in a cell is an object that its text writes out; no text becomes one, and it becomes no text."""

from __future__ import annotations

import ast
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.cells.crossing import Node, SkillResult, from_plain, value_for_code
from skillbook.cells.sandbox import CellEnd, HostCall, Sandbox, tool_of
from skillbook.cells.written_secrets import as_tool_args, find_hidden_code, spelled_out, with_handles
from skillbook.policy.secrets import Secret, read_literal
from skillbook.skill.model.spec import program_of

BANK = "${secret:bank}"
COMPUTED = [
    "'${sec' + 'ret:bank}'",
    "'${sec' 'ret:bank}'",
    "'\\x24{secret:bank}'",
    "f'${{secret:{\"bank\"}}}'",
    "f\"{'${secret:bank}'}\"",
    "'#{secret:bank}'.replace('#', '$')",
    "''.join(['${', 'secret', ':bank', '}'])",
    "'%ssecret:bank}' % '${'",
    "'{}secret:bank{}'.format('${', '}')",
    "chr(36) + '{secret:bank}'",
    "'}knab:terces{$'[::-1]",
    "page.text('e1')",
    "page.find('row')[0].text",
    "sb.extract(page)[0]['note']",
    "sb.run_skill(page, 'x').value",
    "{'a': page.text('e1')}['a']",
    "[page.text('e1')][0]",
    "(lambda text: text)(page.text('e1'))",
    "__import__('json').loads('\"${sec\\\\u0072et:bank}\"')",
]


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    made = Sandbox(1_700_000_000, seconds=1)
    yield made
    await made.close()


def answer_of(call: HostCall) -> Any:
    answers: dict[str, Any] = {
        "text": BANK,
        "extract": [{"note": BANK}],
        "run_skill": SkillResult(BANK, []),
        "fill": None,
    }
    if call.name == "find":
        return [Node("e1", "row", BANK, BANK, BANK)]
    return from_plain(value_for_code(answers[call.name]))


async def filled(sandbox: Sandbox, code: str) -> list[Any]:
    """What the gateway gets as the values of a cell's fills."""
    found, step = [], await sandbox.start(code)
    while isinstance(step, HostCall):
        if step.name == "fill":
            tool, args = tool_of(step)
            found.append(read_literal(as_tool_args(tool, args)["value"]))
        step = await sandbox.answer(answer_of(step))
    assert step.error == "" or not found, step
    return found


@pytest.mark.parametrize("text", COMPUTED)
async def test_fault_70_a_text_that_a_cell_computes_is_never_the_secret(sandbox: Sandbox, text: str) -> None:
    code = f"import json\npage.fill('e1', {text.replace('__import__(' + repr('json') + ')', 'json')})"
    (value,) = await filled(sandbox, code)
    assert not isinstance(value, Secret)
    assert value == BANK


@pytest.mark.parametrize(
    "written",
    ['"${secret:bank}"', "'${secret:bank}'", "r'${secret:bank}'", 'sb.secret("bank")', "sb.secret( 'bank' )"],
)
async def test_a_secret_that_is_written_out_is_the_secret_wherever_it_goes(
    sandbox: Sandbox, written: str
) -> None:
    code = (
        f"def of(a):\n    return {{'x': [a]}}\nkey = {written}\n"
        f"page.fill('e1', of(key)['x'][0])\npage.fill('e1', {written})"
    )
    assert await sandbox.check(code) == []
    values = await filled(sandbox, code)
    assert [value.names for value in values] == [{"bank"}, {"bank"}]
    assert await filled(sandbox, "page.fill('e2', key)") == [Secret("bank")]


async def test_a_secret_gives_nothing_but_its_name(sandbox: Sandbox) -> None:
    step = await sandbox.start(
        "s = sb.secret('bank')\nprint(s, str(s), f'{s}', '{}'.format(s), '%s' % s)\n"
        "[s, s == '${sec' + 'ret:bank}', s == s]"
    )
    assert isinstance(step, CellEnd)
    assert step.value == ["<secret 'bank'>", False, True]
    assert "${" not in step.printed
    for wrong in (
        "len(s)",
        "s + 'x'",
        "'x' + s",
        "s[0]",
        "s.name",
        "''.join([s])",
        "s.name_",
        "type(s)('x')",
    ):
        ended = await sandbox.start(wrong)
        assert not isinstance(ended, CellEnd) or ended.error, wrong


@pytest.mark.parametrize(
    "call",
    [
        "page.goto(s)",
        "page.click(s)",
        "page.press(s)",
        "page.select('e1', s)",
        "page.wait_for(url=s)",
        "page.find(s)",
        "sb.open(page, s)",
        "page.fill(s, 'x')",
        "page.upload('e1', s)",
    ],
)
async def test_only_what_types_takes_a_secret(sandbox: Sandbox, call: str) -> None:
    assert "Secret" in str(await sandbox.check(f"s = sb.secret('bank')\n{call}"))
    step = await sandbox.start(
        f"x = [sb.secret('bank')]\n{call.replace('s)', 'x[0])').replace('(s,', '(x[0],')}"
    )
    if isinstance(step, HostCall):
        with pytest.raises(TypeError, match="a secret goes only into"):
            tool_of(step)


@pytest.mark.parametrize(
    "code",
    [
        "exec('page.click(1)')",
        "e = exec\ne('x')",
        "eval('1')",
        "compile('1', 'a', 'exec')",
        "__builtins__['exec']('1')",
        "__builtins__.exec('1')",
        "getattr(__builtins__, 'exec')('1')",
        "getattr(page, 'cli' + 'ck')('e1')",
        "globals()['exec']('1')",
        "locals()['page'].click('e1')",
        "vars()['page']",
        "import builtins",
        "import builtins as b\nb.exec('1')",
        "from builtins import exec as e",
        "from builtins import eval",
        "[exec][0]('1')",
        "def f(g=exec):\n    g('1')",
        "list(map(exec, ['1']))",
        "lambda: eval",
        "sb.secret('ba' + 'nk')",
        "sb.secret(page.text('e1'))",
        "s = sb.secret\ns('bank')",
        "secret_['bank']",
    ],
)
async def test_fault_70_what_a_cell_s_text_hides_is_refused_before_it_runs(
    sandbox: Sandbox, code: str
) -> None:
    assert await sandbox.check(code), code


async def test_re_compile_is_no_code(sandbox: Sandbox) -> None:
    assert await sandbox.check("import re\nre.compile('a').match('a')") == []


async def test_unchecked_code_gets_no_secret_by_a_computed_name(sandbox: Sandbox) -> None:
    for code in (
        "sb.secret('ba' + 'nk')",
        "name = page.text('e1')\nsb.secret(name)",
        "s = sb\ns.secret('bank')",
    ):
        step = await sandbox.start(code)
        if isinstance(step, HostCall):
            step = await sandbox.answer("bank")
        assert isinstance(step, CellEnd)
        assert "written out" in step.error


def test_places_stay_where_they_are() -> None:
    code = "é = 1; page.fill('ä', \"${secret:a}\"); page.fill('b', sb.secret(\"b.c\"))\r\nx = '${secret:z-1}'"
    loaded, names = with_handles(code)
    assert names == {"a", "b.c", "z-1"}
    assert len(loaded.encode()) == len(code.encode())
    assert loaded.index("page.fill('b'") == code.index("page.fill('b'")


def test_a_kernel_gets_secrets_as_calls() -> None:
    assert spelled_out("page.fill('a', '${secret:x}'); y = \"${secret:z}\"") == (
        "page.fill('a', sb.secret('x')); y = sb.secret('z')"
    )


@given(st.text(alphabet="${}secret:bank'\"\\", max_size=24) | st.just(BANK) | st.just(f"a{BANK}b"))
def test_an_input_of_a_skill_is_a_text_whatever_it_says(text: str) -> None:
    code = "def run(page, *, q: str):\n    page.fill('e1', q)\n"
    program = program_of(code, {"q": text})
    assert with_handles(program)[1] == frozenset()
    last = ast.parse(program).body[-1]
    assert isinstance(last, ast.Expr)
    assert isinstance(last.value, ast.Call)
    assert ast.literal_eval(last.value.keywords[0].value) == text


def test_a_secret_that_is_an_input_of_a_skill_is_the_secret() -> None:
    code = "def run(page, *, q: str):\n    page.fill('e1', q)\n"
    assert with_handles(program_of(code, {"q": Secret("bank")}))[1] == {"bank"}


def test_a_skill_with_hidden_code_is_refused() -> None:
    assert "'exec' is refused" in str(find_hidden_code("def run(page):\n    exec('1')\n"))
