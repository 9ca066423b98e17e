"""The options of `skillbook eval`; they load nothing heavy, since the parser names them for every command."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add them to a parser."""
    add = parser.add_argument
    add("tasks", nargs="?", help="a suite, a YAML file or a folder of them; without it the suites are listed")
    add("--model", metavar="NAME", help="evaluate an agent with this model, such as openai:gpt-5-mini")
    add("--no-model", action="store_true", help="evaluate an agent without a model")
    add("--skill", metavar="NAME", help="evaluate a skill")
    add("--workflow", metavar="NAME", help="evaluate a workflow")
    add(
        "--workflows",
        action="append",
        default=[],
        metavar="FILE",
        help="a file with workflows; may be repeated",
    )
    add(
        "--judge",
        nargs="?",
        const="",
        metavar="MODEL",
        help="a model judges answers; by default SKILLBOOK_JUDGE_MODEL",
    )
    add("--tag", action="append", default=[], help="only tasks with this tag; may be repeated")
    add("--repetitions", type=int, default=1, metavar="N", help="attempts of each task (%(default)s)")
    add("--workers", type=int, metavar="N", help="browsers at a time; by default SKILLBOOK_EVAL_WORKERS")
    add(
        "--threshold",
        type=_share,
        default=1.0,
        metavar="SHARE",
        help="how much has to pass, 0 to 1 (%(default)s)",
    )
    add("--approve", action="store_true", help="answer yes to every question, on any site")
    add("--folder", type=Path, help="write results there as they come, and go on where they end")
    add("--cassettes", type=Path, metavar="FOLDER", help="record attempts the first time, replay them later")
    add("--junit", type=Path, metavar="FILE", help="write JUnit's XML there")
    add("--report", type=Path, metavar="FILE", help="write an HTML report there")
    add("--upload", action="store_true", help="upload the results to LangSmith")
    add("--headed", action="store_true", help="show the browsers' windows")


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value
