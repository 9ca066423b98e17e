"""Columns of page text to columns of types, never losing anything.

A column becomes numbers, dates or booleans only if every value in it that isn't blank can be read as one; codes with
leading zeros, phone numbers and the like stay text. What the page said is kept beside it (`df.skillbook.raw`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from skillbook import lexicon
from skillbook.errors import ExtractionError
from skillbook.extraction.frames.date_columns import (
    NUMERIC_DATE,
    Notation,
    dates_of,
    is_numeric_date,
    order_shown,
    read_date,
)
from skillbook.extraction.frames.number_texts import (
    GAPS,
    PLAIN,
    SHORTEST_PHONE,
    THREE_DECIMALS,
    Number,
    counts_of,
    flag_of,
    flags_shown,
    read_number,
    rule_of,
    value_of,
    without_marks,
)
from skillbook.perception.collections.measures import HALF, LARGE_SAMPLE, NEARLY_ALL
from skillbook.perception.nodes.columns import FEWEST

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
_CODES = frozenset({"postal_code", "phone", "iban", "personal_number", "card_number"})
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")  # where a word begins in a name such as "zipCode"
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(\.[0-9]{3})+\Z")
_IN_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3})+\Z")
_ONE_DECIMAL = re.compile(r"[0-9]+\.[0-9]\Z")
# A version after another one's "1.9", or a number with a zero too many.
_COUNTED = re.compile(r"[0-9]+\.[1-9]0\Z")
_DIALLED = re.compile(r"[0-9][0-9 \u00a0\u202f]*\Z")
_POINT_NAMES = {".": "point", ",": "comma"}
_UNKNOWN = Notation()
BLANKS = frozenset(
    [
        "-",
        "–",
        "—",
        "―",
        "--",
        "---",
        "n/a",
        "na",
        "n.a.",
        "#n/a",
        "nan",
        "null",
        "none",
        "k.a.",
        ".",
        "…",
        "?",
    ]
)
"""What stands in cells that have no value; a column is typed without them."""
_BLANKS_BEGIN = frozenset(letter for blank in BLANKS for letter in (blank[0], blank[0].upper()))
_LONGEST_BLANK = max(map(len, BLANKS))
_MAY_BE_BLANK = re.compile(
    rf"(?=[\x00-\x20{re.escape(''.join(sorted(_BLANKS_BEGIN)))}]|[^\x00-\x7f]|\Z)(?:\s*\S){{0,{_LONGEST_BLANK}}}\s*\Z"
)


def parse_number(text: str) -> float | None:
    """One number alone, read as English where that is possible, else with a decimal comma."""
    number = read_number(text)
    if number is None:
        return None
    for point in (".", ","):
        value = value_of(number, point)
        if value is not None:
            return float(value)
    return None


@dataclass(frozen=True)
class Typed:
    """A column's values with their type and unit (a currency or "%"), and the rule that they were read by."""

    values: pd.Series[Any]
    unit: str = ""
    rule: str = ""


def notation_shown(columns: Mapping[str, Sequence[str | None]], known: Notation) -> Notation:
    """How numbers and dates are written by what columns show beyond doubt, else as is known otherwise.

    columns: what the page says in each.
    known: what counts where no column shows it, or where they differ.
    """
    points, orders = [], []
    for name, texts in columns.items():
        filled = [text.strip() for text in texts[:LARGE_SAMPLE] if text]
        if not filled or names_codes(name):
            continue
        numbers = (
            _read_all(read_number, filled) if any("." in text or "," in text for text in filled) else None
        )
        if numbers is not None and len(fitting := _fitting_points(numbers)) == 1:
            points += fitting
        dates = _read_all(NUMERIC_DATE.match, filled)
        if dates is not None and (order := order_shown([match for match in dates if match[2] != "."])):
            orders.append(order)
    return known.with_shown(points, orders)


def _read_all(read: Callable[[str], T | None], texts: Sequence[str]) -> list[T] | None:
    """What texts are read as; None where one can't be read, after which no more are."""
    found: list[T] = []
    for text in texts:
        if (one := read(text)) is None:
            return None
        found.append(one)
    return found


