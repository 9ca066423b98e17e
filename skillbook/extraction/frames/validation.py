"""Every row of a frame against a pydantic model or a pandera schema: rows that fail stay, and each fault is kept."""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from skillbook.errors import ExtractionError
from skillbook.extraction.frames.date_columns import Notation
from skillbook.extraction.frames.dtypes import Typed, convert, convert_to, is_blank
from skillbook.extraction.frames.number_texts import flag_of, is_rating, ratings_of, read_number, rule_of

if TYPE_CHECKING:
    import pandas as pd


INVALID = "don't fit the schema: see `df.skillbook.report`"


class InvalidRows(UserWarning):
    """Rows of a frame don't fit its schema."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    column: its column; "" where the whole row is meant.
    value: what the page says there; None where it says nothing.
    """

    row: int
    column: str
    value: str | None
    problem: str


_NUMBERS = (int, float, Decimal)
_DATES = (datetime.date, datetime.datetime)


def is_pandera(schema: Any) -> bool:
    """Whether something is a pandera `DataFrameSchema`, or a `DataFrameModel` class."""
    return hasattr(schema, "to_schema") or (hasattr(schema, "columns") and hasattr(schema, "validate"))


def kinds_of(schema: Any) -> dict[str, Any]:
    """The type of each column that a schema names; None where it says none that matters here."""
    if not is_pandera(schema):
        return {name: plain_type(info) for name, info in schema.model_fields.items()}
    whole = schema.to_schema() if hasattr(schema, "to_schema") else schema
    return {str(name): _kind_of_dtype(str(column.dtype)) for name, column in whole.columns.items()}


def _kind_of_dtype(dtype: str) -> Any:
    kinds = {
        "int": int,
        "uint": int,
        "float": float,
        "datetime": datetime.datetime,
        "date": datetime.date,
        "str": str,
    }
    return next((kind for name, kind in kinds.items() if dtype.casefold().startswith(name)), None)


def convert_by(
    kind: Any, column: str, texts: Sequence[str | None], notation: Notation
) -> tuple[Typed, list[Problem]]:
    """A column as its schema says: what can't be read so is blank, and reported.

    kind: the type of the field; others than numbers, dates, `str` and `bool` are found by themselves.
    notation: how the page writes what can be read in two ways.
    """
    if kind is str:
        return convert_to(str, column, texts), []
    if kind is bool:
        return _flags(column, texts)
    if kind not in (*_NUMBERS, *_DATES):
        return convert(column, texts, notation=notation), []
    numeric = kind in _NUMBERS
    what = "number" if numeric else "date"
    rated = ratings_of(texts) if numeric and is_rating(column) else None
    shown = texts if rated is None else rated[0]
    good = [text if text and (not numeric or read_number(text) is not None) else None for text in shown]
    try:
        if kind is Decimal:
            typed = convert_to(Decimal, column, good, notation=notation)
        else:
            typed = convert("", good, notation=notation, as_numbers=numeric)
    except ExtractionError as error:
        typed = Typed(_as_text(texts))
        return typed, [Problem(row, column, text, error.message) for row, text in enumerate(texts) if text]
    if not numeric and typed.values.dtype.kind != "M":
        typed, good = _dates_one_by_one(texts, notation)
    if typed.rule.startswith("ambiguous") or (numeric and is_text(typed.values) and any(good)):
        why = typed.rule or "numbers of this column have different units or decimal points"
        return typed, [Problem(row, column, text, why) for row, text in enumerate(texts) if text]
    if rated is not None:
        typed = replace(typed, rule="; ".join(filter(None, [typed.rule, f"out of {rated[1]}"])))
    lost = [row for row, text in enumerate(texts) if text and not good[row]]
    return typed, [Problem(row, column, texts[row], f"is no {what}") for row in lost]


def _flags(column: str, texts: Sequence[str | None]) -> tuple[Typed, list[Problem]]:
    """A column of "yes" and "no", in any language, or of signs."""
    import pandas as pd

    read = [None if text is None or is_blank(text) else flag_of(text) for text in texts]
    lost = [row for row, text in enumerate(texts) if text and not is_blank(text) and read[row] is None]
    problems = [Problem(row, column, texts[row], "is neither yes nor no") for row in lost]
    rule = rule_of(texts, read)
    return Typed(pd.Series(read, dtype="boolean" if None in read else "bool"), "", rule), problems


