"""Numbers in texts, and texts that say whether something holds: "yes" and "no" in any language, signs."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from skillbook import lexicon
from skillbook.perception.roles import words

GAPS = re.compile(r"[\s\u00a0\u202f'’]")
PLAIN = re.compile(r"[0-9]+\Z")
_GROUPS = {".": re.compile("[, ]"), ",": re.compile("[. ]")}  # what groups thousands, by the decimal point
_DIGITS = re.compile(r"(?P<digits>[0-9][0-9.,\s\u00a0\u202f'’]*)(?:[eE](?P<exponent>[-+]?[0-9]{1,3}))?")
THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
"""Currencies with a thousandth; three digits behind a separator are thousands in all others."""
_SIGNS = (
    "kr.",
    "kr",
    "zł",
    "Rp",
    "RM",
    "Kč",
    "Ft",
    "lei",
    "Fr.",
    "TL",
    "руб.",
    "грн",
    "лв.",
    "Kčs",
    "円",
    "元",
    "원",
)
"""Currencies as shops of their countries write them, where Unicode's data has another short form."""
_UNITS = words(
    "kg g mg µg t lb lbs oz km m cm mm mi ft in yd l ml cl dl gal m² km² m³ ha s ms min h d Hz kHz MHz GHz W kW MW "
    "kWh V A mA mAh GB MB KB kB TB B GiB MiB KiB px pt ° °C °F km/h mph bpm dB kcal cal kJ x ×"
)
_SCALES = {
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "B": 1e9,
    "bn": 1e9,
    "Mio": 1e6,
    "Mrd": 1e9,
    **dict.fromkeys("万萬만", 1e4),
    **dict.fromkeys("亿億억", 1e8),
}
LONGEST_INTEGER = sys.float_info.dig
SHORTEST_PHONE = 9
_SHORT = re.compile(r"([$€£¥]?)([0-9][0-9.,]*[0-9])")  # most of what shops write, and read at once
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_DECIMAL = {
    point: re.compile(rf"(?:0|[1-9][0-9]{{0,{LONGEST_INTEGER - 1}}})[{point}][0-9]+\Z") for point in ".,"
}
_COUNT = re.compile(rf"[1-9][0-9]{{0,{LONGEST_INTEGER - 1}}}|0")
_MARKS = re.compile(r"(?<=[\w%)])(?:\s?(?:\[[^\W_][\w ]{0,9}\]|[*†‡§¶]))+\Z")
_MARKED = re.compile(r"[\]*†‡§¶]\n|[\]*†‡§¶]\Z|[0-9][⁰¹²³⁴-⁹]")
_RAISED = re.compile(r"([0-9]+)[⁰¹²³⁴-⁹]{1,2}(?=\D*\Z)")
_OTHER_SIGNS = {
    "٫": ".",
    "٬": " ",
    "٪": "%",
    "，": ",",
    "．": ".",
    "％": "%",
    "－": "-",
    "（": "(",
    "）": ")",
    "￥": "¥",
}


class Number(NamedTuple):
    """A number as a page writes it.

    negative, digits: the sign, and digits with separators.
    unit: a currency, "%" or a unit of measure; "" for none.
    scale: what the digits are multiplied by: 1,000 for "1.2K".
    exponent: that of "1e5"; None without one.
    is_money: whether the unit is a currency.
    letter: the single letter behind the digits that may be a magnitude, or as well belong to a code: the "K" of "2K",
        the "E" of "1E5"; "" for none.
    """

    negative: bool
    digits: str
    unit: str
    scale: float = 1.0
    exponent: int | None = None
    is_money: bool = False
    letter: str = ""


@cache
def _currencies() -> frozenset[str]:
    from babel import Locale

    known = Locale("en")
    codes = set(known.currencies)
    signs = {sign for sign in known.currency_symbols.values() if not sign.isalpha() or len(sign) < 3}
    return frozenset({*codes, *signs, *_SIGNS, *lexicon.currency_signs()})


@cache
def _around() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What may stand before a number's digits, and what after them."""

    def either(texts: frozenset[str]) -> str:
        longest_first = sorted(texts, key=lambda text: (-len(text), text))
        return "|".join(rf"(?<![^\W\d]){re.escape(text)}(?![^\W\d])" for text in longest_first)

    money = either(_currencies())
    unit = either(_UNITS)
    scale = either(frozenset(_SCALES))
    before = re.compile(
        rf"(?P<sign>[-+\u2212])?\s*(?P<before>{money})?\s*(?P<open>\()?\s*(?P<sign2>[-\u2212])?\s*(?P<inside>{money})?\s*"
    )
    after = re.compile(
        rf"\s*(?:(?P<scale>{scale})\s*)?(?P<unit>%|{money}|{unit})?\s*(?P<close>\))?\s*(?P<after>{money})?"
    )
    return before, after


