"""Columns of page text to columns of types, never losing anything.

A column becomes numbers, dates or booleans only if every value in it that isn't blank can be read as one; codes with
leading zeros, phone numbers and the like stay text. What the page said is kept beside it (`df.skillbook.raw`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from skillbook import lexicon
from skillbook.errors import ExtractionError
from skillbook.extraction.frames.notation import Notation

if TYPE_CHECKING:
    import pandas as pd

_CODE_NAMES = re.compile(
    r"(?i)\b(sku|code|zip|postal|phone|mobile|fax|isbn|ean|gtin|upc|account|version|release|revision|firmware|chapter|"
    r"section|serial|vat)s?\b"
)
_CODES = frozenset({"postal_code", "phone", "iban", "personal_number", "card_number"})
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")  # where a word begins in a name such as "zipCode"
_CURRENCY = (
    r"[$€£¥₹₩₽₺₴₪฿₫]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|KRW|TRY|ZAR)\b"
    r"|kr\.?|zł"
)
_NUMBER = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[-+\u2212])?\s*(?P<before>{_CURRENCY})?\s*(?P<sign2>[-\u2212])?\s*"
    r"(?P<digits>[0-9][0-9.,\s\u00a0\u202f'’]*)\s*"
    rf"(?P<unit>%|{_CURRENCY})?\s*(?P<close>\))?\Z"
)
_PLAIN = re.compile(r"[0-9]+\Z")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(\.[0-9]{3})+\Z")
_ONE_DECIMAL = re.compile(r"[0-9]+\.[0-9]\Z")
_COUNTED = re.compile(
    r"[0-9]+\.[1-9]0\Z"
)  # a version after another one's "1.9", or a number with a zero too many
_GAPS = re.compile(r"[\s\u00a0\u202f'’]")
_LONGEST_INTEGER = 15
_SHORTEST_PHONE = 9
_DIALLED = re.compile(r"[0-9][0-9 \u00a0\u202f]*\Z")
_MONTHS = 12
_DATE_FORMATS = ("ISO8601", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y")
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?\Z")
_NUMERIC_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})\Z")
_POINT_NAMES = {".": "point", ",": "comma"}
_SAMPLE = 500
_UNKNOWN = Notation()
_WORDY = re.compile(r"(\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{1,2}, \d{4})\Z")


@dataclass(frozen=True)
class Number:
    """A number as a page writes it: sign, digits with separators, unit."""

    negative: bool
    digits: str
    unit: str


def read_number(text: str) -> Number | None:
    """Take a number apart; None where the text is no number."""
    if text.isascii() and text.isdigit():
        return Number(False, text, "")
    match = _NUMBER.match(text.strip())
    if match is None or bool(match["open"]) != bool(match["close"]) or (match["sign"] and match["sign2"]):
        return None
    if match["before"] and match["unit"]:
        return None
    digits = _GAPS.sub(" ", match["digits"].strip())
    minus = match["sign"] in {"-", "\u2212"} or bool(match["sign2"])
    return Number(minus or bool(match["open"]), digits, match["before"] or match["unit"] or "")


def parse_number(text: str) -> float | None:
    """One number alone, read as English where that is possible, else with a decimal comma."""
    number = read_number(text)
    if number is None:
        return None
    for point in (".", ","):
        value = _value(number, point)
        if value is not None:
            return float(value)
    return None


def _value(number: Number, point: str) -> int | float | None:
    """The value, if the digits are well formed with this decimal point."""
    if _PLAIN.match(number.digits) and number.digits[0] != "0" and len(number.digits) <= _LONGEST_INTEGER:
        return -int(number.digits) if number.negative else int(number.digits)
    group = "," if point == "." else "."
    whole, _, rest = number.digits.partition(point)
    if rest and not _PLAIN.match(rest):
        return None
    parts = re.split(rf"[{re.escape(group)} ]", whole)
    separators = set(re.findall(rf"[{re.escape(group)} ]", whole))
    if len(separators) > 1 or not all(_PLAIN.match(part) for part in parts):
        return None
    if len(parts) > 1 and (not 1 <= len(parts[0]) <= 3 or any(len(part) != 3 for part in parts[1:])):
        return None
    joined = "".join(parts)
    if (len(joined) > 1 and joined[0] == "0") or len(joined) > _LONGEST_INTEGER:
        return None
    value: int | float = float(f"{joined}.{rest}") if point in number.digits and rest else int(joined)
    return -value if number.negative else value


@dataclass(frozen=True)
class Typed:
    """A column's values with their type and unit (a currency or "%"), and the rule that they were read by."""

    values: pd.Series[Any]
    unit: str = ""
    rule: str = ""


