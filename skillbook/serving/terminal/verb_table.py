"""Every verb of the terminal, in one table, with its parser and its help."""

from __future__ import annotations

from functools import cache

from skillbook.serving.terminal.own_verbs import OWN_VERBS
from skillbook.serving.terminal.tool_verbs import tool_verbs
from skillbook.serving.terminal.verb import Verb
from skillbook.serving.terminal.verb_parser import VerbParser, add_options


@cache
def verb_table() -> dict[str, Verb]:
    """The verbs by name."""
    return {verb.name: verb for verb in sorted([*tool_verbs(), *OWN_VERBS], key=lambda verb: verb.name)}


def parser_of(verb: Verb) -> VerbParser:
    """The parser of one verb's arguments."""
    parser = VerbParser(prog=f"skillbook {verb.name}", description=verb.help)
    verb.arguments(parser)
    add_options(parser, rows=verb.rows)
    return parser


def verb_lines() -> str:
    """The verbs, a line each."""
    return "\n".join(f"  {verb.name:<14} {verb.help}" for verb in verb_table().values())
