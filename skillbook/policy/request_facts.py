"""Judging requests that may change something, by what they are: method, origin, path, fields, files, secrets.

This is the second line of the policy. The first, labels and roles, sees what an element says it does; this one sees
what leaves the browser, whatever caused it. Nothing here keeps a value: bodies are read for the names in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from skillbook.policy.labels import says_change
from skillbook.policy.request_bodies import BodyKind, action_in, bytes_of, read_body, says_mutation
from skillbook.policy.request_shape import RequestShape, is_plain_header, shape_of
from skillbook.policy.urls import literal_path, origin_of, path_template

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
ANNOUNCED = "it was approved with the call"
NO_ANSWER = "no answer yet"
"""How a request ends that was not answered when somebody looked."""
_SHOWN_FIELDS = 8
_OVERRIDES = re.compile(r"(?:.*[-_])?(?:method|verb)(?:[-_].*)?", re.I)
"""Headers by which servers take a request for one of another method, if their value is a word such as methods are."""
_PARAMETERS = re.compile(r"x[-_](?:http[-_])?method(?:[-_]override)?|_method|_?method_override", re.I)
_METHOD = re.compile(r"[A-Z]{3,20}")
_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE", "MERGE", "MOVE", "COPY", "MKCOL", "PROPPATCH"})


@dataclass(frozen=True)
class RequestFact:
    """A request as the policy judges it and the journal keeps it.

    method: in capital letters; the one that a header or parameter puts in its place, if that isn't a safe one.
    origin: where it goes, such as `https://shop.example`.
    path: a template: ids, hashes and dates are `{id}`; query parameters follow by name.
    operation: the operation of a GraphQL or JSON-RPC body, or the `action` field of a form; empty where there is none.
    fields: the names of the body's fields.
    files: the names of the files in the body.
    secrets: the names of secrets that it carries.
    leaks: those of them that don't belong where it goes.
    from_origin: the origin of the document that sends it; None where that isn't known or opaque.
    queries: whether its body is exactly a GraphQL query, and nothing beside it says more.
    word: the word in its address, or the header, that says that it changes something.
    navigates: whether a document is loaded by it.
    size: bytes of the body; None where that isn't known.
    address: its path and query as they are; in memory only, never written down.
    shape: all of its values; in memory only, never written down.
    """

    method: str
    origin: str
    path: str
    operation: str = ""
    body: BodyKind = "none"
    fields: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    from_origin: str | None = None
    queries: bool = False
    word: str = ""
    navigates: bool = False
    size: int | None = None
    address: str = field(default="", repr=False)
    shape: RequestShape | None = field(default=None, repr=False, compare=False)

    @property
    def changes(self) -> bool:
        """Whether it may change something on the server, as far as a request can say."""
        is_query = self.queries and self.method == "POST"
        is_safe = is_query or (self.method in SAFE_METHODS and self.body == "none")
        return not is_safe or bool(self.word)

    @property
    def kept(self) -> dict[str, Any]:
        """What the journal keeps of it."""
        known = asdict(replace(self, shape=None))
        return {name: value for name, value in known.items() if name not in {"address", "shape"}}

    @property
    def written_path(self) -> str:
        """Its path and query as a skill writes them down."""
        if not self.address:  # it is known by its template alone
            return self.path
        return literal_path(self.address, keeps_keys=self.method != "POST" or bool(self.word))

    @property
    def opaque(self) -> bool:
        """Whether its body names nothing, so that one and the same kind of request may mean anything."""
        return self.body not in {"none", "rpc"} and not self.fields and not self.operation

    def __str__(self) -> str:
        return self.worded(self.path)

    def worded(self, path: str) -> str:
        """It in words, with this path and query."""
        host = self.origin.split("://")[-1]
        operation = f" ({self.operation})" if self.operation else ""
        return f"{self.method} {host}{path}{operation}{self._contents()}"

    def _contents(self) -> str:
        parts = []
        if self.fields:
            shown = ", ".join(self.fields[:_SHOWN_FIELDS])
            more = ", …" if len(self.fields) > _SHOWN_FIELDS else ""
            parts.append(f"{len(self.fields)} field{'s' * (len(self.fields) > 1)}: {shown}{more}")
        elif self.body in {"text", "binary"} and self.size:
            parts.append(f"{self.size} bytes of {'text' if self.body == 'text' else 'data'}")
        if self.files:
            parts.append(f"{len(self.files)} file{'s' * (len(self.files) > 1)}: {', '.join(self.files[:3])}")
        hidden = hidden_fields(self.fields)
        hidden += [f"secret {name!r}" for name in self.secrets]
        return (f" with {' and '.join(parts)}" if parts else "") + (
            f" ({', '.join(hidden)} hidden)" if hidden else ""
        )


_HIDDEN = {
    "card number": re.compile(r"cc-|card.?n|ccnum|creditcard|iban|\bcvc|\bcvv", re.I),
    "password": re.compile(r"passw|pwd|passphrase|\bpin\b", re.I),
    "code": re.compile(r"\botp|one.?time|totp|2fa", re.I),
}


def hidden_fields(fields: Iterable[str]) -> list[str]:
    """What a body has that nobody may see, by its fields' names."""
    names = list(fields)
    return [word for word, pattern in _HIDDEN.items() if any(pattern.search(name) for name in names)]


