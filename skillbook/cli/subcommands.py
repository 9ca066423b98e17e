"""The subcommands that run in their own process, each importing its part only when it runs."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillbook.cli.late_imports import ShowVersion, escape, new_console, new_grid, new_table
from skillbook.cli.subcommand_options import (
    completion_arguments,
    demo_arguments,
    doctor_arguments,
    evaluate_arguments,
    grants_arguments,
    nbtest_arguments,
    run_arguments,
    serve_arguments,
    skills_arguments,
    watch_arguments,
    workflow_arguments,
)
from skillbook.errors import (
    IncompleteRead,
    InvalidInput,
    InvalidParams,
    MissingInput,
    SkillbookError,
    docs_page,
)
from skillbook.mcp_server.mcp_options import add_options

if TYPE_CHECKING:
    from rich.console import Console

    from skillbook.launcher.doctor import Check
    from skillbook.session.sync import Page

_EPILOG = "With `skillbook serve` running, more commands work in its browser: `skillbook verbs` lists them."
Handler = Callable[[argparse.Namespace, "Console"], int]
_USAGE = 2


@dataclass(frozen=True)
class Subcommand:
    """A word after `skillbook`: what it does, what it takes, and who does it."""

    name: str
    help: str
    handle: Handler
    arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    gives_json: bool = False


def _say(args: argparse.Namespace, console: Console, data: Mapping[str, Any], shown: Any) -> None:
    """Print what a command found: for a program where JSON is wanted, else as it is shown."""
    if args.json:
        print(json.dumps({"ok": True, **data}, ensure_ascii=False, default=str))  # noqa: T201 - for a program
    else:
        console.print(shown, soft_wrap=True)


def doctor(args: argparse.Namespace, console: Console) -> int:
    """Check each thing that skillbook needs; 1 if anything is missing."""
    from skillbook.cli.bug_report import report_lines, without_home

    failed, shown = 0, ""
    found: list[dict[str, Any]] = []
    for host, check in _checks_of(args):
        if args.report:
            check = replace(check, detail=without_home(check.detail), hint=without_home(check.hint))
        found.append({"host": host, **asdict(check)})
        failed += not check.ok
        if args.json:
            continue
        if host != shown:
            shown = host
            console.print(f"[bold]{escape(host)}[/]", soft_wrap=True)
        mark = "[green]ok[/]  " if check.ok else "[red]no[/]  "
        console.print(f"{mark}[bold]{check.name:<10}[/] {escape(check.detail)}", soft_wrap=True)
        if not check.ok:
            console.print(f"    [yellow]try:[/] {escape(check.hint)}", soft_wrap=True)
    lines = list(report_lines()) if args.report else []
    report = "\n".join(map(escape, lines))
    if args.json or lines:
        _say(args, console, {"ok": not failed, "checks": found, "report": lines}, report)
    return 1 if failed else 0


def _checks_of(args: argparse.Namespace) -> Iterator[tuple[str, Check]]:
    """Each check with the worker that it is of; empty for this machine."""
    from skillbook.launcher.doctor import run_checks

    if args.client is not None:
        from skillbook.scale.worker_browser import check_hosts

        yield from check_hosts(args.client, launch=not args.no_launch)
    else:
        yield from (("", check) for check in run_checks(launch=not args.no_launch))
    if args.model is not None:
        yield "", _check_model(args.model)


def _check_model(name: str) -> Check:
    """A model answers with a tool call."""
    from skillbook.agents.models.choice import try_tool_call
    from skillbook.config import load_settings
    from skillbook.launcher.doctor import Check

    try:
        return Check("model", True, try_tool_call(name, load_settings()))
    except SkillbookError as error:
        return Check("model", False, error.message, error.hint or f"see {docs_page('errors')}")


def extension(args: argparse.Namespace, console: Console) -> int:
    """Print the folder to load unpacked."""
    from skillbook.launcher.profile import EXTENSION_ID, extension_path

    print(extension_path())  # noqa: T201 - plain, so that a shell can use it
    if sys.stdout.isatty():
        steps = new_grid()
        steps.add_row("1.", "Open chrome://extensions and switch on Developer mode.")
        steps.add_row("2.", "Press “Load unpacked” and choose the folder above.")
        steps.add_row("3.", f"The extension shows as skillbook, id {EXTENSION_ID}; then run sb.connect().")
        console.print(steps)
    return 0


def demo(args: argparse.Namespace, console: Console) -> int:
    """Run the whole main job on a bundled site."""
    from skillbook.testing.demo import run_demo

    return run_demo(headless=not args.headed, output=args.output, model=args.model, console=console)


def skills(args: argparse.Namespace, console: Console) -> int:
    """List the skills of the working folder and the user's; 1 if any is broken."""
    from skillbook.skill import Library

    library = Library(args.folder)
    names = ("name", "kind", "inputs", "last", "description")
    table, rows = new_table(*names), library.rows()
    for row in rows:
        table.add_row(*(escape(text) for text in row))
    shown = table if len(library) else escape(repr(library))
    _say(args, console, {"skills": [dict(zip(names, row, strict=True)) for row in rows]}, shown)
    return 1 if any(entry.error for entry in library.entries) else 0


