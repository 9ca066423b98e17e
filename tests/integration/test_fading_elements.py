"""Elements that fade away with what they are in: nobody acts on them, since another one takes their place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import SkillbookError, StaleRef
from skillbook.session.sync import Page

Serve = Callable[[str], Page]
LEAVES = """<style>.out { opacity: 0; transition: opacity .4s } @keyframes go { to { opacity: 0 } }
  .away { animation: go .4s forwards }</style><script>
const done = [];
function leave(element, how, next) {
  const over = () => { element.remove(); next?.() };
  if (how === 'script') element.animate({ opacity: [1, 0] }, 400).onfinish = over;
  else if (how === 'steps') {
    let opacity = 1;
    const step = () => { element.style.opacity = opacity -= 0.02; opacity > 0 ? requestAnimationFrame(step) : over() };
    step();
  } else {
    element.addEventListener(how === 'out' ? 'transitionend' : 'animationend', over);
    element.classList.add(how);
  }
}
</script>"""
TABS = """<button onclick="leave(main.firstChild, HOW, show)">Billing</button><main id=main></main><script>
const panel = (name) => `<section aria-label=${name}><label>Street <input></label>
  <button onclick="save(this.closest('section').ariaLabel)">Save</button>
  </section>`;
const save = (name) => done.push(name + ' ' + document.querySelector('input').value);
main.innerHTML = panel('General');
const show = () => { main.innerHTML = panel('Billing') };
</script>"""
ROWS = """<ul id=rows></ul><script>
for (const name of ['Ann', 'Ben', 'Cy', 'Dan']) rows.innerHTML += `<li>${name} <button
  onclick="done.push(this.parentNode.firstChild.data.trim()); leave(this.parentNode, HOW)">Delete</button></li>`;
</script>"""
WAYS = ["out", "away", "script"]
ALL_WAYS = [*WAYS, "steps"]


@pytest.mark.parametrize("how", ALL_WAYS)
def test_the_panel_that_comes_is_filled_in(show_html: Serve, how: str) -> None:
    page = show_html(LEAVES + TABS.replace("HOW", f"'{how}'"))
    page.click("button 'Billing'")
    page.fill("label 'Street'", "Elm")
    page.click("button 'Save'")
    assert page.evaluate("done") == ["Billing Elm"]


@pytest.mark.parametrize("how", ALL_WAYS)
def test_a_button_of_the_panel_that_comes_is_pressed(show_html: Serve, how: str) -> None:
    page = show_html(LEAVES + TABS.replace("HOW", f"'{how}'"))
    page.click("button 'Billing'")
    page.click("button 'Save'")
    assert page.evaluate("done") == ["Billing "]


def test_of_two_panels_the_one_that_stays_is_filled_in(show_html: Serve) -> None:
    both = TABS.replace(
        "leave(main.firstChild, HOW, show)",
        "main.insertAdjacentHTML('beforeend', panel('Billing')); leave(main.firstChild, 'out')",
    )
    page = show_html(LEAVES + both)
    page.click("button 'Billing'")
    page.fill("label 'Street'", "Elm")
    page.click("button 'Save'")
    assert page.evaluate("done") == ["Billing Elm"]


def test_what_fades_until_the_mouse_comes_is_pressed(show_html: Serve) -> None:
    style = "<style>button { opacity: 0; transition: opacity .3s } li:hover button { opacity: 1 }</style>"
    page = show_html(LEAVES + style + ROWS.replace("leave(this.parentNode, HOW)", "0"))
    for _ in range(2):
        page.click("button 'Delete' in listitem 'Ann'")
        page.click("button 'Delete' in listitem 'Ben'")
    assert page.evaluate("done") == ["Ann", "Ben"] * 2


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("how", WAYS)
def test_rows_that_fade_away_do_not_count(show_html: Serve, how: str, number: int) -> None:
    page = show_html(LEAVES + ROWS.replace("HOW", f"'{how}'"))
    page.click(f"button 'Delete' nth {number}")
    page.click(f"button 'Delete' nth {number}")
    assert page.evaluate("done") == (["Ann", "Ben"] if number == 1 else ["Ben", "Cy"])


def test_a_row_that_a_script_fades_step_by_step_is_not_deleted_twice(show_html: Serve) -> None:
    """Where the row goes between the search and the press, the press is refused."""
    page = show_html(LEAVES + ROWS.replace("HOW", "'steps'"))
    page.click("button 'Delete' nth 1")
    try:
        page.click("button 'Delete' nth 1")
    except StaleRef:
        assert page.evaluate("done") == ["Ann"]
    else:
        assert page.evaluate("done") == ["Ann", "Ben"]


def test_a_ref_of_what_fades_away_is_refused(show_html: Serve) -> None:
    page = show_html(LEAVES + ROWS.replace("HOW", "'out'"))
    ref = str(page.snapshot().find("button 'Delete' nth 1").ref)
    page.click(ref)
    with pytest.raises(SkillbookError, match=r"was leaving the page|is no longer in the page"):
        page.click(ref)
    assert page.evaluate("done") == ["Ann"]
