"""What each subcommand takes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from skillbook.mcp_server.mcp_options import add_limits


def watch_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook watch` takes."""
    parser.add_argument("what", nargs="?", help="a skill's name or folder, or the address of a page to read")
    parser.add_argument("--every", metavar="TIMES", help="such as '1 day 07:00', '30 minutes'")
    parser.add_argument("--name", help="what it is called")
    parser.add_argument(
        "--notify", action="append", default=[], help="mail:ADDRESS, an https address or notebook"
    )
    parser.add_argument(
        "--tell-by", metavar="COMMAND", help="a command that gets the text by its standard input"
    )
    parser.add_argument("--key", action="append", help="a column that names a record; may be repeated")
    parser.add_argument("--zone", default="", help="such as Europe/Vienna; by default this computer's")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        type=name_and_value,
        metavar="NAME=VALUE",
        help="an input of the skill",
    )
    parser.add_argument("--remove", metavar="NAME", help="forget a watch and what it read")
    parser.add_argument("--unit", action="store_true", help="print a systemd unit of `skillbook serve`")
    parser.add_argument("--cron", action="store_true", help="print a line of a crontab instead")


def grants_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook grants` takes."""
    parser.add_argument("--revoke", metavar="ID", help="take this one back")


def serve_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook serve` takes."""
    parser.add_argument("--open", action="store_true", help="open the pairing link in your default browser")
    parser.add_argument(
        "--launch", action="store_true", help="start Chromium with the extension, already paired"
    )
    parser.add_argument("--headless", action="store_true", help="with --launch: without a window")
    parser.add_argument("--profile", metavar="NAME", help="with --launch: a profile that stays signed in")
    parser.add_argument(
        "--skills",
        action="append",
        default=[],
        type=Path,
        metavar="FOLDER",
        help="a folder with skills; may be repeated",
    )
    workflows_argument(parser)
    parser.add_argument("--model", metavar="NAME", help="a LangChain name such as openai:gpt-5-mini")
    parser.add_argument("--name", help="what the side panel calls it; by default the working folder's name")
    parser.add_argument("--port", type=int, help="the port; by default the one of the last time")
    parser.add_argument("--mcp", action="store_true", help="also serve other programs' agents, over MCP")
    parser.add_argument("--mcp-port", type=int, help="the port of MCP; by default the one of the last time")
    add_limits(parser)


def evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook eval` takes."""
    from skillbook.evals.eval_options import add_options

    add_options(parser)


def nbtest_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook nbtest` takes."""
    parser.add_argument("notebooks", nargs="+", type=Path, help="notebooks, or folders of them")
    parser.add_argument(
        "--cell-timeout", type=float, default=60.0, metavar="SECONDS", help="time for a cell (%(default)s)"
    )
    parser.add_argument(
        "--lax",
        action="store_true",
        help="compare only cells marked # NBVAL_CHECK_OUTPUT; others have to run",
    )
    parser.add_argument(
        "--cassettes", choices=["once", "record", "replay"], help="for every sb.cassette; in CI, replay"
    )
    parser.add_argument("--sanitize-with", type=Path, metavar="FILE", help="more patterns, in nbval's form")


def name_and_value(text: str) -> tuple[str, str]:
    """A name and its value, as NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def run_in_a_browser_arguments(parser: argparse.ArgumentParser, *, begins: str) -> None:
    """What a skill and a workflow both take; `begins` is the page where neither says otherwise."""
    kind: dict[str, Any] = {"type": name_and_value, "metavar": "NAME=VALUE"}
    parser.add_argument("inputs", nargs="*", help="the inputs; a workflow's secret by its name", **kind)
    parser.add_argument("--input", action="append", default=[], help="the same; may be repeated", **kind)
    parser.add_argument("--new", action="store_true", help="in a new browser, even if `skillbook serve` runs")
    parser.add_argument("--url", help=f"the page to run it on; by default {begins}")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the rows there")
    parser.add_argument("--headed", action="store_true", help="show the browser's window")


def workflows_argument(parser: argparse.ArgumentParser) -> None:
    """Files that define workflows."""
    parser.add_argument(
        "--workflows",
        action="append",
        default=[],
        metavar="FILE",
        help="a Python file or module that defines workflows; may be repeated",
    )


def skills_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook skills` takes."""
    parser.add_argument("--folder", type=Path, help="look there only")


def run_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook run` takes."""
    parser.add_argument("skill", help="its name, its folder or a .prompt.md file")
    run_in_a_browser_arguments(parser, begins="the one the skill begins with")
    parser.add_argument("--model", help="for a skill that is a prompt; a LangChain name such as openai:gpt-5")
    parser.add_argument(
        "--approve",
        action="store_true",
        help="do not ask, neither for what the skill wants nor before steps that can't be undone",
    )


def workflow_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook workflow` takes."""
    parser.add_argument("name", nargs="?", help="which; without it the workflows are listed")
    workflows_argument(parser)
    run_in_a_browser_arguments(parser, begins="an empty one")


def doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook doctor` takes."""
    parser.add_argument("--no-launch", action="store_true", help="do not start the browser")
    parser.add_argument(
        "--report",
        action="store_true",
        help="also print versions and how the last steps ended, for a bug report; nothing that a page showed",
    )
    parser.add_argument(
        "--client", metavar="ADDRESS", help="check the workers of the Dask scheduler at this address instead"
    )
    parser.add_argument(
        "--model",
        nargs="?",
        const="",
        metavar="NAME",
        help="also have a model call a tool; without a name the one of SKILLBOOK_MODEL",
    )


def demo_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook demo` takes."""
    parser.add_argument("--headed", action="store_true", help="show the browser's window")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("demo-output"),
        help="where the skill and the data go (%(default)s)",
    )
    parser.add_argument(
        "--model",
        help="a LangChain name such as openai:gpt-5; by default a scripted one, which needs no network",
    )


def completion_arguments(parser: argparse.ArgumentParser) -> None:
    """What `skillbook completion` takes."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="which shell it is for")
