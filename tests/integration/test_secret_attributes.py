"""What pages keep in attributes of secret fields."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import NotAllowed
from skillbook.session.sync import Page

FIELD = "<main><input type=password aria-label=Key value=hunter2 data-initial=hunter2 data-step=first></main>"


def test_copies_of_a_secret_fields_value_are_not_read(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(FIELD)
    for value in ("hunter2", "walrus71"):
        page.evaluate(
            f"{{ const f = document.querySelector('input'); f.value = f.dataset.now = '{value}' }} 0"
        )
        read = page.get("attributes", "textbox 'Key'")
        assert (read["data-step"], read["type"]) == ("first", "password")
        told = str([read, page.get("html", "textbox 'Key'"), page.get("html", "main")])
        assert "hunter2" not in told
        assert value not in told
        for name in ("value", "data-initial", "data-now"):
            with pytest.raises(NotAllowed):
                page.get("attribute", "textbox 'Key'", name=name)
    assert page.get("attribute", "textbox 'Key'", name="data-step") == "first"
