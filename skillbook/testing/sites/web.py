"""What a demo site is made of: requests, responses, and HTML templates that escape what they are given."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Protocol


@dataclass(frozen=True)
class Request:
    """One request, already taken apart."""

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    form: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    host: str = ""


@dataclass(frozen=True)
class Response:
    """One answer; `cookies` are set on the visitor."""

    body: str | bytes
    status: int = 200
    kind: str = "text/html"
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)


class Application(Protocol):
    """A site: a function from requests to responses."""

    def respond(self, request: Request) -> Response:
        """Answer one request."""
        ...


def redirect(location: str, **cookies: str) -> Response:
    """Send the visitor on with a GET, setting `cookies`."""
    return Response("", status=303, headers={"Location": location}, cookies=cookies)


class Html(str):
    """Text that is HTML already and is not escaped again."""

    __slots__ = ()


class Templates:
    """The `*.html` files of a folder, with `$name` places."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Template] = {}

    def fill(self, template: str, /, **values: object) -> Html:
        """Fill one template; every value that is not `Html` is escaped.

        Raises
        ------
        KeyError : a place in the template has no value.
        """
        if template not in self._known:
            text = (self._folder / f"{template}.html").read_text(encoding="utf-8")
            self._known[template] = Template(text)
        safe = {
            key: value if isinstance(value, Html) else html.escape(str(value))
            for key, value in values.items()
        }
        return Html(self._known[template].substitute(safe))

    def fill_each(self, template: str, rows: list[dict[str, object]]) -> Html:
        """Fill one template once a row, one after the other."""
        return Html("".join(self.fill(template, **row) for row in rows))