def grants(args: argparse.Namespace, console: Console) -> int:
    """List what was granted in advance and learned for good, or take one back."""
    from skillbook.session.grant_book import grants as granted

    if args.revoke:
        granted.revoke(args.revoke)
    _say(args, console, {"grants": [asdict(grant) for grant in granted]}, escape(repr(granted)))
    return 0


def watch(args: argparse.Namespace, console: Console) -> int:
    """Have `skillbook serve` run a skill or read a page every so often; without one, list the watches."""
    import skillbook as sb
    from skillbook.serving.service import cron_line, systemd_unit

    if args.unit or args.cron:
        print(systemd_unit() if args.unit else cron_line())  # noqa: T201 - plain, for a file
    elif args.remove:
        sb.watches.remove(args.remove)
    elif args.what is not None:
        if not args.every:
            raise InvalidInput("a watch needs its times", hint="--every '1 day 07:00'")
        what: Any = args.what if "://" in args.what else sb.load_skill(args.what)
        notify = [*args.notify, *([args.tell_by.split()] if args.tell_by else [])]
        options = {"name": args.name, "notify": notify, "inputs": dict(args.input), "key": args.key}
        sb.watch(what, args.every, **options, zone=args.zone)
    if not (args.unit or args.cron):
        _say(args, console, {"watches": [asdict(each) for each in sb.watches]}, escape(repr(sb.watches)))
    return 0


def run(args: argparse.Namespace, console: Console) -> int:
    """Run a skill in a new browser and print or write its rows; 1 if it failed."""
    import skillbook as sb

    skill = sb.load_skill(args.skill)
    with _new_page(args) as page:

        def ask(question: str) -> bool:
            if args.approve or not sys.stdin.isatty():
                return bool(args.approve)
            return console.input(f"{escape(question)}. Go on? [dim](y/n)[/] ").lower().startswith("y")

        def report(outcome: Any) -> None:
            note = f" ({outcome.rows} rows)" if outcome.rows is not None else ""
            words = (
                f"{outcome.index}. {outcome.command} {outcome.target}{note}: {outcome.status} {outcome.error}"
            )
            if not args.json:
                console.print(escape(words.rstrip()), soft_wrap=True, style="dim")

        inputs = dict([*args.inputs, *args.input])
        result = skill.run(page, model=args.model, inputs=inputs, approve=ask, progress=report)
    unwritten = result.ok and args.csv is not None and not result.has_rows
    if args.json and unwritten:
        raise _no_rows(args, skill.name)
    if args.json:
        error = result.error and _told(result.error)
        data = {"ok": result.ok, "rows": _rows(result.frame, args.csv), "value": result.value, "error": error}
        _say(args, console, data, "")
        return _failed(result.error, args.command) if result.error else 0
    code = _print_frame(result.frame, args.csv, console)
    if result.value is not None and result.returned is None:
        console.print(escape(str(result.value)), soft_wrap=True)
    if result.patch is not None:
        console.print(escape(repr(result.patch)), soft_wrap=True)
    result.raise_for_error()
    if unwritten:
        raise _no_rows(args, skill.name)
    return code


