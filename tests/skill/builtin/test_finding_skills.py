from __future__ import annotations

import pytest

from skillbook.skill.builtin.builtin_skill import Details, Slots
from tests.skill.builtin.pages import bound, labels, page, refused, skill, steps, why

SHOP = """
banner
  search
    searchbox "Search products" + html_name=q
    button "Search" + type=submit
main
  heading "Lamps and chairs" level=1
  textbox "Your e-mail" + html_name=email
  button "Subscribe" +
"""


def test_it_binds_the_search_field_and_its_button() -> None:
    slots = bound("search", SHOP, query="lamp")
    assert labels(slots) == {"field": "Search products"}
    assert steps("search", slots, query="lamp") == [("fill", "searchbox 'Search products'")]
    typed = bound("search", SHOP, ("type",), query="lamp")
    assert labels(typed) == {"field": "Search products", "button": "Search"}
    assert steps("search", typed, query="lamp") == [("click", "button 'Search'")]


def test_a_button_that_typing_took_away_is_replaced_by_enter() -> None:
    assert labels(bound("search", SHOP, query="lamp")) == {"field": "Search products"}
    gone = SHOP.replace('    button "Search" + type=submit\n', '    button "Clear" + type=reset\n')
    assert steps("search", bound("search", gone, ("type",), query="lamp"), query="lamp") == [
        ("press", "searchbox 'Search products'")
    ]


def test_a_field_without_a_button_is_sent_with_enter() -> None:
    tree = 'main\n  textbox "Suche" + placeholder=Suchen… html_name=q\n'
    assert steps("search", bound("search", tree, ("type",), query="x"), query="x")[0][0] == "press"


def test_a_field_that_no_form_sends_gets_enter_only_where_typing_found_nothing() -> None:
    tree = 'main\n  searchbox "Search" + placeholder=Search…\n'
    slots = bound("search", tree, query="lamp")
    assert (slots.stage, slots.last) == ("type", False)
    assert [command for command, _ in steps("search", slots, query="lamp")] == ["fill"]

    def then(after: str) -> Slots:
        found = skill("search").bind(
            Details(page(after), done=("type",), first=page(tree)), {"query": "lamp"}
        )
        assert isinstance(found, Slots)
        return found

    typed = 'main\n  searchbox "Search" + placeholder=Search… value=lamp\n'
    assert steps("search", then(typed), query="lamp") == [("press", "searchbox 'Search'")]
    shown = typed + '  link "Desk lamp" +\n'
    assert steps("search", then(shown), query="lamp") == []
    assert why("search", typed, shown, then(shown), {"query": "lamp"}) == ""


def test_a_search_behind_a_button_is_opened_first() -> None:
    slots = bound("search", 'banner\n  button "Search" +\nmain\n  paragraph\n    "Hello"', query="lamp")
    assert (slots.stage, slots.last, labels(slots)) == ("open", False, {"open": "Search"})


@pytest.mark.parametrize(
    "tree",
    [
        'main\n  textbox "Name" +\n  textbox "Comment" +',
        'main\n  textbox "Search password" + secret type=password',
        'main\n  searchbox "Search" + disabled',
        'main\n  heading "Nothing" level=1',
    ],
)
def test_other_fields_are_no_search(tree: str) -> None:
    assert "search" in refused("search", tree, query="x").reason


def test_two_searches_are_refused_with_both_and_one_can_be_named() -> None:
    tree = 'main\n  searchbox "Search posts" +\n  searchbox "Search people" +'
    refusal = refused("search", tree, query="ann")
    assert refusal.slot == "field"
    assert [one.label for one in refusal.candidates] == [
        "searchbox 'Search posts'",
        "searchbox 'Search people'",
    ]
    assert labels(bound("search", tree, query="ann", field="search people")) == {"field": "Search people"}


