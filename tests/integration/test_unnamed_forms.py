"""Forms that nobody names are told apart: in the text, and by selectors; both engines agree."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import AmbiguousMatch
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

FORMS = """
<h1>Account</h1>
<form action="/profile" onsubmit="sent('profile'); return false"><div><h2>Profile</h2>
<label>Name <input name=name></label><button>Save</button></div></form>
<form action="/password" onsubmit="sent('password'); return false"><div><h2>Password</h2>
<label>New password <input type=password name=new></label><button>Save</button></div></form>
<form action="/search"><button>Go</button></form>
<script>const all = []; const sent = (what) => all.push(what);</script>
"""


@pytest.mark.parametrize("engine", ["dom", "cdp"])
def test_each_form_has_a_line(read_html: Serve, engine: str) -> None:
    snapshot = read_html(FORMS).snapshot(engine=engine)
    lines = [line.strip() for line in snapshot.text().splitlines()]
    assert [line for line in lines if line.startswith("- form")] == [
        '- form to "/profile":',
        '- form to "/password":',
    ]
    for name in ("Profile", "Name", "/profile", "profile"):
        assert (
            snapshot.find(f"button 'Save' in form '{name}'").ref == snapshot.find_all("button 'Save'")[0].ref
        )
    for name in ("Password", "New password", "/password"):
        assert (
            snapshot.find(f"button 'Save' in form '{name}'").ref == snapshot.find_all("button 'Save'")[1].ref
        )
    with pytest.raises(AmbiguousMatch):
        snapshot.find("button 'Save'")


def test_a_click_reaches_the_form_that_was_named(serve_html: Serve) -> None:
    page = serve_html(FORMS)
    page.click("button 'Save' in form 'Password'")
    page.click("button 'Save' in form '/profile'")
    assert page.evaluate("all") == ["password", "profile"]


def test_one_form_needs_no_line(read_html: Serve) -> None:
    text = read_html("<form><label>Name <input></label><button>Save</button></form>").snapshot().text()
    assert "form" not in text


def test_forms_in_rows_are_told_apart_by_the_rows(read_html: Serve) -> None:
    rows = "".join(
        f"<tr><td>{name}<td><form><input aria-label=Count><button>Save</button></form>"
        for name in ("A", "B", "C")
    )
    assert "form" not in read_html(f"<table>{rows}</table>").snapshot().text()
