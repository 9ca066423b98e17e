"""Elements that a page replaces or moves as they are acted on."""

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
def test_a_field_replaced_once_gets_its_text_once(show_html: Callable[[str], Page], command: str) -> None:
    page = show_html(FORM.format(times=1))
    getattr(page, command)("textbox 'Name'", "lamp")
    assert page.get("value", "textbox 'Name'") == "lamp"


@pytest.mark.parametrize("command", ["fill", "type"])
@pytest.mark.parametrize(("times", "by_ref"), [(1, True), (9, False)], ids=["a ref", "again and again"])
def test_a_ref_is_stale_and_a_field_that_never_stays_is_given_up(
    show_html: Callable[[str], Page], command: str, times: int, by_ref: bool
) -> None:
    page = show_html(FORM.format(times=times))
    target = page.snapshot().find("textbox 'Name'").ref if by_ref else "textbox 'Name'"
    with pytest.raises((StaleRef, NotActionable)):
        getattr(page, command)(target, "lamp")
    assert page.get("value", "textbox 'Name'") == ""


ROWS = """<ul id=list></ul><p id=out></p><script>
  const names = ["Ann", "Bob", "Cy", "Dee"];
  const row = () => {{
    const item = document.createElement("li");
    item.innerHTML = "<b></b> <button>Delete</button>";
    item.lastChild.onclick = () => {{ out.textContent = "deleted " + item.firstChild.textContent; }};
    return item;
  }};
  const draw = () => names.forEach((name, at) => {{ list.children[at].firstChild.textContent = name; }});
  const render = () => {{ list.replaceChildren(...names.map(row)); draw(); }};
  const recycle = () => {{ names.push(names.shift()); draw(); }};
  render();
  setInterval({how}, 120);
</script>"""


@pytest.mark.parametrize("how", ["render", "recycle"])
def test_a_row_drawn_again_and_again_is_pressed_by_its_selector(
    show_html: Callable[[str], Page], how: str
) -> None:
    page = show_html(ROWS.format(how=how))
    for name in ("Bob", "Dee", "Ann"):
        page.click(f"button 'Delete' in listitem '{name}'")
        assert page.evaluate("out.textContent") == f"deleted {name}"


def test_what_a_message_moves_away_under_the_press_is_pressed_where_it_is_then(
    serve_html: Callable[[str], Page],
) -> None:
    page = serve_html("""<label>Mail <input id=mail></label><p id=wrong style="margin:0"></p>
        <button onclick="out.textContent += 'sent;'">Send</button><p id=out></p><script>
        mail.onblur = () => { wrong.textContent = "Not an address"; wrong.style.height = "90px"; };</script>""")
    page.fill("label 'Mail'", "x")
    page.click("button 'Send'")
    assert page.evaluate("out.textContent") == "sent;"


def test_a_list_that_opens_at_the_press_is_not_pressed_twice(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("""<label>Mail <input id=mail></label><div style="height:60px">
        <button onmousedown="out.textContent += 'open;'; out.style.padding = '90px'">Menu</button>
        <p id=out></p></div>""")
    page.fill("label 'Mail'", "x")
    page.click("button 'Menu'")
    assert page.evaluate("out.textContent") == "open;"


TASKS = """<ul id=list></ul><p id=left></p><script>
  const tasks = [["Milk", false], ["Bread", false], ["Tea", false]];
  const render = () => {{
    const shown = tasks.filter((task) => {shown});
    list.innerHTML = shown.map(([name, done]) => `<li><input type=checkbox aria-label="Done"
      ${{done ? "checked" : ""}}> <b>${{name}}</b></li>`).join("");
    [...list.querySelectorAll("input")].forEach((box, at) => {{
      box.onchange = () => {{ shown[at][1] = {taken}; render(); }};
    }});
    left.textContent = tasks.filter((task) => !task[1]).length + " left";
  }};
  render();
</script>"""


@pytest.mark.parametrize("shown", ["true", "!task[1]"], ids=["all", "open ones"])
def test_a_check_box_of_a_list_that_is_rendered_anew_is_checked(
    show_html: Callable[[str], Page], shown: str
) -> None:
    page = show_html(TASKS.format(shown=shown, taken="box.checked"))
    page.check("checkbox 'Done' in listitem ~'Bread'")
    assert page.evaluate("tasks.map((task) => task[1])") == [False, True, False]
    page.check("checkbox 'Done' in listitem ~'Tea'")
    assert page.text("css '#left'") == "1 left"
    if shown == "true":
        page.uncheck("checkbox 'Done' in listitem ~'Bread'")
        assert page.evaluate("tasks.map((task) => task[1])") == [False, False, True]


def test_a_check_box_that_is_rendered_anew_unchecked_says_so(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(TASKS.format(shown="true", taken="false"))
    with pytest.raises(NotActionable, match="clicked but is not checked"):
        page.check("checkbox 'Done' in listitem ~'Bread'")
