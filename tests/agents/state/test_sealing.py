"""Stand-ins on disk for what nobody may read."""

from __future__ import annotations

import json

import ormsgpack
import pytest

from skillbook.agents.state.sealing import Seal, is_sealed, refuse_sealed
from skillbook.errors import AgentError


@pytest.mark.parametrize("value", ["puffin pw", 'pa"ss\\wörd', "123", "76543", "päß"])
def test_data_has_stand_ins_of_the_same_length_and_opens_again(value: str) -> None:
    seal = Seal()
    seal.add(value)
    data = {
        "args": {"value": value},
        "json": json.dumps({"value": value}),
        "other": f"<{value}>",
        "n": [49, 50, 51],
    }
    plain = ormsgpack.packb(data)
    closed = seal.close(plain)
    assert len(closed) == len(plain)
    assert seal.open(closed) == plain
    kept = ormsgpack.unpackb(closed)
    assert kept["args"]["value"] != value
    assert json.loads(kept["json"])["value"] != value
    assert is_sealed(kept["args"]["value"])
    assert kept["n"] == [49, 50, 51]


def test_another_process_opens_nothing() -> None:
    seal, other = Seal(), Seal()
    seal.add("puffin pw")
    other.add("cormorant")
    closed = seal.close(b"fill puffin pw")
    assert other.open(closed) == closed


def test_only_a_text_to_type_is_refused() -> None:
    refuse_sealed("click", {"target": "button '\ue001'"})
    with pytest.raises(AgentError):
        refuse_sealed("fill", {"target": "e1", "value": "\ue001\ue002"})
