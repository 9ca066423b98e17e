"""Docstrings of an element's methods, made of those of its page's."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection

_NAME = re.compile(r"\w+")
_SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


def document_like(owner: type, model: type) -> None:
    """Complete the one-line docstrings of a class by the sections of another's methods of the same names.

    Parameters
    ----------
    owner : whose methods act on `self`.
    model : whose methods act on a parameter `target`.
    """
    for name, method in vars(owner).items():
        if inspect.isfunction(method) and not name.startswith("_") and (other := getattr(model, name, None)):
            own = inspect.signature(method).parameters
            method.__doc__ = f"{method.__doc__}\n\n{_only(own, inspect.getdoc(other) or '')}"


def _only(names: Collection[str], text: str) -> str:
    """The sections of a docstring, but for examples, with some of the parameters."""
    _, *parts = _SECTION.split(text)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    sections.pop("Examples", None)
    if "Parameters" in sections:
        entries = re.split(r"^(?=\S)", sections["Parameters"], flags=re.MULTILINE)
        sections["Parameters"] = "".join(
            one for one in entries if one and set(_NAME.findall(one.split(" :")[0])) <= set(names)
        )
    return "\n\n".join(
        f"{title}\n{'-' * len(title)}\n{text.strip()}" for title, text in sections.items() if text.strip()
    )
