"""Expressions whose value can't be handed over say so; their work is done all the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import SkillbookError
from skillbook.session.sync import Page

CYCLE = "(() => { const own = {}; own.own = own; return own })()"


@pytest.mark.parametrize("value", ["window", CYCLE])
@pytest.mark.parametrize("on", ["page", "element"])
def test_a_value_that_is_no_plain_data(serve_html: Callable[[str], Page], value: str, on: str) -> None:
    page = serve_html("<button>Go</button>")
    ref = page.snapshot().find("button").ref if on == "element" else None
    work = f"globalThis.ran = true; {'return ' if ref else ''}{value}"
    with pytest.raises(SkillbookError, match=r"(?s)value can't be handed over.*`null`"):
        page.evaluate(f"() => {{ {work} }}" if ref else work, ref)
    assert page.evaluate("globalThis.ran") is True