def workflow(args: argparse.Namespace, console: Console) -> int:
    """Run a workflow in a new browser and print or write what it gives; without a name, list them."""
    from skillbook.serving.workflows.known_workflows import workflows

    for source in args.workflows:
        workflows.load(source)
    if args.name is None:
        names = ("name", "inputs", "description")
        table, rows = new_table(*names), workflows.rows()
        for row in rows:
            table.add_row(*map(escape, row))
        _say(args, console, {"workflows": [dict(zip(names, row, strict=True)) for row in rows]}, table)
        return 0
    found = workflows[args.name]
    given = {name: _secret_or_text(found, name, value) for name, value in [*args.inputs, *args.input]}
    with _new_page(args) as page:

        def report(progress: Any) -> None:
            if not args.json:
                console.print(escape(str(progress)), soft_wrap=True, style="dim")

        result = found.run(page, given, on_progress=report)
        unwritten = args.csv is not None and not len(result.frame.columns)
        if args.json and not unwritten:
            data = {"rows": _rows(result.frame, args.csv), "facts": result.facts, "text": result.text}
            _say(args, console, {**data, "files": result.files}, "")
            return 0
        code = 0 if args.json else _print_result(result, args.csv, console)
        if unwritten:
            raise _no_rows(args, found.name)
        return code


def serve(args: argparse.Namespace, console: Console) -> int:
    """Serve the browser's side panel until Ctrl-C, or until the browser that was launched is closed."""
    from skillbook.mcp_server.mcp_command import entrances_for
    from skillbook.serving.service import serve as start

    service = start(
        args.skills or None,
        args.workflows,
        model=args.model,
        name=args.name,
        port=args.port,
        launch=args.launch,
        headless=args.headless,
        profile=args.profile,
        page_tools=args.page_tools,
        open=args.open,
        wait=False,
    )
    # A service manager ends it as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with service, suppress(KeyboardInterrupt), entrances_for(service, args) as address:
        if address:
            console.print(f"MCP clients: `skillbook mcp`, or {address}", soft_wrap=True)
        console.print(
            f"{escape(service.name)} serves at port {service.port}. Ctrl-C ends it.", soft_wrap=True
        )
        service.wait(lambda words: console.print(escape(words), soft_wrap=True))
    return 0


def mcp(args: argparse.Namespace, console: Console) -> int:
    """Serve an agent of another program over standard input and output."""
    from skillbook.mcp_server.mcp_command import run_mcp

    return run_mcp(args)


def _secret_or_text(found: Any, name: str, value: str) -> Any:
    """A secret input is given by the secret's name."""
    import skillbook as sb

    secret = any(each.name == name and each.kind == "secret" for each in found.inputs)
    return sb.secret(value) if secret else value


def _rows(frame: Any, csv: Path | None) -> list[Any] | None:
    """Rows for a program; None where they go to a file."""
    if csv is not None:
        frame.skillbook.to_csv(csv, index=False)
        return None
    rows: list[Any] = json.loads(frame.to_json(orient="records", date_format="iso", force_ascii=False))
    return rows


def _no_rows(args: argparse.Namespace, name: str) -> SkillbookError:
    """The error of a file for rows that nothing gave."""
    from skillbook.serving.terminal.terminal_commands import no_rows

    return no_rows(args.command, name)


def _told(error: SkillbookError) -> dict[str, str]:
    """An error for a program, as the commands of a served browser say it."""
    from skillbook.serving.terminal.terminal_commands import in_terminal

    return {"code": error.code, "message": error.message, "hint": in_terminal(error.hint)}


