"""What the index of names finds is what looking at every node finds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbook.perception.selectors import Name, Selector, matching, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.testing.strategies import snapshots
from skillbook.testing.trees import snapshot


class _Plain(matching._Matcher):
    """Looks at every node."""

    def known(self, selector: Selector) -> Sequence[int] | None:
        return None

    def with_parts(self, wanted: str, indexes: Sequence[int]) -> Sequence[int]:
        return indexes

    def likely(self, name: Name, indexes: Sequence[int]) -> Sequence[int]:
        return indexes


def _same(page: Snapshot, selector: Selector) -> None:
    assert matching.find_indexes(page, selector) == _Plain(page, None).select(selector), str(selector)


@given(snapshots(max_nodes=60), st.data())
@settings(max_examples=150, deadline=None)
def test_names_of_the_page(page: Snapshot, data: st.DataObject) -> None:
    names = sorted(
        {node.name for node in page.nodes if node.name.strip()} | {node.text for node in page.nodes} - {""}
    )
    if not names:
        return
    name = Name(data.draw(st.sampled_from(names)), data.draw(st.sampled_from(["exact", "includes"])))
    role = data.draw(st.sampled_from(sorted({node.role for node in page.nodes} - {"text"}) or ["button"]))
    inner = data.draw(st.sampled_from(names))
    for selector in (
        Selector("role", role, name),
        Selector("role", "any", name),
        Selector("label", name=name),
        Selector("text", name=name),
        Selector("role", role, within=Selector("role", "any", name)),
        Selector("role", role, Name(inner), within=Selector("role", role, name)),
    ):
        _same(page, selector)


ROWS = "main\n" + "".join(
    f'  listitem\n    link "Open {n % 7}" + href=/Item/{n % 5}\n    generic\n      "by Ann"\n      "€{n}.50"\n'
    for n in range(60)
)


@pytest.mark.parametrize(
    "text",
    [
        "link 'open 3' in listitem '€3.50'",
        "link 'Open 3'",
        "text '€12.50'",
        "listitem 'Open 2 by Ann €9.50'",
        "text 'by Ann €7.50'",
    ],
)
def test_rows(text: str) -> None:
    page = snapshot(ROWS)
    _same(page, parse_selector(text))
    assert matching.find_indexes(page, parse_selector(text))


def test_addresses() -> None:
    page = snapshot(ROWS)
    for wanted, count in (("/item/3", 12), ("/Item/3", 12), ("/item", 0)):
        selector = Selector("role", "link", tests=parse_selector(f"link [href='{wanted}']").tests)
        _same(page, selector)
        assert len(matching.find_indexes(page, selector)) == count
