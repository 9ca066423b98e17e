"""The `skillbook` command. A running `skillbook serve` takes what it can; so a command imports next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    for stream in (sys.stdout, sys.stderr):
        _print_all(stream)
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["--json"]:  # an option of every verb, wherever it stands
        words = [*words[1:2], "--json", *words[2:]]
    if words and not words[0].startswith("-"):
        from skillbook.serving.terminal.terminal_client import hand_over

        code = hand_over(words)
        if code is not None:
            return code
    from skillbook.cli.subcommands import run_subcommand

    return run_subcommand(words)


def _print_all(stream: object) -> None:
    """Let a stream take every character, as Python's UTF-8 mode does: a console may say that it takes ASCII only."""
    if isinstance(stream, TextIOWrapper):
        if stream.encoding.casefold() in {"ascii", "us-ascii", "ansi_x3.4-1968", "646"}:
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
        elif stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
