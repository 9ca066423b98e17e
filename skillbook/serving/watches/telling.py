"""What a reading says otherwise than was known, record by record; and telling a person of it."""

from __future__ import annotations

import json
import smtplib
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Any
from urllib.parse import unquote, urlsplit

import pandas as pd

from skillbook.config import load_settings
from skillbook.errors import ConfigError, InvalidInput
from skillbook.extraction.frames.derived_frames import changes
from skillbook.limits import READ_SECONDS
from skillbook.perception.escape import clean, without_controls

_MOST_LINES, _MOST_CHARACTERS = 20, 160
_CHANGES = {"added": "new", "removed": "gone"}


def plain(text: object) -> str:
    """A page's text as one line of plain text."""
    shown = clean(without_controls(str(text)))
    return shown if len(shown) <= _MOST_CHARACTERS else f"{shown[:_MOST_CHARACTERS]}…"


def as_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as it is compared and kept: the same whatever type a column came as."""
    made = frame.astype(object).where(frame.notna(), "").map(_text)
    made.columns = [str(column) for column in frame.columns]
    made.attrs = {}
    return made.reset_index(drop=True)


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def key_of(frame: pd.DataFrame, key: list[str]) -> list[str]:
    """The columns that name a record: those that were given, else the first with another value in each row."""
    texts = as_texts(frame)
    if key or texts.empty:
        return key
    return [column for column in texts.columns if (texts[column] != "").all() and texts[column].is_unique][:1]


def changed_lines(known: pd.DataFrame, now: pd.DataFrame, key: list[str], *, complete: bool) -> list[str]:
    """What differs, in words, a line each; page text is plain and cut. Of an incomplete reading nothing is gone.

    Raises ExtractionError: the key names no record.
    """
    newer = as_texts(now) if len(now.columns) else known.head(0)
    found = changes(newer, known, key or None)
    names = [column for column in found.columns if column not in {"change", "column", "before", "after"}]
    lines = []
    for row in found.to_dict("records"):
        name = ", ".join(plain(row[each]) for each in names)
        if row["change"] == "changed":
            lines.append(f"{name}: {plain(row['column'])} {plain(row['before'])} -> {plain(row['after'])}")
        elif row["change"] == "added" or complete:
            lines.append(f"{_CHANGES[row['change']]}: {name}")
    more = [f"… and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
    return lines[:_MOST_LINES] + more


def known_after(
    known: pd.DataFrame | None, now: pd.DataFrame, key: list[str], *, complete: bool
) -> pd.DataFrame:
    """What is known of the records after a reading: of one that isn't complete, the others stay as they were."""
    newer = as_texts(now) if len(now.columns) or known is None else known.head(0)
    if known is None or complete or not key:
        return newer
    names = set(newer[key].itertuples(index=False, name=None))
    others = [row not in names for row in known[key].itertuples(index=False, name=None)]
    return pd.concat([newer, known[others]], ignore_index=True).fillna("")


MAIL, NOTEBOOK = "mail:", "notebook"
Notify = str | Sequence[str]


def checked(notify: Notify | Sequence[Notify] | None) -> list[Notify]:
    """Where to tell, as it is kept: `mail:ADDRESS`, an https address, a command as a list, or `notebook`.

    Raises InvalidInput: it is none of these.
    """
    if notify is None:
        return []
    several: list[Any] = [notify] if isinstance(notify, str) else list(notify)
    if (
        several
        and all(isinstance(one, str) and not _is_place(one) for one in several)
        and not isinstance(notify, str)
    ):
        several = [several]  # one command
    for one in several:
        is_command = (
            isinstance(one, list | tuple) and bool(one) and all(isinstance(part, str) for part in one)
        )
        if not is_command and not (isinstance(one, str) and _is_place(one)):
            raise InvalidInput(
                f"{one!r} is nowhere to tell",
                hint="'mail:me@example.com', 'https://…', ['notify-send', 'Prices'], 'notebook'",
            )
    return several


def _is_place(text: str) -> bool:
    if text == NOTEBOOK:
        return True
    if any(char.isspace() or not char.isprintable() for char in text):
        return False
    if text.startswith(MAIL):
        address = text.removeprefix(MAIL)
        return parseaddr(address)[1] == address and "@" in address
    parts = urlsplit(text)
    local = parts.hostname in {"127.0.0.1", "localhost", "::1"}
    return (parts.scheme == "https" or (parts.scheme == "http" and local)) and bool(parts.hostname)


def tell(places: Sequence[Notify], title: str, text: str) -> list[str]:
    """Tell it everywhere; returns what went wrong, in words. What a page said is plain text, never an argument."""
    problems = []
    for place in places:
        try:
            _way_of(place)(place, title, text)
        except (OSError, ConfigError, subprocess.SubprocessError, smtplib.SMTPException, ValueError) as error:
            named = place if isinstance(place, str) else place[0]
            problems.append(f"{named}: {error}")
    return problems


def _way_of(place: Notify) -> Callable[[Any, str, str], None]:
    if not isinstance(place, str):
        return _run
    return _print if place == NOTEBOOK else _mail if place.startswith(MAIL) else _post


def _run(command: Sequence[str], title: str, text: str) -> None:
    subprocess.run(
        list(command),
        input=f"{title}\n\n{text}\n",
        text=True,
        timeout=READ_SECONDS,
        check=True,
        capture_output=True,
    )


def _print(place: str, title: str, text: str) -> None:
    sys.stdout.write(f"{title}\n{text}\n")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The text goes where the person said, and nowhere else."""

    def redirect_request(self, *args: Any) -> None:
        return None


def _post(url: str, title: str, text: str) -> None:
    data = json.dumps({"title": title, "text": text}).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method="POST")  # noqa: S310
    with urllib.request.build_opener(_NoRedirect).open(request, timeout=READ_SECONDS):
        return


def _mail(place: str, title: str, text: str) -> None:
    server = load_settings().smtp
    if server is None:
        raise ConfigError(
            "no mail server is set", hint="SKILLBOOK_SMTP=smtps://USER:PASSWORD@HOST:465", setting="smtp"
        )
    parts = urlsplit(server.get_secret_value())
    message = EmailMessage()
    message["To"] = place.removeprefix(MAIL)
    user = unquote(parts.username or "")
    message["From"] = user if "@" in user else f"skillbook@{parts.hostname or 'localhost'}"
    message["Subject"] = " ".join(title.split())[:150]
    message.set_content(text)
    host, trusted = parts.hostname or "localhost", ssl.create_default_context()
    smtp: smtplib.SMTP
    if parts.scheme == "smtps":
        smtp = smtplib.SMTP_SSL(host, parts.port or 465, timeout=READ_SECONDS, context=trusted)
    else:
        smtp = smtplib.SMTP(host, parts.port or 587, timeout=READ_SECONDS)
    with smtp:
        if user and parts.scheme != "smtps":
            smtp.starttls(context=trusted)
        if user:
            smtp.login(user, unquote(parts.password or ""))
        smtp.send_message(message)
