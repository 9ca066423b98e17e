"""What a front end may take over: how a pairing link is shown, and how a page or snapshot looks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


def _print_link(url: str, name: str) -> None:
    sys.stderr.write(f"To pair your browser with {name!r}, open this in it:\n  {url}\n")


@dataclass
class Hooks:
    """The hooks in force.

    Parameters
    ----------
    pair_link : called with the pairing URL and the kernel's name.
    mimebundle : called with a Browser, Page or Element for its rich display; None where plain text will do.
    tabulate : makes a table of records: steps or metrics of the journal; the package's own makes a DataFrame.
    snapshot_taken : called on the I/O thread with the page's driver and each snapshot of it.
    """

    pair_link: Callable[[str, str], None] = _print_link
    mimebundle: Callable[[Any], dict[str, Any] | None] | None = None
    tabulate: Callable[[list[Any]], Any] = list
    snapshot_taken: Callable[[Any, Any], None] | None = None


hooks = Hooks()


def bundle(thing: Any) -> dict[str, Any]:
    """The mimebundle of a thing: its repr, and what the front end adds."""
    plain: dict[str, Any] = {"text/plain": repr(thing)}
    extra = hooks.mimebundle(thing) if hooks.mimebundle else None
    return {**(extra or {}), **plain}
