"""Judging requests that may change something, by what they are: method, origin, path, fields, files, secrets.

This is the second line of the policy. The first, labels and roles, sees what an element says it does; this one sees
what leaves the browser, whatever caused it. Nothing here keeps a value: bodies are read for the names in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

from skillbook.policy.request_words import CHANGE_WORDS, says_change
from skillbook.policy.urls import origin_of

if TYPE_CHECKING:
    from skillbook.policy.rules import Call

BodyKind = Literal["form", "multipart", "json", "graphql", "rpc", "text", "binary", "none"]
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
ANNOUNCED = "it was approved with the call"
_SHOWN_FIELDS = 8
_MOST_FIELDS = 200
_MORE = "…"
"""Stands among a body's fields for those that aren't known, so that no kind of known fields covers it."""
_LONGEST_NAME = 80
_ACTION_TABLE = "_method action do op operation cmd command task method function procedure rpc rpcids type"
_ACTION_KEYS = frozenset(_ACTION_TABLE.split())
_QUERY_TABLE = (
    "get list read query search find fetch describe count show view lookup suggest exists status ping"
)
_QUERY_VERBS = frozenset(_QUERY_TABLE.split())


@dataclass(frozen=True)
class RequestFact:
    """A request as the policy judges it and the journal keeps it.

    Parameters
    ----------
    method : in capital letters.
    origin : where it goes, such as `https://shop.example`.
    path : a template: ids, hashes and dates are `{id}`; query parameters follow by name.
    operation : the operation of a GraphQL or JSON-RPC body, or the `action` field of a form; empty where there is none.
    body : what kind of body it has.
    fields : the names of the body's fields.
    files : the names of the files in the body.
    secrets : the names of secrets that it carries.
    leaks : those of them that don't belong where it goes.
    from_origin : the origin of the document that sends it; None where that isn't known or opaque.
    queries : whether the body says that it only queries (GraphQL, JSON-RPC).
    word : the word in its address that says that it changes something.
    navigates : whether a document is loaded by it.
    size : bytes of the body; None where that isn't known.
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

    @property
    def changes(self) -> bool:
        """Whether it may change something on the server, as far as a request can say."""
        return (self.method not in SAFE_METHODS and not self.queries) or bool(self.word)

    @property
    def opaque(self) -> bool:
        """Whether its body names nothing, so that one and the same kind of request may mean anything."""
        return self.body not in {"none", "rpc"} and not self.fields and not self.operation

    @property
    def kind(self) -> RequestKind:
        """What an approval "always for this kind here" is about."""
        files = self.files != ()
        return RequestKind(
            self.method, self.origin, self.path, self.operation, self.fields, files, self.opaque
        )

    def __str__(self) -> str:
        host = self.origin.split("://")[-1]
        said = f" ({self.operation})" if self.operation else ""
        return f"{self.method} {host}{self.path}{said}{self._contents()}"

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
        hidden = [
            word for word, pattern in _HIDDEN.items() if any(pattern.search(name) for name in self.fields)
        ]
        hidden += [f"secret {name!r}" for name in self.secrets]
        return (f" with {' and '.join(parts)}" if parts else "") + (
            f" ({', '.join(hidden)} hidden)" if hidden else ""
        )


_HIDDEN = {
    "card number": re.compile(r"cc-|card.?n|ccnum|creditcard|iban|\bcvc|\bcvv", re.I),
    "password": re.compile(r"passw|pwd|passphrase|\bpin\b", re.I),
    "code": re.compile(r"\botp|one.?time|totp|2fa", re.I),
}


@dataclass(frozen=True)
class RequestKind:
    """Requests that count as the same: method, origin, path template, operation; no other fields, no files if none."""

    method: str
    origin: str
    path: str
    operation: str = ""
    fields: tuple[str, ...] = ()
    files: bool = False

    opaque: bool = False

    def covers(self, fact: RequestFact) -> bool:
        """Whether a request is of this kind: it may leave fields out, never bring new ones."""
        if fact.opaque and not (self.opaque or self.files):
            return False
        same = (self.method, self.origin, self.path, self.operation) == (
            fact.method, fact.origin, fact.path, fact.operation
        )  # fmt: skip
        return same and set(fact.fields) <= set(self.fields) and (self.files or not fact.files)

    def __str__(self) -> str:
        return f"{self.method} {self.origin}{self.path}" + (f" ({self.operation})" if self.operation else "")