@lru_cache(maxsize=1024)
def _head_of(text: str) -> Mapping[str, str | None] | None:
    match = _around()[0].fullmatch(text)
    return match and match.groupdict()


@lru_cache(maxsize=1024)
def _tail_of(text: str) -> Mapping[str, str | None] | None:
    match = _around()[1].fullmatch(text)
    return match and match.groupdict()


def without_marks(texts: Sequence[str | None]) -> list[str | None] | None:
    """Texts of a column without the marks of notes behind them, "[b]", "†", a raised number; None where none has one.

    Raised numbers are marks only where most cells have none, and never behind a 10: others are powers.
    """
    filled = [text for text in texts if text]
    if not _MARKED.search("\n".join(filled)):
        return None
    raised = [match for text in filled if (match := _RAISED.search(text))]
    are_marks = 2 * len(raised) < len(filled) and not any(match[1].endswith("10") for match in raised)
    bare = [text and _MARKS.sub("", text) for text in texts]
    if are_marks:
        bare = [text and _RAISED.sub(r"\1", text) for text in bare]
    return bare if bare != list(texts) and all(text is None or text for text in bare) else None


@cache
def _rated() -> re.Pattern[str]:
    number = r"(\d+(?:[.,]\d+)?)"
    return re.compile(rf"(?:\D*[^\d.,-])?{number}\s*(?:/|{lexicon.alternation('of')})\s*{number}\D*\Z")


def is_rating(name: str) -> bool:
    """Whether a column of a name has ratings."""
    known = lexicon.words("column_rating")
    return not set(re.split(r"[\s_-]+", name.casefold())).isdisjoint(known)


def ratings_of(texts: Sequence[str | None]) -> tuple[list[str | None], str] | None:
    """Ratings without their scale, and the scale: "4.6" and "5" for "4.6 out of 5"; None where texts are no such.

    Texts that are no ratings stay as they are.
    """
    found = [_rated().match(lexicon.fold(text)) if text else None for text in texts]
    scales = {match[2] for match in found if match}
    if len(scales) != 1:
        return None
    scale = scales.pop()
    most = float(scale.replace(",", "."))
    if any(float(match[1].replace(",", ".")) > most for match in found if match):
        return None
    return [match[1] if match else text for match, text in zip(found, texts, strict=True)], scale


def counts_of(texts: Sequence[str | None]) -> list[int | None] | None:
    """The values of a column of nothing but digits, if they can be read in one way only; None for all others."""
    filled = [text for text in texts if text]
    if not filled or not all(map(_COUNT.fullmatch, filled)):
        return None
    lengths = set(map(len, filled))
    if len(lengths) == 1 and min(lengths) >= SHORTEST_PHONE:
        return None
    return [int(text) if text else None for text in texts]


def read_number(text: str) -> Number | None:
    """Take a number apart; None where the text is no number."""
    if text.isascii() and text.isdigit():
        return Number(False, text, "")
    if (short := _SHORT.fullmatch(text)) is not None:
        unit, digits = short.groups()
        return Number(False, digits, unit, is_money=bool(unit))
    text = in_ascii_digits(text.strip())
    match = _DIGITS.search(text)
    if match is None:
        return None
    # A column has few signs and units: what they mean is kept, and the digits are all that is read of each cell.
    tail = _tail_of(text[match.end() :])
    head = _head_of(text[: match.start()]) if tail is not None else None
    if head is None or tail is None or bool(head["open"]) != bool(tail["close"]):
        return None
    exponent = match["exponent"]
    units = [found for found in (head["before"], head["inside"], tail["unit"], tail["after"]) if found]
    if (head["sign"] and head["sign2"]) or len(units) > 1 or (exponent and (units or tail["scale"])):
        return None
    unit = units[0] if units else ""
    scale = tail["scale"] or ""
    letter = text[match.start("exponent") - 1] if exponent else scale if scale.isascii() else ""
    minus = head["sign"] in {"-", "\u2212"} or bool(head["sign2"])
    return Number(
        minus or bool(head["open"]),
        GAPS.sub(" ", match["digits"].strip()),
        unit,
        _SCALES.get(scale, 1.0),
        int(exponent) if exponent else None,
        unit in _currencies(),
        letter if len(letter) == 1 else "",
    )


