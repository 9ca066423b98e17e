"""Which record an element is in, as the page chooses it, catches what the kernel's choice catches."""

from __future__ import annotations

import pytest

from tests.integration.engine_page import EnginePages
from tests.integration.record_agreement import Records, compare_records


def _require_agreement(found: Records) -> None:
    assert not found.wrong, f"{len(found.wrong)} wrong:\n" + "\n".join(found.wrong[:20])
    assert found.chosen > found.left, (found.chosen, found.left)


def test_lists_whose_nodes_are_used_again(engine: EnginePages) -> None:
    shadows = [2696, 3055]
    _require_agreement(compare_records(engine, [*range(1, 41), *shadows]))


@pytest.mark.parametrize(
    "page",
    [
        "<article aria-label='{0}'><p>open</p><button>Buy</button></article>" * 3,
        "<dialog open aria-label='{0}'><p>open</p><button>OK</button></dialog>",
        "<ul><li><a href='/{0}'>Open</a> <button>Hide</button></li></ul>",
        "<x-a><template shadowrootmode=open><p>{0}</p><button>Go</button></template></x-a>"
        "<x-a><template shadowrootmode=open><p>Bob</p><button>Go</button></template></x-a>",
        "<ul><li>" + "so much " * 50 + "<a href=/x>{0}</a> <button>Go</button></li></ul>",
    ],
)
def test_one_list(engine: EnginePages, page: str) -> None:
    engine.show("")
    found = Records()
    found.compare(engine, "", page.format("Ann"), page.format("Eve"))
    _require_agreement(found)
    assert found.caught


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_lists(engine: EnginePages) -> None:
    _require_agreement(compare_records(engine, range(1_000, 4_000)))
