"""A fill either replaces what a field held, or says that the page didn't take it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbook.errors import NotActionable
from skillbook.session.sync import Browser, Page
from skillbook.skill import Skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import SkillStep, StepTarget

Serve = Callable[[str], Page]

REFUSING = {
    "cut off": ("maxlength=5", "abcdefgh"),
    "letters dropped": ("oninput=\"this.value = this.value.replace(/\\D/g, '')\"", "abc"),
    "clamped": ('oninput="if (+this.value > 100) this.value = 100"', "500"),
    "taken back": ('oninput="this.value = 55"', "abc"),
    "taken back a moment later": ('oninput="queueMicrotask(() => { this.value = 55 })"', "abc"),
    "taken back by a timer": ('oninput="setTimeout(() => { this.value = 55 })"', "abc"),
    "taken back in the next frame": ('oninput="requestAnimationFrame(() => { this.value = 55 })"', "abc"),
    "another number": ("oninput=\"this.value = '1' + this.value\"", "5"),
    "a decimal point dropped": ("oninput=\"this.value = this.value.replace('.', '')\"", "12.5"),
    "a minus sign dropped": ("oninput=\"this.value = this.value.replace('-', '')\"", "-5"),
    "completed to another place": ("oninput=\"this.value = 'Berlin Spandau'\"", "Berlin Mitte"),
    "another day": ("oninput=\"this.value = 'Jan 1, 2026'\"", "2026-03-05"),
    "parted wrongly": ("oninput=\"this.value = '20/26/0305'\"", "2026-03-05"),
    "another date in a date field": ("type=date oninput=\"this.value = '2020-01-01'\"", "2026-03-05"),
}


@pytest.mark.parametrize("case", REFUSING)
def test_a_field_that_holds_something_else_says_so(show_html: Serve, case: str) -> None:
    attributes, value = REFUSING[case]
    page = show_html(f"<input id=f aria-label=Field value=55 {attributes}>")
    with pytest.raises(NotActionable, match="did not take") as refused:
        page.fill("textbox 'Field'", value)
    assert refused.value.data["reason"] == "not_taken"


@pytest.mark.parametrize("clear", [True, False])
def test_typed_text_that_a_field_cuts_off_says_so(show_html: Serve, clear: bool) -> None:
    page = show_html("<input id=f aria-label=Name value=ab maxlength=20>")
    with pytest.raises(NotActionable, match="did not take") as refused:
        page.type("textbox 'Name'", "A name that does not fit in it", clear=clear)
    assert refused.value.data["reason"] == "not_taken"


def test_typed_text_that_is_taken_in_another_form(show_html: Serve) -> None:
    page = show_html(
        """<input id=f aria-label=Phone value=555>
        <form onsubmit="g.value = ''; return false"><input id=g aria-label=Say></form>
        <div id=tags><input id=t aria-label=Tags></div><script>
        f.oninput = () => { f.value = f.value.replace(/^(\\d{3})(\\d{3})/, "($1) $2-") };
        t.oninput = () => { if (/,$/.test(t.value)) { t.before(t.value.slice(0, -1)); t.value = "" } };
        </script>"""
    )
    page.type("textbox 'Phone'", "1234567")
    assert page.evaluate("f.value") == "(555) 123-4567"
    page.type("textbox 'Say'", "hello\n")
    page.type("textbox 'Tags'", "red,")
    assert page.get("text", "css '#tags'") == "red"


def test_a_field_that_formats_the_text_took_it(show_html: Serve) -> None:
    page = show_html(
        "<input id=f aria-label=Phone oninput=\"this.value = this.value.replace(/^(\\d{3})(\\d{3})/, '($1) $2-')\">"
    )
    page.fill("textbox 'Phone'", "5551234567")
    assert page.evaluate("f.value") == "(555) 123-4567"


PICKER = """<div aria-haspopup=dialog><input id=f aria-label=Day value=2026-03-01></div><p id=out>2026-03-01</p>
  <script>f.onkeydown = (e) => { if (e.key !== 'Tab' && e.key !== 'Enter') return;
    const [, m, d, y] = /^(\\d\\d)\\/([0-2]\\d)\\/(\\d{4})$/.exec(f.value) ?? [];
    if (y) out.textContent = `${y}-${m}-${d}`;
    f.value = out.textContent };</script>"""


@pytest.mark.parametrize("how", ["fill", "type"])
def test_a_picker_that_takes_a_day_at_tab_alone_has_taken_it(show_html: Serve, how: str) -> None:
    """As Dash's `DatePickerSingle`, which does nothing when its field loses the focus."""
    page = show_html(PICKER)
    getattr(page, how)("textbox 'Day'", "03/15/2026", **({"clear": True} if how == "type" else {}))
    assert page.get("text", "css '#out'") == "2026-03-15"
    assert page.evaluate("document.activeElement.id") == "f"
    with pytest.raises(NotActionable, match="did not take"):
        page.fill("textbox 'Day'", "13/45/2026")
    assert page.get("text", "css '#out'") == "2026-03-15"


