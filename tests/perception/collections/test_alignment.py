"""Values of an item that have one path are told apart, or what can't be is named."""

from __future__ import annotations

from skillbook.perception.collections.labelled_facts import align
from skillbook.perception.collections.leaves import Leaf

TEXT, TITLE = ("text",), ("heading",)


def item(*leaves: tuple[tuple[str, ...], str]) -> list[Leaf]:
    counts: dict[tuple[str, ...], int] = {}
    found = []
    for place, (path, text) in enumerate(leaves):
        counts[path] = counts.get(path, 0) + 1
        found.append(Leaf((*path, f"#{counts[path]}") if counts[path] > 1 else path, place, text))
    return found


def columns(items: list[list[Leaf]]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for leaves in items:
        for leaf in leaves:
            found.setdefault(leaf.path, []).append(leaf.text)
    return found


def test_equal_counts_stay_as_they_are() -> None:
    items = [item((TEXT, "a"), (TEXT, "b")), item((TEXT, "c"), (TEXT, "d"))]
    assert align(items) == (items, [])


def test_what_stands_before_and_after_what_all_have_is_apart() -> None:
    items = [
        item((TEXT, "New"), (TITLE, "Lamp"), (TEXT, "in stock")),
        item((TITLE, "Desk"), (TEXT, "sold out")),
        item((TEXT, "Sale"), (TITLE, "Rug"), (TEXT, "in stock")),
    ]
    aligned, shaky = align(items)
    assert sorted(columns(aligned).values()) == [
        ["Lamp", "Desk", "Rug"],
        ["New", "Sale"],
        ["in stock", "sold out", "in stock"],
    ]
    assert shaky == []


def test_values_of_different_kinds_are_apart() -> None:
    items = [
        item((TITLE, "Lamp"), (TEXT, "$12"), (TEXT, "4.5 / 5"), (TEXT, "in stock")),
        item((TITLE, "Desk"), (TEXT, "sold out")),
        item((TITLE, "Rug"), (TEXT, "3.5 / 5"), (TEXT, "in stock")),
    ]
    aligned, shaky = align(items)
    assert ["$12"] in columns(aligned).values()
    assert ["4.5 / 5", "3.5 / 5"] in columns(aligned).values()
    assert ["in stock", "sold out", "in stock"] in columns(aligned).values()
    assert shaky == []


def test_texts_that_are_alike_are_counted_and_named() -> None:
    items = [item((TITLE, "Post"), (TEXT, "red"), (TEXT, "blue")), item((TITLE, "Other"), (TEXT, "blue"))]
    aligned, shaky = align(items)
    assert ["red", "blue"] in columns(aligned).values()
    assert [len(paths) for paths in shaky] == [2]


def test_texts_that_begin_with_a_label_are_apart_by_it() -> None:
    items = [
        item((TITLE, "Lamp"), (TEXT, "Price 12"), (TEXT, "State in stock"), (TEXT, "Weight 3 kg")),
        item((TITLE, "Desk"), (TEXT, "Price 45"), (TEXT, "Weight 7 kg")),
        item((TITLE, "Sofa"), (TEXT, "State sold out"), (TEXT, "Weight 41 kg")),
    ]
    aligned, shaky = align(items)
    said = list(columns(aligned).values())
    assert ["Price 12", "Price 45"] in said
    assert ["State in stock", "State sold out"] in said
    assert ["Weight 3 kg", "Weight 7 kg", "Weight 41 kg"] in said
    assert shaky == []


def test_texts_that_only_begin_alike_by_chance_are_not_apart() -> None:
    items = [
        item((TITLE, "Lamp"), (TEXT, "In stock"), (TEXT, "Free shipping")),
        item((TITLE, "Desk"), (TEXT, "Free shipping")),
        item((TITLE, "Sofa"), (TEXT, "In stock"), (TEXT, "Free shipping")),
    ]
    _, shaky = align(items)
    assert [len(paths) for paths in shaky] == [2]


def test_where_items_keep_the_elements_of_what_they_lack_no_value_moves() -> None:
    items = [
        item((TITLE, "Cook"), (TEXT, "Ritz"), (TEXT, "Paris")),
        item((TITLE, "Waiter"), (TEXT, ""), (TEXT, "Nice")),
        item((TITLE, "Clerk"), (TEXT, "Bank")),
    ]
    aligned, shaky = align(items)
    assert list(columns(aligned).values())[1:] == [["Ritz", "", "Bank"], ["Paris", "Nice"]]
    assert shaky == []