def _failed(error: SkillbookError, command: str) -> int:
    """The exit code of an error: what was sent must not be sent again; wrong inputs of a run are wrong arguments."""
    if error.data.get("sent"):
        return 3
    wrong = isinstance(error, InvalidInput | InvalidParams | MissingInput)
    return _USAGE if wrong and command in {"run", "workflow"} else 1


def _print_frame(frame: Any, csv: Path | None, console: Console) -> int:
    """Write rows to a file if one is given, else show them; 1 where the file has a part of the rows only."""
    if csv is not None and len(frame.columns):
        try:
            frame.skillbook.to_csv(csv, index=False)
        except IncompleteRead as error:
            console.print(escape(error.message), soft_wrap=True)
            return 1
        console.print(f"{len(frame)} rows written to {escape(str(csv))}", soft_wrap=True)
    elif len(frame):
        from skillbook.perception.escape import without_controls

        print(without_controls(frame.to_string()))  # noqa: T201 - plain, as rich would wrap it
    return 0


def _print_result(result: Any, csv: Path | None, console: Console) -> int:
    code = _print_frame(result.frame, csv, console)
    for name, value in result.facts.items():
        console.print(escape(f"{name}: {value}"), soft_wrap=True)
    for path in result.files:
        console.print(escape(str(path)), soft_wrap=True)
    if result.text:
        console.print(escape(result.text), soft_wrap=True)
    return code


def nbtest(args: argparse.Namespace, console: Console) -> int:
    """Run notebooks and compare each cell with what was saved; 1 if any differs or fails."""
    from skillbook.testing.nbtest import run_notebooks

    report = run_notebooks(
        args.notebooks,
        cell_timeout=args.cell_timeout,
        lax=args.lax,
        cassettes=args.cassettes,
        sanitizers=args.sanitize_with,
    )
    for name in dict.fromkeys(cell.notebook for cell in report.cells):
        cells = [cell for cell in report.cells if cell.notebook == name]
        failed = [cell for cell in cells if not cell.ok]
        mark = "[red]no[/]  " if failed else "[green]ok[/]  "
        seconds = sum(cell.seconds for cell in cells)
        console.print(f"{mark}[bold]{escape(name)}[/] {len(cells)} cells, {seconds:.1f} s", soft_wrap=True)
        for cell in failed:
            console.print(f"    cell {cell.number}:", style="red")
            console.print(escape("\n".join("    " + line for line in cell.why.splitlines())), soft_wrap=True)
    if report.problem:
        console.print(escape(report.problem), soft_wrap=True, style="red")
    bad = sum(not cell.ok for cell in report.cells)
    console.print(f"{len(report.cells) - bad} cells passed, {bad} failed")
    return 0 if report.ok else 1


def evaluate(args: argparse.Namespace, console: Console) -> int:
    """Evaluate a target on tasks; 1 where fewer attempts passed than the threshold wants, 130 after Ctrl-C."""
    from skillbook.evals.eval_command import run_evaluation

    return run_evaluation(args, console)


@contextmanager
def _new_page(args: argparse.Namespace) -> Iterator[Page]:
    """A page in a browser of its own."""
    import skillbook as sb

    with sb.launch(headless=not args.headed) as browser:
        yield browser.open(args.url or "about:blank")


def completion(args: argparse.Namespace, console: Console) -> int:
    """Print a script with which a shell completes commands and options."""
    from skillbook.serving.terminal.known_verbs import completion_script

    options = {}
    for entry in SUBCOMMANDS:
        parser = argparse.ArgumentParser()
        entry.arguments(parser)
        options[entry.name] = parser
    print(completion_script(args.shell, options))  # noqa: T201 - plain, for the shell
    return 0


