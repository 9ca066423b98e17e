"""What was seen of a control goes with the call: a control whose record has changed since isn't pressed.

In a real browser. Lists that reuse their nodes keep a control's ref and label and give it another record.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.agents import Run
from skillbook.errors import SkillbookError, StaleRef
from skillbook.journal.records import read_journal
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.shown import after_reading

Serve = Callable[[str], Page]

STATES = "<i class=p>$5.00</i> <i class=s>online</i>"
CELLS = "<td class=p>$5.00</td><td class=s>online</td><td><button>ACT</button></td>"
ROW = {
    "li": ("<ul id=l></ul>", "li", "<span></span> <button>ACT</button>"),
    "table": (
        "<table><tbody id=l></tbody></table>",
        "tr",
        f"<td><input type=checkbox aria-label=Pick></td><td><span></span></td>{CELLS}",
    ),
    "cards": (
        "<div id=l></div>",
        "div",
        f"<h3><span></span></h3><p>{STATES}</p><div><button>ACT</button></div>",
    ),
    "tiles": ("<div id=l></div>", "div", "<b><span></span></b> <i class=s>online</i> <button>ACT</button>"),
    "link": ("<div id=l></div>", "p", "<a href='#x'><span></span></a> <button>ACT</button>"),
    "role row": (
        "<div role=grid><div id=l role=rowgroup></div></div>",
        "div role=row",
        "<div role=gridcell><span></span></div><div role=gridcell class=p>$5.00</div>"
        "<div role=gridcell><button>ACT</button></div>",
    ),
    "number": (
        "<table><tbody id=l></tbody></table>",
        "tr",
        "<td class=n></td><td><span></span></td><td><button>ACT</button></td>",
    ),
}
SCRIPT = """<h1>Inbox</h1>LIST<p id=out role=status></p><script>
let names = NAMES; window.done = [];
function draw() { names.forEach((name, i) => {
  let row = l.children[i];
  if (!row) {
    row = document.createElement('TAG'.split(' ')[0]);
    if ('TAG'.includes('role')) row.setAttribute('role', 'row');
    row.innerHTML = `INNER`; l.append(row);
    row.querySelector('button').onclick = () => done.push(names[[...l.children].indexOf(row)]);
  }
  row.querySelector('span').textContent = name;
  if (row.querySelector('.n')) row.querySelector('.n').textContent = i + 1;
  if (row.querySelector('a')) row.querySelector('a').href = '#' + name;
}); }
window.arrive = () => { names = ['Dana', ...names]; draw(); };
draw();
</script>"""


def page_of(kind: str, action: str = "Delete", names: str = "['Ann','Bob','Cy']") -> str:
    shell, tag, inner = ROW[kind]
    html = SCRIPT.replace("LIST", shell).replace("TAG", tag).replace("INNER", inner.replace("ACT", action))
    return html.replace("NAMES", names)


@pytest.fixture(autouse=True)
def own_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(home))


def buttons(page: Page) -> list[Any]:
    return [node for node in page.snapshot().elements if node.role == "button"]


@pytest.mark.parametrize("kind", ROW)
def test_fault_60_a_control_that_has_another_record_by_now_is_not_pressed(
    serve_html: Serve, kind: str
) -> None:
    page = serve_html(page_of(kind))
    bob = buttons(page)[1]
    page.evaluate("arrive()")
    for target in (bob, bob.ref):
        with pytest.raises(StaleRef) as caught:
            page.click(target)
        assert "'Bob'" in caught.value.message
        assert "Ann" in caught.value.message
    assert page.evaluate("done") == []
    page.click(buttons(page)[2])
    assert page.evaluate("done") == ["Bob"]


NEW_ROW = "const row = l.children[0].cloneNode(true); row.querySelector('span').textContent = 'Eve'"
CHANGES = {
    "price": "document.querySelectorAll('.p').forEach((p, i) => p.textContent = '$' + (7 + i) + '.25')",
    "state": "document.querySelectorAll('.s')[1].textContent = 'offline'",
    "tick": "document.querySelectorAll('[type=checkbox]').forEach((box) => box.click())",
    "other row": "l.children[0].querySelector('span').textContent = 'Zoe'",
    "row below": f"{NEW_ROW}; l.append(row)",
    "row above": f"{NEW_ROW}; l.prepend(row)",
}


@pytest.mark.parametrize("kind", ["table", "cards", "tiles"])
@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_in_and_around_the_same_record_refuses_nothing(
    serve_html: Serve, kind: str, change: str
) -> None:
    page = serve_html(page_of(kind))
    bob = buttons(page)[1]
    page.evaluate(f"(() => {{ {CHANGES[change]} }})()")
    page.click(bob)
    # Rows that the page itself put there count their places anew.
    assert page.evaluate("done.length") == 1
    assert page.evaluate("l.innerText.includes('Bob')")


def run_of(page: Page, tool: str, ref: str, autonomy: str = "all", meanwhile: str = "", **args: str) -> Run:
    """A run whose model saw the page as it is, and calls a tool once something has happened on it."""
    model = ScriptedModel([ToolCall("snapshot", {}), ToolCall(tool, {"target": ref, **args}), "done"])
    run = sb.agent(page, "go", model=model, autonomy=autonomy)
    if autonomy == "all":
        run.step()
        page.evaluate(meanwhile)
        return run.run()
    run.step()
    return run


def test_fault_60_what_changed_while_the_model_thought_is_not_done(serve_html: Serve) -> None:
    page = serve_html(page_of("li", "Archive"))
    run = run_of(page, "click", buttons(page)[1].ref, meanwhile="arrive()")
    assert [record.error for record in run.records] == [None, "stale_ref"]
    assert "Bob" in run.records[1].result
    assert "Ann" in run.records[1].result
    assert page.evaluate("done") == []


def test_fault_60_a_label_that_changed_while_the_model_thought_is_not_pressed(serve_html: Serve) -> None:
    page = serve_html(page_of("li", "Archive"))
    change = "document.querySelectorAll('button')[1].textContent = 'Erase'"
    run = run_of(page, "click", buttons(page)[1].ref, meanwhile=change)
    assert [record.error for record in run.records] == [None, "stale_ref"]
    assert page.evaluate("done") == []


def test_fault_60_an_approval_is_for_the_record_that_its_card_says(serve_html: Serve) -> None:
    page = serve_html(page_of("li"))
    model = ScriptedModel([ToolCall("click", {"target": buttons(page)[1].ref}), "done"])
    run = sb.agent(page, "go", model=model, autonomy="all").run()
    assert run.status == "waiting"
    assert run.pending.review.place == "listitem 'Bob'"
    page.evaluate("arrive()")
    after_reading(run).approve()
    assert run.records[0].error in {"stale_ref", "approval_required"}
    assert page.evaluate("done") == []


def test_an_approved_call_on_the_same_record_is_done(serve_html: Serve) -> None:
    page = serve_html(page_of("table"))
    run = approved_after(page, CHANGES["state"])
    assert [record.error for record in run.records] == [None]
    assert page.evaluate("done") == ["Bob"]


def test_a_fact_that_the_card_showed_and_that_changed_is_asked_about_again(serve_html: Serve) -> None:
    page = serve_html(page_of("table"))
    run = approved_after(page, CHANGES["price"])
    assert [record.error for record in run.records] == ["stale_ref"]
    assert page.evaluate("done") == []


def approved_after(page: Page, change: str) -> Run:
    model = ScriptedModel([ToolCall("click", {"target": buttons(page)[1].ref}), "done"])
    run = sb.agent(page, "go", model=model, autonomy="all").run()
    assert run.pending.review.place == "row 'Bob'"
    page.evaluate(change)
    after_reading(run).approve()
    return run


FIELDS = """<h1>Cart</h1><ul id=l></ul><script>
let names = ['Lamp', 'Chair'];
function draw() { names.forEach((name, i) => {
  let row = l.children[i];
  if (!row) { row = document.createElement('li'); row.draggable = true; row.innerHTML = `<span></span>
    <input aria-label=Amount> <input type=checkbox aria-label=Gift>
    <select aria-label=Colour><option>Red<option>Blue</select>`; l.append(row); }
  row.children[0].textContent = name;
}); }
window.arrive = () => { names = ['Rug', ...names]; draw(); };
draw();
</script>"""


@pytest.mark.parametrize(
    ("role", "act"),
    [
        ("textbox", lambda page, node: page.fill(node, "3")),
        ("textbox", lambda page, node: page.type(node, "3")),
        ("textbox", lambda page, node: page.press("3", node)),
        ("checkbox", lambda page, node: page.check(node)),
        ("combobox", lambda page, node: page.select(node, "Blue")),
        ("textbox", lambda page, node: page[node.ref].fill("3")),
    ],
)
def test_fault_60_nothing_is_entered_for_another_record(
    show_html: Serve, role: str, act: Callable[[Page, Any], Any]
) -> None:
    page = show_html(FIELDS)
    chair = [node for node in page.snapshot().elements if node.role == role][1]
    if act.__code__.co_consts and "ref" in act.__code__.co_names:
        element = page[chair.ref]
        page.evaluate("arrive()")
        with pytest.raises(StaleRef):
            element.fill("3")
    else:
        page.evaluate("arrive()")
        with pytest.raises(StaleRef):
            act(page, chair)
    entered = (
        "[...document.querySelectorAll('input')].map((f) => f.type === 'checkbox' ? f.checked : f.value)"
    )
    assert page.evaluate(entered) == ["", False] * 3
    assert page.evaluate("[...document.querySelectorAll('select')].map((list) => list.value)") == ["Red"] * 3


def test_fault_60_a_record_that_was_checked_already_is_not_taken_for_another(show_html: Serve) -> None:
    page = show_html(FIELDS)
    chair = [node for node in page.snapshot().elements if node.role == "checkbox"][1]
    page.evaluate("arrive(); document.querySelectorAll('[type=checkbox]')[1].checked = true")
    with pytest.raises(StaleRef):
        page.check(chair)


def test_fault_60_nothing_is_dropped_on_another_record(show_html: Serve) -> None:
    page = show_html(FIELDS + "<p draggable=true id=it>Parcel</p>")
    snapshot = page.snapshot()
    items = snapshot.find_all("listitem")
    page.evaluate("window.drops = 0; addEventListener('drop', () => drops++); arrive()")
    with pytest.raises(StaleRef):
        page.drag(items[1], items[0])
    with pytest.raises(StaleRef):
        page.drag(snapshot.find("paragraph") if snapshot.find_all("paragraph") else "text 'Parcel'", items[1])
    assert page.evaluate("drops") == 0


RECYCLED = """<h1>People</h1><div id=box style='height:90px;overflow:auto'><div id=l
style='height:30000px;position:relative'></div></div><script>
const rows = [0, 1, 2, 3].map(() => { const row = document.createElement('div'); row.style.position = 'absolute';
  row.innerHTML = '<span></span> <button>Delete</button>'; l.append(row); return row; });
