"""Where the browser is served to clients, in a file that only its user reads; and the first line of a connection.

It imports little: the server waits for this line while `skillbook mcp` imports what it needs besides.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

from skillbook.errors import ConfigError
from skillbook.limits import ENDING_SECONDS
from skillbook.storage import HOME, private_folder, storing, write_private

_POSIX = os.name == "posix"
_FILE = "mcp.json"


@dataclass(frozen=True)
class KeptEntrance:
    """What clients have to know.

    token: the bearer token.
    port: of HTTP; 0 before the first start.
    socket_port: the one that `skillbook mcp` connects to; 0 while nothing is served.
    """

    token: str
    port: int = 0
    socket_port: int = 0

    def __repr__(self) -> str:
        return f"<KeptEntrance at port {self.port}>"

    @property
    def url(self) -> str:
        """The address of HTTP clients."""
        return f"http://127.0.0.1:{self.port}/mcp"


def read_entrance(home: Path) -> KeptEntrance:
    """What is kept, or a new token.

    Raises ConfigError: others can read the file, so that they may know the token.
    """
    path = home / _FILE
    try:
        if _POSIX and path.stat().st_mode & 0o077:
            raise ConfigError(
                f"others can read {path}, which has a token", hint="delete the file and start again"
            )
        facts = json.loads(path.read_text("utf-8"))
        return KeptEntrance(str(facts["token"]), int(facts["port"]), int(facts["socket_port"]))
    except FileNotFoundError:
        return KeptEntrance(secrets.token_urlsafe(32))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} can't be read: {error}", hint="delete it and start again") from None


def keep_entrance(home: Path, entrance: KeptEntrance) -> None:
    """Write it down, with mode 0600 from the first byte on."""
    with storing(home / _FILE, HOME):
        private_folder(home)
        write_private(home / _FILE, json.dumps(asdict(entrance)))


def connect_to(entrance: KeptEntrance) -> socket.socket | None:
    """A connection to the browser that is served; None where none is."""
    if not entrance.socket_port:
        return None
    try:
        made = socket.create_connection(("127.0.0.1", entrance.socket_port), timeout=ENDING_SECONDS)
    except OSError:
        return None
    made.settimeout(None)
    return made


def hello(token: str) -> bytes:
    """The first line of a connection."""
    return json.dumps({"token": token}).encode() + b"\n"


def knows_token(line: bytes, token: str) -> bool:
    """Whether a first line has the token."""
    try:
        given = json.loads(line)
    except ValueError:
        return False
    offered = given.get("token") if isinstance(given, dict) else None
    return isinstance(offered, str) and hmac.compare_digest(offered.encode(), token.encode())
