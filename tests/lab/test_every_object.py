"""What each public object shows as the value of a cell in a real JupyterLab: no error, and a short text."""

from __future__ import annotations

from collections.abc import Callable

from skillbook.extraction.frames.journal_frames import journal_frame
from tests.lab.notebook import LabNotebook
from tests.lab.test_run import CLOSE, OPEN

LONGEST = 1_500
"""Characters; a summary and a frame's rows are the longest."""

SHOW = """
from IPython.display import display
shown = {}
def show(name, thing):
    shown[name] = repr(thing)
    display(thing)
show("browser", browser)
show("aio", sb.aio.Browser(browser.driver))
page.snapshot()
show("element", page["e4"])
show("node", page.snapshot().elements[3])
show("nodes", page.snapshot().nodes)
show("summary", page.summary())
show("screenshot", page.screenshot())
show("action", page.goto(page.url))
recording = sb.record(page)
show("recording", recording)
page.goto(page.url)
show("recorded", recording.stop())
frame = sb.extract(page)
show("accessor", frame.skillbook)
show("source", frame.skillbook.source(0, frame.columns[0]))
show("skills", sb.skills)
show("skill", sb.load_skill("search"))
show("rules", browser.rules)
model = ScriptedModel([lambda seen: ToolCall("click", {"target": ref_of(seen, "link 'Stores'")}, "."), "Done."])
run = sb.agent(page, "see the stores", model=model, autonomy="all").run()
show("run", run)
show("record", run.records[0])
show("saved", run.save_skill("see-the-stores", prove=False))
show("explored", sb.explore(page, "cart", max_pages=5))
show("journal", browser.journal)
page.close()
show("closed page", page)
browser.close()
show("closed browser", browser)
"""


def test_every_object_shows_itself(lab: Callable[..., LabNotebook]) -> None:
    notebook = lab(OPEN.strip(), SHOW.strip(), "")
    notebook.run(0)
    outputs = notebook.run(1)
    try:
        assert [each for each in outputs if each["output_type"] in {"error", "stream"}] == []
        texts = eval(notebook.evaluate(2, "shown"))
        assert len(texts) == 22
        assert "click" in texts["journal"]
        assert "no steps" in repr(journal_frame([], []))
        assert {name: text for name, text in texts.items() if " object at 0x" in text} == {}
        assert {name: len(text) for name, text in texts.items() if len(text) > LONGEST} == {}
        assert any("image/png" in each["data"] for each in outputs)
    finally:
        notebook.evaluate(2, CLOSE)