def test_what_waits_for_a_key_notices_a_fill(show_html: Serve) -> None:
    """Old date pickers read the field on `keyup`, and write their own value back when it loses the focus."""
    page = show_html(
        "<input id=f aria-label=Date value=old><button>Next</button><script>let known = 'old';"
        "f.onkeyup = () => { known = f.value }; f.onblur = () => { f.value = known };</script>"
    )
    page.fill("textbox 'Date'", "new")
    page.click("button 'Next'")
    assert page.evaluate("f.value") == "new"


EDITOR_THAT = (
    "<div contenteditable role=textbox aria-label=Body id=f style='white-space:pre-wrap'{}>Old</div>"
)
EDITORS = {
    "puts its text back": EDITOR_THAT.format(" oninput=\"this.textContent = 'Old'\""),
    "keeps what it had": EDITOR_THAT.format(" oninput=\"this.textContent = 'Old' + this.textContent\""),
    "shows it twice": EDITOR_THAT.format(" oninput='this.textContent += this.textContent'"),
    "indents by itself": EDITOR_THAT.format(
        " oninput=\"this.innerHTML = this.innerHTML.replace('<div>', '<div>    ')\""
    ),
    "drops line ends": EDITOR_THAT.format(" oninput='this.textContent = this.textContent'"),
}


@pytest.mark.parametrize("case", EDITORS)
@pytest.mark.parametrize("kind", ["trusted", "synthetic"], indirect=True)
def test_an_editor_that_shows_something_else_says_so(
    kind: tuple[str, Browser], serve_html: Serve, case: str
) -> None:
    page = kind[1].open(serve_html(EDITORS[case]).url)
    with pytest.raises(NotActionable, match="did not take"):
        page.fill("textbox 'Body'", "if it:\n  go()")
    page.close()


def test_what_is_typed_into_an_editor_that_puts_its_text_back_says_so(show_html: Serve) -> None:
    page = show_html(EDITORS["puts its text back"])
    with pytest.raises(NotActionable, match="did not take"):
        page.type("textbox 'Body'", " and new")


def test_an_editor_that_makes_a_list_of_it_or_sends_it_took_it(show_html: Serve) -> None:
    page = show_html(
        EDITOR_THAT.format(
            " oninput=\"if (/^[*] /.test(this.textContent)) this.innerHTML = '<ul><li>new</ul>'\""
        )
        + "<div contenteditable role=textbox aria-label=Say id=say onkeydown=\"if (event.key === 'Enter')"
        " { this.textContent = ''; event.preventDefault() }\"></div>"
    )
    page.fill("textbox 'Body'", "* new")
    assert page.evaluate("f.innerText.trim()") == "new"
    page.type("textbox 'Body'", " words")
    page.type("textbox 'Say'", "hello\n")


