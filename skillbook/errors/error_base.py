"""What all errors have, and their way over the wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

DOCS_URL = ""
"""The address of the documentation, ending in a slash: `[project.urls]` has the same. Empty while there is none."""


def docs_page(name: str) -> str:
    """Where a reader finds a page of the documentation: its address if it has one, else its name."""
    return f"{DOCS_URL}docs/{name}.html" if DOCS_URL else f"the page {name!r} of the documentation"


class SkillbookError(Exception):
    """The base of every error that skillbook raises.

    Parameters
    ----------
    message : str
        What happened, one sentence.
    hint : str, optional
        What to try, one sentence; the class's hint by default.
    **data : object
        Facts a program may want (JSON values only).

    Attributes
    ----------
    retryable : bool
        Whether the same call may succeed if it is simply made again; a write that may have happened isn't.

    Examples
    --------
    >>> try:  # doctest: +SKIP
    ...     page.click("button 'Save'")
    ... except sb.SkillbookError as error:
    ...     print(error.code, error.hint)
    """

    code: ClassVar[str] = "skillbook_error"
    retryable: bool = False
    default_hint: ClassVar[str] = ""
    _render_traceback_: ClassVar[Callable[[Any], list[str]]]  # set where IPython runs, which calls it

    def __init__(self, message: str, *, hint: str | None = None, **data: Any) -> None:
        self.message = message
        self.hint = self.default_hint if hint is None else hint
        self.data = data
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]" + (f"\n  Try: {self.hint}" if self.hint else "")

    def to_wire(self) -> dict[str, Any]:
        """The error as the wire carries it: code, message, hint, data, and whether it is retryable."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "data": self.data,
            "retryable": self.retryable,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.hint, self.data, self.retryable)


def _rebuild(
    cls: type[SkillbookError], message: str, hint: str, data: dict[str, Any], retryable: bool
) -> SkillbookError:
    error = cls(message, hint=hint, **data)
    error.retryable = retryable
    return error


def error_from_wire(
    code: str,
    message: str,
    hint: str = "",
    data: dict[str, Any] | None = None,
    retryable: bool | None = None,
) -> SkillbookError:
    """Make the error that a wire message names; an unknown code becomes `CommandError`."""
    cls = error_classes().get(code) or error_classes()["command"]
    facts = {key: value for key, value in (data or {}).items() if key not in {"self", "message", "hint"}}
    error = cls(message, hint=hint or None, **facts)
    error.retryable = cls.retryable if retryable is None else retryable
    return error


def error_classes() -> dict[str, type[SkillbookError]]:
    """Every error class by its code."""
    found: dict[str, type[SkillbookError]] = {}
    todo: list[type[SkillbookError]] = [SkillbookError]
    while todo:
        cls = todo.pop()
        found[cls.code] = cls
        todo.extend(cls.__subclasses__())
    return found
