"""A request's body: value by value, each with its kind and the places that lead to it; and whether it is only a query.

Nothing is decoded lossily: a body whose bytes aren't UTF-8 text is one value, their digest. A number is kept as it is
written, and a list counts its items.

Only one kind of body speaks for itself: a POST whose body is exactly GraphQL's envelope, all of whose operations a
real parser takes for queries. Whatever stands beside that (another key, a persisted id, another content type, an
encoding) may mean something else to the server, so it is taken for a write. A JSON-RPC method's name says nothing.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from skillbook.policy.labels import NEW_TAB_WORDS, words_of
from skillbook.policy.urls import LONGEST_NAME

Place: TypeAlias = tuple[str | int, ...]
ValueKind = Literal[
    "text", "number", "true or false", "nothing", "list", "object", "file", "bytes", "body", "?"
]
"""`body` is what has no names in it; `?` a value that isn't known, of whatever kind."""
_BOUNDARY = re.compile(r'boundary="?([^";]+)')
_PART_NAME = re.compile(r'content-disposition:\s*form-data;[^\r\n]*?(?<![a-z])name="([^"]*)"', re.I)
_FILE = re.compile(r"content-disposition:[^\r\n]*filename", re.I)


class Value(NamedTuple):
    """One value of a request: its kind, and its text or digest; a list's text is its count of items."""

    kind: ValueKind
    text: str = ""


class Numeral(str):
    """A number of a JSON text, as it is written there: another one may be the same as a float."""


def bytes_of(body: str | None, data: str | None) -> bytes | None:
    """A body's bytes, of its text or its base64; None if neither is known."""
    if data is not None:
        return b64decode(data)
    return None if body is None else body.encode("utf-8", "surrogateescape")


def body_values(content_type: str, body: bytes) -> Iterator[tuple[Place, Value]]:
    """The values in a body; one that has no names is one value."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        yield ("body",), Value("bytes", sha256(body).hexdigest())
        return
    kind = content_type.lower()
    if not text:
        return
    if "urlencoded" in kind:
        yield ("body",), Value("object", "form")
        yield from pair_values(("body",), text)
    elif "multipart/form-data" in kind and (parts := _parts(content_type, text)) is not None:
        yield ("body",), Value("object", "form")
        yield from named_values(("body",), parts)
    elif (found := read_json(text)) is not None:
        yield from values_in(("body",), found)
    else:
        yield ("body",), Value("body", text)


def pair_values(place: Place, text: str) -> Iterator[tuple[Place, Value]]:
    """The values of a query or a form, by name; a name that comes again is numbered."""
    pairs = parse_qsl(text, keep_blank_values=True, errors="surrogateescape")
    yield from named_values(place, [(name, Value("text", value)) for name, value in pairs])


def named_values(place: Place, pairs: list[tuple[str, Value]]) -> Iterator[tuple[Place, Value]]:
    """Values by name; a name that comes again is numbered."""
    counts: dict[str, int] = {}
    for name, value in pairs:
        number = counts[name] = counts.get(name, -1) + 1
        yield from values_in((*place, name, number) if number else (*place, name), value)


def values_in(place: Place, value: Any) -> Iterator[tuple[Place, Value]]:
    """The values in a value with their places; a text that is JSON is what it contains."""
    if isinstance(value, Value):
        packed = read_json(value.text) if value.kind == "text" else None
        if packed is None:
            yield place, value
        else:
            yield place, Value("text", "JSON")
            yield from values_in((*place, "JSON"), packed)
    elif isinstance(value, Mapping):
        yield place, Value("object")
        for key, item in value.items():
            yield from values_in((*place, str(key)), item)
    elif isinstance(value, list):
        yield place, Value("list", str(len(value)))
        for index, item in enumerate(value):
            yield from values_in((*place, index), item)
    elif isinstance(value, bool):
        yield place, Value("true or false", str(value))
    elif value is None:
        yield place, Value("nothing")
    elif isinstance(value, Numeral):
        yield place, Value("number", str(value))
    else:
        yield from values_in(place, Value("text", value))


def _parts(content_type: str, body: str) -> list[tuple[str, Value]] | None:
    """The parts of a form's body by name; None if they can't be told apart for sure."""
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        return None
    first, *parts = body.split(f"--{boundary[1]}")
    if first or not parts or parts[-1].strip() != "--":
        return None
    found = []
    for part in parts[:-1]:
        head, blank, value = part.partition("\r\n\r\n")
        name = _PART_NAME.search(head)
        if name is None or not blank:
            return None
        if _FILE.search(head):
            found.append((name[1], Value("file", sha256(part.encode()).hexdigest())))
        else:
            # What stands beside the name, such as a type, may say how the value is read.
            more = head.strip().replace(name[0], "").strip(' \r\n"')
            found.append((name[1], Value("text", more + value.removesuffix("\r\n"))))
    return found


def read_json(body: str) -> Any:
    """A JSON body's data; None where it is none, or may say different things to different servers."""
    if body.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(
            body, object_pairs_hook=_once, parse_constant=_refuse, parse_int=Numeral, parse_float=Numeral
        )
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one that names something twice says different things to different servers, so it says nothing."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name is there twice")
    return dict(pairs)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