# The field is hidden; the editor keeps the text, and its selection, by itself.
EDITOR = """<div><div style="overflow:hidden;position:absolute;width:3px;height:0"><textarea id=f aria-label=Code
  style="width:1000px;height:1em"></textarea></div><pre id=shown>one\ntwo</pre></div><script>
  let all = false;
  f.onkeydown = (e) => {
    if (e.ctrlKey && e.key === "a") { all = true; e.preventDefault(); }
    else if (e.key === "Delete" && all) { shown.textContent = ""; all = false; }
  };
  f.oninput = () => { shown.textContent = all ? f.value : f.value + shown.textContent; all = false; f.value = ""; };
</script>"""


@pytest.mark.parametrize("value", ["whole", "first\nsecond", ""])
def test_an_editor_behind_a_hidden_field_is_replaced(show_html: Serve, value: str) -> None:
    page = show_html(EDITOR)
    page.fill("textbox 'Code'", value)
    assert page.evaluate("shown.textContent") == value


def test_the_value_of_an_editors_hidden_field_is_not_taken_for_its_text(show_html: Serve) -> None:
    page = show_html(EDITOR)
    with pytest.raises(NotActionable, match="not the editor's text") as refused:
        page.get("value", "textbox 'Code'")
    assert refused.value.data["reason"] == "hidden_field"


def test_typing_anew_into_an_editor_behind_a_hidden_field(show_html: Serve) -> None:
    page = show_html(EDITOR.replace("f.value + shown.textContent", "shown.textContent + f.value"))
    page.type("textbox 'Code'", "ab", clear=True)
    assert page.evaluate("shown.textContent") == "ab"


def test_synthetic_input_says_so_too(synthetic_browser: Browser, serve_html: Serve) -> None:
    page = synthetic_browser.open(serve_html("<input id=f aria-label=Field oninput='this.value = 55'>").url)
    with pytest.raises(NotActionable, match="did not take"):
        page.fill("textbox 'Field'", "abc")
    page.close()


CHANGED_LATER = {
    "clamped": ("Math.min(+this.value, 100)", "500", "100"),
    "another number": ("this.value + '00'", "12", "1200"),
    "corrected": ("this.value.replace('teh', 'the')", "teh end", "the end"),
    "reset": ("''", "abc", ""),
}
ONLY_FORM = {
    "formatted": ("'$1,234.00'", "1234"),
    "written the other way": ("'1.234,50'", "1234.5"),
    "a date": ("'05/01/2024'", "2024-01-05"),
    "completed": ("this.value + ' (Germany)'", "Berlin"),
    "without blanks": ("this.value.trim().toUpperCase()", " ab 12"),
}
LEAVING = (
    '<input id=f aria-label=Field onblur="this.value = {value}"><input aria-label=Other><button>Save</button>'
)


@pytest.mark.parametrize("case", CHANGED_LATER)
def test_a_field_that_the_page_changes_when_it_is_left_is_told(show_html: Serve, case: str) -> None:
    value, given, held = CHANGED_LATER[case]
    page = show_html(LEAVING.format(value=value))
    assert page.fill("textbox 'Field'", given).notes == ()
    result = page.fill("textbox 'Other'", "x")
    said = f"textbox 'Field' held {given!r} when it was filled; the page has changed that to {held!r}"
    assert result.notes == (said,)
    assert said in str(result)
    assert page.click("button 'Save'").notes == ()


@pytest.mark.parametrize("case", ONLY_FORM)
def test_a_field_that_the_page_only_formats_when_it_is_left_is_not(show_html: Serve, case: str) -> None:
    value, given = ONLY_FORM[case]
    page = show_html(LEAVING.format(value=value))
    page.fill("textbox 'Field'", given)
    assert page.click("button 'Save'").notes == ()
    assert page.evaluate("f.value") != given


def test_a_field_that_is_blank_once_its_form_was_sent_was_not_reset(show_html: Serve) -> None:
    page = show_html(LEAVING.format(value="this.value") + "<script>onclick = () => { f.value = '' }</script>")
    page.fill("textbox 'Field'", "hello")
    assert page.click("button 'Save'").notes == ()


