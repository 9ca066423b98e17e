"""Finding values that no text may show, however a page, a program or an address writes or encodes them. Pure.

A value counts as found if it stands in a text as it is, in any case and any form of its letters (full-width, accented,
mathematical), with characters between them that nobody sees, or encoded as addresses, forms, HTML, JSON, base64 and
hexadecimal do. One of six letters and digits or more is also found with blanks, signs, tags and breaks of lines
between them, and across texts that follow one another. A shorter one would be found by chance then: it is only if its
letters stand alone, as `1 2 3 4` and not as in `1 2 3 4 5`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from base64 import b64decode, b64encode, urlsafe_b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from html import escape, unescape
from itertools import accumulate
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from skillbook.lexicon.table import is_unseen

MASK = "••••••"
SHORTEST = 3
"""Characters below which a value is not looked for."""
_SHORTEST_SPREAD = 6
"""Letters and digits of a value that is found whatever stands between them."""
_BETWEEN = r"(?>(?:<[^<>]{0,1000}>|[\W_])*)"
_SOME_BETWEEN = r"(?>(?:<[^<>]{0,1000}>|[\W_])+)"
_LETTER = r"[^\W_]"


def mask(text: str, values: Collection[str]) -> str:
    """A text with every value masked."""
    return mask_texts([text], values)[0] if values and text else text


def mask_texts(texts: Sequence[str], values: Collection[str]) -> list[str]:
    """Texts that follow one another, as those of a page, with every value masked, also one that several make up."""
    looked_for = [value for value in values if len(value) >= SHORTEST]
    found = list(texts)
    if not looked_for:
        return found
    whole = "\n".join(found)
    for value in looked_for:
        pattern = _pattern(value)
        if pattern.search(whole):
            found = [pattern.sub(MASK, text) for text in found]
    whole = "\n".join(found)
    folded = _folded(whole)
    for value in looked_for:
        if _spread(value).search(folded):
            found = _without(found, whole, [each.span() for each in _spread(value).finditer(folded)])
            whole = "\n".join(found)
            folded = _folded(whole)
    return found


def holds(text: str, value: str) -> bool:
    """Whether a value stands in a text, however it is written there."""
    return mask(text, (value,)) != text


def _without(texts: Sequence[str], whole: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The texts with ranges of their folded whole masked; each text that has a part of one says so."""
    places = list(accumulate((len(_folded(char)) for char in whole), initial=0))
    masked = [False] * len(whole)
    begins = set()
    for start, end in spans:
        first, last = bisect_right(places, start) - 1, bisect_left(places, end)
        begins.add(first)
        masked[first:last] = [True] * (last - first)
    made, at = [], 0
    for text in texts:
        kept = (
            char
            if not masked[at + offset]
            else MASK
            if not offset or not masked[at + offset - 1] or at + offset in begins
            else ""
            for offset, char in enumerate(text)
        )
        made.append("".join(kept))
        at += len(text) + 1
    return made


