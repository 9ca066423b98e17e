"""The `skillbook` command. A running `skillbook serve` takes what it can; so a command imports next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words and not words[0].startswith("-"):
        from skillbook.serving.terminal.terminal_client import hand_over

        code = hand_over(words)
        if code is not None:
            return code
    from skillbook.cli.subcommands import run_subcommand

    return run_subcommand(words)
