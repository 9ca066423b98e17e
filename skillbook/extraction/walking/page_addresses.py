"""What two addresses say of two pages of one series: whether one comes after the other, by a number in them."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import SplitResult, parse_qsl, urlsplit

from skillbook import lexicon

CURSORS = frozenset({"cursor", "after", "next", "_next", "next_token", "page_token", "pagetoken"})
PAGES = frozenset({"p", "pg", "page", "paged", "pagenum", "page_no", "pageno", "pagenumber", "currentpage"})
ROWS = frozenset({"offset", "start", "skip", "from"})
"""Names of parameters that lead to another part of a series: by a mark, a page's number, a row's."""
_NUMBERS = re.compile(r"\d+")
_LONGEST = 9  # digits; longer numbers name something


@cache
def _page_path() -> re.Pattern[str]:
    """The end of a path with a page's number, such as `/page/3`, `/seite-3` or `/3`."""
    names = sorted(
        {re.escape(word) for word in lexicon.words("page") if " " not in word}, key=len, reverse=True
    )
    return re.compile(rf"(?i)/(?:(?:{'|'.join(names)})[-/]?)?(\d{{1,6}})\Z")


def page_step(here: str, there: str) -> int | None:
    """By how much the number in an address is higher than in another that is the same otherwise.

    An address without the number is that of the first page. None where they differ by more, or by something else.
    """
    one, other = _parts(here), _parts(there)
    if (one.scheme, one.netloc) != (other.scheme, other.netloc):
        return None
    if one.query != other.query:
        return _step_of_query(one, other) if one.path == other.path else None
    return None if one.path == other.path else _step_of_path(one.path, other.path)


def names_page(here: str, there: str) -> bool:
    """Whether an address is another one with a page in it that stands there by its name: `page=2`, `/page/2`."""
    one, other = _parts(here), _parts(there)
    if (one.scheme, one.netloc) != (other.scheme, other.netloc):
        return False
    if one.path != other.path:
        return one.query == other.query and bool(
            _page_path().search(one.path) or _page_path().search(other.path)
        )
    return any(name in PAGES | ROWS | CURSORS for name in _changed(one, other))


def pages_left_out(here: str, there: str) -> int:
    """How many pages lie between two addresses that differ by a page's number, named so; 0 where they don't."""
    before, after = page_in(here), page_in(there)
    if after is None or page_step(here, there) is None:
        return 0
    return max(after - (1 if before is None else before) - 1, 0)


def page_in(address: str) -> int | None:
    """The number of a page that an address has by its name (`page=2`, `/page/2`); None where it has none."""
    parts = _parts(address)
    named = [value for name, value in parse_qsl(parts.query) if name.lower() in PAGES and _is_number(value)]
    found = _page_path().search(parts.path)
    if found and any(map(str.isalpha, found[0])):
        named.append(found[1])
    return int(named[0]) if len(named) == 1 else None


def has_page(address: str) -> bool:
    """Whether an address has a page's number or mark in its query."""
    names = {name.lower() for name, value in parse_qsl(_parts(address).query) if value}
    return not names.isdisjoint(PAGES | ROWS | CURSORS)


def has_cursor(here: str, there: str) -> bool:
    """Whether an address leads on from another one by a mark in the series, and no number."""
    one, other = _parts(here), _parts(there)
    same = (one.scheme, one.netloc, one.path) == (other.scheme, other.netloc, other.path)
    changed = _changed(one, other) if same else {}
    return any(name in CURSORS and changed[name][1] for name in changed)


def _parts(address: str) -> SplitResult:
    parts = urlsplit(address)
    return parts._replace(path=parts.path.rstrip("/"))


def _changed(one: SplitResult, other: SplitResult) -> dict[str, tuple[str, str]]:
    before, after = (dict(parse_qsl(each.query, keep_blank_values=True)) for each in (one, other))
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {name.lower(): (before.get(name, ""), after.get(name, "")) for name in names}


def _step_of_query(one: SplitResult, other: SplitResult) -> int | None:
    changed = _changed(one, other)
    if len(changed) != 1:
        return None
    [(name, (before, after))] = changed.items()
    if not before and not after:  # `?all=`
        return None
    first = 0 if name in ROWS else 1
    values = [int(text) if _is_number(text) else first if not text else None for text in (before, after)]
    if values[0] is None or values[1] is None:
        return None
    # Where the first page has no number, the second is 2, or 1 where pages are counted from 0.
    return values[1] - values[0] or (1 if not before and values[1] == 1 else -1 if not after else 0) or None


def _step_of_path(before: str, after: str) -> int | None:
    added, gone = _page_path().search(after), _page_path().search(before)
    if added and before == after[: added.start()]:
        return int(added[1]) - 1 or None
    if gone and after == before[: gone.start()]:
        return 1 - int(gone[1]) or None
    if _NUMBERS.sub("#", before) != _NUMBERS.sub("#", after):
        return None
    pairs = zip(_NUMBERS.findall(before), _NUMBERS.findall(after), strict=True)
    differing = [(one, other) for one, other in pairs if one != other]
    if len(differing) != 1 or not all(map(_is_number, differing[0])):
        return None
    return int(differing[0][1]) - int(differing[0][0])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST
