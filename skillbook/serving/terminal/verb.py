"""What a verb of the terminal is, and what it gives."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillbook.serving.terminal.terminal_run import TerminalRun
from skillbook.serving.terminal.terminal_socket import TerminalCall
from skillbook.serving.terminal.verb_parser import Shown
from skillbook.storage import expanded

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class Given:
    """One verb with its arguments.

    call: where the command came from.
    shown: the options that every verb has.
    """

    run: TerminalRun
    call: TerminalCall
    args: dict[str, Any]
    shown: Shown

    def path(self, name: str) -> Path:
        """A path as the terminal means it."""
        return self.call.folder / expanded(name)


@dataclass
class VerbAnswer:
    """What a verb gives.

    text: for people and models; page text in it is fenced.
    data: the same for programs.
    frame: rows, if it read any.
    notes: lines for the error output, such as why rows are missing.
    """

    text: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    frame: pd.DataFrame | None = None
    code: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Verb:
    """A word after `skillbook` that works in the browser that is served.

    arguments: adds its arguments to a parser.
    on_page: whether it needs a tab.
    waits_turn: whether it comes after the terminal's commands before it.
    """

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    work: Callable[[Given], Awaitable[VerbAnswer]]
    rows: bool = False
    on_page: bool = True
    waits_turn: bool = True