def test_a_field_that_the_page_empties_when_it_is_left_by_a_key_is_told(show_html: Serve) -> None:
    """Date pickers throw away what they don't understand."""
    page = show_html(LEAVING.format(value="''"))
    page.fill("textbox 'Field'", "25/03/2026")
    (note,) = page.press("Tab").notes
    assert note.endswith("the page has changed that to ''")


def test_a_day_whose_month_is_written_as_a_word_is_the_same_day(show_html: Serve) -> None:
    page = show_html(
        LEAVING.format(value="this.value.includes('05') ? 'Thu Mar 05 2026' : 'Sat Apr 04 2026'")
    )
    page.fill("textbox 'Field'", "2026-03-05")
    assert page.press("Tab").notes == ()
    page.fill("textbox 'Field'", "2026-03-04")
    assert page.press("Tab").notes != ()


def test_what_a_server_changes_after_the_field_was_left_stops_the_next_action(
    show_html: Serve,
) -> None:
    page = show_html(LEAVING.format(value="(setTimeout(() => { f.value = '100' }, 200), this.value)"))
    page.fill("textbox 'Field'", "250")
    assert page.press("Tab").notes == ()
    page.wait_for(function="f.value === '100'")
    with pytest.raises(
        NotActionable, match="since then the page has changed that to '100'; nothing more was done"
    ):
        page.fill("textbox 'Other'", "x")
    assert page.evaluate("document.activeElement.value") != "x"


def test_enter_that_moves_the_focus_on_was_pressed(show_html: Serve) -> None:
    page = show_html(
        "<input id=a aria-label=From><input id=b aria-label=To><script>let keys = [];"
        "a.onkeydown = (e) => { if (e.key === 'Enter') b.focus() }; b.onkeypress = (e) => keys.push(e.key)</script>"
    )
    page.fill("textbox 'From'", "1")
    page.press("Enter", "textbox 'From'")
    assert page.evaluate("[document.activeElement.id, ...keys]") == ["b"]


def test_enter_in_typed_text_finds_what_the_page_made_of_the_text_before_it(show_html: Serve) -> None:
    page = show_html(
        "<input id=t aria-label=Tags><p id=p></p><script>let shown = '';"
        "t.oninput = () => requestAnimationFrame(() => { shown = t.value });"
        "t.onkeydown = (e) => { if (e.key !== 'Enter') return;"
        "  p.textContent += shown + ';'; t.value = shown = '' }</script>"
    )
    page.type("textbox 'Tags'", "red\n")
    page.type("textbox 'Tags'", "blue\n")
    assert page.evaluate("p.textContent") == "red;blue;"


LATE = {
    "clamped": ("<input id=f aria-label=Count oninput='later(() => { f.value = 100 })'>", "fill", ["500"], "100"),
    "put back": ("<input id=f aria-label=Count value=1 oninput='later(() => { f.value = 1 })'>", "fill", ["2"], "1"),
    "another choice": (
        "<select id=f aria-label=Count onchange='later(() => { f.value = 1 })'><option>1<option>2</select>",
        "select", ["2"], "1",
    ),
    "unchecked": (
        "<input id=f type=checkbox aria-label=Count onchange='later(() => { f.checked = false })'>",
        "check", [], "unchecked",
    ),
}  # fmt: skip
LATER = (
    "<script>const later = (act) => setTimeout(() => { act(); document.body.dataset.done = 1 }, 200)</script>"
)


@pytest.mark.parametrize("case", LATE)
def test_what_the_page_changes_later_stops_the_next_action_once(show_html: Serve, case: str) -> None:
    field, command, given, now = LATE[case]
    page = show_html(f"{LATER}{field}<button onclick='count.textContent++'>Order</button><p id=count>0</p>")
    getattr(page, command)("css '#f'", *given)
    page.wait_for(function="document.body.dataset.done")
    with pytest.raises(NotActionable, match=f"changed that to '{now}'") as refused:
        page.click("button 'Order'")
    assert refused.value.data["reason"] == "value_changed"
    assert page.get("text", "css '#count'") == "0"
    page.click("button 'Order'")
    assert page.get("text", "css '#count'") == "1"


