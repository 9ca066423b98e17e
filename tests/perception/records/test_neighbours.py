"""Which controls could be taken for each other."""

from __future__ import annotations

import pytest

from skillbook.perception.records.neighbours import others_like
from tests.trees import snapshot


def blocks(*labels: str) -> str:
    return "main\n" + "".join(
        f'  generic\n    "{name}"\n    button "{label}" +\n'
        for name, label in zip(("Ann", "Bob", "Cy"), labels, strict=True)
    )


@pytest.mark.parametrize(
    ("labels", "others"),
    [
        (("Follow", "Follow", "Follow"), [0, 2]),
        (("Follow", "Following", "Follow"), [0, 2]),
        (("Follow", "Block", "Mute"), []),
    ],
)
def test_what_stands_in_its_place_where_blocks_repeat_counts_whatever_its_label(
    labels: tuple[str, ...], others: list[int]
) -> None:
    buttons = [node for node in snapshot(blocks(*labels)).nodes if node.role == "button"]
    assert others_like(buttons[1]) == [buttons[place].index for place in others]
