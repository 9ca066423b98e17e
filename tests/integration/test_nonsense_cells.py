"""A model that writes cells without sense, in the real browser: cells end, the run goes on, and nothing breaks."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.journal import read_journal
from skillbook.journal.records import Outcome
from skillbook.protocol.commands import ACTIONS
from skillbook.session.sync import Browser, Page
from skillbook.testing import NonsenseModel
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_site
from tests.shown import after_reading

PIECES = [
    "found = page.find({words})\nprint(found[:3])", "page.click({target})", "page.fill({target}, {words})",
    "rows = sb.extract(page)\nrows[:3]", "[row for row in sb.tables(page) if row['rows'] > 1]",
    "rows = sb.extract(page, fields={{'title': 'heading', 'at': 'link@href'}})\nsorted(rows, key=str)[:2]",
    "for each in page.find('link')[:{number}]:\n    page.hover(each)", "page.goto(page.url)",
    "try:\n    page.click({target})\n    page.back()\nexcept RuntimeError as error:\n    print(error)",
    "print(page.count('link'), page.title, page.url)", "page.press({words})", "page.back()\npage.forward()",
    "n = 0\nwhile n < {number}:\n    n += 1\n    page.scroll(dy=300)\nn", "page.text({target})[:200]",
    "def pick(words: str) -> int:\n    return len(page.query(words))\npick({words})", "page.reload()",
    "page.select({target}, {words})", "page.check({target})", "page.wait_for(text={words})", "1 / 0",
    "page.type({target}, {words})\npage.value({target})", "sb.run_skill(page, 'search', query={words})",
    "other = sb.open(page, page.url)\nprint(other.title)\nother.close()", "page.goto({words})",
    "while True:\n    pass", "print(rows[0])", "page.drag({target}, {target})", "page.markdown()[:300]",
    "import json\njson.dumps(rows)", "page.attribute({target}, 'href')", "page.handle_dialog()",
]  # fmt: skip
WORDS = [
    "lamp",
    "button 'Search'",
    "",
    "heading",
    "Enter",
    "Ω\u202e",
    "'; --",
    "link nth 2",
    "https://x.test/",
]

SEARCH = """\
page.fill("searchbox 'Search products'", "lamp")
page.click("button 'Search'")
sb.extract(page, fields={"title": "heading"}, within="listitem in list 'Products'")
"""


class NonsenseCells(NonsenseModel):
    """Writes a number of cells, made of valid ones with any target and word, a tenth of them with a fault."""

    cells: int = 12
    _written: int = PrivateAttr(default=0)

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        if self._written == self.cells:
            return ChatResult(generations=[ChatGeneration(message=AIMessage("Enough."))])
        return super()._generate(messages, *args, **options)

    def _choose(self, messages: list[BaseMessage], refs: list[str]) -> dict[str, Any]:
        self._written += 1
        dice = self._dice

        def word() -> str:
            return repr(dice.choice(WORDS))

        pieces = [
            piece.format(
                target=repr(dice.choice(refs)) if dice.random() < 0.8 else word(),
                words=word(),
                number=dice.randint(1, 4),
            )
            for piece in dice.sample(PIECES, dice.randint(1, 3))
        ]
        code = "\n".join(pieces)
        if dice.random() < 0.1:
            at = dice.randrange(len(code))
            code = code[:at] + dice.choice("()[]'\"=:\n\\é") + code[at + 1 :]
        return {"name": "run_cell", "args": {"code": code}}


def decide(run: Run, dice: random.Random) -> None:
    """What a person does: most cells run, some step by step; what asks within one is refused."""
    pending = run.pending
    assert pending is not None
    if pending.tool != "run_cell":
        after_reading(run).reject("no")
    elif dice.random() < 0.1:
        after_reading(run).reject("not this one")
    else:
        after_reading(run).approve(stepping=dice.random() < 0.1)


def write_nonsense(browser: Browser, cells: int, seed: int) -> Counter[str]:
    """How many cells of nonsense came to their end, failed, and didn't run."""
    dice = random.Random(seed)
    with serve_site("shop") as shop:
        page = browser.open(shop.url)
        before = {tab.driver for tab in browser.pages}
        model = NonsenseCells(seed=seed, cells=cells)
        run = sb.agent(
            page,
            "Say anything.",
            model=model,
            mode="cells",
            autonomy="reads",
            max_steps=50 * cells,
            assist=False,
        )
        run.start()
        run._do(run._stepper.settled())
        while run.pending is not None:
            decide(run, dice)
        assert (run.status, run.result) == ("succeeded", "Enough."), run.error
        ends = Counter(step.error or "ended" for step in run.records if step.tool == "run_cell")
        assert_all_is_sound(run, page, shop.url)
        for tab in browser.pages:  # the page, and what cells opened and left
            if tab.driver not in before or tab.driver is page.driver:
                tab.close()
    return ends


def assert_all_is_sound(run: Run, page: Page, url: str) -> None:
    """Sandbox, journal, browser and kernel are as before: each is put to use, and gives what is right."""
    cells = run._context.cells
    assert cells is not None
    assert cells._sandbox is None  # the run closed it
    names = list(run.variables.index)
    assert len(set(names)) == len(names)
    noted = [step for step in read_journal(run.page.browser.journal.path) if str(step.run).startswith(run.id)]
    assert [step for step in noted if step.outcome is Outcome.UNKNOWN] == []
    happened = {str(step.run).partition("#")[2] for step in noted if step.outcome is Outcome.OK}
    carried = {
        step.call_id for step in run.records if "line" in step.extra and step.ok and step.tool in ACTIONS
    }
    assert carried
    assert carried <= happened
    search = f"page.goto({url!r})\n{SEARCH}"
    model = ScriptedModel([ToolCall("run_cell", {"code": search}), "Found."])
    again = sb.agent(page, "Find lamps.", model=model, mode="cells", autonomy="all")
    again.run()
    assert again.status == "succeeded", again.error
    assert again.records[0].error is None, again.records[0].result
    assert again.frame is not None
    assert list(again.frame["title"][:2]) == ["Aurora Desk Lamp", "Beacon Floor Lamp"]
    assert again.frame.skillbook.source(0, "title").text == "Aurora Desk Lamp"


@pytest.mark.more
def test_a_few_cells_of_nonsense_break_nothing(browser: Browser) -> None:
    assert sum(write_nonsense(browser, 6, 3).values()) == 6


@pytest.mark.soak
@pytest.mark.timeout(3000)
def test_two_hundred_cells_of_nonsense_break_nothing(browser: Browser) -> None:
    ends = write_nonsense(browser, 200, 1)
    print(f"200 cells: {dict(ends)}")
    assert sum(ends.values()) == 200
    assert ends["ended"] > 20
    assert ends["cell_failed"] > 20
