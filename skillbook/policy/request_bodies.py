"""Reading a request's body: the names in it, and whether it is nothing but a query.

Only one kind of body speaks for itself: a POST whose body is exactly GraphQL's envelope, all of whose operations a
real parser takes for queries. Whatever stands beside that (another key, a persisted id, another content type, an
encoding) may mean something else to the server, so it is taken for a write. A JSON-RPC method's name says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from skillbook.policy.body_values import read_json
from skillbook.policy.path_templates import LONGEST_NAME
from skillbook.policy.request_words import NEW_TAB_WORDS, words_of

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
_PART_NAME = re.compile(r'(?<![a-z])name="([^"]*)"', re.I)
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

    Parameters
    ----------
    body : the body's text, as far as it is known; None where it has none or can't be read.
    size : bytes of the body.
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
        names = [match[1] for head in heads if (match := _PART_NAME.search(head))]
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