def test_what_a_failed_fill_leaves_is_not_the_pages_doing(show_html: Serve) -> None:
    page = show_html("<input id=f aria-label=Field maxlength=3><button>Save</button>")
    page.fill("textbox 'Field'", "abc")
    with pytest.raises(NotActionable):
        page.type("textbox 'Field'", "xyz1", clear=True)
    page.click("button 'Save'")


def test_what_the_page_completes_or_empties_later_is_no_change(show_html: Serve) -> None:
    page = show_html(
        f"""{LATER}<input id=f aria-label=City oninput="later(() => {{ f.value = 'Berlin, Germany' }})">
        <input id=g aria-label=Tag oninput="later(() => {{ g.value = '' }})"><button>Order</button>"""
    )
    page.fill("textbox 'City'", "Berlin")
    page.fill("textbox 'Tag'", "red")
    page.wait_for(function="document.body.dataset.done && g.value === ''")
    page.click("button 'Order'")


def test_what_is_longer_than_a_field_takes_changes_nothing(show_html: Serve) -> None:
    page = show_html(
        "<input aria-label=Digit maxlength=1 value=7><textarea aria-label=Text maxlength=5>old</textarea>"
    )
    for field, value in (("Digit", "1234"), ("Text", "12\n34567")):
        with pytest.raises(NotActionable, match="at most") as refused:
            page.fill(f"textbox '{field}'", value)
        assert refused.value.data["reason"] == "not_taken"
    assert page.get("value", "textbox 'Digit'") == "7"
    assert page.get("value", "textbox 'Text'") == "old"


BOXES = (
    "<div id=c>{}</div><script>c.oninput = (e) => {{ e.target.nextElementSibling?.focus() }}</script>".format(
        "".join(f"<input maxlength=1 aria-label='Digit {n}'>" for n in range(1, 5))
    )
)


def test_a_code_is_filled_into_its_boxes(show_html: Serve) -> None:
    page = show_html(BOXES + "<p><input maxlength=1 aria-label=Middle>")
    for code in ("1123", "4567"):
        page.fill("textbox 'Digit 1'", code)
        assert page.evaluate("[...c.children].map((box) => box.value).join('')") == code
    for field, value in (("Digit 2", "89"), ("Digit 1", "8"), ("Digit 1", "12345"), ("Middle", "AB")):
        if len(value) == 1:
            page.fill(f"textbox '{field}'", value)
            continue
        with pytest.raises(NotActionable, match="at most"):
            page.fill(f"textbox '{field}'", value)
    assert page.evaluate("[...c.children].map((box) => box.value).join('')") == "8567"


def test_what_stays_disabled_in_a_page_at_rest_is_refused_within_seconds(show_html: Serve) -> None:
    page = show_html("<button disabled>Order</button>")
    started = time.monotonic()
    with pytest.raises(NotActionable, match="it is disabled"):
        page.click("button 'Order'")
    assert time.monotonic() - started < 15


def test_a_file_field_that_the_page_empties_at_once(serve_html: Serve, tmp_path: Path) -> None:
    given = tmp_path / "given.txt"
    given.write_text("text", encoding="utf-8")
    page = serve_html(
        """<input type=file aria-label=Kept><input type=file aria-label=Silent onchange="this.value = ''">
        <input type=file aria-label=Taken onchange="p.textContent = this.files[0].name; this.value = ''"><p id=p></p>"""
    )
    assert page.upload("button 'Kept'", str(given)).notes == ()
    assert page.upload("button 'Taken'", str(given)).notes == ()
    (note,) = page.upload("button 'Silent'", str(given)).notes
    assert "is empty again" in note


@pytest.mark.parametrize("html", ["<a href=/x>Field</a>", "<button>Field</button>", "<h1>Field</h1>"])
def test_what_is_no_field_is_refused_at_once(show_html: Serve, html: str) -> None:
    page = show_html(html)
    begun = time.monotonic()
    with pytest.raises(NotActionable):
        page.fill("any 'Field'", "x")
    assert time.monotonic() - begun < 3


