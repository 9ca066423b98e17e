"""What names nothing offers the part of a name that does, as a selector to paste."""

from __future__ import annotations

import pytest

from skillbook.errors import NoMatch
from skillbook.perception.selectors.one_match import sentence
from tests.trees import snapshot

PAGE = (
    'main\n  button "Save order 17" +\n  button "Delete order 17" +\n  row "Ann Lee"\n    button "Edit" +\n'
)


def test_a_part_of_the_name_is_offered_as_a_selector_that_works() -> None:
    page = snapshot(PAGE)
    with pytest.raises(NoMatch) as refused:
        page.find("button 'Save'")
    offered = refused.value.hint.partition(" matches, by a part of the name")[0]
    assert page.find(offered).name == "Save order 17"


def test_a_part_that_names_several_is_not_offered() -> None:
    with pytest.raises(NoMatch) as refused:
        snapshot(PAGE).find("button 'order 17'")
    assert "by a part of the name" not in refused.value.hint


PAGER = "main\n" + "".join(
    f'  link "{name}" +\n' for name in ("1", "3", "Next", "iPad 2 case", "Dock 22", "USB2")
)


def test_a_short_name_is_near_to_what_has_it_as_a_word_only() -> None:
    with pytest.raises(NoMatch) as refused:
        snapshot(PAGER).find("link '2'")
    assert [facts["name"] for facts in refused.value.data["candidates"]] == ["iPad 2 case"]


def test_where_nothing_is_like_it_nothing_is_offered_as_nearest() -> None:
    with pytest.raises(NoMatch) as refused:
        snapshot(PAGER).find("link '7'")
    assert refused.value.data["candidates"] == []
    assert "nearest" not in refused.value.hint


@pytest.mark.parametrize("role", ["combobox", "listbox", "generic"])
def test_a_select_without_a_name_is_offered_so_that_it_is_found_when_pasted(role: str) -> None:
    page = snapshot(f'main\n  {role} + tag=select\n    option "0"\n  button "Save"\n')
    with pytest.raises(NoMatch) as refused:
        page.find(f"{role} 'Colour'")
    (offered,) = refused.value.data["candidates"]
    assert page.find(sentence([offered])).role == role
    with pytest.raises(NoMatch) as of_no_name:
        page.find(f"{role} ''")
    assert "by a part of the name" not in of_no_name.value.hint
