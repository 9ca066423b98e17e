"""Rules for requests: which ones count as those that a person allowed for the session.

A rule is for one method, literal address, operation and set of fields. Values may differ, except those that say which
thing is meant or what is done with it (`id`, `action`, a GraphQL text). Nothing is learned from what can't be undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from skillbook.policy.announcements import pairs_of
from skillbook.policy.habits import is_plain_header, leaves_of
from skillbook.policy.labels import danger_of_address, danger_of_name
from skillbook.policy.request_bodies import MORE, read_json
from skillbook.policy.request_facts import RequestFact, hidden_fields, same_path

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH"})
_WHICH = re.compile(r"(?:.*[_\W])?(?:ids?|pk|uuid|guid|slug)\W*|.*[a-z](?:Id|ID|Ids|IDs|Uuid|Guid)")
_WHAT = re.compile(
    r"_*(?:act|action|args|cmd|command|do|event|event_?target|event_?argument|function|method|mode|op|operation"
    r"|operation_?name|params|procedure|query|extensions|rpc|rpcids|state|status|task|type)",
    re.I,
)
_CREDENTIAL = re.compile(r"authorization|.*(?:csrf|xsrf|token|nonce|request-?id|trace|session).*|baggage")
"""Headers of the page that say who sends, not what is done; sites write them anew each time."""
_WORD = re.compile(r"\w+")
_MOST_WORDS = 200
_MOST_NAMES = 12

Values = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class RequestKind:
    """The requests that a rule is for.

    Parameters
    ----------
    method, origin, operation : theirs.
    address : their path and query. Literal, unless a person wrote `{id}` in it.
    fields : their bodies may have these and no others.
    values : names and values in headers and body that are the same in all of them; in memory only.
    widened : whether a person wrote the address, so that `{id}` in it stands for any id.
    """

    method: str
    origin: str
    address: str
    operation: str = ""
    fields: tuple[str, ...] = ()
    values: Values = field(default=frozenset(), repr=False)
    widened: bool = False

    def covers(self, other: RequestKind) -> bool:
        """Whether a request, as the kind that a rule learned from it would be, is one of these."""
        same = (self.method, self.origin, self.operation, self.values) == (
            other.method, other.origin, other.operation, other.values
        )  # fmt: skip
        return same and set(other.fields) <= set(self.fields) and self._has_address(other.address)

    def _has_address(self, address: str) -> bool:
        if not self.widened:
            return address == self.address
        return same_path(self.address, address)

    def with_address(self, address: str) -> RequestKind | None:
        """The same for an address in a person's words, such as `/items/{id}`; None if that isn't this request's."""
        wider = replace(self, address=address, widened=True)
        return wider if wider.covers(self) and danger_of_address(self.origin + address) is None else None

    def __str__(self) -> str:
        operation = f" ({self.operation})" if self.operation else ""
        fixed = sorted({name for name, _ in self.values})
        free = [name for name in self.fields if name not in fixed]
        parts = [f"{word} {_listed(names)}" for word, names in (("any", free), ("the same", fixed)) if names]
        said = f"{self.method} {self.origin}{self.address}{operation}"
        return f"{said} with {' and '.join(parts)}" if parts else said


def _listed(names: list[str]) -> str:
    return ", ".join([*names[:_MOST_NAMES], *(["…"] if len(names) > _MOST_NAMES else [])])


def learnable_request(
    fact: RequestFact, headers: Mapping[str, str], content_type: str, body: str | None
) -> RequestKind | None:
    """The requests that a rule learned from this one is for, or None where none may be learned.

    It can be undone as far as anybody can see, its body is known, and it has no file, secret or hidden value.
    """
    unknown = fact.opaque or fact.files or MORE in fact.fields or not fact.address
    if unknown or fact.secrets or hidden_fields(fact.fields) or fact.method not in _METHODS:
        return None
    leaves = _leaves(content_type, body)
    if leaves is None:
        return None
    said = [(f"header {name}", value) for name, value in _own_headers(headers)]
    verbs = [fact.operation, *(value for _, value in said)]
    for names, value in leaves:
        if not names or any(_WHICH.fullmatch(name) or _WHAT.fullmatch(name) for name in names):
            said.append((".".join(names), f"{type(value).__name__} {value}"))
        if not names or _WHAT.fullmatch(names[-1]):
            verbs.append(str(value))
    words = (word for verb in verbs for word in _WORD.findall(verb)[:_MOST_WORDS])
    if danger_of_address(fact.origin + fact.address) or any(map(danger_of_name, words)):
        return None
    return RequestKind(fact.method, fact.origin, fact.address, fact.operation, fact.fields, frozenset(said))


def _own_headers(headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The page's own headers that may say what is done."""
    for header, value in headers.items():
        name = header.lower()
        if not (is_plain_header(name) or name == "content-type" or _CREDENTIAL.fullmatch(name)):
            yield name, value


def _leaves(content_type: str, body: str | None) -> list[tuple[list[str], Any]] | None:
    """The values in a body, each with the names that lead to it; None if they can't be read."""
    if not body:
        return []
    pairs = pairs_of(content_type, body)
    data = read_json(body) if pairs is None else None
    if pairs is None and data is None:
        return None
    found = [leaf for name, value in pairs or () for leaf in leaves_of((name,), value)]
    found += leaves_of((), data) if data is not None else ()
    return [([part for part in place if isinstance(part, str)], value) for place, value in found]
