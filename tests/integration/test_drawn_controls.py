"""Controls that pages draw themselves, as libraries of components do it: each page shows one way, in a few lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from skillbook.errors import InvalidParams, NoMatch, NotActionable
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

COMBOBOX = """
<style>.row { height: 20px } .covers { position: fixed; inset: 0 }</style>
<select id=native style="position:absolute;clip:rect(0 0 0 0);width:1px;height:1px" tabindex=-1 aria-hidden=true>
  <option>One<option>Two</select>
<input id=box role=combobox aria-expanded=false aria-label=Pick OPTIONS>
<div id=list role=listbox hidden style="height:60px;overflow:auto;width:200px"></div>
<script>
  const all = Array.from({ length: 24 }, (_, i) => `Option ${i}`).concat("One", "Two");
  const chosen = [];
  let shown = all;
  const draw = () => {
    const first = Math.floor(list.scrollTop / 20);
    list.replaceChildren();
    const space = document.createElement("div");
    space.style.height = `${shown.length * 20}px`;
    space.style.position = "relative";
    list.append(space);
    for (let i = first; i < Math.min(first + 4, shown.length); i++) {
      const row = document.createElement("div");
      row.className = "row";
      row.style.cssText = `position:absolute;top:${i * 20}px;cursor:pointer`;
      ROLE
      row.textContent = shown[i];
      row.onclick = () => { chosen.push(row.textContent); if (!MANY) close(); };
      space.append(row);
    }
  };
  const close = () => { list.hidden = true; box.setAttribute("aria-expanded", "false"); };
  box.onclick = () => { list.hidden = false; box.setAttribute("aria-expanded", "true"); draw(); };
  box.oninput = () => { shown = FILTER; list.scrollTop = 0; draw(); };
  box.onkeydown = (event) => { if (event.key === "Escape") close(); };
  list.onscroll = draw;
</script>
"""


def _combobox(options: str = "", role: bool = True, many: bool = False, rule: str = "all") -> str:
    html = COMBOBOX.replace("OPTIONS", options).replace("MANY", "true" if many else "false")
    html = html.replace("ROLE", 'row.setAttribute("role", "option");' if role else "")
    return html.replace("FILTER", rule)


def test_an_option_below_what_a_list_draws_is_scrolled_to(show_html: Serve) -> None:
    page = show_html(_combobox("readonly"))
    page.select("combobox 'Pick'", "Option 20")
    assert page.evaluate("chosen") == ["Option 20"]


def test_a_list_that_can_be_searched_is(show_html: Serve) -> None:
    page = show_html(_combobox(rule="all.filter((one) => one.includes(box.value))"))
    page.select("combobox 'Pick'", "Option 21")
    assert page.evaluate("chosen") == ["Option 21"]


def test_a_search_that_finds_something_else_is_taken_back(show_html: Serve) -> None:
    page = show_html(_combobox(rule="box.value ? [] : all"))
    page.select("combobox 'Pick'", "Option 14")
    assert page.evaluate("chosen") == ["Option 14"]


@pytest.fixture
def slow_server() -> Iterator[str]:
    """The address of a server that needs 2.5 s for an answer."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            over.wait(2.5)
            self.send_response(204)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        over.set()
        server.shutdown()


@pytest.mark.parametrize(
    "after", ["setTimeout(answer, 1200)", "setTimeout(() => fetch('SLOW').then(answer), 300)"]
)
def test_a_list_that_asks_a_server_is_waited_for(show_html: Serve, slow_server: str, after: str) -> None:
    html = _combobox(rule="[]").replace(
        "box.oninput = () => {",
        f"""let asking; box.oninput = () => {{ clearTimeout(asking); const wanted = box.value;
    const answer = () => {{ shown = all.filter((one) => wanted && one === wanted); draw(); }};
    asking = {after.replace("SLOW", slow_server)};""",
    )
    page = show_html(html.replace("const draw", "shown = []; const draw"))
    page.select("combobox 'Pick'", "Option 21")
    assert page.evaluate("chosen") == ["Option 21"]


