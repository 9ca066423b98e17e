"""The options of the MCP server; they load nothing heavy, since the parser names them for every command."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillbook.mcp_server.client_limits import ClientLimits


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add those of `skillbook mcp` to a parser."""
    parser.add_argument("--headless", action="store_true", help="start Chromium without a window")
    parser.add_argument(
        "--own-browser",
        action="store_true",
        help="start a browser although `skillbook serve --mcp` runs, whose browser is used else",
    )
    add_limits(parser)


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Add what clients may do."""
    add = parser.add_argument
    add("--read-only", action="store_true", help="clients only look and go to pages")
    add(
        "--origins",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="the only origins that clients may use, without asking; may be repeated",
    )
    add(
        "--tabs",
        choices=["own", "shared"],
        default="own",
        help="the tabs of clients: those that they open, or those too that you share (%(default)s)",
    )
    add(
        "--ask",
        choices=["all", "writes", "irreversible"],
        default="irreversible",
        help="which calls wait for your approval (%(default)s)",
    )
    add("--page-tools", action="store_true", help="offer the tools that pages declare (WebMCP)")
    add("--ask-in-panel", action="store_true", help="approvals never in the client's own dialog")
    add("--answer-tokens", type=int, default=4000, metavar="N", help="of an answer at most (%(default)s)")
    add("--max-calls", type=int, default=500, metavar="N", help="of each client (%(default)s)")
    add("--calls-a-minute", type=int, default=120, metavar="N", help="of each client (%(default)s)")


def limits_of(args: argparse.Namespace) -> ClientLimits:
    """The limits that were given.

    Raises ConfigError: one of the origins is none.
    """
    from skillbook.mcp_server.client_limits import AUTONOMY, ClientLimits

    return ClientLimits(
        read_only=args.read_only,
        origins=tuple(args.origins),
        tabs=args.tabs,
        autonomy=AUTONOMY[args.ask],
        in_client=not args.ask_in_panel,
        answer_tokens=args.answer_tokens,
        max_calls=args.max_calls,
        calls_a_minute=args.calls_a_minute,
    )
