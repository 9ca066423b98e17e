"""The first line of a connection, by which `skillbook mcp` shows that it is this user's.

A file of its own: the server waits for this line while `skillbook mcp` imports what it needs to send it.
"""

from __future__ import annotations

import hmac
import json


def hello(token: str) -> bytes:
    """The first line of a connection."""
    return json.dumps({"token": token}).encode() + b"\n"


def knows_token(line: bytes, token: str) -> bool:
    """Whether a first line has the token."""
    try:
        given = json.loads(line)
    except ValueError:
        return False
    said = given.get("token") if isinstance(given, dict) else None
    return isinstance(said, str) and hmac.compare_digest(said.encode(), token.encode())