window.done = [];
function draw() { const first = Math.floor(box.scrollTop / 30); rows.forEach((row, i) => {
  row.style.top = (first + i) * 30 + 'px'; row.firstChild.textContent = 'Person ' + (first + i);
  row.lastChild.onclick = () => done.push(first + i); }); }
box.onscroll = draw; draw();
</script>"""


def test_fault_60_a_recycled_row_is_another_record(show_html: Serve) -> None:
    page = show_html(RECYCLED)
    node = buttons(page)[1]
    page.evaluate("box.scrollTop = 3000; draw()")
    with pytest.raises(StaleRef) as caught:
        page.click(node)
    assert "Person 1'" in caught.value.message
    assert page.evaluate("done") == []


SINGLES = {
    "detail": "<main><ul><li><a href='#a'>Ann</a><li><a href='#b'>Bob</a></ul><section><h2 id=n>Bob</h2>"
    "<button>Delete</button></section></main>",
    "page": "<main><h1 id=n>Bob</h1><p>Some text</p><div><button>Delete</button></div></main>",
    "dialog": "<div role=dialog aria-label='Sure?'><p id=n>Bob</p><button>Delete</button></div>",
    "text": "<p><span></span><br>Ann <button>Delete</button><br><i id=n>Bob</i> <button>Delete</button></p>",
}  # fmt: skip


@pytest.mark.parametrize("kind", ["detail", "page", "dialog", "text"])
def test_fault_60_what_shows_one_record_at_a_time_is_compared_too(serve_html: Serve, kind: str) -> None:
    page = serve_html(
        SINGLES[kind] + "<script>window.done = 0; addEventListener('click', () => done++)</script>"
    )
    node = buttons(page)[-1]
    page.evaluate("document.getElementById('n').textContent = 'Ann Lee'")
    with pytest.raises(StaleRef):
        page.click(node)
    assert page.evaluate("done") == 0
    page.click(buttons(page)[-1])
    assert page.evaluate("done") == 1


def test_fault_60_terms_name_the_controls_after_them(show_html: Serve) -> None:
    rows = "".join(f"<dt>{name}</dt><dd><button>Delete</button></dd>" for name in ("Ann", "Bob"))
    page = show_html(f"<dl>{rows}</dl>")
    node = buttons(page)[1]
    page.evaluate("document.querySelectorAll('dt')[1].textContent = 'Dana'")
    with pytest.raises(StaleRef):
        page.click(node)


def test_delete_that_became_undo_is_another_control(show_html: Serve) -> None:
    page = show_html(page_of("table"))
    node = buttons(page)[1]
    page.evaluate("document.querySelectorAll('button')[1].textContent = 'Undo'")
    with pytest.raises(StaleRef) as caught:
        page.click(node.ref)
    assert "'Delete'" in caught.value.message
    assert "'Undo'" in caught.value.message
    assert page.evaluate("done") == []


def test_what_a_persons_own_press_made_of_a_label_is_no_surprise(show_html: Serve) -> None:
    press = "this.textContent = this.textContent === 'Follow' ? 'Following' : 'Follow'"
    toggle = f'<button onclick="{press}">Follow</button>'
    page = show_html(f"<ul><li>Ann {toggle}</li><li>Bob {toggle}</li></ul>")
    node = buttons(page)[1]
    for _ in range(3):
        page.click(node)
        page.click(node.ref)
    assert buttons(page)[1].name == "Follow"


COUNTED = {
    "count": ("Bob (3 unread)", "Bob (4 unread)"),
    "clock": ("Bob 12:30:05", "Bob 12:30:06"),
    "price": ("Bob $5.20", "Bob $5.30"),
}


@pytest.mark.parametrize("kind", COUNTED)
def test_a_count_beside_the_name_may_change(serve_html: Serve, kind: str) -> None:
    before, after = COUNTED[kind]
    page = serve_html(page_of("li", names=f"['Ann (1)', '{before}', 'Cy (2)']"))
    node = buttons(page)[1]
    page.evaluate(f"l.children[1].firstChild.textContent = '{after}'")
    page.click(node)
    assert page.evaluate("done.length") == 1


@pytest.mark.parametrize(
    ("before", "after"), [("Order 1001", "Order 1002"), ("Lamp 40W", "Lamp 60W"), ("Ann", "Ann Lee")]
)
def test_fault_60_a_number_may_be_what_names_the_record(show_html: Serve, before: str, after: str) -> None:
    page = show_html(page_of("li", names=f"['{before}', 'Order 7', 'Chair']"))
    node = buttons(page)[0]
    page.evaluate(f"l.children[0].firstChild.textContent = '{after}'")
    with pytest.raises(SkillbookError) as caught:
        page.click(node)
    assert caught.value.code == "stale_ref"
    assert page.evaluate("done") == []


def test_a_failed_call_says_what_changed_and_is_in_the_journal(serve_html: Serve) -> None:
    page = serve_html(page_of("li", "Archive"))
    run = run_of(page, "click", buttons(page)[1].ref, meanwhile="arrive()")
    answers = [message.text for message in run.messages if message.type == "tool"]
    assert "What changed since you saw the page" in answers[1]
    assert "Dana" in answers[1]
    steps = read_journal(page.driver.browser.gateway.journal.catch_up())
    made = [(step.command, step.verdict, step.outcome.value) for step in steps if step.actor == "agent"]
    assert ("click", "unsent", "error") in made
    assert page.evaluate("done") == []


def test_a_heading_that_an_open_menu_hides_is_no_record(show_html: Serve) -> None:
    page = show_html("""<body><div id=app><h1>Shop</h1><button id=b>Account</button></div><script>
      b.onclick = () => { app.setAttribute('aria-hidden', 'true');
        document.body.insertAdjacentHTML('beforeend', `<div role=presentation><ul role=menu>
          <li role=menuitem tabindex=-1>Profile<li role=menuitem tabindex=-1>Log out</ul></div>`);
        document.querySelector('[role=menu]').onclick = (e) => { document.title = e.target.textContent; }; };
    </script>""")
    page.click("button 'Account'")
    page.click("menuitem 'Log out'", timeout=2)
    assert page.evaluate("document.title") == "Log out"


def test_what_a_person_saw_is_no_matter_to_a_skill_that_looks_by_itself(
    serve_html: Serve, tmp_path: Path
) -> None:
    page = serve_html(page_of("li", "Archive"))
    with sb.recording(page, "") as made:
        page.click(buttons(page)[1])
    skill = made.save_skill("archive", tmp_path, prove=False)
    buttons(page)
    page.evaluate("done.length = 0; arrive()")
    assert skill.run(page, start="here", approve=skill.spec.digest).ok
    assert page.evaluate("done") == ["Bob"]
