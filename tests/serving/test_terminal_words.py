"""A terminal's verbs: their command lines, their completion, their exit codes, and how little a command imports."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from skillbook import cli
from skillbook.agents.fence import fence
from skillbook.cli.subcommands import SUBCOMMANDS
from skillbook.perception.text.tokens import count_tokens
from skillbook.protocol.commands import COMMANDS
from skillbook.serving.terminal.known_verbs import (
    FILE,
    completion_script,
    known_verbs,
    parser_of,
    verb_lines,
    written,
)
from skillbook.serving.terminal.terminal_client import hand_over
from skillbook.serving.terminal.terminal_commands import (
    FAILED,
    NEW_BROWSER,
    NO_PAGE,
    OK,
    REFUSED,
    UNANSWERED,
    USAGE,
    in_terminal,
    tools_as_commands,
)
from skillbook.serving.terminal.terminal_run import Given
from skillbook.serving.terminal.terminal_socket import TerminalCall
from skillbook.serving.terminal.verb_parser import ParserExit, take_shown
from skillbook.serving.terminal.verb_table import verb_name, verb_table, with_paths


def parse(*words: str) -> dict[str, Any]:
    return vars(parser_of(verb_table()[words[0]]).parse_args(list(words[1:])))


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["click", "e12"], {"target": "e12"}),
        (["click", "e1", "--at", "3", "4"], {"at": [3.0, 4.0]}),
        (["fill", "e1", "Ann"], {"value": "Ann", "secret_name": None}),
        (["fill", "e1", "--secret", "github"], {"value": None, "secret_name": "github"}),
        (["select", "e1", "One", "Two"], {"values": ["One", "Two"]}),
        (["press", "Enter"], {"key": "Enter", "target": None}),
        (["press", "Enter", "e3"], {"target": "e3"}),
        (["get", "text"], {"what": "text", "target": None}),
        (["extract", "table", "--fields", "a=b"], {"within": "table", "fields": [("a", "b")]}),
        (["handle-dialog", "--no-accept"], {"accept": False}),
        (["wait-for", "--text", "Done"], {"text": "Done"}),
        (["run", "search", "query=a=b"], {"skill": "search", "inputs": [("query", "a=b")]}),
        (["switch", "7"], {"tab": 7}),
    ],
)  # fmt: skip
def test_a_command_line_is_the_call(words: list[str], given: dict[str, Any]) -> None:
    assert parse(*words).items() >= given.items()


def test_every_verb_has_help_and_the_common_options() -> None:
    for verb in verb_table().values():
        with pytest.raises(ParserExit) as end:
            parser_of(verb).parse_args(["--help"])
        assert end.value.code == 0
        assert verb.help in " ".join(end.value.text.split())
    shown = take_shown(parse("extract", "--csv"))
    assert (shown.json, shown.csv) == (False, "-")
    given = parse("tabs", "--json", "--tab", "3", "--deadline", "5")
    assert (given["_json"], given["_tab"], given["_deadline"]) == (True, 3, 5.0)


def test_every_command_for_people_is_a_verb() -> None:
    offered = {
        verb_name(name)
        for name, command in COMMANDS.items()
        if not (command.internal or command.runs_script or command.page_tools)
    }
    assert offered <= verb_table().keys()
    lines = verb_lines().splitlines()
    assert [line.split()[0] for line in lines] == sorted(verb_table())


def test_the_known_verbs_are_those_of_the_table() -> None:
    assert FILE.read_text("utf-8") == written(), "make generate"
    assert list(known_verbs()) == list(verb_table())
    for name, verb in verb_table().items():
        known = known_verbs()[name]
        assert parser_of(known).format_help() == parser_of(verb).format_help()
    words = ["--fields", "a=b", "--max-pages", "3", "table", "--csv"]
    assert parser_of(known_verbs()["extract"]).parse_args(words) == parser_of(
        verb_table()["extract"]
    ).parse_args(words)


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (["click", "--help"], ("rich", "importlib.metadata")),
        (["--help"], ("rich", "importlib.metadata")),
        (["verbs"], ("rich", "importlib.metadata")),
        (["nonsense"], ()),
        (["completion", "fish"], ()),
    ],
)
def test_without_a_service_help_imports_little(
    words: list[str], heavy: tuple[str, ...], tmp_path: Path
) -> None:
    heavy = ("langchain", "langchain_core", "pandas", "pydantic", *heavy)
    program = (
        f"import sys\nfrom skillbook.cli import main\ntry:\n    main({words!r})\nexcept SystemExit:\n    pass\n"
        f"print('heavy', [name for name in {heavy} if name in sys.modules])"
    )
    env = {**os.environ, "SKILLBOOK_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=env, cwd=tmp_path, check=True
    )
    assert done.stdout.splitlines()[-1] == "heavy []", done.stderr


@pytest.mark.parametrize("words", [["click"], ["press"], ["tabs", "--csv"], ["run"]])
def test_what_is_wrong_says_how_it_is_used(words: list[str]) -> None:
    with pytest.raises(ParserExit) as end:
        parse(*words)
    assert end.value.code == 2
    assert end.value.text.startswith(f"usage: skillbook {words[0]}")
    assert f"try: skillbook {words[0]} --help" in end.value.text


def test_without_a_service_a_verb_says_so_and_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["click", "e1"]) == 3
    assert "try: skillbook serve" in capsys.readouterr().err
    assert cli.main(["click", "--help"]) == 0
    assert "Click an element." in capsys.readouterr().out
    assert cli.main(["click"]) == 2
    assert cli.main(["verbs"]) == 0
    assert "snapshot" in capsys.readouterr().out


def _completed(shell: str, line: str) -> set[str]:
    words = line.split(" ")
    script = completion_script(shell, {entry.name: argparse.ArgumentParser() for entry in SUBCOMMANDS})
    program = (
        f"{script}\nCOMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}\n_skillbook\n"
    )
    program += 'printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_bash_completes_commands_options_and_choices() -> None:
    assert _completed("bash", "skillbook sn") == {"snapshot"}
    assert {"serve", "select", "scroll", "screenshot"} <= _completed("bash", "skillbook s")
    assert _completed("bash", "skillbook fill --se") == {"--secret"}
    assert {"start", "save"} <= _completed("bash", "skillbook record s")


_ZSH_SHOWS = """fpath=($HOME $fpath); autoload -U compinit; compinit -u -d "$HOME/dump"
compadd() { [[ $1 == -- ]] && shift && print -l -- ${(M)@:#$PREFIX*}; }
_files() { :; }
words=($=LINE); [[ $LINE == *' ' ]] && words+=('')
CURRENT=$#words; PREFIX=$words[-1]; _skillbook"""


def _offered(shell: str, line: str, home: Path) -> set[str]:
    """What fish, or zsh's function of the script, offers for a line."""
    file = home / ("script" if shell == "fish" else "_skillbook")  # zsh loads it when it first completes
    file.write_text(
        completion_script(shell, {entry.name: argparse.ArgumentParser() for entry in SUBCOMMANDS})
    )
    program = f"source {file}; complete -C '{line}'" if shell == "fish" else _ZSH_SHOWS
    env = {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "XDG_DATA_HOME": str(home),
        "LINE": line,
    }
    done = subprocess.run([shell, "-c", program], capture_output=True, text=True, env=env, cwd=home)
    assert not done.stderr, done.stderr
    return {each.partition("\t")[0] for each in done.stdout.splitlines()}


@pytest.mark.parametrize("shell", ["fish", "zsh"])
def test_other_shells_complete_commands_options_and_choices(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} isn't installed")
    assert _offered(shell, "skillbook sn", tmp_path) == {"snapshot"}
    assert {"serve", "select", "scroll", "screenshot"} <= _offered(shell, "skillbook s", tmp_path)
    assert _offered(shell, "skillbook fill --se", tmp_path) == {"--secret"}
    assert {"start", "save"} <= _offered(shell, "skillbook record s", tmp_path)
    assert "start" not in _offered(shell, "skillbook fill s", tmp_path)


def test_zsh_has_every_verb() -> None:
    script = completion_script("zsh", {})
    assert all(f"        {name})" in script for name in verb_table())


def test_fish_has_every_verb_with_its_options_and_choices() -> None:
    script = completion_script("fish", {})
    lines = script.splitlines()
    first = next(line for line in lines if "__skillbook_first -f" in line)
    assert set(first.partition("-a '")[2].rstrip("'").split()) == {*verb_table(), "verbs"}
    fill = [line for line in lines if "'__skillbook_verb fill'" in line]
    assert any(" -l secret" in line and " -l json" in line for line in fill)
    assert "complete -c skillbook -n '__skillbook_verb record' -a 'start show input stop save drop'" in lines


class Service:
    """Answers one command with messages, as a service does."""

    def __init__(self, home: Path) -> None:
        self.given: dict[str, Any] = {}
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(home / "s"))
        self._listener.listen()
        (home / "terminal.address").write_text(str(home / "s"))

    def serve(self, *messages: dict[str, Any]) -> None:
        threading.Thread(target=self._serve, args=(messages,), daemon=True).start()

    def _serve(self, messages: tuple[dict[str, Any], ...]) -> None:
        connection, _ = self._listener.accept()
        with connection:
            self.given = json.loads(connection.makefile().readline())
            connection.sendall(b"".join(json.dumps(each).encode() + b"\n" for each in messages))

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Service]:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    service = Service(tmp_path)
    yield service
    service.close()