def test_options_without_a_role_are_pressed_where_they_have_just_come(show_html: Serve) -> None:
    page = show_html(_combobox("readonly", role=False))
    page.select("combobox 'Pick'", "Option 2")
    assert page.evaluate("chosen") == ["Option 2"]


def test_the_options_of_a_native_list_behind_it_are_not_meant(show_html: Serve) -> None:
    page = show_html(_combobox(rule="all.filter((one) => one === box.value)"))
    page.select("combobox 'Pick'", "Two")
    assert page.evaluate("chosen") == ["Two"]
    assert page.evaluate("native.value") == "One"


def test_a_list_that_stays_open_is_closed_afterwards(show_html: Serve) -> None:
    page = show_html(_combobox("readonly", many=True))
    page.select("combobox 'Pick'", "Option 1", "Option 3")
    assert page.evaluate("chosen") == ["Option 1", "Option 3"]
    assert page.evaluate("box.getAttribute('aria-expanded')") == "false"


MARKED = """row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(IS_SELECTED));"""


def test_an_option_that_is_only_marked_as_the_next_one_is_pressed(show_html: Serve) -> None:
    """Some lists call the option selected that Enter would choose."""
    html = _combobox(rule="all.filter((one) => one === box.value)", role=False)
    page = show_html(html.replace("      \n", MARKED.replace("IS_SELECTED", "i === 0") + "\n", 1))
    page.select("combobox 'Pick'", "Option 21")
    assert page.evaluate("chosen") == ["Option 21"]


def test_a_choice_that_shows_only_in_the_list_is_not_taken_away(show_html: Serve) -> None:
    html = _combobox("readonly", role=False, many=True)
    html = html.replace("      \n", MARKED.replace("IS_SELECTED", "chosen.includes(shown[i])") + "\n", 1)
    toggle = """const at = chosen.indexOf(row.textContent);
      at < 0 ? chosen.push(row.textContent) : chosen.splice(at, 1); draw();"""
    page = show_html(html.replace("chosen.push(row.textContent);", toggle))
    page.evaluate("chosen.push('Option 3')")
    page.select("combobox 'Pick'", "Option 1", "Option 3")
    assert page.evaluate("[...chosen].sort()") == ["Option 1", "Option 3"]


@pytest.mark.usefixtures("hasty")
def test_an_option_that_is_not_there_is_told_with_those_that_are(show_html: Serve) -> None:
    page = show_html(_combobox("readonly").replace("length: 24", "length: 5"))
    with pytest.raises(NoMatch, match="Option 77") as refused:
        page.select("combobox 'Pick'", "Option 77")
    assert "Option 1" in refused.value.hint


SLIDER = """<div id=s role=slider tabindex=0 aria-label=Level aria-valuemin=0 aria-valuemax=100 aria-valuenow=20
  style="width:100px;height:20px;background:silver"></div>
<script>s.onkeydown = ({ key }) => {
  const by = { ArrowRight: 5, ArrowLeft: -5 }[key] ?? 0;
  setTimeout(() => s.setAttribute("aria-valuenow", Number(s.getAttribute("aria-valuenow")) + by), 30);
};</script>"""


@pytest.mark.parametrize("value", ["75", "20"])
def test_a_drawn_slider_is_brought_to_a_value(show_html: Serve, value: str) -> None:
    page = show_html(SLIDER)
    page.fill("slider 'Level'", value)
    assert page.evaluate("s.getAttribute('aria-valuenow')") == value


def test_a_slider_whose_handle_takes_the_keys(show_html: Serve) -> None:
    handle = '><b tabindex=0 style="display:block;width:20px;height:20px"></b></div>'
    page = show_html(SLIDER.replace(" tabindex=0", "").replace("></div>", handle))
    page.fill("slider 'Level'", "75")
    assert page.evaluate("s.getAttribute('aria-valuenow')") == "75"