class _Folds(dict[int, str]):
    """For `str.translate`: a character without case, form and accent; one that nobody sees is nothing."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
        kept = "".join(each for each in plain if not is_unseen(each) and unicodedata.category(each) != "Mn")
        self[code] = kept
        return kept


_FOLDS = _Folds()


def _folded(text: str) -> str:
    return text.translate(_FOLDS)


@lru_cache(maxsize=256)
def _spread(value: str) -> re.Pattern[str]:
    """What finds a value in a folded text."""
    folded = _folded(value)
    letters = [char for char in folded if char.isalnum()]
    if len(letters) >= _SHORTEST_SPREAD:
        begin, end = folded.index(letters[0]), folded.rindex(letters[-1]) + 1
        before = "".join(f"(?:{re.escape(char)}\\s*)?" for char in folded[:begin])
        after = "".join(f"(?:\\s*{re.escape(char)})?" for char in folded[end:])
        return re.compile(before + _BETWEEN.join(map(re.escape, letters)) + after)
    ways = [re.escape(folded)] if len(folded.strip()) >= SHORTEST else []
    if len(letters) >= SHORTEST:
        spelled = _SOME_BETWEEN.join(map(re.escape, letters))
        ways.append(
            rf"(?<!{_LETTER})(?<!\b{_LETTER}[\W_]){spelled}(?!{_LETTER})(?![\W_]+{_LETTER}(?!{_LETTER}))"
        )
    return re.compile("|".join(ways) or r"(?!)")


@lru_cache(maxsize=256)
def _pattern(value: str) -> re.Pattern[str]:
    """What finds a value however it is written.

    Chrome writes the same value differently in a form's body, a query, a path, `innerHTML` and JSON, and a page's
    script can mix them. So each character that any of these encodes may stand in each of their ways.
    """
    spelled = "".join(_spellings(char) for char in value)
    return re.compile("|".join([spelled, *map(re.escape, _wrapped(value))]), re.IGNORECASE)


def _spellings(char: str) -> str:
    """How one character may be written: as it is, percent-encoded, as an HTML reference, as a JSON escape."""
    if char.isascii() and char.isalnum():
        return char
    code = ord(char)
    units = char.encode("utf-16-be")
    ways = [
        re.escape(char),
        "(?i:" + "".join(f"%{byte:02x}" for byte in char.encode()) + ")",
        f"(?i:&#0*{code};|&#x0*{code:x};)",
        "(?i:" + "".join(rf"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)) + ")",
        *(f"&{name};" for name in _REFERENCES.get(char, ())),
    ]
    if char in _JSON_ESCAPES:
        ways.append(re.escape(_JSON_ESCAPES[char]))
    if char == " ":
        ways.append(r"\+")
    return f"(?:{'|'.join(ways)})"


_REFERENCES = {"&": ("amp",), "<": ("lt",), ">": ("gt",), '"': ("quot",), "'": ("apos",), "\xa0": ("nbsp",)}
_JSON_ESCAPES = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _wrapped(value: str) -> list[str]:
    """A value in base64 and hexadecimal; short ones would be found by chance."""
    raw = value.encode()
    if len(value) <= 5:
        return []
    return [b64encode(raw).decode().rstrip("="), urlsafe_b64encode(raw).decode().rstrip("="), raw.hex()]


def written_ways(value: str) -> list[str]:
    """The common ways to write a value, as whole strings."""
    form = quote_plus(value, safe="*").replace("~", "%7E")
    plain = [value, quote(value, safe=""), quote_plus(value), quote(value), form, quote(value, safe="!*'()~")]
    texts = [escape(value, quote=False), escape(value), json.dumps(value)[1:-1]]
    return list(dict.fromkeys([*plain, *texts, *_wrapped(value)]))


_ADDRESS = re.compile(r"(?=\S*[?#])(?=\S*[/=])\S*")
_PART = re.compile(r"(^|[?#&;])([^?#&;=]*=)?([^?#&;]*)")
_LONGEST = 20_000
"""Characters of an address beyond which only its head is kept: decoding it would take too long."""
_SHORT = 6
"""Characters below which a value may stand in another one by chance; it counts only if it is all of a part."""
_ADDRESS_DEPTH = 5


def mask_address(address: str, values: Collection[str], mask: str) -> str:
    """An address whose query and fragment have none of the values, however often they are encoded.

    address: any text; one that is no address, or has no query or fragment, stays as it is.
    mask: what stands in its place.
    """
    if not values or not _ADDRESS.fullmatch(address):
        return address
    at = min(address.index(mark) for mark in "?#" if mark in address)
    folded = [value.casefold() for value in values]
    tail = address[at : at + _LONGEST]
    return address[:at] + _PART.sub(
        lambda part: f"{part[1]}{part[2] or ''}{mask if _has(part[3], folded) else part[3]}", tail
    )


def _has(part: str, values: Collection[str]) -> bool:
    for _ in range(_ADDRESS_DEPTH):
        text = part.casefold()
        if any(value in text if len(value) >= _SHORT else value == text for value in values):
            return True
        decoded = unquote_plus(part)
        if decoded == part:
            return False
        part = decoded
    return False


_DEPTH = 4
_MOST_CHARACTERS = 4_000_000
"""All readings together; those that come later are left out."""
_ESCAPE = re.compile(r"\\u\{?0*([0-9a-f]{2,6})\}?|\\x([0-9a-f]{2})", re.I)
_PLAIN_ESCAPE = re.compile(r"\\(.)")
_BASE64 = re.compile(r"[A-Za-z0-9+_-]{6,}")
_BASE64_WITH_SLASHES = re.compile(r"[A-Za-z0-9+/]{6,}")
_HEX = re.compile(r"(?:[0-9a-f]{2}){4,}", re.I)


def readings(text: str) -> list[str]:
    """A text and all that it decodes to, until nothing changes, in one case."""
    found = {text: None}
    newest = [text]
    characters = len(text)
    for _ in range(_DEPTH):
        decoded = dict.fromkeys(one for each in newest for one in _decoded(each))
        newest = []
        for one in decoded:
            if one not in found and characters + len(one) < _MOST_CHARACTERS:
                characters += len(one)
                found[one] = None
                newest.append(one)
    return list({one.casefold() for one in found})


def _decoded(text: str) -> Iterator[str]:
    yield unquote(text)
    yield unquote(text.replace("+", " "))
    yield unescape(text)
    yield _ESCAPE.sub(_char, text)
    yield _PLAIN_ESCAPE.sub(r"\1", text)
    yield "\n".join(bytes.fromhex(token).decode(errors="replace") for token in _HEX.findall(text))
    for pattern in (_BASE64, _BASE64_WITH_SLASHES):
        tokens = [token.translate(_URL_SAFE) for token in pattern.findall(text)]
        for start in range(4):  # it may follow other letters
            yield "\n".join(_bytes(token[start:]) for token in tokens)


_URL_SAFE = str.maketrans("-_", "+/")


def _char(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code < 0x110000 else match[0]


def _bytes(token: str) -> str:
    whole = token[:-1] if len(token) % 4 == 1 else token
    return b64decode(whole + "=" * (-len(whole) % 4)).decode(errors="replace")