def convert(
    name: str,
    texts: Sequence[str | None],
    *,
    from_checkboxes: bool = False,
    notation: Notation = _UNKNOWN,
    as_numbers: bool = False,
) -> Typed:
    """A column of texts as what they are.

    name: the column's name; codes and phone numbers are known by it.
    texts: what the page says, None where a row has no such field.
    notation: how the page writes what can be read in two ways.
    as_numbers: the caller says that they are numbers, so that a letter behind their digits is a magnitude.
    """
    import pandas as pd

    filled = [text for text in texts if text]
    if filled and from_checkboxes and set(filled) <= {"true", "false"}:
        flags = [None if not text else text == "true" for text in texts]
        return Typed(pd.Series(flags, dtype="boolean" if None in flags else "bool"))
    why = ""
    if filled and not names_codes(name):
        blanks = blanks_in(filled)
        known = [None if not text or text in blanks else text for text in texts]
        blank = next((text for text in filled if text in blanks), "") if blanks else ""
        there = [text for text in known if text]
        found = _read(known, notation, as_numbers)
        if found is None and (unmarked := without_marks(known)) is not None:
            found = _read(unmarked, notation, as_numbers)
            if found is not None:
                first = next(
                    text for text, bare in zip(known, unmarked, strict=True) if text and text != bare
                )
                rule = f"marks of notes are left out: {first[:40]!r}"
                found = Typed(found.values, found.unit, "; ".join(filter(None, [found.rule, rule])))
        if found is not None and there:
            rule = "; ".join(filter(None, [found.rule, f"{blank.strip()!r} is blank" if blank else ""]))
            is_typed = found.values.dtype.kind in "bifM" or str(found.values.dtype).startswith("Int")
            return Typed(found.values, found.unit, rule) if is_typed else Typed(_texts(texts), "", found.rule)
        why = _why_text(texts, blanks)
    return Typed(_texts(texts), "", why)


def _read(texts: Sequence[str | None], notation: Notation, as_numbers: bool) -> Typed | None:
    """Texts as flags, numbers or dates; None where they are none of these."""
    if (found := _flags(texts) or _numbers(texts, notation, as_numbers)) is not None:
        return found
    dates = dates_of(texts, [text for text in texts if text], notation)
    return Typed(dates[0], "", dates[1]) if dates else None


def blanks_in(texts: Iterable[str]) -> frozenset[str]:
    """Those of some texts that say that a cell has no value."""
    return frozenset(filter(is_blank, filter(_MAY_BE_BLANK.match, texts)))


def is_blank(text: str) -> bool:
    """Whether a cell says that it has no value: "—", "n/a"."""
    return "".join(text.split()).casefold() in BLANKS or not text.strip()


def _texts(texts: Sequence[str | None]) -> pd.Series[Any]:
    import pandas as pd

    return pd.Series(list(texts), dtype="str")


def _why_text(texts: Sequence[str | None], blanks: frozenset[str]) -> str:
    """Why a column that is mostly numbers or dates stayed text, and which cell did it; "" for others."""
    filled = [(row, text) for row, text in enumerate(texts) if text and text not in blanks]
    odd = _first_odd(filled, lambda text: read_number(text) is not None)
    if odd is None or (odd and len(filled) < FEWEST):
        odd = _first_odd(filled, lambda text: is_numeric_date(text) or read_date(text) is not None)
        return f"text: row {odd[0]} says {odd[1][:40]!r}, which is no date" if odd else ""
    if odd:
        return f"text: row {odd[0]} says {odd[1][:40]!r}, which is no number"
    numbers = {row: number for row, text in filled if (number := read_number(text))}
    units = {number.unit: row for row, number in reversed(numbers.items())}
    if len(units) > 1:
        shown = ", ".join(
            f"{unit or 'none'} in row {row}" for unit, row in sorted(units.items(), key=lambda u: u[1])
        )
        return f"text: several units ({shown})"
    if exponent := next((text for row, text in filled if numbers[row].exponent is not None), None):
        return f"text: {exponent[:40]!r} may be a code, and other values have no exponent"
    return ""


