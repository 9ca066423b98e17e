"""Role selectors with their names rewritten: escaped for a skill's file, or with inputs in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from skillbook.perception.selectors import Selector
from skillbook.skill.templates import escape


def write_selector(selector: Selector, rewrite: Callable[[str], str] = escape) -> str:
    """A selector as a skill's file has it: every name, text, label and frame rewritten, CSS and patterns escaped."""
    return str(_rewritten(selector, rewrite))


def _rewritten(selector: Selector, rewrite: Callable[[str], str]) -> Selector:
    name = selector.name
    if name is not None:
        plain = selector.kind in {"css", "testid"} or name.mode == "regex"
        name = replace(name, text=(escape if plain else rewrite)(name.text))
    return replace(
        selector,
        name=name,
        tests=tuple(
            test
            if isinstance(test.wanted, bool)
            else replace(test, wanted=replace(test.wanted, text=escape(test.wanted.text)))
            for test in selector.tests
        ),
        within=_rewritten(selector.within, rewrite) if selector.within else None,
        frames=tuple(escape(part) for part in selector.frames),
    )
