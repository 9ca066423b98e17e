"""Addresses of the answers after one: by a link in it, by a number or mark in its address, and with more rows each."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from skillbook.extraction.json_answers.json_rows import RecordList, key_of
from skillbook.extraction.walking.page_addresses import CURSORS, PAGES, ROWS

_SIZES = frozenset(
    ["limit", "perpage", "pagesize", "size", "count", "take", "top", "rows", "length", "maxresults"]
)
_ENDS = frozenset({"endrow", "end", "to"})
_STARTS = ROWS | {"startrow", "startindex"}
MOST_ROWS = 10_000
"""Rows that one answer is asked for."""


def _is_in(name: str, names: frozenset[str]) -> bool:
    return name.lower() in names or key_of(name) in {key_of(each) for each in names}


def query_of(url: str) -> dict[str, str]:
    """The parameters of an address."""
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def with_query(url: str, **changed: str) -> str:
    """An address with other parameters."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode(query_of(url) | changed), fragment=""))


def is_first(url: str) -> bool:
    """Whether an address is that of the first records, as far as its parameters say."""
    for name, value in query_of(url).items():
        if _is_in(name, _STARTS) and value not in {"", "0"}:
            return False
        if _is_in(name, PAGES) and value not in {"", "0", "1"}:
            return False
        if _is_in(name, CURSORS) and value:
            return False
    return True


def larger(url: str, rows: int) -> str | None:
    """The same address for so many rows at once; None where it doesn't say how many it wants."""
    query = query_of(url)
    ends = [name for name in query if _is_in(name, _ENDS) and query[name].isdigit()]
    starts = [name for name in query if _is_in(name, _STARTS) and query[name].isdigit()]
    if ends and starts:
        return with_query(url, **{ends[0]: str(int(query[starts[0]]) + rows)})
    sizes = [name for name in query if _is_in(name, _SIZES) and query[name].isdigit()]
    return with_query(url, **{sizes[0]: str(rows)}) if len(sizes) == 1 else None


def following(url: str, answer: RecordList) -> Iterator[str]:
    """Addresses that may be of the records after an answer's, the surest first; all differ in the query alone."""
    yield from _linked(url, answer)
    query, count = query_of(url), len(answer.items)
    numbered = {name: int(value) for name, value in query.items() if value.isdigit()}
    ends = [name for name in numbered if _is_in(name, _ENDS)]
    for name, value in numbered.items():
        if _is_in(name, _STARTS):
            changed = {name: str(value + count)} | {end: str(numbered[end] + count) for end in ends}
            yield with_query(url, **changed)
        elif _is_in(name, PAGES):
            yield with_query(url, **{name: str(value + 1)})
    if any(_is_in(name, PAGES | _STARTS | CURSORS) for name in query):
        return
    for path, number in answer.around.items():
        name = path.rpartition(".")[2]
        if isinstance(number, bool) or not isinstance(number, int):
            continue
        if _is_in(name, PAGES):
            yield with_query(url, **{name: str(number + 1)})
        elif _is_in(name, _STARTS):
            yield with_query(url, **{name: str(number + count)})


def _linked(url: str, answer: RecordList) -> Iterator[str]:
    here = urlsplit(url)
    marks = []
    for path, value in answer.around.items():
        if not isinstance(value, str) or not value:
            continue
        name = key_of(path)
        if "prev" in name or "first" in name or "last" in name or "self" in name:
            continue
        there = urlsplit(urljoin(url, value))
        if "?" in value and (there.scheme, there.netloc, there.path) == (here.scheme, here.netloc, here.path):
            if there.query != here.query:
                yield urlunsplit(there._replace(fragment=""))
        elif "cursor" in name or "token" in name or key_of(path.rpartition(".")[2]) in {"next", "after"}:
            marks.append(value)
    names = [name for name in query_of(url) if _is_in(name, CURSORS)] or ["cursor"]
    for mark in marks:
        yield with_query(url, **{names[0]: mark})
