"""A choice in a native list is the page's as well, or the call says that it isn't."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillbook.errors import NotActionable
from skillbook.session.sync import Page

Serve = Callable[[str], Page]

LIST = (
    "<select id=s aria-label=Country {}><option value=a>Albania<option value=b>Belgium</select><p id=p></p>"
)


@pytest.mark.parametrize("when", ["s.value = 'a'", "setTimeout(() => { s.value = 'a' })"])
def test_a_list_that_the_page_puts_back_says_so(show_html: Serve, when: str) -> None:
    """A list whose value a framework keeps, and whose change nobody handles."""
    page = show_html(LIST.format(f'onchange="{when}"'))
    with pytest.raises(NotActionable, match="it holds 'Albania'") as refused:
        page.select("combobox 'Country'", "Belgium")
    assert refused.value.data["reason"] == "not_taken"


def test_a_list_that_is_put_back_once_it_did_what_its_option_says_took_it(show_html: Serve) -> None:
    page = show_html(LIST.format("onchange=\"p.textContent += s.value; s.value = 'a'\""))
    page.select("combobox 'Country'", "Belgium")
    assert page.evaluate("p.textContent") == "b"


def test_a_list_that_leads_elsewhere_may_be_put_back(show_html: Serve) -> None:
    page = show_html(LIST.format("onchange=\"location = '?to=' + s.value; s.value = 'a'\""))
    page.select("combobox 'Country'", "Belgium")
    page.wait_for(url="*to=b")


HIDDEN = """<div><select id=s aria-label=Country style='opacity:0;position:absolute;width:1px;height:1px' {}>
  <option value=a>Albania<option value=b>Belgium</select><div id=shown>Albania</div></div>"""


def test_a_hidden_list_counts_where_what_people_see_shows_the_choice(show_html: Serve) -> None:
    page = show_html(HIDDEN.format("onchange='shown.textContent = s.selectedOptions[0].label'"))
    page.select("combobox 'Country'", "Belgium")
    assert page.evaluate("shown.textContent") == "Belgium"


@pytest.mark.parametrize("beside", ["", "<p>Beer from Belgium</p>"])
def test_a_hidden_list_whose_choice_nobody_sees_says_so_and_is_put_back(
    show_html: Serve, beside: str
) -> None:
    """The option's name may stand there anyway."""
    page = show_html(f"<div>{HIDDEN.format('')}{beside}</div>")
    with pytest.raises(NotActionable, match="in its place did not take the choice"):
        page.select("combobox 'Country'", "Belgium")
    assert page.evaluate("s.value") == "a"


def test_a_hidden_list_beside_which_all_options_are_shown_takes_one_by_its_mark(show_html: Serve) -> None:
    page = show_html(
        HIDDEN.format("onchange=\"shown.lastChild.classList.add('chosen')\"").replace(
            ">Albania</div>", "><b>Albania</b><b>Belgium</b></div>"
        )
    )
    page.select("combobox 'Country'", "Belgium")
    assert page.evaluate("s.value") == "b"


def test_a_blank_option_is_chosen_by_its_name(show_html: Serve) -> None:
    page = show_html(
        "<select id=s aria-label=Age><option aria-label=None value=''><option selected>Ten</select>"
    )
    page.select("combobox 'Age'", "None")
    assert page.evaluate("s.selectedIndex") == 0
