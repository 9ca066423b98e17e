"""Which controls are covered is asked again only where something is other than in the picture before."""

from __future__ import annotations

import pytest

from skillbook.protocol.snapshot import State
from tests.integration.engine_page import EnginePages

pytestmark = pytest.mark.integration

PAGE = """
<style>body { margin: 0; font: 16px/20px monospace } #notice { position: absolute; top: 0; left: 300px; width: 20px;
overflow: hidden; background: white } #notice.tall { height: 200px }</style>
<button id=one style="width: 120px">One</button> <input id=field aria-label=Field> <span id=word>word</span>
<p id=text>Text</p> <button id=two>Two</button>
<div id=notice>x</div>
<div style="position: absolute; top: 120px"><button id=under style="position: absolute">Under</button>
<div id=lid style="position: absolute; left: 0; top: 0; background: white">lid</div></div>
"""


@pytest.fixture
def asked(engine: EnginePages) -> EnginePages:
    """The page, which counts who asks what is at a point."""
    engine.show(PAGE)
    engine.page.evaluate(
        """() => {
          window.asks = 0;
          const { elementFromPoint } = Document.prototype;
          Document.prototype.elementFromPoint = function (...at) {
            asks++;
            return elementFromPoint.apply(this, at);
          };
        }"""
    )
    # The engine takes the browser's functions as they are when it comes.
    engine.install()
    engine.nodes()
    engine.nodes()
    return engine


def _obscured(engine: EnginePages) -> set[str]:
    return {node.name for node in engine.nodes() if State.OBSCURED in node.flags}


def _change(engine: EnginePages, script: str) -> int:
    """Change the page; how often it is asked for the next picture."""
    engine.page.evaluate(f"() => {{ asks = 0; {script} }}")
    engine.nodes()
    asks: int = engine.page.evaluate("asks")
    return asks


def test_a_control_that_calls_itself_otherwise_asks_nobody(asked: EnginePages) -> None:
    assert _change(asked, "one.textContent = 'Uno'") == 0
    assert "button Uno" in [line.strip() for line in asked.outline()]


def test_only_what_is_more_than_a_text_asks_for_all(asked: EnginePages) -> None:
    assert _change(asked, "document.querySelector('#text').firstChild.data = 'Next'") == 0
    assert _change(asked, "document.body.className = 'other'") > 3


def test_what_a_growing_text_covers_is_covered(asked: EnginePages) -> None:
    assert _obscured(asked) == set()
    asked.page.evaluate("lid.firstChild.data = 'a lid that lies over all of the button'")
    assert _obscured(asked) == {"Under"}
    asked.page.evaluate("lid.firstChild.data = 'x'")
    assert _obscured(asked) == set()


def test_a_control_that_grows_under_something_is_covered(asked: EnginePages) -> None:
    asked.page.evaluate("lid.textContent = 'over the left'")
    asked.nodes()
    asked.page.evaluate("under.textContent = 'U'")
    assert _obscured(asked) == {"U"}
    asked.page.evaluate("under.textContent = 'Under the lid and far out of it, to the right'")
    assert _obscured(asked) == set()
