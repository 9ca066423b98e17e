from __future__ import annotations

from typing import Any

from skillbook.perception.ai_opt_out import opts_out, without_opted_out
from skillbook.perception.snapshot import Snapshot
from tests.trees import tree

PAGE = """
main "Secret shop"
  heading "Open" level=1
  list
    listitem "Shut" +
      button "Hidden" +
    listitem
      button "Shown" +
  iframe +
text "end"
"""


def snapshot(*, part: str = "", page: bool = False) -> Snapshot:
    document: dict[str, Any] = tree(PAGE, key="main", url="https://site.test/")
    at = document["name"].index(part) if part else -1
    extra = dict(document["extra"])
    if part:
        extra[at] = {**extra.get(at, {}), "no_ai": True}
    document |= {"extra": list(extra.items()), "no_ai": page}
    return Snapshot.from_wire({"documents": [document], "took_ms": 1.0})


def test_a_part_goes_with_all_in_it_and_what_it_is_in_loses_its_name() -> None:
    whole = snapshot(part="Shut")
    assert opts_out(whole)
    seen = without_opted_out(whole, lambda document: False)
    assert [(node.role, node.name) for node in seen.nodes][:4] == [
        ("main", ""), ("heading", "Open"), ("list", ""), ("listitem", ""),
    ]  # fmt: skip
    assert seen.find("button 'Shown'").ref == whole.find("button 'Shown'").ref
    assert not seen.find_all("button 'Hidden'")
    assert "asks not to be used by AI" in seen.text()
    assert not opts_out(seen)


def test_css_finds_nothing_in_it() -> None:
    whole = snapshot(part="Shut")
    whole.css = {"button": [node.ref or "" for node in whole.find_all("button")]}
    seen = without_opted_out(whole, lambda document: False)
    assert [node.name for node in whole.find_all("css 'button'")] == ["Hidden", "Shown"]
    assert [node.name for node in seen.find_all("css 'button'")] == ["Shown"]


def test_a_page_goes_as_a_whole() -> None:
    seen = without_opted_out(snapshot(page=True), lambda document: False)
    assert len(seen) == 0
    assert seen.title == ""
    assert "asks not to be used by AI" in seen.text()
    assert seen.highest_ref == 0


def test_what_asks_for_nothing_or_is_lifted_is_the_same() -> None:
    plain, lifted = snapshot(), snapshot(part="Shut")
    assert not opts_out(plain)
    assert without_opted_out(plain, lambda document: False) is plain
    assert without_opted_out(lifted, lambda document: True) is lifted
