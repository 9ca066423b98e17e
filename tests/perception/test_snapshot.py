from __future__ import annotations

import time

import pytest

from skillbook.errors import ProtocolError, StaleRef, UnknownRef
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import SnapshotResult
from tests.trees import snapshot, tree

SHOP = """
generic
  main
    heading "Cart" level=1
      "Cart"
    button "Buy" + disabled box=10,20,30,40
    textbox "Name" + value="Ann" focused
    iframe "Pay" document=pay box=100,200,50,50
    iframe "Ad" document=ad
"""
PAY = """
generic
  button "Pay" + box=1,2,3,4
  iframe "Inner" document=inner box=5,6,7,8
"""


def shop() -> Snapshot:
    return snapshot(
        SHOP, {"pay": PAY, "ad": 'generic\n  link "Ad" +', "inner": 'button "Deep" + box=1,1,1,1'}
    )


def test_documents_follow_their_frames() -> None:
    page = shop()
    assert [node.role for node in page.nodes][-8:] == [
        "iframe", "generic", "button", "iframe", "button", "iframe", "generic", "link",
    ]  # fmt: skip
    assert [document.key for document in page.documents] == ["main", "pay", "inner", "ad"]
    deep = page.find("button 'Deep'")
    assert deep.ref == "f3e1"
    assert [up.name for up in deep.ancestors if up.role == "iframe"] == ["Inner", "Pay"]
    assert page.highest_frame == 3
    assert page.highest_ref == 7


def test_boxes_are_in_the_main_viewport() -> None:
    page = shop()
    assert page["e4"].box == (10, 20, 30, 40)
    assert page["f1e2"].box == (101, 202, 3, 4)
    assert page.find("button 'Deep'").box == (106, 207, 1, 1)


def test_a_node_tells_what_the_page_says() -> None:
    page = shop()
    button, field = page["e4"], page["e5"]
    assert (button.role, button.name, button.actionable, button.states) == (
        "button",
        "Buy",
        True,
        {"disabled"},
    )
    assert (field.value, field.states, field.landmark) == ("Ann", {"focused"}, "main")
    assert page["e3"].level == 1
    assert page["e3"].text == "Cart"
    assert page["e4"].parent == page["e2"]
    assert [child.ref for child in page["e2"].children] == ["e3", "e4", "e5", "e6", "e7"]
    assert page["f1e2"].path == 'main > iframe "Pay" > button "Pay"'
    assert page.nodes[3].ref is None
    assert page.nodes[3].text == "Cart"


def test_elements_are_what_one_can_act_on() -> None:
    assert [node.ref for node in shop().elements] == ["e4", "e5", "f1e2", "f3e1", "f2e2"]
    assert shop()._ipython_key_completions_() == ["e4", "e5", "f1e2", "f3e1", "f2e2"]


@pytest.mark.parametrize("ref", ["e99", "f9e1", "e0", "button", ""])
def test_an_unknown_ref_offers_what_there_is(ref: str) -> None:
    with pytest.raises(UnknownRef) as caught:
        shop()[ref]
    assert not isinstance(caught.value, StaleRef)
    assert ref not in shop()
    if ref == "e99":
        assert caught.value.data["candidates"][0]["ref"] == "e5"


@pytest.mark.parametrize("column", ["number", "depth", "role", "tag", "flags", "name", "box"])
def test_columns_of_other_lengths_are_refused(column: str) -> None:
    broken = tree(SHOP)
    broken[column] = broken[column][:-1]
    with pytest.raises(ProtocolError):
        Snapshot.from_wire({"documents": [broken]})


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("role", 99),
        ("tag", 99),
        ("tag", -2),
        ("depth", 7),
        ("depth", -1),
        ("name", 5),
        ("flags", "x"),
        ("number", -4),
    ],
)
def test_impossible_values_are_refused(column: str, value: object) -> None:
    broken = tree(SHOP)
    broken[column][3] = value
    with pytest.raises(ProtocolError):
        Snapshot.from_wire({"documents": [broken]})


@pytest.mark.parametrize("wire", [{}, {"documents": []}, {"documents": [{}]}, {"documents": None}])
def test_what_is_no_snapshot_is_refused(wire: dict[str, object]) -> None:
    with pytest.raises(ProtocolError):
        Snapshot.from_wire(wire)


def test_frames_that_hold_each_other_end() -> None:
    a = tree('generic\n  iframe "B" document=b', key="a")
    b = tree('generic\n  iframe "A" document=a', key="b", frame=1)
    page = Snapshot.from_wire({"documents": [a, b]})
    assert [document.key for document in page.documents] == ["a", "b"]
    assert len(page) == 4


def test_a_document_whose_frame_is_unknown_is_kept() -> None:
    page = Snapshot.from_wire({"documents": [tree("generic"), tree('button "X" +', key="lost", frame=1)]})
    assert page.find("button 'X'").ref == "f1e1"


def test_the_model_and_parsed_json_are_the_same() -> None:
    wire = {
        "documents": [tree(SHOP)],
        "missing": [{"url": "http://x.test", "reason": "blocked"}],
        "took_ms": 1.0,
    }
    page = Snapshot.from_wire(SnapshotResult.model_validate(wire))
    assert page.columns == Snapshot.from_wire(wire).columns
    assert page.missing[0].reason == "blocked"
    assert 'can\'t be read: "http://x.test": "blocked"' in page.text()


def test_shown_statically_and_escaped() -> None:
    page = snapshot('main\n  button "<script>alert(1)</script>" +', title="<b>x</b>")
    shown = page._repr_mimebundle_()
    assert shown["text/plain"] == '<Snapshot "<b>x</b>" http://site.test/: 2 nodes, 1 actionable>'
    assert "<script>" not in shown["text/html"]
    assert "&lt;script&gt;" in shown["text/html"]


def test_text_of_blocks_and_inline_runs() -> None:
    page = snapshot(
        """
        generic
          paragraph
            "See"
            link "the docs" + inline
            ", or"
            link "ask" + inline
            "(soon)"
          generic
            "One"
          generic
            "Two"
        """
    )
    assert page["e1"].text == "See the docs, or ask (soon) One Two"
    assert page.has_text("the docs, or")
    assert page.has_text("THE DOCS")
    assert not page.has_text("the docs are")


def test_fifty_thousand_nodes_are_read_at_once() -> None:
    row = '  row\n    cell\n      "17"\n    cell\n      button "Edit" +\n'
    wire = {"documents": [tree("table\n" + row * 10_000)]}
    best = min(_seconds(wire) for _ in range(5))
    assert len(Snapshot.from_wire(wire)) == 50_001
    assert best < 0.15  # about 0.015 on one free core


def _seconds(wire: dict[str, object]) -> float:
    start = time.perf_counter()
    Snapshot.from_wire(wire)
    return time.perf_counter() - start