def notation_shown(columns: Mapping[str, Sequence[str | None]], known: Notation) -> Notation:
    """How numbers and dates are written by what columns show beyond doubt, else as is known otherwise.

    Parameters
    ----------
    columns : what the page says in each.
    known : what counts where no column shows it, or where they differ.
    """
    points, orders = [], []
    for name, texts in columns.items():
        said = [text.strip() for text in texts[:_SAMPLE] if text]
        if not said or _names_codes(name):
            continue
        numbers = [read_number(text) for text in said]
        fitting = _fitting_points([number for number in numbers if number is not None])
        if None not in numbers and len(fitting) == 1 and any("." in text or "," in text for text in said):
            points += fitting
        dates = [_NUMERIC_DATE.match(text) for text in said]
        if all(dates) and (order := _order_shown([match for match in dates if match and match[2] != "."])):
            orders.append(order)
    return known.with_shown(points, orders)


def convert(
    name: str,
    texts: Sequence[str | None],
    *,
    from_checkboxes: bool = False,
    notation: Notation = _UNKNOWN,
) -> Typed:
    """A column of texts as what they are.

    Parameters
    ----------
    name : the column's name; codes and phone numbers are known by it.
    texts : what the page says, None where a row has no such field.
    from_checkboxes : the texts are states of checkboxes.
    notation : how the page writes what can be read in two ways.
    """
    import pandas as pd

    said = [text for text in texts if text]
    if said and from_checkboxes and set(said) <= {"true", "false"}:
        flags = [None if not text else text == "true" for text in texts]
        return Typed(pd.Series(flags, dtype="boolean" if None in flags else "bool"))
    if said and not _names_codes(name):
        numbers = _numbers(texts, notation)
        if numbers is not None:
            return numbers
        dates = _dates(texts, said) or _numeric_dates(texts, said, notation)
        if dates is not None:
            return dates
    return Typed(pd.Series(list(texts), dtype="str"))


def _names_codes(name: str) -> bool:
    """Whether a column's name says that its digits are no numbers to count with."""
    said = _HUMP.sub(" ", name).replace("_", " ")
    return bool(_CODE_NAMES.search(said)) or not _CODES.isdisjoint(lexicon.meanings(said))


def check_types(types: Mapping[str, type] | None, columns: Sequence[str]) -> Mapping[str, type]:
    """The types that the caller gives columns, once it is clear that they can be given.

    Raises
    ------
    ExtractionError : no such column, or another type than `str` and `Decimal`.
    """
    for column, kind in (types or {}).items():
        if column not in columns:
            known = ", ".join(map(repr, columns))
            raise ExtractionError(f"types names {column!r}, which is no column", hint=f"there are {known}")
        if kind not in {str, Decimal}:
            name = getattr(kind, "__name__", kind)
            raise ExtractionError(
                f"types can't make {column!r} {name}",
                hint="give str or Decimal; others are found by themselves",
            )
    return types or {}


