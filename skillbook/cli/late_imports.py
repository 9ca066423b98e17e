"""What commands print with, imported when it is used: `--help` and a verb that nobody serves answer at once."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def new_console(*, stderr: bool = False) -> Console:
    """A console on standard output, or on the error output."""
    from rich.console import Console

    return Console(stderr=stderr)


def new_table(*columns: str) -> Table:
    """A table without lines."""
    from rich.table import Table

    return Table(*columns, box=None)


def new_grid() -> Table:
    """Columns without a head."""
    from rich.table import Table

    return Table.grid(padding=(0, 1))


def escape(text: str) -> str:
    """A text that a console prints as it is; what would command a terminal is a sign to read."""
    from rich.markup import escape

    from skillbook.perception.escape import without_controls

    return escape(without_controls(text))


class ShowVersion(argparse.Action):
    """Prints the version that is installed, and ends the command."""

    def __init__(self, option_strings: list[str], dest: str, **_: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show program's version number and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print it."""
        from importlib.metadata import version

        print(f"{parser.prog} {version('skillbook')}")  # noqa: T201 - as argparse prints it
        parser.exit()
