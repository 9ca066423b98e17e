"""A page in real Chromium through the real extension."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import (
    AmbiguousMatch,
    CommandError,
    CommandTimeout,
    InvalidParams,
    NoMatch,
    NotActionable,
    NotAllowed,
    PageClosed,
    PageUnreachable,
    StaleRef,
    UnknownRef,
)
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import serve_folder, serve_site

Serve = Callable[[str], Page]

FORM = """
<h1>Sign up</h1>
<form onsubmit="event.preventDefault(); done.textContent = 'Hello ' + who.value">
  <label>Name <input id="who"></label>
  <label><input type="checkbox" id="news"> Newsletter</label>
  <label>Size <select id="size"><option value="s">Small</option><option value="l">Large</option></select></label>
  <label>Password <input type="password" id="pw" value="hunter22"></label>
  <button>Send form</button>
</form>
<p id="done"></p>
"""


def test_the_first_session_of_the_readme(browser: Browser) -> None:
    with serve_site() as shop:
        page = browser.open(shop.url)
        page.fill("searchbox 'Search products'", "lamp")
        page.press("Enter")
        assert "lamp" in page.url
        assert "lamp" in page.snapshot().text().lower()
        assert len(sb.tables(page)) >= 1
        page.close()


def test_filling_checking_selecting_and_submitting(show_html: Serve) -> None:
    page = show_html(FORM)
    page.fill("textbox 'Name'", "Ann")
    page.check("checkbox 'Newsletter'")
    page.check("checkbox 'Newsletter'")
    page.select("combobox 'Size'", "Large")
    assert page.evaluate("[who.value, news.checked, size.value]") == ["Ann", True, "l"]
    page.uncheck("checkbox 'Newsletter'")
    assert page.is_("checked", "checkbox 'Newsletter'") is False
    result = page.click("button 'Send form'")
    assert result.changed
    assert result.diff is not None
    assert "Hello Ann" in result.diff.text()
    assert page.get("text", "paragraph") == "Hello Ann"


def test_reading_by_name_and_elements_that_appear_later(show_html: Serve) -> None:
    page = show_html(
        FORM + "<script>setTimeout(() => done.innerHTML = '<button>Later</button>', 300)</script>"
    )
    assert page.element("button 'Later'").is_visible()
    page.fill("label 'Name'", 7)
    assert (page.value("label 'Name'"), page["label 'Name'"].attribute("id")) == ("7", "who")
    with pytest.raises(NotAllowed, match="never read"):
        page.value("label 'Password'")
    assert "Sign up" in page.text()
    assert page.text("heading") == "Sign up"
    assert "<label>" in page.html("css 'form'")
    assert page.count("checkbox") == 1
    assert not page.is_checked("checkbox")
    assert page.is_enabled("button 'Send form'")
    assert page.is_editable("label 'Name'")
    with pytest.raises(InvalidParams, match=r"the order is page.is_\(what, target\)"):
        page.is_("checkbox", "visible")
    with pytest.raises(InvalidParams, match="values is None"):
        page.select("combobox 'Size'", None)  # type: ignore[arg-type]
    with pytest.raises(InvalidParams, match="value is nan"):
        page.fill("label 'Name'", float("nan"))
    assert page.value("label 'Name'") == "7"
    with pytest.raises(InvalidParams, match="pause=-1"):
        sb.extract(page, pause=-1)
    with pytest.raises(NoMatch):
        page.element("button 'Never'", timeout=0)
    with pytest.raises(CommandTimeout):
        page.wait_for(url="*/never", timeout=0)


def test_several_options_are_given_one_by_one_or_as_a_list(show_html: Serve) -> None:
    options = "".join(f"<option>{name}" for name in ("Red", "Green", "Blue"))
    page = show_html(f"<select aria-label=Colours multiple>{options}</select>")
    page.select("listbox 'Colours'", "Red", "Blue")
    assert page.evaluate("[...document.querySelector('select').selectedOptions].map(o => o.text)") == [
        "Red",
        "Blue",
    ]
    page.select("listbox 'Colours'", ["Green", "Blue"])
    assert page.evaluate("[...document.querySelector('select').selectedOptions].map(o => o.text)") == [
        "Green",
        "Blue",
    ]


def test_fault_22_a_secret_fields_value_is_never_read(show_html: Serve) -> None:
    page = show_html(FORM)
    snapshot = page.snapshot()
    assert "hunter22" not in snapshot.text(budget=None)
    field = snapshot.find("textbox 'Password'")
    assert field.value is None
    with pytest.raises(NotAllowed):
        page.get("value", field)


def test_refs_stay_while_their_element_does(serve_html: Serve) -> None:
    page = serve_html("<button id=a>One</button><div id=box></div><button>Two</button>")
    first = page.snapshot()
    one, two = first.find("button 'One'").ref, first.find("button 'Two'").ref
    page.evaluate(
        "box.innerHTML = '<button>Between</button>', a.textContent = 'Uno', history.pushState({}, '', '#x')"
    )
    second = page.snapshot()
    assert second.find("button 'Uno'").ref == one
    assert second.find("button 'Two'").ref == two
    assert second.find("button 'Between'").ref not in {one, two}
    assert page[str(one)].click().target is not None


def test_fault_23_a_replaced_element_is_stale_and_its_successor_untouched(show_html: Serve) -> None:
    page = show_html("<div id=box><button onclick='window.hit = 1'>Buy</button></div>")
    ref = page.snapshot().find("button 'Buy'").ref
    page.evaluate("box.innerHTML = box.innerHTML, 0")
    with pytest.raises(StaleRef):
        page.click(str(ref))
    assert page.evaluate("window.hit ?? null") is None


def test_fault_23_a_ref_of_an_old_document_never_resolves(show_html: Serve) -> None:
    page = show_html("<button onclick='window.hit = 1'>Buy</button>")
    ref = str(page.snapshot().find("button 'Buy'").ref)
    page.reload()
    assert page.snapshot().find("button 'Buy'").ref != ref
    with pytest.raises(StaleRef):
        page.click(ref)
    assert page.evaluate("window.hit ?? null") is None


def test_an_unknown_ref_clicks_nothing(serve_html: Serve) -> None:
    page = serve_html("<button onclick='window.hit = 1'>Buy</button>")
    page.snapshot()
    with pytest.raises(UnknownRef):
        page.click("e999")
    assert page.evaluate("window.hit ?? null") is None


def test_selectors_that_match_nothing_or_too_much(show_html: Serve) -> None:
    page = show_html("<button>Save</button><button>Save</button><button>Close</button>")
    with pytest.raises(AmbiguousMatch):
        page.click("button 'Save'")
    with pytest.raises(NoMatch, match="Close"):
        page.snapshot().find("button 'Clos'")


def test_a_covered_or_disabled_element_is_not_clicked(show_html: Serve) -> None:
    page = show_html(
        "<button id=a onclick='window.hit = 1'>Under</button><button disabled>Off</button>"
        "<div style='position:fixed;inset:0;background:#fff8'>Curtain</div>"
    )
    with pytest.raises(NotActionable):
        page.click("button 'Under'", timeout=1)
    with pytest.raises(NotActionable):
        page.click("button 'Off'", timeout=1)
    assert page.evaluate("window.hit ?? null") is None


@pytest.mark.timeout(30)
def test_what_never_takes_text_is_refused_without_waiting(show_html: Serve) -> None:
    page = show_html(
        "<a href='#x'>Docs</a><input aria-label=Fixed value=1 readonly><button>Send</button>"
        "<select aria-label=Size><option>Small<option>Large</select>"
    )
    page.snapshot()
    for target in ("link 'Docs'", "button 'Send'", "combobox 'Size'"):
        with pytest.raises(NotActionable, match="it is no field that text can be typed into"):
            page.fill(target, "text", timeout=300)
    with pytest.raises(NotActionable, match="it is read-only") as fixed:
        page.fill("textbox 'Fixed'", "2", timeout=300)
    assert "open a calendar or a list" in (fixed.value.hint or "")
    with pytest.raises(NotActionable, match="nothing that can be checked"):
        page.check("link 'Docs'", timeout=300)
    with pytest.raises(NotActionable, match="no native list"):
        page.select("link 'Docs'", "Small", timeout=300)
    with pytest.raises(NotActionable, match="an option of a closed list"):
        page.click("option 'Large'", timeout=300)


def test_a_field_that_is_disabled_for_now_is_filled_once_it_is_enabled(show_html: Serve) -> None:
    page = show_html(
        "<input aria-label=Name disabled><script>setTimeout(() => "
        "document.querySelector('input').disabled = false, 300)</script>"
    )
    page.fill("textbox 'Name'", "Ann", timeout=20)
    assert page.get("value", "textbox 'Name'") == "Ann"


def test_a_sort_that_moves_rows_is_reported(show_html: Serve) -> None:
    page = show_html(
        "<button onclick='const t = document.querySelector(\"tbody\"); t.append(t.rows[0])'>Sort</button>"
        "<table aria-label=People><tbody><tr><td>Zoe<tr><td>Ann<tr><td>Mia</table>"
    )
    page.snapshot()
    text = page.click("button 'Sort'").diff.text()
    assert text.startswith("~ order in ")
    assert text.index("Ann") < text.index("Mia") < text.index("Zoe")


def test_input_is_trusted(show_html: Serve) -> None:
    page = show_html(
        "<button onclick='window.trusted = event.isTrusted'>Go</button><input onkeydown='window.key = event.isTrusted'>"
    )
    page.click("button 'Go'")
    page.type("textbox", "x")
    assert page.evaluate("[window.trusted, window.key]") == [True, True]


def test_frames_of_another_origin_and_closed_shadow_roots(serve_html: Serve, browser: Browser) -> None:
    page = serve_html(
        """<div id=host></div><iframe id=f title=Inner srcdoc="<button onclick='parent.deep = 1'>Deep</button>">
        </iframe><script>
        const root = host.attachShadow({mode: 'closed'});
        root.innerHTML = '<button>Closed</button>';
        root.firstChild.onclick = () => { window.closed_hit = 1 };
        </script>"""
    )
    page.click("button 'Closed'")
    page.click("button 'Deep'")
    assert page.evaluate("[window.closed_hit, window.deep]") == [1, 1]
    assert str(page.snapshot().find("button 'Deep'").ref).startswith("f")


@pytest.mark.parametrize("holder", ["<embed type='text/html' src=", "<object type='text/html' data="])
def test_pages_in_embed_and_object_are_read_and_pressed(
    tmp_path: Path, open_page: Callable[[str], Page], holder: str
) -> None:
    (tmp_path / "inner.html").write_text("<button onclick='top.pressed = true'>Inner</button>")
    (tmp_path / "index.html").write_text(f"<h1>Outer</h1>{holder}'inner.html' width=300 height=100>")
    with serve_folder(tmp_path) as site:
        page = open_page(f"{site.url}/index.html")
        page.wait_for(selector="button 'Inner'")
        ours, chromes = page.snapshot(), page.snapshot(engine="cdp")
        assert ours.find("button 'Inner'").ref == chromes.find("button 'Inner'").ref
        assert ours.find("button 'Inner'").box == chromes.find("button 'Inner'").box
        page.click("button 'Inner'")
        assert page.evaluate("top.pressed")


def test_a_cross_origin_frame_is_read_and_clicked_where_allowed(serve_html: Serve, browser: Browser) -> None:
    with serve_site() as shop:
        other = shop.url.replace("127.0.0.1", "localhost")
        page = serve_html(f"<h1>Outer</h1><iframe title=Shop width=900 height=700 src='{other}'></iframe>")
        page.wait_for(selector="searchbox 'Search products'")
        node = page.snapshot().find("searchbox 'Search products'")
        with pytest.raises(NotAllowed):
            page.fill(node, "lamp")
        browser.allow(other)
        page.fill(node, "lamp")
        assert page.get("value", node) == "lamp"


@pytest.mark.parametrize(
    ("field", "value", "hint"),
    [
        ("<input aria-label=X type=range>", "loud", "a number from 0 to 100"),
        ("<input aria-label=X type=range min=5 max=9 step=2>", "6", "from 5 to 9 in steps of 2"),
        ("<input aria-label=X type=date min=2026-01-01>", "tomorrow", "2026-11-21 from 2026-01-01"),
        ("<input aria-label=X type=color>", "reddish", "#3366ff"),
    ],
)
def test_what_a_field_cannot_hold_is_refused_with_its_form(
    show_html: Serve, field: str, value: str, hint: str
) -> None:
    page = show_html(field)
    target = next(node for node in page.snapshot().elements if node.name == "X")
    with pytest.raises(InvalidParams) as refused:
        page.fill(target, value)
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    "field",
    [
        "<input aria-label=X value=tea>",
        "<input aria-label=X type=number value=3>",
        "<input aria-label=X type=date value=2026-01-01>",
        "<input aria-label=X type=password value=tea>",
        "<textarea aria-label=X>tea\n\nmilk</textarea>",
        "<div aria-label=X role=textbox contenteditable>tea<p>milk</div>",
    ],
)
def test_every_kind_of_field_is_emptied(show_html: Serve, field: str) -> None:
    page = show_html(f"{field}<script>onchange = oninput = event => {{ window.last = event.type }}</script>")
    target = next(node for node in page.snapshot().elements if node.name == "X")
    assert page.clear(target).changed
    field = "document.querySelector('[aria-label=X]')"
    assert page.evaluate(f"({field}.value ?? {field}.innerText).trim()") == ""
    assert page.evaluate("window.last") in {"change", "input"}
    assert page[target.ref or ""].clear().data["input"] == "trusted"


def test_what_always_has_a_value_is_not_emptied(show_html: Serve) -> None:
    page = show_html("<input aria-label=X type=range value=7>")
    with pytest.raises(InvalidParams):
        page.clear("slider 'X'")
    assert page.get("value", "slider 'X'") == "7"


def test_going_back_with_no_page_there_is_not_retryable(serve_html: Serve) -> None:
    page = serve_html("<p>Only")
    with pytest.raises(PageUnreachable) as never:
        page.forward()
    assert not never.value.retryable


def test_wrong_urls(browser: Browser) -> None:
    with pytest.raises(PageUnreachable) as failed:
        browser.open("http://127.0.0.1:9/")
    assert failed.value.retryable
    with pytest.raises(PageUnreachable):
        browser.open("http://no-such-host.invalid/")
    for url in ("javascript:alert(1)", "chrome://version", "file:///etc/passwd", "not a url"):
        with pytest.raises(NotAllowed):
            browser.open(url)
    with serve_site() as shop:
        page = browser.open(shop.url)
        assert page.snapshot().elements
        page.close()


def test_history(serve_html: Serve) -> None:
    page = serve_html("<a href='?two'>Next page</a>")
    start = page.url
    result = page.click("link 'Next page'")
    assert result.navigated
    assert page.url == start + "?two"
    page.back()
    assert page.url == start
    page.forward()
    assert page.url == start + "?two"
    page.reload()
    assert page.snapshot().url == start + "?two"


def test_waiting(serve_html: Serve) -> None:
    page = serve_html(
        "<button onclick=\"setTimeout(() => { document.body.append('Ready now') }, 150)\">Start</button>"
    )
    page.click("button 'Start'")
    page.wait_for(text="Ready now", timeout=5)
    with pytest.raises(CommandTimeout):
        page.wait_for(text="Never", timeout=0.3)
    page.evaluate("setTimeout(() => history.pushState({}, '', '?later'), 100), 0")
    page.wait_for(url="later", timeout=5)
    page.wait_for(idle=True, timeout=10)


def test_a_dialog_is_reported_and_answered(serve_html: Serve) -> None:
    page = serve_html("<button onclick=\"window.said = confirm('Sure?')\">Ask</button>")
    result = page.click("button 'Ask'")
    assert result.dialog is not None
    assert (result.dialog.kind, result.dialog.message) == ("confirm", "Sure?")
    page.handle_dialog(accept=True)
    assert page.evaluate("window.said") is True


def test_a_page_closed_during_a_command(serve_html: Serve) -> None:
    page = serve_html("<button id=a disabled>Off</button>")
    ref = str(page.snapshot().find("button 'Off'").ref)
    failures: list[BaseException] = []

    def click() -> None:
        try:
            page.click(ref, timeout=20)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=click)
    thread.start()
    page.close()
    thread.join(15)
    assert not thread.is_alive()
    assert isinstance(failures[0], CommandError)
    with pytest.raises(PageClosed):
        page.snapshot()


def test_a_navigation_during_a_command(show_html: Serve) -> None:
    page = show_html("<button id=a disabled>Off</button>")
    ref = str(page.snapshot().find("button 'Off'").ref)
    page.evaluate("void setTimeout(() => { location.search = 'gone' }, 500)")
    with pytest.raises(CommandError):
        page.click(ref, timeout=3)
    page.wait_for(url="gone", timeout=10)
    assert page.snapshot().find("button 'Off'").ref != ref


def test_hover_press_scroll_drag_and_pictures(show_html: Serve) -> None:
    page = show_html(
        """<style>#far { margin-top: 3000px } </style><button onmouseenter="window.over = 1">Hover me</button>
        <input onkeydown="window.keys = (window.keys || '') + event.key"><button id=far>Far</button>"""
    )
    page.hover("button 'Hover me'")
    page.press("ArrowDown", "textbox")
    page.scroll("button 'Far'")
    assert page.evaluate("[window.over, window.keys, scrollY > 1000]") == [1, "ArrowDown", True]
    page.scroll(to="top")
    assert page.evaluate("scrollY") == 0
    assert page.screenshot().startswith(b"\x89PNG")
    assert page.screenshot(target="button 'Hover me'", format="jpeg").startswith(b"\xff\xd8")
    assert len(page.screenshot(full_page=True)) > len(page.screenshot())


def test_new_tabs_join(serve_html: Serve, browser: Browser) -> None:
    page = serve_html("<a href='?popup' target=_blank>Open another</a>")
    result = page.click("link 'Open another'")
    assert len(result.opened_tabs) == 1
    opened = next(other for other in browser.pages if other.driver.tab.id == result.opened_tabs[0])
    opened.wait_for(url="popup", timeout=5)
    opened.close()


async def test_the_awaitable_twin(browser: Browser) -> None:
    twin = sb.aio.Browser(browser.driver)
    with serve_site() as shop:
        page = await twin.open(shop.url)
        await page.fill("searchbox 'Search products'", "lamp")
        assert (await page.get("value", "searchbox 'Search products'")) == "lamp"
        texts = await asyncio.gather(*(page.snapshot() for _ in range(3)))
        assert len({snapshot.text() for snapshot in texts}) == 1
        await page.close()


def test_console_messages(show_html: Serve) -> None:
    page = show_html("<button onclick=\"console.error('it broke')\">Break</button>")
    page.console()
    page.click("button 'Break'")
    assert any("it broke" in message["text"] for message in page.console("errors"))