BodyKind = Literal["form", "multipart", "json", "graphql", "rpc", "text", "binary", "none"]
MORE = "…"
"""Stands among a body's fields for those that aren't known, so that no kind of known fields covers it."""
_MOST_FIELDS = 200
_MOST_TOKENS = 20_000
_ACTION_TABLE = "_method action do op operation cmd command task method function procedure rpc rpcids type"
_ACTION_KEYS = frozenset(_ACTION_TABLE.split())
_ENVELOPE = frozenset({"query", "variables", "operationName", "extensions"})
_EXTENSIONS = frozenset({"clientLibrary"})
"""Extensions that name no stored operation."""
_JSON_TYPES = frozenset({"application/json", "application/graphql+json"})
_GRAPHQL = re.compile(r"graphql|\bgql\b", re.I)
_PART = re.compile(r"content-disposition:\s*form-data;([^\r\n]*)", re.I)
_HEAD_NAME = re.compile(r'(?<![a-z])name="([^"]*)"', re.I)
_FILE_NAME = re.compile(r'filename\*?="?([^";]*)"?', re.I)
_SHORT_PART = re.compile(r'form-data;\s*name="([^"]*)"\r?\n\r?\n([^\r\n]{1,40})\r?\n', re.I)


class Body(NamedTuple):
    """What a body is, by the names in it."""

    kind: BodyKind = "none"
    fields: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    operation: str = ""
    queries: bool = False


def read_body(url: str, content_type: str, body: str | None, size: int | None) -> Body:
    """The kind of a body and the names in it; `queries` only if body, address and content type leave no doubt.

    body: the body's text, as far as it is known; None where it has none or can't be read.
    size: bytes of the body.
    """
    if body is None:
        return Body("binary" if size else "none")
    read = _read(url, content_type.lower(), body)
    if size is not None and size > len(body.encode(errors="replace")):
        fields = (*read.fields, MORE) if read.fields else ()
        return read._replace(fields=fields, queries=False)
    return read


def _read(url: str, kind: str, body: str) -> Body:
    if "multipart/form-data" in kind:
        heads = [match[1] for match in _PART.finditer(body)]
        names = [match[1] for head in heads if (match := _HEAD_NAME.search(head))]
        files = [match[1] for head in heads if (match := _FILE_NAME.search(head)) and match[1]]
        return Body("multipart", names_of(names), names_of(files))
    if "urlencoded" in kind:
        return Body("form", names_of(key for key, _ in parse_qsl(body, keep_blank_values=True)))
    data = read_json(body)
    if data is not None:
        return _read_json(data, url, kind)
    if _media_type(kind) == "application/graphql":
        return Body("graphql", (), (), _operation_name(body), _is_alone(url) and only_queries(body))
    return Body("text" if body else "none")


def _read_json(data: Any, url: str, kind: str) -> Body:
    calls = data if isinstance(data, list) else [data]
    if not calls or not all(isinstance(call, dict) for call in calls):
        return Body("json")
    fields = names_of(name for call in calls for name in _json_names(call))
    if all("jsonrpc" in call and isinstance(call.get("method"), str) for call in calls):
        methods = dict.fromkeys(call["method"] for call in calls)
        return Body("rpc", fields, (), ", ".join(methods)[:LONGEST_NAME])
    if _GRAPHQL.search(urlsplit(url).path) and all(
        "query" in call or "operationName" in call for call in calls
    ):
        names = [str(call.get("operationName") or _operation_name(str(call.get("query")))) for call in calls]
        operation = ", ".join(dict.fromkeys(name for name in names if name))[:LONGEST_NAME]
        plain = _media_type(kind) in _JSON_TYPES and _is_alone(url)
        return Body("graphql", fields, (), operation, plain and all(_is_query(call) for call in calls))
    return Body("json", fields)


