"""Parts of an address that name a page which is about a step, rather than the step: `/docs/api/Element/remove`.

A word such as `delete` in an address mostly asks for a step: `/items/5/delete`, `/delete.php?id=5`. In documentation,
encyclopedias, news and code it is a part of a name. What no step has distinguishes these: many words, a dotted name
of a document, a place for documentation, no item and no parameters that it could be about.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from urllib.parse import SplitResult, parse_qsl, unquote


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DOCUMENTS = re.compile(r"\.(?:html?|xhtml|md|rst|txt|pdf|epub|ipynb|djvu|ps)$", re.I)
_FILES = re.compile(r"\.(?:md|rst|txt|pdf|epub|ipynb|djvu|ps)$", re.I)
"""Documents that no server program answers for."""
_PROGRAMS = re.compile(r"\.\w{2,5}$")
_DOC_HOSTS = re.compile(r"(?:^|\.)(?:docs?|developers?|learn|man|manual|guides)\.[\w.-]+$|\.readthedocs\.io$")
_DOC_PLACES = _words(
    "doc docs documentation reference ref refman manual manpages man-pages handbook tutorial tutorials"
)
_DOC_EDITIONS = re.compile(
    r"latest|stable|current|main|master|reference|api|v?\d+(?:\.(?:\d+|x))+|[a-z]{2}(?:-[a-z]{2})?"
)
_CODE_PLACES = _words("blob tree raw blame commits")
_PACKAGE_PLACES = _words("package packages crate crates gem gems formula")
_TECHNICAL = _words(
    "lang sql git fn func function method met cmd ref prop kubectl docker class module js css php"
)
_HARMLESS_KEYS = re.compile(
    r"utm_\w+|ref_?|fbclid|gclid|hl|lang|language|locale|highlight|v|version|view|q|query|search|sort|page|tab"
)
_ITEM = re.compile(r"\d+|[0-9a-f]{8,}|(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w-]{10,}|[0-9a-f-]{32,}", re.I)
_PROSE, _LONG_PROSE = 4, 5
"""Words of a headline: where the step's word comes late, and where it is among the first two."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def acting_segments(parts: SplitResult, verbs: Container[str]) -> Iterator[str]:
    """The segments of an address's path that don't name a page.

    Parameters
    ----------
    parts : the address.
    verbs : words that ask for a step.
    """
    segments = [segment for segment in unquote(parts.path).split("/") if segment]
    keys = [key for key, _ in parse_qsl(parts.query, keep_blank_values=True)]
    has_parameters = any(not _HARMLESS_KEYS.fullmatch(key.casefold()) for key in keys)
    for at, segment in enumerate(segments):
        if has_parameters or not _names_a_page(parts.hostname or "", segments, at, verbs):
            yield segment


def _names_a_page(host: str, segments: list[str], at: int, verbs: Container[str]) -> bool:
    before, segment = segments[:at], segments[at]
    after_item = bool(before) and _is_item(before[-1])
    before_item = at + 1 < len(segments) and _is_item(segments[at + 1])
    if _CODE_PLACES & set(before[2:]) and not after_item:
        return True
    if before[-1:] == ["wiki"]:
        return segment[0].isupper() and not segment.startswith("Special:")
    name = _PROGRAMS.sub("", segment)
    if not before_item and _is_prose(name, verbs, after_item=after_item):
        return True
    if any(_is_item(one) and not one.isdigit() for one in before):
        return False
    words = _parts(name)
    if len(words) > 1 and words[0] in _TECHNICAL:
        return True
    in_docs = bool(_DOC_HOSTS.search(host)) or any(one.casefold() in _DOC_PLACES for one in before)
    if in_docs and _DOCUMENTS.search(segment) and len(words) > 1:
        return True
    if after_item:
        return False
    if _FILES.search(segment) or (_DOCUMENTS.search(segment) and (in_docs or "." in name)):
        return True
    is_last = at == len(segments) - 1
    if is_last and before and before[-1].casefold() in _PACKAGE_PLACES:
        return True
    return in_docs and _is_documented(host, before, segment, words, verbs)


def _is_documented(
    host: str, before: list[str], segment: str, words: list[str], verbs: Container[str]
) -> bool:
    """Whether a segment in a place for documentation is an entry there: `/docs/latest/commands/restart`."""
    if segment.startswith("_"):
        return False
    has_edition = any(_DOC_EDITIONS.fullmatch(one.casefold()) for one in before)
    if _DOC_HOSTS.search(host) or has_edition:
        return True
    return len(words) > 1 and words[0] not in verbs


def _is_prose(segment: str, verbs: Container[str], *, after_item: bool) -> bool:
    """Whether a segment is a headline: `how-to-cancel-a-subscription`, not `permanently-delete-my-account`."""
    words = [word for word in re.split(r"[-_+ ]+", segment.lower()) if word.isalpha()]
    if any(word in verbs for word in words[:2]):
        return len(words) >= _LONG_PROSE and not after_item
    return len(words) >= _PROSE


def _is_item(segment: str) -> bool:
    """Whether a segment looks like the number or key of one item."""
    return _ITEM.fullmatch(segment) is not None


def _parts(text: str) -> list[str]:
    return [word for word in re.split(r"[_\-. ]+", _HUMP.sub(" ", text).lower()) if word]
