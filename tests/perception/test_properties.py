"""What holds for any page, however it is made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.errors import AmbiguousMatch, NoMatch, SelectorSyntaxError
from skillbook.perception.collections import find_collections
from skillbook.perception.escape import clean, clean_all
from skillbook.perception.selectors import (
    STATES,
    Name,
    Selector,
    build_locator,
    find_all,
    parse_selector,
)
from skillbook.perception.selectors import Test as Bracket
from skillbook.perception.selectors.counting import without_shells
from skillbook.perception.selectors.one_match import sentence
from skillbook.perception.snapshot import Node, Snapshot
from skillbook.perception.summary import summarize
from skillbook.perception.text import count_tokens
from tests.strategies import snapshots, texts

_REF = re.compile(r"\[ref=([ef0-9]+)\]")


def inside(node: Node) -> Sequence[Node]:
    return node.snapshot.nodes[node.index + 1 : node.snapshot.ends[node.index]]


def squeezed(text: str) -> str:
    return "".join(clean(text).split()).replace("\\", "")


@given(snapshots())
def test_no_page_text_can_forge_a_ref_or_a_line(page: Snapshot) -> None:
    text = page.text(None)
    # every ref is one that the page's structure gives, each at most once
    shown = _REF.findall(text)
    assert len(shown) == len(set(shown))
    assert all(ref in page for ref in shown)
    # every line begins as the renderer writes it
    for line in text.split("\n")[1:]:
        assert line.lstrip(" ").startswith("- ")
    assert all(char == "\n" or char.isprintable() or char in "\u200c\u200d" for char in text)


@given(
    st.lists(
        texts() | st.sampled_from(["", " ", "a ", "|", "x |", "a  b", "e\u0301", "\u0301", "\u200d", "a\nb"])
    )
)
def test_texts_cleaned_at_once_are_as_cleaned_one_by_one(said: list[str]) -> None:
    assert clean_all(said) == [clean(text) for text in said]


@given(snapshots())
def test_the_whole_text_has_every_actionable_element(page: Snapshot) -> None:
    shown = set(_REF.findall(page.text(None)))
    for node in page.elements:
        in_select = any(up.tag == "select" for up in node.ancestors)  # chosen by label
        if node.role != "text" and not in_select:
            assert node.ref in shown, (node, page.text(None))


@given(snapshots())
def test_the_whole_text_has_all_visible_text(page: Snapshot) -> None:
    said = squeezed(page.text(None))
    for node in page.nodes:
        if node.role == "text" and not any(up.tag == "select" for up in node.ancestors):
            assert squeezed(node.name) in said, (node.name, page.text(None))


@given(snapshots())
def test_the_whole_text_has_the_name_of_everything_that_is_seen(page: Snapshot) -> None:
    said = squeezed(page.text(None)).casefold()
    for node in page.nodes:
        in_select = any(up.tag == "select" for up in [node, *node.ancestors])
        if not node.children and node.role not in {"checkbox", "text"} and not in_select:
            assert squeezed(node.name).casefold() in said, (node, page.text(None))


@given(snapshots(60), st.integers(60, 400))
def test_a_budget_is_kept(page: Snapshot, budget: int) -> None:
    text = page.text(budget)
    head = count_tokens(text.split("\n")[0])
    assert count_tokens(text) <= max(budget, head + 60)
    assert set(_REF.findall(text)) <= set(_REF.findall(page.text(None)))


@given(snapshots(40), st.integers(60, 200))
def test_what_a_budget_leaves_out_is_found(page: Snapshot, budget: int) -> None:
    shown = set(_REF.findall(page.text(budget)))
    for node in page.elements:
        # a control around another one of its name and kind is that one
        is_shell = any(
            without_shells(page, [node.index, inner.index]) == [inner.index] for inner in inside(node)
        )
        if node.ref and node.ref not in shown and not is_shell:
            assert page.find(node.ref) == node
            selectors = build_locator(node).selectors
            assert selectors
            assert page.find(str(selectors[0])) == node


@given(snapshots())
def test_nothing_differs_from_itself(page: Snapshot) -> None:
    again = Snapshot(page.columns)
    assert again.diff(page).empty
    assert again.diff(page).text() == "no change"


@given(snapshots(), snapshots())
def test_a_difference_tells_what_came_and_went(older: Snapshot, newer: Snapshot) -> None:
    diff = newer.diff(older)
    assert all(node.ref in newer and node.ref not in older for node in diff.added)
    assert all(node.ref in older and node.ref not in newer for node in diff.removed)
    assert all(line[:1] in "+-~" for line in diff.text(None).split("\n")) or diff.empty


@given(snapshots(20))
def test_every_selector_of_a_locator_names_its_element_alone(page: Snapshot) -> None:
    for node in page.elements:
        if node.ref is None:
            continue
        locator = build_locator(node)
        for selector in locator.selectors:
            assert [found.ref for found in find_all(page, selector)] == [node.ref]
            assert [found.ref for found in find_all(page, str(selector))] == [node.ref]


names = st.builds(Name, st.text(min_size=1, max_size=8), st.sampled_from(["exact", "includes"]))
selectors = st.recursive(
    st.builds(
        Selector,
        st.just("role"),
        st.sampled_from(["button", "link", "any", "card", "row"]),
        st.none() | names,
        st.lists(st.builds(Bracket, st.sampled_from(sorted(STATES)), st.booleans()), max_size=2).map(tuple),
        nth=st.none() | st.integers(1, 9),
        frames=st.lists(st.text(max_size=5), max_size=2).map(tuple),
    ),
    lambda inner: st.builds(
        Selector,
        st.sampled_from(["text", "label"]),
        name=names,
        within=inner,
        nth=st.none() | st.integers(1, 9),
    ),
    max_leaves=3,
)


@given(selectors)
def test_a_selector_parses_to_what_it_was_written_from(selector: Selector) -> None:
    assert parse_selector(str(selector)) == selector


@given(st.text(max_size=30))
def test_any_text_is_a_selector_or_a_syntax_error(text: str) -> None:
    with suppress(SelectorSyntaxError):
        assert parse_selector(str(parse_selector(text))) == parse_selector(text)


@given(snapshots(), texts())
def test_a_miss_offers_candidates_of_the_page(page: Snapshot, name: str) -> None:
    missing = Selector("role", "button", Name(f"{name}-not-there"))
    with pytest.raises(NoMatch) as caught:
        page.find(missing)
    assert all(facts["ref"] in page for facts in caught.value.data["candidates"])


@given(snapshots())
def test_every_element_that_an_error_offers_is_found_when_pasted(page: Snapshot) -> None:
    for node in page.elements[:8]:
        name = clean(node.label)
        if not name:
            continue
        wanted = Selector("role", node.role, Name(name[1:] or "?"))
        try:
            page.find(wanted)
        except (NoMatch, AmbiguousMatch) as error:
            for facts in error.data["candidates"]:
                assert page.find(facts["ref"]).ref == facts["ref"]
                pasted = sentence([facts])
                assert page.find(pasted).ref == facts["ref"], pasted
            offered, by_part, _ = error.hint.partition(" matches, by a part of the name")
            if by_part:
                assert page.find(offered).ref


@given(snapshots(), snapshots())
def test_every_ref_that_a_difference_offers_is_on_the_page(older: Snapshot, newer: Snapshot) -> None:
    for line in newer.diff(older).text(None).split("\n"):
        if not line.startswith("-"):
            assert all(ref in newer or ref in older for ref in _REF.findall(line)), line


@given(snapshots(60))
def test_collections_and_summary_are_made_of_the_page(page: Snapshot) -> None:
    for collection in find_collections(page):
        assert len(set(collection.fields)) == len(collection.fields)
        assert all(len(row.cells) == len(collection.fields) for row in collection.rows)
    summary = summarize(page)
    assert len(summary.actions) <= 30
    assert count_tokens(summary.text()) <= 1500