@dataclass(frozen=True)
class RequestVerdict:
    """What the policy says of a request: allow it, or ask; and why. `strict` where no rule may spare the question."""

    action: Literal["allow", "ask"]
    reason: str
    strict: bool = False


def judge_request(
    fact: RequestFact,
    *,
    acted: bool = True,
    habits: Iterable[RequestKind] = (),
    announced: Iterable[RequestKind] = (),
    rules: Iterable[RequestKind] = (),
) -> RequestVerdict:
    """The verdict on a request that an agent's or skill's action may have caused.

    Parameters
    ----------
    acted : whether anything was done on the tab since the agent or skill came to it.
    habits : what the page sent by itself before that; a body that names nothing is not covered by one.
    announced : what the approved call's card said that it sends.
    rules : kinds that a person allowed for good.
    """
    if fact.leaks:
        return RequestVerdict(
            "ask", f"it carries {_named(fact.leaks)} to a site that it doesn't belong to", strict=True
        )
    if not fact.changes:
        return RequestVerdict("allow", "it only reads")
    if not acted:
        return RequestVerdict("allow", "the page sends it by itself")
    for kinds, why in (
        (() if fact.opaque else habits, "the page sent this by itself before"),
        (announced, ANNOUNCED),
        (rules, "you allowed this kind"),
    ):
        if any(kind.covers(fact) for kind in kinds):
            return RequestVerdict("allow", why)
    if fact.method in SAFE_METHODS:
        return RequestVerdict("ask", f"its address says {fact.word!r}")
    return RequestVerdict("ask", "it may change something")


def read_request(
    method: str,
    url: str,
    *,
    content_type: str = "",
    body: str | None = None,
    size: int | None = None,
    from_origin: str | None = None,
    navigates: bool = False,
    secrets: Iterable[str] = (),
    leaks: Iterable[str] = (),
) -> RequestFact:
    """What a request is; the values in its address and body are looked at and not kept.

    Parameters
    ----------
    body : the body's text, as far as it is known; None where it has none or can't be read.
    size : bytes of the body.
    secrets, leaks : names of secrets that it carries, and of those that don't belong where it goes.
    """
    parts = urlsplit(url)
    contents = _read_body(content_type, body, size, parts.path)
    if contents.get("fields") and body is not None and size is not None and size > len(body.encode()):
        contents["fields"] = (*contents["fields"], _MORE)
    fact = RequestFact(
        method=method.upper(),
        origin=origin_of(url) or f"{parts.scheme}:",
        path=path_template(url),
        secrets=tuple(secrets),
        leaks=tuple(leaks),
        from_origin=from_origin,
        word=says_change(url) or _graphql_word(parts.path, parts.query),
        navigates=navigates,
        size=size,
        **contents,
    )
    return fact if fact.operation else replace(fact, operation=_action_in(parts.query, content_type, body))


def announced_by(call: Call) -> RequestFact | None:
    """What a call sends as far as the page says so before it is made: its form, or its link or address.

    The card of an approval has this in words, so that what is sent just so asks no second time.
    """
    facts, here = call.facts, call.frame_url or call.url
    if call.destination:
        return read_request("GET", call.destination, navigates=True)
    if facts is None:
        return None
    if facts.form is not None and (facts.submits or call.spec.submits or call.key):
        url = urljoin(here, facts.form.action or here)
        fact = read_request(facts.form.method or "GET", url, navigates=True)
        names = _names(field.partition(":")[2] for field in facts.form.fields)
        files = tuple("a file" for field in facts.form.fields if field.startswith("file:"))
        return replace(fact, body="form", fields=names, files=files)
    href = facts.attributes.get("href", "")
    return (
        read_request("GET", urljoin(here, href), navigates=True) if href and call.spec.follows_links else None
    )