def _first_odd(
    filled: Sequence[tuple[int, str]], is_one: Callable[[str], bool]
) -> tuple[int, str] | tuple[()] | None:
    """The first that isn't of a kind, () if all are; None where most aren't, which is known before all are read."""
    some = filled[:: -(-len(filled) // LARGE_SAMPLE)] if filled else filled
    if sum(not is_one(text) for _, text in some) > NEARLY_ALL * len(some):
        return None
    first: tuple[int, str] | tuple[()] = ()
    odd = 0
    for pair in filled:
        if is_one(pair[1]):
            continue
        first, odd = first or pair, odd + 1
        if len(filled) - odd < HALF * len(filled):
            return None
    return first


def names_codes(name: str) -> bool:
    """Whether a column's name says that its digits are no numbers to count with."""
    words = _HUMP.sub(" ", name).replace("_", " ")
    named = re.search(lexicon.alternation("column_code"), lexicon.fold(words))
    return named is not None or not _CODES.isdisjoint(lexicon.meanings(words))


def check_types(types: Mapping[str, type] | None, columns: Sequence[str]) -> Mapping[str, type]:
    """The types that the caller gives columns, once it is clear that they can be given.

    Raises ExtractionError: no such column, or another type than `str`, `Decimal` and `bool`.
    """
    for column, kind in (types or {}).items():
        if column not in columns:
            known = ", ".join(map(repr, columns))
            raise ExtractionError(f"types names {column!r}, which is no column", hint=f"there are {known}")
        if kind not in {str, Decimal, bool}:
            name = getattr(kind, "__name__", kind)
            raise ExtractionError(
                f"types can't make {column!r} {name}",
                hint="give str, Decimal or bool; numbers and dates are found by themselves: if texts such as"
                " 'Sold out' stand in their way, give na_values=['Sold out']",
            )
    return types or {}


def check_columns(names: Sequence[str], columns: Sequence[str]) -> Sequence[str]:
    """The columns that the caller wants dates in.

    Raises ExtractionError: one is no column.
    """
    names = [names] if isinstance(names, str) else names
    if lost := [name for name in names if name not in columns]:
        known = ", ".join(map(repr, columns))
        raise ExtractionError(f"parse_dates names {lost[0]!r}, which is no column", hint=f"there are {known}")
    return names


def convert_to(
    kind: type, column: str, texts: Sequence[str | None], *, notation: Notation = _UNKNOWN
) -> Typed:
    """A column as text, as flags, or as exact decimal numbers that keep the digits the page shows (`86.30`).

    Raises ExtractionError: a value is no flag or no number, or can be two.
    """
    import pandas as pd

    if kind is str:
        return Typed(pd.Series(list(texts), dtype="str"))
    if kind is bool:
        return _flags_of(column, texts)
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
    rule = "; ".join(filter(None, [rule, *_letters_read(known)]))
    return Typed(pd.Series(values, dtype="object"), units.pop() if units else "", rule)


def _flags_of(column: str, texts: Sequence[str | None]) -> Typed:
    import pandas as pd

    flags = [None if text is None or is_blank(text) else flag_of(text) for text in texts]
    for row, (text, flag) in enumerate(zip(texts, flags, strict=True)):
        if flag is None and text and not is_blank(text):
            raise ExtractionError(
                f"{column!r} can't be booleans: row {row} says {text[:80]!r}", hint="read it as str"
            )
    blank = next((text for text in texts if text and is_blank(text)), "")
    rule = "; ".join(filter(None, [rule_of(texts, flags), f"{blank.strip()!r} is blank" if blank else ""]))
    return Typed(pd.Series(flags, dtype="boolean" if None in flags else "bool"), "", rule)


def _decimal(number: Number, point: str) -> Decimal:
    whole, _, rest = number.digits.partition(point)
    value = Decimal(f"{re.sub(r'[^0-9]', '', whole)}.{rest}" if rest else re.sub(r"[^0-9]", "", whole))
    if number.scale != 1.0 or number.exponent is not None:
        value *= Decimal(int(number.scale)) * Decimal(10) ** (number.exponent or 0)
    return -value if number.negative else value


def _flags(texts: Sequence[str | None]) -> Typed | None:
    import pandas as pd

    if (found := flags_shown(texts)) is None:
        return None
    flags, rule = found
    return Typed(pd.Series(flags, dtype="boolean" if None in flags else "bool"), "", rule)


def _numbers(texts: Sequence[str | None], notation: Notation, as_numbers: bool) -> Typed | None:
    import pandas as pd

    if (counts := counts_of(texts)) is not None:
        return Typed(pd.Series(counts, dtype="Int64" if None in counts else "int64"))
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
    if doubt := _doubt(texts, known, as_numbers):
        return Typed(pd.Series(list(texts), dtype="str"), "", doubt)
    values = [None if number is None else value_of(number, point) for number in read]
    if sum(value is None for value in values) != sum(not text for text in texts):
        return None
    if any(text and text.strip().startswith("(") for text in texts):
        rule = "; ".join(filter(None, [rule, "brackets are negative"]))
    unit = known[0].unit
    rule = "; ".join(filter(None, [rule, *_letters_read(known)]))
    if any(number.exponent is not None for number in known) and not all(
        number.exponent is not None or "." in number.digits for number in known
    ):
        return None  # codes such as 1E5 beside 12
    whole = all(isinstance(value, int) for value in values if value is not None)
    if whole and not known[0].is_money:
        return Typed(pd.Series(values, dtype="Int64" if None in values else "int64"), unit, rule)
    floats = [float("nan") if value is None else float(value) for value in values]
    return Typed(pd.Series(floats, dtype="float64"), unit, rule)


def _letters_read(numbers: Sequence[Number]) -> list[str]:
    """What letters behind the digits were taken for."""
    unit = numbers[0].unit if numbers else ""
    return [
        *(["K is thousands, M millions, B billions"] if any(each.scale != 1.0 for each in numbers) else []),
        *(["E is a power of ten"] if any(each.exponent is not None for each in numbers) else []),
        *([f"{unit} is a unit"] if len(unit) == 1 and unit.isalpha() and not numbers[0].is_money else []),
    ]


def _doubt(texts: Sequence[str | None], numbers: Sequence[Number], as_numbers: bool) -> str:
    """Why what could be numbers stays text: as numbers they would lose, or change, what the page says.

    "1.9" shows that trailing zeros are left out, and "1.10" that they aren't: so versions and sections are counted.
    Counts, as of reviews, stand in brackets too; only those of some values beside others are signs. Long numbers of one
    length are dialled, or name something, more often than they are counted. A letter is a magnitude beside a currency,
    a unit or a separator of the same column; else it may belong to a code, as of the seat 2B and the flat 1E5.
    """
    filled = [text.strip() for text in texts if text and text.strip()]
    if numbers[0].unit:
        return ""
    coded = [text for text, number in zip(filled, numbers, strict=True) if number.letter]
    if coded and not as_numbers and all(PLAIN.match(number.digits) for number in numbers):
        return f"ambiguous: {coded[0]!r} may be a code or a number, and no value has a separator, currency or unit"
    counted = [text for text in filled if _COUNTED.match(text)]
    if counted and all(text[0].isdigit() for text in filled) and any(map(_ONE_DECIMAL.match, filled)):
        return f"ambiguous: {counted[0]!r} may be a version or a number, and other values have one decimal"
    lengths = {len(GAPS.sub("", text)) for text in filled}
    if (
        len(filled) > len(lengths) == 1
        and min(lengths) >= SHORTEST_PHONE
        and all(map(_DIALLED.match, filled))
    ):
        return f"ambiguous: {filled[0]!r} may be a telephone number, a code or a number, and all have as many digits"
    if all(text[0] == "(" and "." not in text for text in filled):
        return f"ambiguous: {filled[0]!r} may be a count or a negative number, and every value has brackets"
    return ""


def _fitting_points(numbers: Sequence[Number]) -> list[str]:
    """The decimal points that every number is well formed with."""
    return [point for point in _POINT_NAMES if all(value_of(number, point) is not None for number in numbers)]


def _reading(numbers: Sequence[Number], notation: Notation) -> tuple[str | None, str]:
    """The decimal point of a column, and the rule by which it is read so; no point where it stays text.

    What reads both ways, such as "1.234" alone, is read as the page writes other numbers; where nothing shows that, as
    English. Three digits behind every comma are thousands in software that wasn't translated, and decimals by the
    page's language: neither is sure.
    """
    fitting = _fitting_points(numbers)
    marked = [number for number in numbers if re.search("[.,]", number.digits)]
    if len(fitting) == len(_POINT_NAMES) and marked and _is_money_in_thousands(marked):
        of_thousands = "," if "." in marked[0].digits else "."
        if notation.decimal_point is None or notation.decimal_point.value != of_thousands:
            why = f"three digits behind a separator are thousands in {marked[0].unit}"
            return of_thousands, f"{marked[0].digits!r}: {why}"
    if len(fitting) < len(_POINT_NAMES) or not marked:
        point = next(iter(fitting), None)
        return point, "decimal comma" if marked and point == "," else ""
    first, habit = marked[0], notation.decimal_point
    if _has_grouping_points(numbers) and not (habit and habit.why == "as given"):
        habit = None
        point = ","
    else:
        point = habit.value if habit else "."
    value = value_of(first, point)
    if habit is None:
        return point, f"ambiguous: {first.digits!r} is read as {value}, with a decimal {_POINT_NAMES[point]}"
    if point == "," and habit.from_language and any("," in number.digits for number in marked):
        return (
            None,
            f"ambiguous: {first.digits!r} may have thousands or decimals, and no number here shows which",
        )
    return point, f"decimal {_POINT_NAMES[point]}: {habit.why}"


def _is_money_in_thousands(marked: Sequence[Number]) -> bool:
    """Whether every separator is followed by three digits, in a currency that has no thousandth."""
    one = len({"." in number.digits for number in marked}) == 1
    grouped = all(_IN_THOUSANDS.match(number.digits) and number.scale == 1.0 for number in marked)
    return one and grouped and marked[0].is_money and marked[0].unit not in THREE_DECIMALS


def _has_grouping_points(numbers: Sequence[Number]) -> bool:
    """Whether points can only group thousands, as in "980", "1.230" and "12.345".

    Every point is followed by three digits. As decimals, "980" shows that the page leaves trailing zeros out, and
    "1.230" that it doesn't.
    """
    marked = [number.digits for number in numbers if "." in number.digits]
    has_plain = any(PLAIN.match(number.digits) for number in numbers)
    grouped = all(_GROUPED.match(digits) for digits in marked)
    return has_plain and grouped and any(digits.endswith("0") for digits in marked)