def test_the_client_prints_what_comes_and_ends_with_the_code(
    served: Service, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    served.serve({"taken": True}, {"out": "page\n"}, {"err": "note\n"}, {"code": 5})
    assert hand_over(["snapshot"]) == 5
    assert capsys.readouterr() == ("page\n", "note\n")
    assert served.given["words"] == ["snapshot"]
    assert served.given["folder"] == str(tmp_path)


def test_a_page_commands_no_terminal(
    served: Service, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Total\x1b[2K\x1b[1A\x9b1mpaid\r\u202elaed\tok\n"
    served.serve({"taken": True}, {"out": text}, {"err": text}, {"ask": "1", "words": text}, {"code": 0})
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert hand_over(["get", "text"]) == 0
    out, err = capsys.readouterr()
    assert out == text, "a program gets the page's text as it is"
    shown = r"Total\x1b[2K\x1b[1A\x9b1mpaid\x0d\x202elaed" + "\tok\n"
    assert err == f"{shown}{shown} (y/n) "
    served.serve({"taken": True}, {"out": text}, {"code": 0})
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert hand_over(["get", "text"]) == 0
    assert capsys.readouterr().out == shown


def test_a_service_that_is_gone_or_does_not_know_the_word_leaves_it_to_the_command(
    served: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    served.serve({"taken": False})
    assert hand_over(["doctor"]) is None
    served.serve({"taken": True})
    assert hand_over(["click", "e1"]) == 3
    assert "nobody knows" in capsys.readouterr().err
    served.close()
    assert hand_over(["click", "e1"]) is None


HEAVY = (
    "pydantic",
    "pandas",
    "rich",
    "asyncio",
    "langchain_core",
    "inspect",
    "dataclasses",
    "typing",
    "contextlib",
    "tempfile",
    "pathlib",
)
"""What a command doesn't import; each takes a part of the 250 ms."""


def test_a_command_imports_next_to_nothing() -> None:
    code = (
        "import sys; from skillbook.cli import main; import skillbook.serving.terminal.terminal_client; "
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ})
    assert done.stdout.strip() == "[]"


def test_the_skill_for_coding_agents_is_valid_short_and_names_real_verbs() -> None:
    from skills_ref import validate

    folder = Path(__file__).parents[2] / "skills" / "skillbook"
    text = (folder / "SKILL.md").read_text()
    assert validate(folder) == []
    assert count_tokens(text) <= 2500
    named = set(re.findall(r"`skillbook ([a-z][a-z-]*)", text))
    known = {*verb_table(), *(entry.name for entry in SUBCOMMANDS), "verbs"}
    assert named
    assert named <= known


def test_the_page_in_the_docs_names_every_option_and_code() -> None:
    page = (Path(__file__).parents[2] / "docs" / "terminal.md").read_text()
    named = set(re.findall(r"`(--[a-z-]+)", page))
    assert {"--json", "--plain", "--tab", "--deadline", "--csv"} <= named
    assert all(f"| {code} |" in page for code in (OK, FAILED, USAGE, NO_PAGE, REFUSED, UNANSWERED, 130))
    assert all(f"`{option}`" in page for option in NEW_BROWSER)


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("look at the page with `page.snapshot()`", "look at the page with `skillbook snapshot`"),
        ("`sb.extract(page, next=True)` follows", "`skillbook extract --next …` follows"),
        ("wait: page.wait_for(text='x')", "wait: skillbook wait-for --text …"),
        ("see browser.pages", "see `skillbook tabs`"),
        ("page.nothing() or sb.launch()", "page.nothing() or sb.launch()"),
        ("page.handle_dialog(accept=True)", "skillbook handle-dialog --accept"),
        ("`page.clear(target)` empties it", "`skillbook clear TARGET` empties it"),
        (
            "call browser.allow('https://a.b', despite_robots=True)",
            "call browser.allow('https://a.b', despite_robots=True)",
        ),
    ],
)
def test_hints_name_commands_instead_of_calls(hint: str, said: str) -> None:
    assert in_terminal(hint) == said


def test_what_a_tool_answers_names_commands_outside_of_the_page() -> None:
    page = fence("press `handle_dialog`")
    text = f"Answer it with `handle_dialog`; `tabs` switches.\n{page}\nRead it with `snapshot`, or `nothing`."
    said = f"Answer it with `skillbook handle-dialog`; `skillbook switch` switches.\n{page}\nRead it with "
    assert tools_as_commands(text) == f"{said}`skillbook snapshot`, or `nothing`."


def test_files_to_upload_are_those_of_the_terminals_folder(tmp_path: Path) -> None:
    call = TerminalCall({"words": ["upload"], "folder": str(tmp_path)}, lambda message: None)
    given = Given(
        cast(Any, None),
        call,
        vars(parser_of(verb_table()["upload"]).parse_args(["e1", "a.txt", "/b"])),
        cast(Any, None),
    )
    assert with_paths(given, given.args, "upload")["files"] == [str(tmp_path / "a.txt"), "/b"]
    assert with_paths(given, {"target": "e1"}, "click") == {"target": "e1"}


def test_a_command_without_its_words_names_only_those_it_needs() -> None:
    with pytest.raises(ParserExit) as end:
        parse("run")
    assert "are required: skill\n" in f"{end.value.text}\n"


def test_an_option_may_stand_alone_and_a_verb_has_the_name_that_is_expected() -> None:
    given = vars(parser_of(known_verbs()["extract"]).parse_args(["--next", "--json"]))
    assert (given["next"], given["_json"]) == ("true", True)
    assert vars(parser_of(known_verbs()["extract"]).parse_args(["--next", "e5"]))["next"] == "e5"
    assert {"back", "go-back", "forward", "go-forward"} <= known_verbs().keys()


@pytest.mark.parametrize("words", [["--json", "status"], ["status", "--json"]])
def test_json_may_stand_before_the_verb(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []
    monkeypatch.setattr(
        "skillbook.serving.terminal.terminal_client.hand_over", lambda words: given.append(words) or 0
    )
    assert cli.main(words) == 0
    assert given == [["status", "--json"]]