@dataclass(frozen=True)
class RequestVerdict:
    """What the policy says of a request: allow it, ask, or refuse; and why.

    `strict` where no rule may spare the question. `origin` is where a document goes that isn't on the list of allowed
    origins, if that is a reason to ask.
    """

    action: Literal["allow", "ask", "refuse"]
    reason: str
    strict: bool = False
    origin: str = ""


def judge_request(
    fact: RequestFact, *, acted: bool = True, habitual: bool = False, announced: bool = False, rule: str = ""
) -> RequestVerdict:
    """The verdict on a request that an agent's or skill's action may have caused.

    acted: whether anything was done on the tab since the agent or skill came to it.
    habitual: whether the page sent the same by itself before that (`skillbook.policy.request_shape`).
    announced: whether it is just what the approved call's card said (`skillbook.policy.request_rules`).
    rule: the id of the rule that allows it (`skillbook.policy.request_rules`); empty if none does.
    """
    if fact.leaks:
        return RequestVerdict(
            "ask", f"it carries {_named(fact.leaks)} to a site that it doesn't belong to", strict=True
        )
    if not fact.changes:
        return RequestVerdict("allow", "it only reads")
    if not acted:
        return RequestVerdict("allow", "the page sends it by itself")
    if habitual and not fact.navigates:
        return RequestVerdict("allow", "the page sent this by itself before")
    if announced:
        return RequestVerdict("allow", ANNOUNCED)
    if rule:
        return RequestVerdict("allow", f"your rule {rule} allows it")
    if fact.method in SAFE_METHODS and fact.word:
        return RequestVerdict("ask", f"its address says {fact.word!r}")
    return RequestVerdict("ask", "it may change something")


def read_request(
    method: str,
    url: str,
    *,
    content_type: str = "",
    headers: Mapping[str, str] | None = None,
    body: str | None = None,
    data: str | None = None,
    size: int | None = None,
    from_origin: str | None = None,
    navigates: bool = False,
    secrets: Iterable[str] = (),
    leaks: Iterable[str] = (),
) -> RequestFact:
    """What a request is; the values in its address and body are looked at and not kept.

    headers: as far as they are known.
    body: the body's text, as far as it is known; None where it has none or is none.
    data: the bytes of a body that is no text, in base64.
    size: how many bytes the body has.
    secrets, leaks: names of secrets that it carries, and of those that don't belong where it goes.
    """
    parts = urlsplit(url)
    known = {name.lower(): value for name, value in (headers or {}).items()}
    read = read_body(url, content_type, body, size)
    method = method.upper()
    other = _overriding(known, parts.query)
    operation = read.operation or action_in(url, content_type, body)
    sent = {"content-type": content_type, **known} if content_type else known
    shape = shape_of(other or method, url, sent, bytes_of(body, data), size, operation)
    places = [value for name, value in known.items() if not is_plain_header(name) and value.startswith("/")]
    rewritten = next((word for place in places if (word := says_change(f"http://site{place}"))), "")
    return RequestFact(
        method=other or method,
        origin=origin_of(url) or f"{parts.scheme}:",
        path=path_template(url),
        operation=operation,
        body=read.kind,
        fields=read.fields,
        files=read.files,
        secrets=tuple(secrets),
        leaks=tuple(leaks),
        from_origin=from_origin,
        queries=read.queries and not (other or places or known.get("content-encoding")),
        word=says_change(url) or rewritten or ("mutation" if says_mutation(url) else ""),
        navigates=navigates,
        size=size,
        address=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
        shape=shape,
    )


def _overriding(headers: Mapping[str, str], query: str) -> str:
    """The method that headers or parameters put in a request's place; empty if none, or a safe one."""
    overrides = [value for name, value in parse_qsl(query) if _PARAMETERS.fullmatch(name)]
    for name, value in headers.items():
        if not is_plain_header(name) and (_OVERRIDES.fullmatch(name) or value.strip().upper() in _WRITES):
            overrides.append(value)
    methods = (value.strip().upper() for value in overrides)
    return next(
        (method for method in methods if _METHOD.fullmatch(method) and method not in SAFE_METHODS), ""
    )


def _named(secrets: Iterable[str]) -> str:
    return " and ".join(f"the secret {name!r}" for name in secrets)
