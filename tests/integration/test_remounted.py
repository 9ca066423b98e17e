"""Fields that a page replaces as they get the focus."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import NotActionable, StaleRef
from skillbook.session.sync import Page

FORM = """<label for=n>Name</label><input id=n><button>Other</button><script>
  let left = {times};
  const mount = (field) => field.addEventListener("focus", () => {{
    if (left-- <= 0) return;
    const next = field.cloneNode();
    mount(next);
    field.replaceWith(next);
  }});
  mount(document.getElementById("n"));
</script>"""


@pytest.mark.parametrize("command", ["fill", "type"])
def test_a_field_replaced_once_gets_its_text_once(serve_html: Callable[[str], Page], command: str) -> None:
    page = serve_html(FORM.format(times=1))
    getattr(page, command)("textbox 'Name'", "lamp")
    assert page.get("value", "textbox 'Name'") == "lamp"


@pytest.mark.parametrize("command", ["fill", "type"])
@pytest.mark.parametrize(("times", "by_ref"), [(1, True), (9, False)], ids=["a ref", "again and again"])
def test_a_ref_is_stale_and_a_field_that_never_stays_is_given_up(
    serve_html: Callable[[str], Page], command: str, times: int, by_ref: bool
) -> None:
    page = serve_html(FORM.format(times=times))
    target = page.snapshot().find("textbox 'Name'").ref if by_ref else "textbox 'Name'"
    with pytest.raises((StaleRef, NotActionable)):
        getattr(page, command)(target, "lamp")
    assert page.get("value", "textbox 'Name'") == ""
