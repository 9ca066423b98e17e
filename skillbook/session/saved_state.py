"""What keeps a person signed in, as a file: cookies, storage and databases of the origins that it was saved for."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import ValidationError

from skillbook.errors import ConfigError, InvalidParams
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands.site_state import SiteDatabase
from skillbook.storage import expanded, private_folder, storing, write_private
from skillbook.warning import warn_user

_FORMAT = "skillbook_state"
_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
_KEY = "state-key"
_FOLDER = "states"
_MANY = 3
_LEAST = 16
"""Characters of what signs somebody in: fewer could be guessed."""
_SIGNS_IN = re.compile(r"token|secret|auth|sess|sid$|jwt|credential|passw|api[_-]?key", re.I)
_SIGNED = re.compile(r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{16,}$")
"""A JSON Web Token."""


@dataclass(frozen=True)
class SavedState:
    """One state. It prints as counts: what it carries is as good as a password.

    origins: what it is for; nothing else is saved or restored.
    local, session: the storage by origin.
    databases: those of IndexedDB by origin, as the wire has them.
    saved: when, in seconds since 1970.
    source: the name or file that it was read from; "" before that.
    """

    origins: tuple[str, ...]
    cookies: list[dict[str, Any]] = field(default_factory=list)
    local: dict[str, dict[str, str]] = field(default_factory=dict)
    session: dict[str, dict[str, str]] = field(default_factory=dict)
    databases: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    saved: float = field(default_factory=time.time)
    source: str = field(default="", compare=False)

    def __repr__(self) -> str:
        entries = sum(len(each) for each in (*self.local.values(), *self.session.values()))
        databases = sum(len(each) for each in self.databases.values())
        count = f"{len(self.cookies)} cookies, {entries} entries, {databases} databases"
        return f"<SavedState of {', '.join(self.origins)}: {count}>"

    def sign_ins(self) -> set[str]:
        """Its values that may sign somebody in, and are long enough to stand nowhere by chance."""
        found = set(sign_ins_of(self.cookies))
        for entries in (*self.local.values(), *self.session.values()):
            for name, text in entries.items():
                found.update(_tokens(text, name))
        for database in chain.from_iterable(self.databases.values()):
            for store in database["stores"]:
                for record in store["records"]:
                    found.update(_tokens(record["value"], str(record["key"])))
        return found

    def without_expired(self, now: float) -> tuple[SavedState, list[str]]:
        """The state without cookies that have expired, and their names."""
        gone = [each for each in self.cookies if each["expires"] is not None and each["expires"] <= now]
        kept = [each for each in self.cookies if each not in gone]
        return replace(self, cookies=kept), sorted({str(each["name"]) for each in gone})

    def only(self, origins: Iterable[str]) -> SavedState:
        """The part of the state that is for some of its origins."""
        kept = tuple(origin for origin in dict.fromkeys(origins) if origin in self.origins)
        return replace(
            self,
            origins=kept,
            cookies=[each for each in self.cookies if belongs(each, kept)],
            local={origin: entries for origin, entries in self.local.items() if origin in kept},
            session={origin: entries for origin, entries in self.session.items() if origin in kept},
            databases={origin: found for origin, found in self.databases.items() if origin in kept},
        )

    def with_others(self, other: SavedState) -> SavedState:
        """This state with that of other origins."""
        return replace(
            self,
            origins=(*self.origins, *other.origins),
            cookies=[*self.cookies, *other.cookies],
            local=self.local | other.local,
            session=self.session | other.session,
            databases=self.databases | other.databases,
        )


def sign_ins_of(cookies: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The values of cookies that may sign somebody in: those that scripts can't read, or with such a name."""
    for cookie in cookies:
        value = str(cookie["value"])
        if cookie["http_only"]:
            yield from _long([value, unquote(value)])
        else:
            yield from _tokens(value, str(cookie["name"]))


def _tokens(text: str, name: str) -> Iterator[str]:
    """What signs somebody in within a stored text, which may be JSON: texts with such a name, and signed tokens."""
    if isinstance(data := _json(text), dict | list):
        yield from _named_tokens(data, name)
    elif _SIGNS_IN.search(name) or _SIGNED.match(text):
        yield from _long([text, unquote(text), data])


def _named_tokens(data: Any, name: str) -> Iterator[str]:
    if isinstance(data, str):
        yield from _tokens(data, name)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _named_tokens(value, str(key))
    elif isinstance(data, list):
        for value in data:
            yield from _named_tokens(value, name)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _long(values: Iterable[Any]) -> Iterator[str]:
    """Values without blanks; a shorter one, or one with words, a page may show for other reasons."""
    for value in values:
        if isinstance(value, str) and len(value) >= _LEAST and not re.search(r"\s", value):
            yield value


def belongs(cookie: Mapping[str, Any], origins: Iterable[str]) -> bool:
    """Whether a cookie is sent to one of the origins."""
    domain = str(cookie["domain"]).lstrip(".")
    for origin in origins:
        parts = urlsplit(origin)
        host = parts.hostname or ""
        is_host = host == domain if cookie["host_only"] else host == domain or host.endswith(f".{domain}")
        # Browsers send secure cookies to loopback without TLS.
        if is_host and (
            not cookie["secure"] or parts.scheme == "https" or host in {"localhost", "127.0.0.1"}
        ):
            return True
    return False


