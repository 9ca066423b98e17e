"""Every verb of the terminal, in one table."""

from __future__ import annotations

from functools import cache

from skillbook.serving.terminal.own_verbs import OWN_VERBS
from skillbook.serving.terminal.tool_verbs import tool_verbs
from skillbook.serving.terminal.verb import Verb


@cache
def verb_table() -> dict[str, Verb]:
    """The verbs by name."""
    return {verb.name: verb for verb in sorted([*tool_verbs(), *OWN_VERBS], key=lambda verb: verb.name)}