def convert_to(
    kind: type, column: str, texts: Sequence[str | None], *, notation: Notation = _UNKNOWN
) -> Typed:
    """A column as text, or as exact decimal numbers that keep the digits the page shows (`86.30`).

    Raises
    ------
    ExtractionError : a value isn't a number, or can be two.
    """
    import pandas as pd

    if kind is str:
        return Typed(pd.Series(list(texts), dtype="str"))
    read = [read_number(text) if text else None for text in texts]
    for row, (text, number) in enumerate(zip(texts, read, strict=True)):
        if text and number is None:
            raise ExtractionError(
                f"{column!r} can't be decimal numbers: row {row} says {text[:80]!r}", hint="read it as str"
            )
    known = [number for number in read if number is not None]
    point, rule = _reading(known, notation)
    if known and point is None:
        problem = rule or "numbers with points and commas in different places"
        raise ExtractionError(f"{column!r} has {problem}", hint="read it as str")
    values = [None if number is None else _decimal(number, point or ".") for number in read]
    units = {number.unit for number in known}
    if len(units) > 1:
        found = ", ".join(sorted(units))
        raise ExtractionError(f"{column!r} has several units: {found}", hint="read it as str")
    return Typed(pd.Series(values, dtype="object"), units.pop() if units else "", rule)


def _decimal(number: Number, point: str) -> Decimal:
    whole, _, rest = number.digits.partition(point)
    value = Decimal(f"{re.sub(r'[^0-9]', '', whole)}.{rest}" if rest else re.sub(r"[^0-9]", "", whole))
    return -value if number.negative else value


def _numbers(texts: Sequence[str | None], notation: Notation) -> Typed | None:
    import pandas as pd

    read: list[Number | None] = []
    for text in texts:
        number = read_number(text) if text else None
        if text and number is None:
            return None
        read.append(number)
    known = [number for number in read if number is not None]
    if len({number.unit for number in known}) != 1:
        return None
    if any(text and text.lstrip().startswith("+") and len(text.strip()) > 7 for text in texts):
        return None
    point, rule = _reading(known, notation)
    if point is None:
        return Typed(pd.Series(list(texts), dtype="str"), "", rule) if rule else None
    if doubt := _doubt(texts, known):
        return Typed(pd.Series(list(texts), dtype="str"), "", doubt)
    values = [None if number is None else _value(number, point) for number in read]
    if sum(value is None for value in values) != sum(not text for text in texts):
        return None
    if any(text and text.strip().startswith("(") for text in texts):
        rule = "; ".join(filter(None, [rule, "brackets are negative"]))
    unit = known[0].unit
    whole = all(isinstance(value, int) for value in values if value is not None)
    if whole and (not unit or unit == "%"):
        return Typed(pd.Series(values, dtype="Int64" if None in values else "int64"), unit, rule)
    floats = [float("nan") if value is None else float(value) for value in values]
    return Typed(pd.Series(floats, dtype="float64"), unit, rule)


def _doubt(texts: Sequence[str | None], numbers: Sequence[Number]) -> str:
    """Why what could be numbers stays text: as numbers they would lose, or change, what the page says.

    "1.9" shows that trailing zeros are left out, and "1.10" that they aren't: so versions and sections are counted.
    Counts, as of reviews, stand in brackets too; only those of some values beside others are signs. Long numbers of one
    length are dialled, or name something, more often than they are counted.
    """
    said = [text.strip() for text in texts if text and text.strip()]
    if numbers[0].unit:
        return ""
    counted = [text for text in said if _COUNTED.match(text)]
    if counted and all(text[0].isdigit() for text in said) and any(map(_ONE_DECIMAL.match, said)):
        return f"ambiguous: {counted[0]!r} may be a version or a number, and other values have one decimal"
    lengths = {len(_GAPS.sub("", text)) for text in said}
    if len(said) > len(lengths) == 1 and min(lengths) >= _SHORTEST_PHONE and all(map(_DIALLED.match, said)):
        return f"ambiguous: {said[0]!r} may be a telephone number, a code or a number, and all have as many digits"
    if all(text[0] == "(" and "." not in text for text in said):
        return f"ambiguous: {said[0]!r} may be a count or a negative number, and every value has brackets"
    return ""


def _fitting_points(numbers: Sequence[Number]) -> list[str]:
    """The decimal points that every number is well formed with."""
    return [point for point in _POINT_NAMES if all(_value(number, point) is not None for number in numbers)]