def is_state_name(text: str) -> bool:
    """Whether a text can be a state's name, which no path is."""
    return _NAME.match(text) is not None


def state_path(given: Path | str, home: Path) -> Path:
    """The file of a state: a path, or a name such as "work", which stands for a file in skillbook's folder.

    Raises InvalidParams: it is neither.
    """
    if isinstance(given, str) and is_state_name(given):
        return home / _FOLDER / f"{given}.json"
    path = expanded(given)
    if path.suffix != ".json":
        raise InvalidParams(f"{str(given)!r} is no state's name or file", hint="such as 'work', or work.json")
    return path


def checked_origins(given: Iterable[str]) -> tuple[str, ...]:
    """Origins of addresses.

    Raises InvalidParams: one of them has none, or there are none.
    """
    found = {address: origin_of(address) for address in ([given] if isinstance(given, str) else given)}
    if odd := [address for address, origin in found.items() if origin is None]:
        raise InvalidParams(f"{odd[0]!r} is no origin", hint="give origins such as https://example.com")
    if not found:
        raise InvalidParams("no origin is known to save", hint="open a page first, or give origins")
    return tuple(sorted({str(origin) for origin in found.values()}))


def write_state(path: Path, state: SavedState, *, encrypt: bool) -> None:
    """Write a state with mode 0600 from the first byte on.

    Raises ConfigError: it can't be encrypted. StorageError : the file can't be written.
    """
    facts: dict[str, Any] = {
        "origins": state.origins, "saved": state.saved, "cookies": state.cookies, "local": state.local,
        "session": state.session, "databases": state.databases,
    }  # fmt: skip
    if encrypt:
        facts = {"encrypted": _cipher(make=True).encrypt(json.dumps(facts).encode()).decode()}
    with storing(path):
        private_folder(path.parent)
        write_private(path, json.dumps({_FORMAT: 1, **facts}))


def read_state(path: Path) -> SavedState:
    """Read a state; warns of what has expired since.

    Raises ConfigError: there is none, others can read it, or it can't be decrypted.
    """
    state, expired = load_state(path)
    warn_of_expired(path.name, expired)
    return state


def load_state(path: Path) -> tuple[SavedState, list[str]]:
    """Read a state without its expired cookies, and the names of those.

    Raises ConfigError: as `read_state`.
    """
    name = path.stem if path.parent.name == _FOLDER else str(path)
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise ConfigError(
                f"others can read {path}, which is as good as your passwords", hint=f"chmod 600 {path}"
            )
        facts = json.loads(path.read_text("utf-8"))
        if facts.pop(_FORMAT) != 1:
            raise KeyError(_FORMAT)
        if "encrypted" in facts:
            facts = json.loads(_decrypted(facts["encrypted"], path))
        state = SavedState(
            tuple(facts["origins"]), facts["cookies"], facts["local"], facts["session"],
            _checked_databases(facts.get("databases", {})), facts["saved"], name,
        )  # fmt: skip
        return state.only(state.origins).without_expired(time.time())
    except FileNotFoundError:
        hint = f"sign in once, and save it: browser.save_state({name!r})"
        raise ConfigError(f"there is no state {name!r}", hint=hint) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path} is no state: {error}", hint="save it anew") from None


def _checked_databases(by_origin: dict[str, list[Any]]) -> dict[str, list[dict[str, Any]]]:
    """Databases of a file as they were written; a file that somebody changed may be none."""
    try:
        return {
            origin: [SiteDatabase.model_validate(each).model_dump(mode="json") for each in found]
            for origin, found in by_origin.items()
        }
    except ValidationError:
        # Its text would have the values.
        raise ValueError("its databases are damaged") from None


def warn_of_expired(name: str, expired: list[str]) -> None:
    """Say which cookies of a state have expired."""
    if expired:
        names = ", ".join(expired[:_MANY]) + (" …" if len(expired) > _MANY else "")
        warn_user(f"{len(expired)} cookies of {name} have expired ({names}): you may have to sign in again")


def _decrypted(token: str, path: Path) -> bytes:
    from cryptography.fernet import InvalidToken

    try:
        return bytes(_cipher(make=False).decrypt(token.encode()))
    except InvalidToken:
        raise ConfigError(
            f"{path} was encrypted with another key than the keyring has", hint="save it anew"
        ) from None


def _cipher(*, make: bool) -> Any:
    """What encrypts, with the key of the system keyring; made at first use."""
    try:
        import keyring  # type: ignore[import-not-found, unused-ignore]
        from cryptography.fernet import Fernet
        from keyring.errors import KeyringError  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise ConfigError(
            "an encrypted state needs cryptography and keyring", hint='pip install "skillbook[state]"'
        ) from None
    try:
        key = keyring.get_password("skillbook", _KEY)
        if key is None and make:
            key = Fernet.generate_key().decode()
            keyring.set_password("skillbook", _KEY, key)
    except KeyringError as error:
        raise ConfigError(
            f"the keyring gives no key: {error}", hint="unlock it, or save it unencrypted"
        ) from None
    if key is None:
        raise ConfigError("the keyring has no key for states", hint="save the state anew on this machine")
    return Fernet(key.encode())
