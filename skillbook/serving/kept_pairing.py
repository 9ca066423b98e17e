"""What lets a paired browser find `skillbook serve` again: id, token and port, in a file that only its user reads."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import IO

from skillbook.errors import ConfigError, ServeRunning
from skillbook.storage import HOME, private_folder, storing

_POSIX = os.name == "posix"
_FILE, _LOCK = "serve.json", "serve.lock"


@dataclass(frozen=True)
class KeptPairing:
    """The pairing of `skillbook serve`.

    Parameters
    ----------
    id : of the kernel, as the browser knows it.
    token : what the browser proves that it knows.
    port : the one that it dials; 0 before the first start.
    allowed : origins on which the person allowed writes.
    """

    id: str
    token: str
    port: int = 0
    allowed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<KeptPairing {self.id} at port {self.port}>"

    def with_facts(self, port: int, allowed: Iterable[str]) -> KeptPairing:
        """The same with another port and other origins."""
        return replace(self, port=port, allowed=tuple(sorted(allowed)))


def read_pairing(home: Path) -> KeptPairing:
    """The pairing that is kept, or a new one.

    Raises
    ------
    ConfigError : others can read the file, so that they may know the token.
    """
    path = home / _FILE
    try:
        if _POSIX and path.stat().st_mode & 0o077:
            raise ConfigError(
                f"others can read {path}, which has the token of your browser",
                hint="delete the file, start again, and pair your browser again",
            )
        facts = json.loads(path.read_text("utf-8"))
        return KeptPairing(
            str(facts["id"]), str(facts["token"]), int(facts["port"]), tuple(map(str, facts["allowed"]))
        )
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path} can't be read: {error}", hint="delete it, and pair your browser again"
        ) from None
    return KeptPairing(secrets.token_hex(8), secrets.token_urlsafe(32))


def keep_pairing(home: Path, pairing: KeptPairing) -> None:
    """Write the pairing down, with mode 0600 from the first byte on."""
    with storing(home / _FILE, HOME):
        private_folder(home)
        part = home / f"{_FILE}.{os.getpid()}.part"
        part.unlink(missing_ok=True)
        with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(pairing), file)
        part.replace(home / _FILE)


class ServeLock:
    """Held by the one `skillbook serve` of a user; given up when its process ends, however it does.

    Raises
    ------
    ServeRunning : another process has it.
    """

    def __init__(self, home: Path) -> None:
        with storing(home / _LOCK, HOME):
            private_folder(home)
            self._file: IO[str] = open(  # noqa: SIM115 - it is open as long as the lock is held
                os.open(home / _LOCK, os.O_CREAT | os.O_RDWR, 0o600), "r+", encoding="utf-8"
            )
        if not _POSIX:  # a port that is taken says the same there
            return
        fcntl = import_module("fcntl")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = self._file.read().strip()
            self._file.close()
            raise ServeRunning(f"`skillbook serve` runs already{f': {who}' if who else ''}") from None

    def sign(self, words: str) -> None:
        """Say who has it, for who comes second."""
        self._file.seek(0)
        self._file.truncate()
        self._file.write(words)
        self._file.flush()

    def release(self) -> None:
        """Give it up."""
        if not self._file.closed:
            self._file.seek(0)
            self._file.truncate()
            self._file.close()