def path_template(url: str) -> str:
    """An address's path with `{id}` for what names one thing, and its query parameters by name.

    `/orders/2041/items/7f3c…` and `/orders/2042/items/09ab…` have the same template; versions such as `v2` stay.
    """
    parts = urlsplit(url)
    path = "/".join(_template(unquote(segment)) for segment in (parts.path or "/").split("/"))
    names = sorted({key[:_LONGEST_NAME] for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return path + (f"?{'&'.join(names)}" if names else "")


def same_path(template: str, path: str) -> bool:
    """Whether a path that was written down, with inputs filled in, is a request's path template."""
    written, _, names = template.partition("?")
    filled = "/".join(_template(segment) for segment in written.split("/"))
    return filled + (f"?{names}" if names else "") == path


_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)
_HASH = re.compile(r"(?=[^\d]*\d)[0-9a-f]{8,}", re.I)
_TOKEN = re.compile(r"(?=[^\d]*\d)[\w-]{16,}")


def _template(segment: str) -> str:
    if re.fullmatch(r"v\d{1,2}(\.\d+)?", segment) or not segment:
        return segment
    if "@" in segment or len(segment) > _LONGEST_NAME:
        return "{id}"
    stem, dot, ending = segment.rpartition(".")
    if dot and ending.isalpha() and len(ending) <= 5:
        return f"{_template(stem)}.{ending}"
    without_uuids = _UUID.sub("{id}", segment)
    if without_uuids != segment:
        return without_uuids
    if _HASH.fullmatch(segment) or _TOKEN.fullmatch(segment):
        return "{id}"
    return re.sub(r"\d+(?:[-_.:]\d+)*", "{id}", segment)


def _graphql_word(path: str, query: str) -> str:
    """GraphQL servers that take mutations by GET go against its specification, and some do."""
    document = dict(parse_qsl(query)).get("query", "") if _GRAPHQL.search(path) else ""
    return "mutation" if document and not only_queries(document) else ""


def _action_in(query: str, content_type: str, body: str | None) -> str:
    """The value of the field that says what is to be done (`action=delete_selected`), where it is one word."""
    pairs = parse_qsl(query)
    if body and "urlencoded" in content_type:
        pairs += parse_qsl(body[:20_000])
    elif body and "multipart" in content_type:
        pairs += [(match[1], match[2].strip()) for match in _SHORT_PART.finditer(body)]
    elif body:
        data = _json(body)
        calls = data if isinstance(data, list) else [data]
        pairs += [
            (key, value)
            for call in calls
            if isinstance(call, dict)
            for key, value in call.items()
            if isinstance(value, str)
        ]
    words = [
        value
        for key, value in pairs
        if key.lower() in _ACTION_KEYS and re.fullmatch(r"[A-Za-z_.-]{1,40}", value)
    ]
    return ", ".join(dict.fromkeys(words))


# --- bodies ---------------------------------------------------------------------------------------

_GRAPHQL = re.compile(r"graphql|\bgql\b", re.I)
_PART = re.compile(r"content-disposition:\s*form-data;([^\r\n]*)", re.I)
_PART_NAME = re.compile(r'(?<![a-z])name="([^"]*)"', re.I)
_FILE_NAME = re.compile(r'filename\*?="?([^";]*)"?', re.I)
_SHORT_PART = re.compile(r'form-data;\s*name="([^"]*)"\r?\n\r?\n([^\r\n]{1,40})\r?\n', re.I)


def _read_body(content_type: str, body: str | None, size: int | None, path: str) -> dict[str, Any]:
    kind = content_type.lower()
    if body is None:
        return {"body": "binary" if size else "none"}
    if "multipart/form-data" in kind:
        heads = [match[1] for match in _PART.finditer(body)]
        names = [match[1] for head in heads if (match := _PART_NAME.search(head))]
        files = [match[1] for head in heads if (match := _FILE_NAME.search(head)) and match[1]]
        return {"body": "multipart", "fields": _names(names), "files": _names(files)}
    if "urlencoded" in kind:
        return {"body": "form", "fields": _names(key for key, _ in parse_qsl(body, keep_blank_values=True))}
    data = _json(body)
    if data is not None:
        return _read_json(data, path)
    if "graphql" in kind:
        return {"body": "graphql", **_graphql([{"query": body}])}
    if not body:
        return {"body": "none"}
    return {"body": "text"}


def _read_json(data: Any, path: str) -> dict[str, Any]:
    calls = data if isinstance(data, list) else [data]
    if not calls or not all(isinstance(call, dict) for call in calls):
        return {"body": "json", "fields": ()}
    fields = _names(name for call in calls for name in _json_names(call))
    if all("jsonrpc" in call and isinstance(call.get("method"), str) for call in calls):
        methods = [call["method"] for call in calls]
        return {
            "body": "rpc",
            "fields": fields,
            "operation": ", ".join(dict.fromkeys(methods))[:_LONGEST_NAME],
            "queries": all(_is_query_method(method) for method in methods),
        }
    if _GRAPHQL.search(path) and all("query" in call or "operationName" in call for call in calls):
        return {"body": "graphql", "fields": fields, **_graphql(calls)}
    return {"body": "json", "fields": fields}


def _json_names(call: Mapping[str, Any], depth: int = 2) -> Iterable[str]:
    """The names in a JSON object, those of objects in it after a dot."""
    for key, value in call.items():
        if depth > 1 and isinstance(value, Mapping) and value:
            yield from (f"{key}.{name}" for name in _json_names(value, depth - 1))
        else:
            yield str(key)


def _graphql(calls: list[dict[str, Any]]) -> dict[str, Any]:
    texts = [str(call.get("query") or "") for call in calls]
    names = [
        str(call.get("operationName") or _operation_name(text))
        for call, text in zip(calls, texts, strict=True)
    ]
    return {
        "operation": ", ".join(dict.fromkeys(name for name in names if name))[:_LONGEST_NAME],
        "queries": all(only_queries(text) for text in texts),
    }


def only_queries(document: str) -> bool:
    """Whether a GraphQL document has nothing but queries and fragments.

    An empty one, which names a persisted query, says nothing.
    """
    bare = re.sub(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|#[^\n]*', " ", document)
    depth = 0
    top: list[str] = []
    for part in re.findall(r"[{}()]|[A-Za-z_]\w*", bare):
        if part in {"}", ")"}:
            depth -= 1
        elif depth == 0:
            top.append(part)
        if part in {"{", "("}:
            depth += 1
        if depth < 0:
            return False
    if depth != 0 or "{" not in top:
        return False
    starts = [part for before, part in pairwise(["{", *top]) if before == "{"]
    return all(part in {"{", "query", "fragment"} for part in starts)


def _operation_name(document: str) -> str:
    """An operation's name; where it has none, the first field that it asks for."""
    found = re.search(
        r"\b(?:query|mutation|subscription)\s*([A-Za-z_]\w*)?[^{]*\{\s*([A-Za-z_]\w*)", document
    )
    return (found[1] or found[2]) if found else ""


def _is_query_method(method: str) -> bool:
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", re.split(r"[./:]", method)[-1])]
    return bool(words) and words[0] in _QUERY_VERBS and CHANGE_WORDS.isdisjoint(words)


def _json(body: str) -> Any:
    if body.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(body, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one that names something twice says different things to different servers, so it says nothing."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is there twice")
    return dict(pairs)


def _names(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, in order, on one line."""
    clean = (" ".join("".join(ch if ch.isprintable() else " " for ch in name).split()) for name in names)
    known = tuple(dict.fromkeys(name[:_LONGEST_NAME] for name in clean if name))
    return known if len(known) <= _MOST_FIELDS else (*known[:_MOST_FIELDS], _MORE)


def _named(secrets: Iterable[str]) -> str:
    return " and ".join(f"the secret {name!r}" for name in secrets)
