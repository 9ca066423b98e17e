"""What all parts of a skill's model share."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from skillbook.errors import SelectorSyntaxError
from skillbook.perception.selectors import parse_selector


class SkillModel(BaseModel):
    """The base of a skill's parts: immutable, refusing fields it doesn't know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def check_selector(text: str) -> None:
    """Refuse a text that is no role selector.

    Raises
    ------
    ValueError : with what is wrong, for the validation of models.
    """
    try:
        parse_selector(text)
    except SelectorSyntaxError as error:
        raise ValueError(error.message) from None