def test_the_same_search_above_and_below_is_one() -> None:
    form = '{0}\n  search\n    searchbox "Search" + html_name=q\n    button "Go" + type=submit\n'
    assert labels(bound("search", form.format("banner") + form.format("contentinfo"), query="x"))["field"]


def test_a_table_of_its_own_does_not_hide_the_sites_search() -> None:
    tree = SHOP + '  table "Stock"\n    row\n      cell\n        searchbox "Filter rows" +\n'
    assert labels(bound("search", tree, query="lamp"))["field"] == "Search products"


RESULTS = 'main\n  heading "2 results for lamp" level=1\n  link "Desk lamp" + href=/1\n'


def test_results_count_where_address_or_text_speaks_of_the_query() -> None:
    slots, asked = bound("search", SHOP, ("type",), query="lamp"), {"query": "lamp"}
    moved = {"url": "http://site.test/find?q=lamp"}
    assert why("search", SHOP, RESULTS, slots, asked, **moved) == ""
    assert why("search", SHOP, RESULTS, slots, asked) == ""
    assert "did not change" in why("search", SHOP, SHOP, slots, asked)
    assert "speaks of" in why("search", SHOP, 'main\n  heading "Welcome" level=1', slots, asked)
    nothing = 'main\n  paragraph\n    "No results found."'
    assert why("search", SHOP, nothing, slots, asked) == ""
    broken = 'main\n  heading "500 Internal Server Error" level=1'
    assert "500" in why("search", SHOP, broken, slots, asked, **moved)


def test_that_nothing_was_found_is_an_answer_whatever_lists_the_pages_frame_has() -> None:
    slots = bound("search", SHOP, ("type",), query="lamp")
    links = "".join(f'    listitem\n      link "Part {n}" + href=/{n}\n' for n in range(4))
    nothing = f'navigation\n  list\n{links}main\n  paragraph\n    "No results found."'
    assert skill("search").answer(page(SHOP), page(nothing), slots) == {"nothing_found": "No results found."}
    assert skill("search").answer(page(SHOP), page(RESULTS), slots) == {}


def test_what_the_page_said_before_is_no_result() -> None:
    slots = bound("search", SHOP, ("type",), query="lamp")
    opened = SHOP + '  dialog "Search"\n    heading "Search" level=4\n'
    assert "speaks of" in why("search", SHOP, opened, slots, {"query": "lamps"})
    more = SHOP + '  link "Chairs" + href=/c\n'
    filtered = SHOP.replace("html_name=q", "html_name=q value=lamps")
    slots = bound("search", more, ("type",), query="lamp")
    assert why("search", more, filtered, slots, {"query": "lamps"}) == "", "what is left of a list was found"
    assert "speaks of" in why("search", more, SHOP, slots, {"query": "lamps"}), (
        "a search that closed found nothing"
    )


def test_suggestions_are_no_results() -> None:
    slots = bound("search", SHOP, ("type",), query="lamp")
    suggesting = SHOP + '  listbox "Suggestions"\n    option "lamp shade" +\n'
    assert why("search", SHOP, suggesting, slots, {"query": "lamp"})


@pytest.mark.parametrize(
    ("goal", "query"),
    [
        ("Search for lamps", "lamps"),
        ("please search for 'desk lamp' on this site", "desk lamp"),
        ("Suche nach Lampen", "Lampen"),
        ("bitte suche nach Lampen auf dieser Seite", "Lampen"),
        ("log in", None),
        ("Look around", None),
        ("look up Ulm", "Ulm"),
        ("Download the invoice", None),
    ],
)
def test_goals_in_words(goal: str, query: str | None) -> None:
    assert skill("search").params_of(goal) == (None if query is None else {"query": query})


def test_it_matches_pages_with_a_search_better_than_others() -> None:
    search = skill("search")
    assert search.match(page(SHOP), {"query": "x"}) > 0.8
    assert search.match(page('main\n  heading "Nothing" level=1'), {"query": "x"}) == 0.0
