"""What an action gets is the one element that its selector finds, for every call that takes a selector."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from skillbook.errors import AmbiguousMatch, InvalidParams, NoMatch, NotAllowed
from skillbook.extraction.reading.plans import Place
from skillbook.io_thread import io
from skillbook.perception.selectors import find_within, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.actions.prepare import prepare
from skillbook.session.page_driver import PageDriver
from skillbook.session.sync import Page
from tests.integration.selector_agreement import Documents

Show = Callable[[str], Page]

GRID = """<h1>Grid</h1><div id=g role=grid aria-label=G aria-rowcount=300
style="height:200px;width:420px;overflow:auto;position:relative">
<div id=room style="height:9000px"></div></div><script>
const pressed = [];
const render = () => {
  for (const old of g.querySelectorAll("[role=row]")) old.remove();
  const from = Math.max(0, Math.floor(g.scrollTop / 30) - 1);
  for (let i = from; i < Math.min(300, from + 10); i++) {
    const row = document.createElement("div");
    row.role = "row";
    row.setAttribute("aria-rowindex", String(i + 1));
    row.style = `position:absolute;top:${i * 30}px;height:30px`;
    const cells = [`P${i + 1}`, i % 7];
    row.innerHTML = cells.map((text, j) => `<span role=gridcell aria-colindex=${j + 1}>${text}</span>`).join(" ");
    row.onclick = () => pressed.push(`P${i + 1}`);
    g.append(row);
  }
};
g.addEventListener("scroll", () => requestAnimationFrame(render));
render();
</script>"""


@pytest.mark.usefixtures("hasty")
def test_a_cell_of_a_row_that_is_not_there_is_no_other_rows_cell(show_html: Show) -> None:
    page = show_html(GRID)
    for selector in ("gridcell nth 2 in row 'NOT THERE'", "gridcell nth 2 in row 'P1' in grid 'Other'"):
        with pytest.raises(NoMatch):
            page.click(selector, timeout=2)
        assert page.count(selector) == 0
    assert page.evaluate("pressed") == []


def test_a_cell_of_a_row_beyond_the_screen_is_that_rows(show_html: Show) -> None:
    page = show_html(GRID)
    page.click("gridcell nth 2 in row 'P3'")
    page.click("gridcell nth 2 in row 'P120'")
    page.click("gridcell nth 2 in (row nth 250)")
    assert page.evaluate("pressed") == ["P3", "P120", "P250"]


def test_the_number_of_a_row_is_the_pages_however_far_its_grid_is_scrolled(show_html: Show) -> None:
    page = show_html(GRID)
    page.scroll("grid 'G'", to_row=100)
    assert page.count("row nth 2 in grid 'G'") == 0
    assert [node.text for node in page.find("row nth 99 in grid 'G'")] == [f"P99 {98 % 7}"]
    page.click("row nth 2 in grid 'G'")
    page.click("row nth 290")
    assert page.evaluate("pressed") == ["P2", "P290"]


READ = """<h1>Facts</h1><button aria-pressed=true>Save</button><label>Name <input value=Ann disabled></label>
<label>Password <input type=password value=hunter22></label><ul><li><button>Edit</button></li>
<li><button>Edit</button></li></ul>"""


def test_what_is_read_by_a_selector_is_what_is_read_by_its_ref(show_html: Show) -> None:
    page = show_html(READ)
    page.snapshot()
    for selector in ("heading 'Facts'", "button 'Save'", "textbox 'Name'", "button 'Edit' nth 2"):
        ref = str(page.find(selector).ref)
        for what in ("text", "html", "role", "box", "attributes"):
            assert page.get(what, selector) == page.get(what, ref), (selector, what)
        for state in ("visible", "enabled", "pressed"):
            assert page.is_(state, selector) == page.is_(state, ref), (selector, state)
    assert page.get("value", "textbox 'Name'") == "Ann"
    with pytest.raises(NotAllowed, match="never read"):
        page.get("value", "textbox 'Password'")
    with pytest.raises(AmbiguousMatch):
        page.text("button 'Edit'")


SHOW_BODY = "((html) => { document.body.setHTMLUnsafe(html); })"
COUNT = """((css) => {
  const within = (root) => [...root.querySelectorAll("*")].flatMap((each) => each.shadowRoot ?? [])
    .reduce((sum, inner) => sum + within(inner), root.querySelectorAll(css).length);
  return within(document);
})"""
"""What `querySelectorAll` finds in the document and its open shadow roots."""
CSS = (
    "div",
    "li",
    "span, p",
    "td",
    "button",
    "[hidden]",
    ".a",
    "div > *",
    "input",
    "label + *",
    "body :first-child",
)


class Selectors(Documents):
    """Makes selectors of every kind."""

    def any_selector(self, snapshot: Snapshot) -> str:
        pick = self.random
        css = f"css '{pick.choice(CSS)}'"
        role = self.selector(snapshot)
        makers = {
            "css": 3,
            "css in role": 1,
            "role in css": 1,
            "text": 2,
            "role": 3,
        }
        match pick.choices([*makers], [*makers.values()])[0]:
            case "css":
                return css
            case "css in role":
                return f"{css} in {pick.choice(['list', 'listitem', 'main', 'group', 'row', 'button'])}"
            case "role in css":
                return f"{pick.choice(['button', 'link', 'textbox', 'listitem'])} in {css}"
            case "text":
                return f"text {pick.choice(['', '~'])}'{self.word()}'"
        return role


async def _target(page: PageDriver, selector: str, *, lazy: bool) -> str:
    """What an action would be done to, or why nothing would be."""
    try:
        action = await prepare(page, "click", selector, {}, lazy=lazy, timeout=0.0)
    except (NoMatch, AmbiguousMatch) as error:
        return error.code
    except InvalidParams:
        return "text"
    assert action.target is not None
    return action.target.ref


async def _read(page: PageDriver, selector: str) -> str:
    """What a read would be of."""
    try:
        return (await page.resolve(selector, timeout=0.0)).ref
    except (NoMatch, AmbiguousMatch) as error:
        return error.code
    except InvalidParams:
        return "text"


async def _disagreements(page: PageDriver, selector: str) -> list[str]:
    """In what the calls differ that take a selector."""
    found = await page.find(selector)
    refs = [node.ref for node in found]
    wanted = (refs[0] or "text") if len(found) == 1 else "ambiguous_match" if found else "no_match"
    snapshot = await page.snapshot_for(selector)
    inside = find_within(snapshot, parse_selector(selector), None)
    answers = {
        "count": (await page.count(selector), len(found)),
        "click": (await _target(page, selector, lazy=False), wanted),
        "click in the page": (await _target(page, selector, lazy=True), wanted),
        "read": (await _read(page, selector), wanted),
        "within": ([node.ref for node in Place(selector).nodes(snapshot) or []] if found else refs, refs),
        "fields": ([snapshot.nodes[index].ref for index in inside], refs),
    }
    if found and not parse_selector(selector).nth:
        place = len(found) // 2
        numbered = await page.find(f"{selector} nth {place + 1}")
        answers["nth"] = ([node.ref for node in numbered], [refs[place]])
    return [
        f"{selector}: {call} gives {got}, and find {due}"
        for call, (got, due) in answers.items()
        if got != due
    ]


def _compare(page: Page, seeds: range, most: int) -> list[str]:
    wrong: list[str] = []
    for seed in seeds:
        documents = Selectors(seed)
        page.evaluate(f"{SHOW_BODY}({json.dumps(documents.make())})")
        snapshot = page.snapshot()
        for selector in {documents.any_selector(snapshot) for _ in range(most)}:
            wrong += [f"{seed}: {text}" for text in io.sync(_disagreements(page.driver, selector))]
            css = parse_selector(selector)
            if css.css is not None and css.within is None and not css.nth:
                in_page = page.evaluate(f"{COUNT}({json.dumps(css.css)})")
                if in_page != page.count(selector):
                    wrong.append(f"{seed}: {selector}: {page.count(selector)} and {in_page} in the page")
    return wrong


def test_all_calls_agree_on_random_pages(show_html: Show) -> None:
    wrong = _compare(show_html("<p>Random</p>"), range(1, 41), 3)
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong[:20])


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("first", range(1_000, 6_000, 100))
def test_all_calls_agree_on_many_random_pages(first: int, show_html: Show) -> None:
    wrong = _compare(show_html("<p>Random</p>"), range(first, first + 100), 4)
    assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong[:20])