def _reading(numbers: Sequence[Number], notation: Notation) -> tuple[str | None, str]:
    """The decimal point of a column, and the rule by which it is read so; no point where it stays text.

    What reads both ways, such as "1.234" alone, is read as the page writes other numbers; where nothing shows that, as
    English. Three digits behind every comma are thousands in software that wasn't translated, and decimals by the
    page's language: neither is sure.
    """
    fitting = _fitting_points(numbers)
    marked = [number for number in numbers if re.search("[.,]", number.digits)]
    if len(fitting) < len(_POINT_NAMES) or not marked:
        point = next(iter(fitting), None)
        return point, "decimal comma" if marked and point == "," else ""
    first, habit = marked[0], notation.decimal_point
    if _has_grouping_points(numbers):
        habit = None
        point = ","
    else:
        point = habit.value if habit else "."
    value = _value(first, point)
    if habit is None:
        return point, f"ambiguous: {first.digits!r} is read as {value}, with a decimal {_POINT_NAMES[point]}"
    if point == "," and habit.from_language and any("," in number.digits for number in marked):
        return (
            None,
            f"ambiguous: {first.digits!r} may have thousands or decimals, and no number here shows which",
        )
    return point, f"decimal {_POINT_NAMES[point]}: {habit.why}"


def _has_grouping_points(numbers: Sequence[Number]) -> bool:
    """Whether points can only group thousands, as in "980", "1.230" and "12.345".

    Every point is followed by three digits. As decimals, "980" shows that the page leaves trailing zeros out, and
    "1.230" that it doesn't.
    """
    marked = [number.digits for number in numbers if "." in number.digits]
    has_plain = any(_PLAIN.match(number.digits) for number in numbers)
    grouped = all(_GROUPED.match(digits) for digits in marked)
    return has_plain and grouped and any(digits.endswith("0") for digits in marked)


def _dates(texts: Sequence[str | None], said: Sequence[str]) -> Typed | None:
    import pandas as pd

    if all(_ISO.match(text.strip()) for text in said):
        formats: tuple[str, ...] = _DATE_FORMATS[:1]
    elif all(_WORDY.match(text.strip()) for text in said):
        formats = _DATE_FORMATS[1:]
    else:
        return None
    for form in formats:
        try:
            values = pd.to_datetime(pd.Series([text or None for text in texts], dtype="str"), format=form)
        except ValueError:
            continue
        if isinstance(values.dtype, pd.DatetimeTZDtype) or values.dtype.kind == "M":
            return Typed(values)
    return None


def _order_shown(dates: Sequence[re.Match[str]]) -> str | None:
    """What numeric dates begin with: "day" or "month"; "" where they contradict each other, None where none shows."""
    shown = {
        "day" if int(match[1]) > _MONTHS else "month"
        for match in dates
        if max(int(match[1]), int(match[3])) > _MONTHS
    }
    return None if not shown else shown.pop() if len(shown) == 1 else ""


def _numeric_dates(texts: Sequence[str | None], said: Sequence[str], notation: Notation) -> Typed | None:
    """Dates such as 31.12.2024 and 12/31/2024; where nothing shows which is the day, text that says so."""
    import pandas as pd

    read = [match for text in said if (match := _NUMERIC_DATE.match(text.strip()))]
    if len(read) != len(said) or len({match[2] for match in read}) != 1:
        return None
    separator = read[0][2]
    order = "day" if separator == "." else _order_shown(read)
    if order == "":
        return None
    rule = f"{order} first"
    if order is None and notation.first is not None:
        order = notation.first.value
        rule = f"{order} first: {notation.first.why}"
    if order is None:
        rule = f"ambiguous: {said[0].strip()!r} may have its day or its month first, and no date here shows which"
        return Typed(pd.Series(list(texts), dtype="str"), "", rule)
    form = separator.join(("%d", "%m", "%Y") if order == "day" else ("%m", "%d", "%Y"))
    try:
        values = pd.to_datetime(
            pd.Series([text or None for text in texts], dtype="str").str.strip(), format=form
        )
    except ValueError:
        return None
    return Typed(values, "", rule)
