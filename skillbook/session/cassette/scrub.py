"""Taking secrets out of what a cassette keeps, and out of what is compared with it, in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urlsplit, urlunsplit

from skillbook.policy.secrets import MASK, SecretStore

_SECRET_NAME = re.compile(
    r"passw|passphrase|secret|credential|api[_-]?key|(access|refresh|auth|id|session|bearer)[_-]?token"
    r"|session[_-]?id|card[_-]?(number|no)|\b(pwd|otp|cvv|cvc|pin|token)\b",
    re.I,
)
_JSON_FIELD = re.compile(r'("(?P<name>[\w.-]{2,60})"\s*:\s*)"(?P<value>(?:[^"\\]|\\.)+)"')
_SIGNED = re.compile(r"\b(eyJ[\w-]{8,}\.[\w-]{8,})\.[\w-]{16,}")
"""A JSON Web Token: without its signature it is of no use, and pages still read what it says."""
_PASSWORD_FIELD = re.compile(
    r"(<input\b[^>]*\btype=[\"']?password\b[^>]*?\bvalue=)(\"[^\"]*\"|'[^']*')", re.I
)
_BOUNDARY = re.compile(r"-{4,}WebKitFormBoundary\w+")
_PART = re.compile(r'(name="(?P<name>[^"]*)"[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n)(?P<value>[^\r\n]*)')
_KEPT_HEADERS = re.compile(
    r"content-(type|language|disposition|security-policy)|location|refresh|x-(frame|content-type)-options"
    r"|cross-origin-[\w-]+|access-control-[\w-]+|permissions-policy|referrer-policy|service-worker-allowed"
)


class Scrubber:
    """Masks secrets; the same text gives the same result when a cassette is recorded and when it is replayed.

    Parameters
    ----------
    secrets : the named secrets, whose values are masked wherever they stand.
    keys : other values that are never kept, such as the model's key.
    ignore : regular expressions; what they match doesn't count when requests and prompts are compared.
    """

    def __init__(self, secrets: SecretStore, keys: Iterable[str] = (), ignore: Sequence[str] = ()) -> None:
        self._secrets = secrets
        self._keys = [key for key in keys if len(key) > 5]
        self._ignore = [re.compile(pattern) for pattern in ignore]

    def text(self, text: str) -> str:
        """A text without the values of secrets, keys and signatures."""
        text = MASK if self._secrets.was_typed(text) else self._secrets.redact_kept(text)
        for key in self._keys:
            text = text.replace(key, MASK)
        return _SIGNED.sub(rf"\1.{MASK}", text)

    def data(self, data: Any) -> Any:
        """JSON data whose strings are scrubbed."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, dict):
            return {name: self.data(value) for name, value in data.items()}
        return [self.data(each) for each in data] if isinstance(data, list | tuple) else data

    def compared(self, text: str) -> str:
        """A text as it is compared: what is to be ignored is left out."""
        for pattern in self._ignore:
            text = pattern.sub("…", text)
        return text

    def url(self, url: str) -> str:
        """An address without its fragment, user name, password, and values of secret parameters."""
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        query = parts.query
        if any(self._value(name, value) == MASK for name, value in parse_qsl(query, keep_blank_values=True)):
            query = self._form(query)
        return self.text(urlunsplit((parts.scheme, host, parts.path, query, "")))

    def request_body(self, content_type: str, body: str | None) -> str | None:
        """A request's body without the values of secret fields."""
        if body is None:
            return None
        if "multipart/form-data" in content_type:
            body = _BOUNDARY.sub("----boundary", body)
            return self.text(_PART.sub(lambda part: part[1] + self._value(part["name"], part["value"]), body))
        if "x-www-form-urlencoded" in content_type:
            return self.text(self._form(body))
        return self.page_text(body)

    def page_text(self, text: str) -> str:
        """A response, or a body of another kind, without secret fields and typed passwords."""
        text = _JSON_FIELD.sub(
            lambda field: f'{field[1]}"{self._value(field["name"], field["value"])}"', text
        )
        return self.text(_PASSWORD_FIELD.sub(rf'\1"{MASK}"', text))

    def headers(self, headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """The headers that a page's behaviour depends on; cookies keep their names only."""
        kept = []
        for name, value in headers:
            name = name.lower()
            if name == "set-cookie":
                cookie, equals, rest = value.partition("=")
                _, semicolon, attributes = rest.partition(";")
                kept.append((name, f"{cookie}{equals}scrubbed{semicolon}{attributes}"))
            elif name in {"location", "refresh"}:
                kept.append((name, self.url(value) if name == "location" else self.text(value)))
            elif _KEPT_HEADERS.fullmatch(name):
                kept.append((name, self.text(value)))
        return kept

    def _form(self, text: str) -> str:
        pairs = parse_qsl(text, keep_blank_values=True)
        masked = [
            f"{quote_plus(name)}={MASK if self._value(name, value) == MASK else quote_plus(value)}"
            for name, value in pairs
        ]
        return "&".join(masked) if pairs else text

    def _value(self, name: str, value: str) -> str:
        is_secret = value and (_SECRET_NAME.search(name) or self._secrets.was_typed(value))
        return MASK if is_secret else value
