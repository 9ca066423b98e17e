"""Changes to an earlier document snapshot give the one that the page has."""

from __future__ import annotations

from typing import Any

import pytest

from skillbook.errors import ProtocolError
from skillbook.perception.snapshot import Snapshot

HEAD = {"key": "d1", "frame": 0, "url": "https://a.test/", "title": "A", "version": 1}
PLACE = {"viewport": (100, 100), "scroll": (0, 0), "size": (100, 100)}
EMPTY: dict[str, Any] = {
    name: [] for name in ("number", "depth", "role", "tag", "flags", "name", "box", "extra")
}


def whole() -> dict[str, Any]:
    return {
        **HEAD,
        **PLACE,
        "stamp": 1,
        "roles": ["list", "button", "text"],
        "tags": ["ul", "button"],
        "number": [1, 2, 0, 3],
        "depth": [0, 1, 1, 1],
        "role": [0, 1, 2, 1],
        "tag": [0, 1, -1, 1],
        "flags": [0, 1, 0, 1],
        "name": ["", "One", "two", "Three"],
        "box": [0, 0, 50, 50, 1, 1, 5, 5, 2, 2, 5, 5, 3, 3, 5, 5],
        "extra": [[1, {"value": "1"}], [3, {"value": "3"}]],
    }


def delta(**changes: Any) -> dict[str, Any]:
    told = {"base": 1, "stamp": 2, "roles": [], "tags": [], "splices": [], "shifts": [], "frames": []}
    return {**HEAD, **PLACE, **EMPTY, **told, **changes}


def apply(change: dict[str, Any]) -> Snapshot:
    first = Snapshot.from_wire({"documents": [whole()]})
    return Snapshot.from_wire({"documents": [change]}, earlier=first.document_snapshots)


BORN = {
    "number": [4, 0],
    "depth": [1, 2],
    "role": [3, 2],
    "tag": [2, -1],
    "flags": [0, 0],
    "name": ["", "new"],
    "box": [9, 9, 1, 1, 8, 8, 1, 1],
    "extra": [[0, {"href": "/x"}]],
}


def test_nothing_new_shares_the_columns() -> None:
    first = Snapshot.from_wire({"documents": [whole()]})
    second = Snapshot.from_wire({"documents": [delta(title="B")]}, earlier=first.document_snapshots)
    assert second.title == "B"
    assert second.columns.name is first.columns.name


def test_nodes_come_and_go() -> None:
    after = apply(delta(roles=["link"], tags=["a"], splices=[[1, 1, 0], [3, 0, 2]], **BORN))
    assert after.columns.name == ["", "two", "", "new", "Three"]
    assert after.columns.role == ["list", "text", "link", "text", "button"]
    assert after.columns.tag == ["ul", "", "a", "", "button"]
    assert after.columns.box[8:16] == [9, 9, 1, 1, 8, 8, 1, 1]
    assert after.columns.extra == {2: {"href": "/x"}, 4: {"value": "3"}}


def test_the_earlier_snapshot_stays_as_it_was() -> None:
    first = Snapshot.from_wire({"documents": [whole()]})
    change = delta(splices=[[1, 1, 0]], shifts=[[0, 3, 5, 0]])
    Snapshot.from_wire({"documents": [change]}, earlier=first.document_snapshots)
    assert first.columns.name == ["", "One", "two", "Three"]
    assert first.columns.box[:4] == [0, 0, 50, 50]
    assert set(first.columns.extra) == {1, 3}


def test_boxes_move_in_ranges() -> None:
    after = apply(delta(shifts=[[1, 3, 10, 0], [3, 4, 0, -3]]))
    assert after.columns.box == [0, 0, 50, 50, 11, 1, 5, 5, 12, 2, 5, 5, 3, 0, 5, 5]


def test_frames_hold_other_documents() -> None:
    after = apply(delta(frames=[{"number": 3, "document": "d9"}]))
    assert after.columns.extra[3] == {"value": "3", "document": "d9"}


@pytest.mark.parametrize(
    "change",
    [
        {"base": 7},
        {"splices": [[3, 2, 0]]},
        {"splices": [[2, 1, 0], [1, 1, 0]]},
        {"splices": [[1, 0, 1]]},
        {"splices": [[0, 1, 0]]},
        {"splices": [[1, 0, 1]], **BORN},
        {"shifts": [[2, 9, 1, 1]]},
        {"frames": [{"number": 77, "document": "d9"}]},
    ],
)
def test_changes_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        apply(delta(**change))