def test_a_replay_never_goes_on_with_what_the_page_made_of_a_value(serve_html: Serve) -> None:
    """Not even on a page that changes all the time, where what is covered may soon be free."""
    page = serve_html(
        "<label>Stock <input id=f oninput='setTimeout(check, 300)'></label><p id=out></p>"
        "<button onclick='window.saved = f.value'>Save</button><p id=clock></p>"
        "<script>function check() { f.value = '100'; out.textContent = 'Checked' }"
        "setInterval(() => { clock.textContent = performance.now() }, 50)</script>"
    )
    fill = SkillStep(
        command="fill", target=StepTarget(selectors=["textbox 'Stock'"]), params={"value": "250"}
    )
    wait = SkillStep(command="wait_for", params={"text": "Checked"})
    click = SkillStep(command="click", target=StepTarget(selectors=["button 'Save'"]))
    result = _skill_of(page, fill, wait, click).run(page)
    assert not result.ok
    assert "since then the page has changed that to '100'" in str(result.error)
    assert page.evaluate("window.saved ?? null") is None


def _skill_of(page: Page, *steps: SkillStep) -> Skill:
    origin = "/".join(page.url.split("/")[:3])
    return Skill(
        SkillSpec(name="set-stock", description="Sets it.", origins=[origin], sends=[], steps=list(steps))
    )


def test_a_replay_that_ends_with_a_value_sees_the_page_put_it_back(serve_html: Serve) -> None:
    page = serve_html(
        "<label>Stock <input id=f value=1 oninput='setTimeout(() => { f.value = 100 }, 300)'></label>"
    )
    fill = SkillStep(
        command="fill", target=StepTarget(selectors=["textbox 'Stock'"]), params={"value": "250"}
    )
    result = _skill_of(page, fill).run(page)
    assert not result.ok
    assert "since then the page has changed that to '100'" in str(result.error)


SLIDERS = """<input id=s type=range aria-label=Price step=5 value=20><output id=o>20</output>
<input id=k type=range aria-label=Keyed value=20><input id=r type=range aria-label=Ruled min=0 max=1 step=1><script>
s.onkeyup = s.onpointerup = () => { o.textContent = s.value };
k.onkeydown = (event) => {
  if (!/^Arrow/.test(event.key)) return;
  event.preventDefault();
  k.value = +k.value + (event.key === "ArrowUp" ? 10 : -10);
};
</script>"""


def test_a_slider_is_let_go_at_its_value_as_by_a_person(show_html: Serve) -> None:
    page = show_html(SLIDERS)
    for value in ("80", "0", "100", "95"):
        page.fill("slider 'Price'", value)
        assert (page.get("value", "slider 'Price'"), page.text("css '#o'")) == (value, value)
    page.fill("slider 'Keyed'", "33")
    assert page.get("value", "slider 'Keyed'") == "33"
    for value in ("1", "0"):
        page.fill("slider 'Ruled'", value)
        assert page.get("value", "slider 'Ruled'") == value


DATE_PART = """<div id=d role=spinbutton aria-label=day contenteditable inputmode=numeric>dd</div><script>
let held = "";
d.onbeforeinput = (event) => {
  event.preventDefault();
  for (const digit of event.data ?? "") held = +(held + digit) > 31 ? digit : held + digit;
  d.textContent = held.padStart(2, "0");
  d.setAttribute("aria-valuenow", +held);
};
d.onfocus = () => { held = "" };
</script>"""


def test_a_part_of_a_date_takes_digits_in_the_place_of_what_it_held(show_html: Serve) -> None:
    page = show_html(DATE_PART)
    page.type("spinbutton 'day'", "17")
    assert page.text("css '#d'") == "17"
    page.evaluate("document.activeElement.blur()")
    page.fill("spinbutton 'day'", "4")
    assert page.text("css '#d'") == "04"
    page.evaluate("document.activeElement.blur()")
    with pytest.raises(NotActionable, match="did not take"):
        page.fill("spinbutton 'day'", "45")