@pytest.mark.parametrize("start", ["0", "20", "100"])
def test_a_slider_whose_keys_go_the_other_way(show_html: Serve, start: str) -> None:
    """As vertical ones of Quasar."""
    turned = SLIDER.replace("ArrowRight: 5, ArrowLeft: -5", "ArrowRight: -5, ArrowLeft: 5")
    page = show_html(
        turned.replace("valuenow=20", f"valuenow={start}").replace(
            'Number(s.getAttribute("aria-valuenow")) + by',
            'Math.max(0, Math.min(100, Number(s.getAttribute("aria-valuenow")) + by))',
        )
    )
    page.fill("slider 'Level'", "75")
    assert page.evaluate("s.getAttribute('aria-valuenow')") == "75"


def test_a_slider_that_does_not_stop_there_says_where_it_is(show_html: Serve) -> None:
    page = show_html(SLIDER)
    with pytest.raises(InvalidParams, match="it is at"):
        page.fill("slider 'Level'", "33")
    with pytest.raises(InvalidParams, match="no number"):
        page.fill("slider 'Level'", "loud")
    with pytest.raises(InvalidParams, match="from 0 to 100"):
        page.fill("slider 'Level'", "200")


UNSEEN = """<style>.toggle { position: relative; width: 60px; height: 20px; background: silver; margin: 20px }
.toggle input { position: absolute; STYLE } .toggle i { position: absolute; inset: 0 }</style>
<div class=toggle><input type=checkbox id=a aria-label=Alpha><i></i></div>
<div class=toggle><input type=checkbox id=b aria-label=Beta><i></i><button>Other</button></div>
<script>for (const each of document.querySelectorAll("i"))
  each.onclick = () => { const box = each.parentElement.firstChild; box.checked = !box.checked; };</script>"""


@pytest.mark.parametrize("style", ["opacity: 0", "width: 1px; height: 1px; clip-path: inset(50%)"])
def test_a_box_that_is_drawn_by_what_is_around_it_is_checked(show_html: Serve, style: str) -> None:
    page = show_html(UNSEEN.replace("STYLE", style))
    page.check("checkbox 'Alpha'")
    assert page.evaluate("a.checked") is True
    with pytest.raises(NotActionable):  # what lies over it may as well be there for the other control
        page.check("checkbox 'Beta'", timeout=1)
    assert page.evaluate("b.checked") is False


def test_a_check_that_shows_later_is_waited_for(show_html: Serve) -> None:
    page = show_html(
        "<div id=x role=switch aria-checked=false aria-label=Later tabindex=0>o</div><script>x.onclick = () =>"
        "setTimeout(() => x.setAttribute('aria-checked', 'true'), 300)</script>"
    )
    page.check("switch 'Later'")
    assert page.is_("checked", "switch 'Later'")


def test_hovering_over_what_makes_way_for_what_it_opens(show_html: Serve) -> None:
    page = show_html(
        "<div id=box style='width:200px;height:100px;background:silver'><button id=open>Layers</button>"
        "<p hidden id=panel style='margin:0;height:90px'>All layers</p></div>"
        "<script>box.onmouseenter = () => { open_.hidden = true; panel.hidden = false }</script>".replace(
            "open_", "document.getElementById('open')"
        )
    )
    page.hover("button 'Layers'", timeout=3)
    assert page.is_("visible", "text 'All layers'")


CLOSING = """
<button id=box role=combobox aria-expanded=false aria-controls=list>Pick</button>
<div id=list role=listbox hidden><div role=option>One</div><div role=option>Two</div></div>
<script>
  window.chosen = [];
  let busy = 0;
  const show = (on) => {
    box.setAttribute("aria-expanded", on);
    const mine = ++busy;
    if (on) list.hidden = false;
    // It goes on showing until something else is asked of the page, or for long.
    else WHEN(() => { if (mine === busy) list.hidden = true; });
  };
  box.onclick = () => show(box.getAttribute("aria-expanded") !== "true");
  list.onclick = (event) => {
    if (box.getAttribute("aria-expanded") !== "true") return;
    chosen.push(event.target.textContent);
    show(false);
  };
</script>
"""