def in_ascii_digits(text: str) -> str:
    """A text with digits and separators of one other script, or of full width, as ASCII; any other as it is."""
    if text.isascii() or not _OTHER_DIGIT.search(text):
        return text
    others = [letter for letter in text if letter > "9" and letter.isdecimal()]
    zeros = {chr(ord(letter) - unicodedata.digit(letter)) for letter in others}
    if len(zeros) != 1 or any("0" <= letter <= "9" for letter in text):
        return text
    return "".join(
        str(unicodedata.digit(letter)) if letter.isdecimal() else _OTHER_SIGNS.get(letter, letter)
        for letter in text
    )


def value_of(number: Number, point: str) -> int | float | None:
    """The value, if the digits are well formed with this decimal point."""
    value = _plain_value(number.digits, point)
    if value is None:
        return None
    if number.exponent is not None:
        value = float(f"{value}e{number.exponent}")
    elif number.scale != 1.0:
        value = round(value * number.scale, 6)
    return -value if number.negative else value


def _plain_value(digits: str, point: str) -> int | float | None:
    if PLAIN.match(digits) and digits[0] != "0" and len(digits) <= LONGEST_INTEGER:
        return int(digits)
    if _DECIMAL[point].match(digits):
        return float(digits.replace(",", "."))
    groups = _GROUPS[point]
    whole, _, rest = digits.partition(point)
    if rest and not PLAIN.match(rest):
        return None
    parts = groups.split(whole)
    if (
        (len(parts) > 2 and len(set(groups.findall(whole))) > 1)
        or not all(PLAIN.match(part) for part in parts)
        or not _is_grouped(parts)
    ):
        return None
    joined = "".join(parts)
    if (len(joined) > 1 and joined[0] == "0") or len(joined) > LONGEST_INTEGER:
        return None
    return float(f"{joined}.{rest}") if point in digits and rest else int(joined)


def _is_grouped(parts: list[str]) -> bool:
    """Whether digits stand in groups of three, or as in India: three at the end, and two before."""
    if len(parts) == 1:
        return True
    is_indian = len(parts) > 2 and len(parts[0]) <= 2 and all(len(part) == 2 for part in parts[1:-1])
    inner = all(len(part) == 3 for part in parts[1:-1]) and 1 <= len(parts[0]) <= 3
    return len(parts[-1]) == 3 and (inner or is_indian)


_TRUE_SIGNS = frozenset({"1", "y", "on", "✓", "✔", "☑", "✅"})
_FALSE_SIGNS = frozenset({"0", "n", "off", "✗", "✘", "☐", "❌"})
_PAIRS = (("yes", "no"), ("says_true", "says_false"))
"""Meanings of words, of which a column has both or none."""


def flag_of(text: str) -> bool | None:
    """Whether a cell of a column of flags says that something holds; None where it says neither."""
    word = text.strip().casefold()
    for true, false in _PAIRS:
        if word in _TRUE_SIGNS or lexicon.is_all(true, word):
            return True
        if word in _FALSE_SIGNS or lexicon.is_all(false, word):
            return False
    return None


def flags_shown(texts: Sequence[str | None]) -> tuple[list[bool | None], str] | None:
    """The flags of a column that has a word for true and one for false of a language, and nothing else; and the rule.

    A column that says "No" only may be of Norway, and one of "1" and "0" of counts: nothing there shows which.

    texts: what the page says, None for a blank.
    """
    folded: dict[str, str] = {}
    for text in texts:
        if text and text not in folded:
            folded[text] = lexicon.bare(text)
            if len(set(folded.values())) > 2:
                return None
    words = set(folded.values())
    for true, false in _PAIRS:
        for language in lexicon.languages():
            holds, fails = (words.intersection(_words(meaning, language)) for meaning in (true, false))
            if holds and fails and holds | fails == words:
                flags = [folded[text] in holds if text else None for text in texts]
                return flags, rule_of(texts, flags)
    return None


def rule_of(texts: Sequence[str | None], flags: Sequence[bool | None]) -> str:
    """What was taken for true and false, in words."""
    words = {
        flag: text.strip()
        for text, flag in reversed(list(zip(texts, flags, strict=True)))
        if text and flag is not None
    }
    return ", ".join(f"{words[flag]!r} is {str(flag).lower()}" for flag in (True, False) if flag in words)


@cache
def _words(meaning: str, language: str) -> frozenset[str]:
    return frozenset(map(lexicon.bare, lexicon.words(meaning, language)))
