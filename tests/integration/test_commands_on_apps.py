"""Every command at least once on an application that nobody here wrote, judged by what the page says afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.apps import APPS, NotInstalled, serve_app
from skillbook.errors import NoMatch
from skillbook.protocol.commands import COMMANDS
from skillbook.session.sync import Page

pytestmark = pytest.mark.gym
Case = Callable[[Page, Path], None]
DEMOS = "usr/share/doc/libjs-jquery-ui-docs/examples"
FOLDED = "button name~'Get the Jupyter Server version'"
LAB_READY = "document.querySelector('.jp-Notebook-ExecutionIndicator[data-status=idle]')"
ROW_91 = "gridcell 'Customer 165'"
TESTED: dict[str, tuple[str, Case]] = {}


def on(command: str, app: str, path: str = "") -> Callable[[Case], Case]:
    """Enter a command's case in the table: which application, and which of its pages."""

    def enter(case: Case) -> Case:
        TESTED[command] = (f"{app}/{path}", case)
        return case

    return enter


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """The address of an application's page; each is served once."""
    served: dict[str, str] = {}
    with ExitStack() as stack:

        def address(place: str) -> str:
            name, _, path = place.partition("/")
            if name not in served:
                app = next(app for app in APPS if app.name == name)
                try:
                    url = stack.enter_context(serve_app(app, tmp_path_factory.mktemp(name)))
                except NotInstalled as missing:
                    pytest.skip(str(missing))
                served[name] = url.removesuffix(app.path) if app.path else url
            return served[name] + path

        yield address


def test_every_command_has_a_case() -> None:
    # No application here declares tools of its own: `test_page_tools.py` has pages that do.
    assert set(TESTED) == {
        name for name, command in COMMANDS.items() if not (command.internal or command.page_tools)
    }


