"""Telling a person what a watch saw: by a command, by mail, by a webhook, or in the notebook."""

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

from skillbook.config import load_settings
from skillbook.errors import ConfigError, InvalidInput
from skillbook.limits import READ_SECONDS

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
    if text.startswith(MAIL):
        address = text.removeprefix(MAIL)
        return parseaddr(address)[1] == address and "@" in address and not any(map(str.isspace, address))
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