@pytest.mark.parametrize(
    "when",
    ["(done) => setTimeout(done, 1500)", "(done) => addEventListener('mousemove', done, { once: true })"],
)
def test_a_list_that_is_closing_is_opened_again(show_html: Serve, when: str) -> None:
    page = show_html(CLOSING.replace("WHEN", f"({when})"))
    page.select("combobox", "One")
    page.select("combobox", "Two")
    assert page.evaluate("chosen") == ["One", "Two"]


def test_a_hidden_box_in_a_wide_line_is_pressed_by_its_label(show_html: Serve) -> None:
    page = show_html("""<div><input type=checkbox id=chip style="width:0;height:0;opacity:0;margin:0"><label
      for=chip style="display:inline-block">Chip</label></div>""")
    page.check("checkbox 'Chip'", timeout=3)
    assert page.evaluate("chip.checked")


def test_what_has_no_box_is_scrolled_to_by_what_is_in_it(show_html: Serve) -> None:
    page = show_html("""<div style="height:3000px"></div><div role=grid aria-label=G><div role=row>
      <div role=gridcell id=cell style="display:contents">Travel</div></div></div>
      <script>cell.onclick = () => { document.title = "pressed"; };</script>""")
    page.click("gridcell 'Travel'", timeout=3)
    assert page.evaluate("document.title") == "pressed"


GRID = """<div role=grid aria-label=G><div role=row><div role=gridcell id=cell tabindex=0
  style="width:200px;height:30px">Volvo</div></div></div>
<textarea id=editor style="display:none;position:absolute;height:30px;width:200px"></textarea><script>
  cell.onkeydown = () => { const { left, top } = cell.getBoundingClientRect(); PLACE
    Object.assign(editor.style, { display: "block", left: x + "px", top: y + "px" }); editor.focus(); };
  editor.onkeydown = (event) => { if (event.key === "Enter") cell.textContent = editor.value; };
</script>"""


def test_a_cell_that_opens_its_editor_at_the_first_key_is_typed_into(show_html: Serve) -> None:
    page = show_html(GRID.replace("PLACE", "const [x, y] = [left, top];"))
    page.type("gridcell 'Volvo'", "Saab")
    page.press("Enter")
    assert page.evaluate("cell.textContent") == "Saab"


def test_a_field_elsewhere_is_not_typed_into_in_its_place(show_html: Serve) -> None:
    page = show_html(GRID.replace("PLACE", "const [x, y] = [left + 20, top + 300];"))
    with pytest.raises(NotActionable, match="focus left"):
        page.type("gridcell 'Volvo'", "Saab")
    assert page.evaluate("editor.value") == ""


def test_a_styled_radio_button_around_a_native_one_is_one_control(show_html: Serve) -> None:
    one = (
        "<label role=radio style='display: block'><span><input type=radio name=s style='opacity: 0'></span>"
        "<span>{} (<a href=#preview>Preview</a>)</span></label>"
    )
    page = show_html(
        f"<div role=radiogroup aria-label=Skin>{one.format('Vector')}{one.format('Mono')}</div><script>"
        "document.onchange = () => { for (const label of document.querySelectorAll('label'))"
        " label.ariaChecked = label.querySelector('input').checked }</script>"
    )
    page.click("radio ~'Mono'")
    assert page.is_checked("radio ~'Mono'")
    page.check("radio ~'Vector'")
    assert [page.is_checked(f"radio ~'{name}'") for name in ("Vector", "Mono")] == [True, False]
    assert page.evaluate("location.hash") == ""