@pytest.mark.parametrize("command", list(COMMANDS))
def test_command(
    command: str, addresses: Callable[[str], str], open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    if command not in TESTED:
        pytest.skip("internal, or for tools that no application here declares")
    place, case = TESTED[command]
    case(open_page(addresses(place)), tmp_path)


@pytest.mark.more
def test_both_engines_read_a_desktop_like_application(
    addresses: Callable[[str], str], open_page: Callable[[str], Page]
) -> None:
    """JupyterLab's style has `:defined`, `:has` and thousands of rules, and it is new all the time while it starts."""
    page = open_page(addresses("jupyterlab/"))
    page.snapshot(timeout=20)
    page.wait_for(function=LAB_READY, timeout=60)
    page.wait_for(idle=True, timeout=30)
    ours, chromes = page.snapshot(timeout=20), page.snapshot("cdp", timeout=20)
    wanted = ["menuitem 'File'", "button 'Upload Files'", "tab 'quickstart.ipynb'"]
    for selector in wanted:
        assert (ours.find(selector).role, ours.find(selector).name) == (
            chromes.find(selector).role,
            chromes.find(selector).name,
        )
    assert len(ours.elements) > 50


@on("snapshot", "swagger")
def _snapshot(page: Page, _: Path) -> None:
    page.wait_for(selector=FOLDED, timeout=20)
    assert len(page.snapshot().find_all("button")) > 31
    # Chrome's own names have a space where a word may break.
    names = (one.find(FOLDED).name.replace(" ", "") for one in (page.snapshot("cdp"), page.snapshot()))
    assert len(set(names)) == 1


@on("get", "swagger")
def _get(page: Page, _: Path) -> None:
    page.wait_for(selector=FOLDED, timeout=20)
    assert "Jupyter Server version" in page.get("text", FOLDED)
    assert (
        page.get("attribute", FOLDED, name="aria-expanded") == page.get("attributes", FOLDED)["aria-expanded"]
    )
    assert page.get("role", FOLDED) == "button"
    assert page.get("box", FOLDED)["width"] > 100
    assert page.get("style", FOLDED, name="display") == "flex"
    assert page.get("count", "button") == len(page.snapshot().find_all("button"))
    assert page.get("title") == page.title
    assert page.get("url") == page.url


@on("is", "shoelace")
def _is(page: Page, _: Path) -> None:
    page.wait_for(selector="button 'Place order'")
    assert page.is_("visible", "button 'Place order'")
    assert not page.is_("checked", "checkbox 'Gift wrap'")
    assert page.is_("required", "textbox name~'Customer'")
    assert page.is_("invalid", "textbox name~'Customer'")
    assert not page.is_("expanded", "combobox 'Country'")


@on("markdown", "pydocs", "library/functions.html")
def _markdown(page: Page, _: Path) -> None:
    said = page.markdown(links=False)
    assert "# Built-in Functions" in said
    assert "Return the absolute value of a number." in said
    assert said.count("| --- |") >= 1


@on("screenshot", "fullcalendar")
def _screenshot(page: Page, _: Path) -> None:
    page.wait_for(selector="button name~'list'")
    assert page.screenshot().startswith(b"\x89PNG")
    part = page.screenshot(target="button name~'list'", format="jpeg")
    assert part.startswith(b"\xff\xd8")
    assert len(part) < len(page.screenshot(full_page=True))


def test_capture_on_an_application(addresses: Callable[[str], str], open_page: Callable[[str], Page]) -> None:
    page = open_page(addresses("shoelace/"))
    page.wait_for(selector="button 'Place order'")
    page.wait_for(idle=True)  # its components are still being drawn, which moves those below them
    taken = page.capture("button 'Place order'", "checkbox 'Gift wrap'")
    for box in taken.boxes:
        x, y = box.x + box.width / 2, box.y + box.height / 2
        there = f"document.elementFromPoint({x}, {y} - scrollY)?.textContent"
        assert box.label.split("'")[1] in page.evaluate(there)


@on("console", "jqueryui", f"{DEMOS}/button/default.html")
def _console(page: Page, _: Path) -> None:
    page.console()
    page.evaluate("(console.warn('careful'), setTimeout(() => { throw new Error('broken') }), 0)")
    page.wait_for(seconds=0.1)
    assert any("careful" in message["text"] for message in page.console("warnings"))
    assert any("broken" in message["text"] for message in page.console("errors"))


@on("evaluate", "jqueryui", f"{DEMOS}/slider/range.html")
def _evaluate(page: Page, _: Path) -> None:
    page.wait_for(function="window.jQuery?.ui")
    assert page.evaluate("jQuery.ui.version").count(".") == 2
    assert page.evaluate(
        "handle => handle.className.includes('ui-slider-handle')", "css '.ui-slider-handle' nth 1"
    )


@on("click", "swagger")
def _click(page: Page, _: Path) -> None:
    page.wait_for(selector=FOLDED, timeout=20)
    result = page.click(FOLDED)
    page.wait_for(selector="button 'Try it out'", timeout=10)
    assert result.changed
    assert result.elapsed_ms > 0
    page.click(FOLDED, button="right")
    page.click(FOLDED, modifiers=["Shift"])
    page.wait_for(function="!document.querySelector('.try-out')", timeout=10)


@on("dblclick", "pydocs", "library/functions.html")
def _dblclick(page: Page, _: Path) -> None:
    page.evaluate("document.addEventListener('dblclick', event => { window.doubled = event.detail }), 0")
    page.dblclick("heading name~'Built-in Functions' nth 1")
    assert page.evaluate("window.doubled") == 2


@on("fill", "shoelace")
def _fill(page: Page, _: Path) -> None:
    page.wait_for(selector="button 'Place order'")
    page.fill("textbox name~'Customer'", "Nina Holm")
    page.fill("slider 'Quantity'", "7")
    values = "[document.querySelector('sl-input').value, document.querySelector('sl-range').value]"
    assert page.evaluate(values) == ["Nina Holm", 7]


@on("clear", "shoelace")
def _clear(page: Page, _: Path) -> None:
    page.wait_for(selector="button 'Place order'")
    page.fill("textbox name~'Customer'", "Nina Holm")
    assert page.clear("textbox name~'Customer'").changed
    assert page.evaluate("document.querySelector('sl-input').value") == ""


@on("type", "jqueryui", f"{DEMOS}/autocomplete/default.html")
def _type(page: Page, _: Path) -> None:
    page.type("textbox", "ruby")
    page.type("textbox", "Ja", clear=True, delay_ms=10)
    page.wait_for(selector="listitem 'JavaScript'")
    assert page.get("value", "textbox") == "Ja"


@on("press", "jqueryui", f"{DEMOS}/tabs/default.html")
def _press(page: Page, _: Path) -> None:
    page.press("ArrowRight", "tab 'Nunc tincidunt'")
    page.wait_for(function="jQuery('#tabs').tabs('option', 'active') === 1")
    page.press("Control+A")
    assert len(page.evaluate("getSelection().toString()")) > 100


@on("hover", "jqueryui", f"{DEMOS}/tooltip/default.html")
def _hover(page: Page, _: Path) -> None:
    page.hover("textbox")
    page.wait_for(text="We ask for your age only for statistical purposes.")


@on("focus", "jqueryui", f"{DEMOS}/datepicker/default.html")
def _focus(page: Page, _: Path) -> None:
    page.focus("textbox")
    page.wait_for(selector="link 'Next'")
    assert page.is_("focused", "textbox")


@on("check", "jqueryui", f"{DEMOS}/checkboxradio/default.html")
def _check(page: Page, _: Path) -> None:
    page.check("radio 'Paris'")
    page.check("checkbox '2 Star' nth 1")
    assert page.evaluate("jQuery('#radio-2').prop('checked') && jQuery('#checkbox-1').prop('checked')")
    page.check("radio 'London'")
    assert not page.is_("checked", "radio 'Paris'")


@on("uncheck", "shoelace")
def _uncheck(page: Page, _: Path) -> None:
    page.wait_for(selector="button 'Place order'")
    page.check("switch 'Newsletter'")
    assert page.evaluate("document.querySelector('sl-switch').checked")
    page.uncheck("switch 'Newsletter'")
    assert not page.evaluate("document.querySelector('sl-switch').checked")


@on("select", "jqueryui", f"{DEMOS}/selectmenu/default.html")
def _select(page: Page, _: Path) -> None:
    page.select("combobox 'Medium'", "Fast")
    assert page.evaluate("jQuery('#speed').val()") == "Fast"
    page.select("combobox '2'", 4, by="index")
    assert page.evaluate("jQuery('#number').val()") == "5"


@on("drag", "jqueryui", f"{DEMOS}/droppable/default.html")
def _drag(page: Page, _: Path) -> None:
    page.drag("text 'Drag me to my target'", "text 'Drop here'")
    page.wait_for(text="Dropped!")
    before = page.evaluate("jQuery('#draggable').position().top")
    page.drag("text 'Drag me to my target'", dx=0, dy=70)
    assert page.evaluate("jQuery('#draggable').position().top") == before + 70


@on("scroll", "aggrid")
def _scroll(page: Page, _: Path) -> None:
    rows = "[...document.querySelectorAll('.ag-row[row-index]')].map(row => Number(row.getAttribute('row-index')))"
    page.wait_for(function=f"{rows}.length > 5")
    assert not page.snapshot().find_all(ROW_91)
    page.scroll("grid", until=ROW_91, timeout=60)
    assert page.is_("in_view", ROW_91)
    page.scroll(ROW_91, to="top")
    page.wait_for(function=f"Math.min(...{rows}) === 0")
    page.scroll("gridcell 'Customer 0'", to="end", timeout=60)
    assert page.evaluate(f"Math.max(...{rows})") == 99
    with pytest.raises(NoMatch, match="scrolled to the end"):
        page.scroll("grid", until="gridcell 'Atlantis'", timeout=60)


@on("submit", "shoelace")
def _submit(page: Page, _: Path) -> None:
    page.wait_for(selector="button 'Place order'")
    page.fill("textbox name~'Customer'", "Nina Holm")
    page.submit("button 'Place order'")
    assert '"customer":"Nina Holm"' in page.evaluate("document.querySelector('#out').textContent")


@on("upload", "jupyterlab")
def _upload(page: Page, folder: Path) -> None:
    file = folder / "prices.csv"
    file.write_text("item,price\ntea,4\n")
    page.wait_for(selector="button 'Upload Files'", timeout=60)
    page.upload("button 'Upload Files'", str(file), timeout=20)
    page.wait_for(selector="listitem name~'prices.csv'", timeout=20)


@on("download", "jupyterlab")
def _download(page: Page, folder: Path) -> None:
    page.wait_for(function=LAB_READY, timeout=60)
    page.click("menuitem 'File'")
    result = page.download("menuitem 'Download'", folder, timeout=20)
    assert result.path == folder / "quickstart.ipynb"
    assert '"cells"' in result.path.read_text(encoding="utf-8")


@on("handle_dialog", "jqueryui", f"{DEMOS}/button/default.html")
def _handle_dialog(page: Page, _: Path) -> None:
    page.wait_for(function="window.jQuery?.ui")
    page.evaluate("jQuery('button').first().on('click', () => { window.name = prompt('Name?', 'Bo') }), 0")
    assert page.click("button 'A button element' nth 1").dialog is not None
    page.handle_dialog(text="Ann")
    assert page.evaluate("window.name") == "Ann"


@on("goto", "pydocs", "index.html")
def _goto(page: Page, _: Path) -> None:
    result = page.goto(page.url.replace("index.html", "library/functions.html"), wait="dom")
    assert result.navigated
    assert page.url.endswith("library/functions.html")
    assert result.data["status"] == 200


@on("back", "pydocs", "index.html")
def _back(page: Page, _: Path) -> None:
    page.click("link 'Library Reference' nth 1")
    assert page.back().url.endswith("/index.html")


@on("forward", "pydocs", "index.html")
def _forward(page: Page, _: Path) -> None:
    page.click("link 'Library Reference' nth 1")
    gone = page.url
    page.back()
    assert page.forward().url == gone


@on("reload", "shoelace")
def _reload(page: Page, _: Path) -> None:
    page.wait_for(selector="button 'Place order'")
    page.fill("textbox name~'Customer'", "Nina Holm")
    page.reload()
    page.wait_for(selector="button 'Place order'")
    assert page.get("value", "textbox name~'Customer'") == ""


@on("wait_for", "swagger")
def _wait_for(page: Page, _: Path) -> None:
    page.wait_for(text="Jupyter Server API", timeout=20)
    page.wait_for(load=True)
    page.wait_for(idle=True, timeout=20)
    page.click(FOLDED)
    page.wait_for(function="() => document.querySelector('.try-out') !== null")
    page.click(FOLDED)
    page.wait_for(text_gone="Try it out")
    page.wait_for(url="127.0.0.1")


@on("tabs_open", "pydocs", "index.html")
def _tabs_open(page: Page, _: Path) -> None:
    other = page.browser.open(page.url.replace("index.html", "search.html"))
    assert other in page.browser.pages
    other.close()


@on("tabs_list", "pydocs", "index.html")
def _tabs_list(page: Page, _: Path) -> None:
    assert page in page.browser.refresh()


@on("tabs_switch", "pydocs", "index.html")
def _tabs_switch(page: Page, _: Path) -> None:
    other = page.browser.open(page.url.replace("index.html", "search.html"))
    page.switch()
    assert page.browser.active is page
    assert page.evaluate("document.visibilityState") == "visible"
    other.close()


@on("tabs_close", "pydocs", "index.html")
def _tabs_close(page: Page, _: Path) -> None:
    page.close()
    assert page.closed
    assert page not in page.browser.refresh()
