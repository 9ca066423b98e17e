"""Controls that something lies over, in each snapshot anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skillbook.protocol.snapshot import State
from tests.integration.engine_page import EnginePages, build_engine, engine_pages

PAGE = """
<style>body { margin: 0; font: 16px/20px monospace } #notice { position: absolute; top: 0; left: 300px; width: 20px;
overflow: hidden; background: white } #notice.tall { height: 200px }</style>
<button id=two>Two</button>
<div id=notice>x</div>
<div style="position: absolute; top: 120px"><button id=under style="position: absolute">Under</button>
<div id=lid style="position: absolute; left: 0; top: 0; background: white">lid</div></div>
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EnginePages]:
    with engine_pages(build_engine(tmp_path_factory.mktemp("engine"))) as pages:
        yield pages


@pytest.fixture
def shown(engine: EnginePages) -> EnginePages:
    engine.show(PAGE)
    return engine


def _obscured(engine: EnginePages) -> set[str]:
    return {node.name for node in engine.nodes() if State.OBSCURED in node.flags}


def test_what_a_growing_text_covers_is_covered(shown: EnginePages) -> None:
    assert _obscured(shown) == set()
    shown.page.evaluate("lid.firstChild.data = 'a lid that lies over all of the button'")
    assert _obscured(shown) == {"Under"}
    shown.page.evaluate("lid.firstChild.data = 'x'")
    assert _obscured(shown) == set()


def test_a_control_that_grows_under_something_is_covered(shown: EnginePages) -> None:
    shown.page.evaluate("lid.textContent = 'over the left'")
    shown.page.evaluate("under.textContent = 'U'")
    assert _obscured(shown) == {"U"}
    shown.page.evaluate("under.textContent = 'Under the lid and far out of it, to the right'")
    assert _obscured(shown) == set()


BARS = """
<style>body {{ margin: 0; font: 16px/20px monospace }} .bar {{ position: {position}; left: 0; width: 100%;
height: {height}; background: white; z-index: 1 }} button {{ position: absolute; left: 0; height: 20px }}</style>
<div class=bar style="{edge}: 0">bar</div>
<div style="height: {tall}px; position: relative">
<button style="top: 405px">Upper</button><button style="top: calc(400px + 100vh - 25px)">Lower</button></div>
"""


@pytest.mark.parametrize(
    ("position", "edge", "height", "tall", "scrolled", "obscured"),
    [
        ("fixed", "top", "40px", 3000, 400, set()),
        ("sticky", "top", "40px", 3000, 425, set()),
        ("fixed", "bottom", "40px", 3000, 400, set()),
        ("fixed", "top", "100%", 3000, 400, {"Upper", "Lower"}),
    ],
)
def test_what_scrolling_brings_out_from_under_a_bar_is_not_covered(
    engine: EnginePages, position: str, edge: str, height: str, tall: int, scrolled: int, obscured: set[str]
) -> None:
    engine.show(BARS.format(position=position, edge=edge, height=height, tall=tall))
    engine.page.evaluate(f"scrollTo(0, {scrolled})")
    assert _obscured(engine) == obscured


def test_a_bar_over_the_last_of_a_page_that_scrolls_no_further_covers_it(engine: EnginePages) -> None:
    engine.show(
        "<style>body { margin: 0; height: 100vh } button { position: absolute; left: 0; bottom: 5px; height: 20px }"
        "#bar { position: fixed; bottom: 0; width: 100%; height: 40px; background: white }</style>"
        "<button>Last</button><div id=bar>bar</div>"
    )
    assert _obscured(engine) == {"Last"}