def _dates_one_by_one(texts: Sequence[str | None], notation: Notation) -> tuple[Typed, list[str | None]]:
    """Dates of a column where some values are none: those that are dates by themselves, in one format."""
    good = [text if text and convert("", [text]).values.dtype.kind == "M" else None for text in texts]
    both_ways = [text for text in texts if text and convert("", [text]).rule]
    if both_ways:
        # Others of the column may show which is the day.
        good = [
            text if text and (text in both_ways or one) else None
            for text, one in zip(texts, good, strict=True)
        ]
    typed = convert("", good, notation=notation)
    if typed.values.dtype.kind == "M" or typed.rule:
        return typed, good
    return Typed(_as_text(texts)), [None] * len(texts)


def _as_text(texts: Sequence[str | None]) -> pd.Series[Any]:
    import pandas as pd

    return pd.Series(list(texts), dtype="str")


def is_text(values: pd.Series[Any]) -> bool:
    """Whether a column has texts, and no other objects."""
    import pandas as pd

    if values.dtype == object:  # as pandas 2 keeps texts
        return pd.api.types.infer_dtype(values, skipna=True) in {"string", "empty"}
    return pd.api.types.is_string_dtype(values.dtype)


def plain_type(info: FieldInfo) -> Any:
    """A field's type without `| None`."""
    kind = info.annotation
    options = [option for option in getattr(kind, "__args__", ()) if option is not type(None)]
    return options[0] if len(options) == 1 and not isinstance(kind, type) else kind


def check_rows(
    schema: Any, frame: pd.DataFrame, texts: Mapping[str, Sequence[str | None]], known: Sequence[Problem]
) -> list[Problem]:
    """What is wrong with the rows of a frame.

    schema: a pydantic model, or a pandera schema or model.
    texts: what the page says in each column.
    known: problems that were found before: their cells aren't reported again.
    """
    check = _by_pandera if is_pandera(schema) else _by_pydantic
    found = check(schema, frame, texts)
    known_places = {(each.row, each.column) for each in known}
    return [*known, *(each for each in found if (each.row, each.column) not in known_places)]


def _by_pydantic(
    model: type[BaseModel], frame: pd.DataFrame, texts: Mapping[str, Sequence[str | None]]
) -> list[Problem]:
    names = {
        name: info.validation_alias if isinstance(info.validation_alias, str) else (info.alias or name)
        for name, info in model.model_fields.items()
    }
    columns = {alias: name for name, alias in names.items()}
    problems = []
    for row, values in enumerate(frame.to_dict("records")):
        given = {}
        for name, alias in names.items():
            value = _plain(values.get(name))
            if value is not None or model.model_fields[name].is_required():
                given[alias] = value
        try:
            model.model_validate(given)
        except ValidationError as error:
            for each in error.errors(include_url=False, include_context=False):
                field = str(each["loc"][0]) if each["loc"] else ""
                column = columns.get(field, field)
                text = _text(texts, column, row)
                blank = column in names and given.get(names[column]) is None
                why = "is missing" if blank and not text else _sentence(each["msg"])
                problems.append(Problem(row, column, text, why))
    return problems


def _by_pandera(schema: Any, frame: pd.DataFrame, texts: Mapping[str, Sequence[str | None]]) -> list[Problem]:
    from pandera.errors import SchemaErrors

    try:
        schema.validate(frame.copy(), lazy=True)
    except SchemaErrors as error:
        return [_of_case(case, texts) for case in error.failure_cases.astype(object).to_dict("records")]
    return []


def _of_case(case: Mapping[Hashable, Any], texts: Mapping[str, Sequence[str | None]]) -> Problem:
    column = case["column"] if isinstance(case["column"], str) else ""
    check = f"fails the check {case['check']}"
    index = case["index"]
    if isinstance(index, int) and not isinstance(index, bool):
        return Problem(index, column, _text(texts, column, index), check)
    # The whole column is meant, or the whole frame.
    return Problem(-1, column or str(case["failure_case"]), None, f"{check}: {case['failure_case']}")


def _text(texts: Mapping[str, Sequence[str | None]], column: str, row: int) -> str | None:
    return texts[column][row] if column in texts else None


def _plain(value: Any) -> Any:
    """A cell's value as Python has it; None for a blank."""
    import pandas as pd

    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if hasattr(value, "item") else value


def _sentence(message: str) -> str:
    return message[:1].lower() + message[1:]