SUBCOMMANDS: tuple[Subcommand, ...] = (
    Subcommand("demo", "run the whole main job on a bundled site", demo, demo_arguments),
    Subcommand(
        "doctor", "check what skillbook needs on this machine", doctor, doctor_arguments, gives_json=True
    ),
    Subcommand("run", "run a skill", run, run_arguments, gives_json=True),
    Subcommand("workflow", "run a workflow", workflow, workflow_arguments, gives_json=True),
    Subcommand("serve", "serve skills, workflows and the agent to the side panel", serve, serve_arguments),
    Subcommand("mcp", "let another program's agent use the browser, over MCP", mcp, add_options),
    Subcommand("eval", "evaluate an agent, a skill or a workflow on tasks", evaluate, evaluate_arguments),
    Subcommand("nbtest", "run notebooks and compare their output", nbtest, nbtest_arguments),
    Subcommand("skills", "list the skills", skills, skills_arguments, gives_json=True),
    Subcommand("watch", "run a skill or read a page every so often", watch, watch_arguments, gives_json=True),
    Subcommand(
        "grants",
        "list what you granted in advance, and take it back",
        grants,
        grants_arguments,
        gives_json=True,
    ),
    Subcommand("extension", "print the folder of the Chrome extension", extension),
    Subcommand("completion", "print the completion of a shell", completion, completion_arguments),
)


def _unserved(argv: Sequence[str]) -> int:
    """A command that needs `skillbook serve`: its help, or that none runs; of a word that is none, what is near."""
    from difflib import get_close_matches

    from skillbook.serving.terminal.known_verbs import known_verbs, parser_of, verb_lines
    from skillbook.serving.terminal.terminal_client import NOT_SERVED
    from skillbook.serving.terminal.verb_parser import ParserExit

    if argv[0] == "verbs":
        print(verb_lines())  # noqa: T201 - plain, as everything of the terminal
        return 0
    verb = known_verbs().get(argv[0])
    if verb is None:
        near = get_close_matches(argv[0], [*known_verbs(), *(entry.name for entry in SUBCOMMANDS)], 3)
        ways = [*(f"skillbook {word}" for word in near), "skillbook --help", "skillbook verbs"]
        sys.stderr.write(f"there is no command {argv[0]!r}\ntry: {', '.join(ways)}\n")
        return _USAGE
    try:
        parser_of(verb).parse_args(list(argv[1:]))
    except ParserExit as end:
        print(end.text, file=sys.stderr if end.code else sys.stdout)
        return end.code
    sys.stderr.write("`skillbook serve` doesn't run\ntry: skillbook serve --launch, in another terminal\n")
    return NOT_SERVED


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="skillbook", description="Browser skills for notebooks.", epilog=_EPILOG
    )
    parser.add_argument("--version", action=ShowVersion)
    words = parser.add_subparsers(dest="command", required=True, metavar="command")
    for entry in SUBCOMMANDS:
        word = words.add_parser(entry.name, help=entry.help, description=entry.help.capitalize() + ".")
        entry.arguments(word)
        word.set_defaults(handle=entry.handle, json=False)
        if entry.gives_json:
            word.add_argument("--json", action="store_true", help="print JSON")
    return parser


def run_subcommand(argv: Sequence[str]) -> int:
    """Run one command; its exit code. An expected error prints one line and its hint, without a traceback."""
    if argv and argv[0] not in {entry.name for entry in SUBCOMMANDS} and not argv[0].startswith("-"):
        return _unserved(argv)
    args = make_parser().parse_args(argv)
    console = new_console()
    try:
        code: int = args.handle(args, console)
    except SkillbookError as error:
        told = _told(error)
        if args.json:
            _say(args, console, {"ok": False, "error": told}, "")
        else:
            problem = new_console(stderr=True)
            problem.print(f"[red]{escape(error.message)}[/] [dim]({error.code})[/]", soft_wrap=True)
            if error.hint:
                problem.print(f"[yellow]try:[/] {escape(told['hint'])}", soft_wrap=True)
        return _failed(error, args.command)
    except KeyboardInterrupt:
        return 130
    return code
