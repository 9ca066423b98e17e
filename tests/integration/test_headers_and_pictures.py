"""Headers with controls in them, and cells that say what they say by a picture, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

HEADS = {
    "the control is named": '<span>Name</span><span tabindex=0 aria-label="Name: Activate to sort"></span>',
    "the control is a button": '<span>Name</span><span role=button aria-label="Name: Activate to sort"></span>',
    "the title is a button": '<span role=button>Name</span><span aria-label="Name: Activate to sort"></span>',
}


@pytest.mark.parametrize("head", HEADS)
def test_what_sorts_a_column_is_no_part_of_its_name(serve_html: Serve, head: str) -> None:
    page = serve_html(
        f"<table><thead><tr><th>{HEADS[head]}</th><th>Time: local</th></tr></thead>"
        "<tr><td>Ada<td>12</tr><tr><td>Ben<td>13</tr></table>"
    )
    assert list(sb.tables(page)[0].columns) == ["Name", "Time: local"]