def _is_alone(url: str) -> bool:
    """Whether nothing in the address says more than the body: servers may take the operation from there."""
    return {key for key, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)} <= {"operationName"}


def _is_query(call: Mapping[str, Any]) -> bool:
    """Whether an object is exactly GraphQL's envelope around queries."""
    extensions = call.get("extensions") or {}
    return (
        set(call) <= _ENVELOPE
        and isinstance(extensions, dict)
        and set(extensions) <= _EXTENSIONS
        and isinstance(call.get("variables") or {}, dict)
        and isinstance(call.get("query"), str)
        and only_queries(call["query"])
    )


def _media_type(kind: str) -> str:
    """A content type without its charset; empty if that isn't UTF-8, or if the header says more."""
    media, *more = (part.strip() for part in kind.split(";"))
    return media if all(part in {"", "charset=utf-8", 'charset="utf-8"'} for part in more) else ""


def only_queries(document: str) -> bool:
    """Whether a GraphQL document has nothing but queries and fragments, none of whose fields is named like a step."""
    from graphql.error import GraphQLSyntaxError
    from graphql.language import (
        FieldNode,
        FragmentDefinitionNode,
        OperationDefinitionNode,
        OperationType,
        parse,
    )

    if "\ufffd" in document:  # what the server reads there isn't known
        return False
    try:
        definitions = parse(document, no_location=True, max_tokens=_MOST_TOKENS).definitions
    except (GraphQLSyntaxError, RecursionError):
        return False
    for one in definitions:
        if isinstance(one, OperationDefinitionNode):
            if one.operation is not OperationType.QUERY:
                return False
        elif not isinstance(one, FragmentDefinitionNode):
            return False
        named = (field.name.value for field in one.selection_set.selections if isinstance(field, FieldNode))
        if any(words_of(name)[:1] and words_of(name)[0] in NEW_TAB_WORDS for name in named):
            return False
    return any(isinstance(one, OperationDefinitionNode) for one in definitions)


def says_mutation(url: str) -> bool:
    """Whether an address has a GraphQL document in it that doesn't only query; some servers take such a GET."""
    parts = urlsplit(url)
    if not _GRAPHQL.search(parts.path):
        return False
    documents = [value for key, value in parse_qsl(parts.query) if key == "query"]
    return any(not only_queries(document) for document in documents)


def action_in(url: str, content_type: str, body: str | None) -> str:
    """The value of the field that says what is to be done (`action=delete_selected`), where it is one word."""
    pairs: Iterable[tuple[str, Any]] = parse_qsl(urlsplit(url).query)
    if body and "urlencoded" in content_type:
        pairs = [*pairs, *parse_qsl(body[:20_000])]
    elif body and "multipart" in content_type:
        pairs = [*pairs, *((match[1], match[2].strip()) for match in _SHORT_PART.finditer(body))]
    elif body:
        data = read_json(body)
        calls = data if isinstance(data, list) else [data]
        pairs = [*pairs, *(pair for call in calls if isinstance(call, dict) for pair in call.items())]
    words = [
        value
        for key, value in pairs
        if key.lower() in _ACTION_KEYS
        and isinstance(value, str)
        and re.fullmatch(r"[A-Za-z_.-]{1,40}", value)
    ]
    return ", ".join(dict.fromkeys(words))


def names_of(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, in order, on one line."""
    clean = (" ".join("".join(ch if ch.isprintable() else " " for ch in name).split()) for name in names)
    known = tuple(dict.fromkeys(name[:LONGEST_NAME] for name in clean if name))
    return known if len(known) <= _MOST_FIELDS else (*known[:_MOST_FIELDS], MORE)


def _json_names(call: Mapping[str, Any], depth: int = 2) -> Iterator[str]:
    """The names in a JSON object, those of objects in it after a dot."""
    for key, value in call.items():
        if depth > 1 and isinstance(value, Mapping) and value:
            yield from (f"{key}.{name}" for name in _json_names(value, depth - 1))
        else:
            yield str(key)


def _operation_name(document: str) -> str:
    """An operation's name; where it has none, the first field that it asks for."""
    found = re.search(
        r"\b(?:query|mutation|subscription)\s*([A-Za-z_]\w*)?[^{]*\{\s*([A-Za-z_]\w*)", document
    )
    return (found[1] or found[2]) if found else ""
