"""Fault 24: what a page says appears literally in a live JupyterLab and in nbconvert, and runs nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable

import nbconvert
import pytest
from playwright.sync_api import Page, expect

from skillbook.notebook.escaping import show_hidden
from tests.lab.notebook import LabNotebook

HOSTILE = (
    "<img src=x onerror='globalThis.pwned=1'><script>globalThis.pwned=1</script>"
    "$\\href{javascript:globalThis.pwned=1}{x}$ $$x^2$$ \\(y\\) &lt;b&gt; a\u202eb\nc"
)
SETUP = f"""
from panel_source import AskingSource, call, help_wanted, make_rows, png, replace, step
from skillbook.notebook.html.page_and_run import page_html
from skillbook.notebook.widgets.panel import Panel
from skillbook.notebook.html.progress import Progress
from skillbook.notebook.page.panel_source import PageView, Shot
from skillbook.protocol.asks.run_asks import TaskView
from skillbook.agents.state.tasks import TaskList
from IPython.display import HTML
text = {HOSTILE!r}
view = PageView(text, text, make_rows([text]), 0, Shot(png(200, 100), "png", 200, 100))
schema = {{"type": "object", "properties": {{text: {{"type": "string"}}, "target": {{"type": "string"}}}}}}

def hostile(thing, **given):
    # Every field that holds text, so that a new one is among them too.
    texts = {{name: text for name, field in type(thing).model_fields.items() if field.annotation is str}}
    return replace(thing, **texts | given)

asked = call("q1", text, schema, **{{text: text, "target": text}})
given = dict(call=hostile(asked.call), always=["session"], refusal="", obstacle="")
question = hostile(asked, id="q1", **given)
helped = hostile(help_wanted("h", "custom", text, choices=[text]), id="h", obstacle="custom", refusal="")
tasks = TaskList()
tasks.add(text, type="input", parameters={{text: text}})
listed = [TaskView(**task) for task in tasks.to_json()]
source = AskingSource([question, helped], view, text)
shown = hostile(source.state.run, id="r", steps=[hostile(step(1, ok=False), decision="reject")], tasks=listed)
source.step_details = lambda number: {{"outcome": text, "changes": text}}
source.state = replace(source.state, **vars(replace(shown, question=question)))
Panel(source).show()
with Progress(text, 1) as progress:
    progress.advance(note=text)
HTML(page_html(view))
"""

Open = Callable[..., LabNotebook]


@pytest.fixture
def hostile(lab: Open) -> LabNotebook:
    notebook = lab(SETUP, "")
    notebook.run(0)
    expect(notebook.panel.locator(".sbp-box")).to_have_count(1)
    return notebook


def assert_harmless(page: Page) -> None:
    assert page.evaluate("() => globalThis.pwned") is None
    assert page.locator(".jp-OutputArea :is(img[src='x'], script, mjx-container)").count() == 0


def test_fault_24_page_text_is_literal_in_the_panel(hostile: LabNotebook) -> None:
    literal = show_hidden(HOSTILE)
    panel = hostile.panel
    expect(panel.get_by_role("heading")).to_have_text(literal)
    expect(panel.locator(".sbp-tool")).to_have_text(literal)
    expect(panel.locator(".sbp-why")).to_have_text(literal)
    expect(panel.locator(".sbp-said")).to_have_text(literal)
    expect(panel.locator(".sbp-target")).to_have_text(literal)
    expect(panel.locator(".sbp-remember")).to_contain_text(literal)
    expect(panel.locator(".sbp-facts")).to_contain_text(literal)
    expect(panel.locator(".sbp-taskname")).to_have_value(literal)
    expect(panel.locator(".sbp-taskfacts")).to_contain_text(literal[:20])
    expect(panel.locator(".sbp-result")).to_contain_text(literal.split("⏎")[0])
    panel.locator(".sbp-line").click()
    expect(panel.locator(".sbp-detail dd", has_text=literal)).to_have_count(5)
    # The outcome, what changed and the code are in full, line by line.
    expect(panel.locator(".sbp-detail dd", has_text=literal.split("⏎")[0])).to_have_count(8)
    expect(panel.locator(".sbp-tree .sbp-name")).to_contain_text(literal[:100])
    expect(panel.locator(".sbp-outcome")).to_contain_text(literal[:100])
    panel.get_by_role("button", name="Approve", exact=True).click()
    expect(panel.locator(".sbp-help p")).to_have_text(literal)
    expect(panel.locator(".sbp-card .sbp-options button").first).to_have_text(literal[:119] + "…")
    hostile.evaluate(1, "source.state = replace(source.state, gone=text); source.notify()")
    expect(panel.locator(".sbp-gone")).to_have_text(literal)
    assert_harmless(hostile.page)


def test_fault_24_page_text_is_literal_in_static_html(hostile: LabNotebook) -> None:
    shown = hostile.page.locator(".jp-OutputArea-child .skb-static li").last
    expect(shown).to_contain_text(show_hidden(HOSTILE)[:100])
    # MathJax is loaded for a formula of ours, so that it had its chance at the page's.
    hostile.page.evaluate(
        "() => { const cell = jupyterapp.shell.currentWidget.content.widgets[0];"
        " cell.model.sharedModel.setSource('from IPython.display import HTML; HTML(\"<p id=ours>$a^2$</p>' +"
        ' \'<div class=mine>" + page_html(view) + "</div>")\'); }'
    )
    hostile.run(0)
    hostile.page.locator("#ours mjx-container").wait_for()
    assert hostile.page.locator(".mine mjx-container").count() == 0
    assert hostile.page.evaluate("() => globalThis.pwned") is None


def test_fault_24_page_text_is_literal_in_nbconvert(hostile: LabNotebook) -> None:
    saved = hostile.save()
    html, _ = nbconvert.HTMLExporter().from_notebook_node(saved)
    page = hostile.page.context.new_page()
    page.route("**/*", lambda route: route.abort())
    page.set_content(html, wait_until="domcontentloaded")
    expect(page.locator(".skb-static").first).to_contain_text(show_hidden(HOSTILE)[:100])
    assert page.evaluate("() => globalThis.pwned") is None
    assert page.locator("img[src='x']").count() == 0
    marked = "MathJax leaves elements of these classes alone"
    assert page.locator(".skb-static:not(.tex2jax_ignore.mathjax_ignore)").count() == 0, marked


def test_a_saved_notebook_shows_the_record_when_opened_again(lab: Open) -> None:
    notebook = lab(
        "%env SKILLBOOK_RECORD_SCREENSHOTS=1\n"
        "from panel_source import AskingSource, call, make_rows, png\n"
        "from skillbook.notebook.widgets.panel import Panel\n"
        "from skillbook.notebook.page.panel_source import PageView, Shot\n"
        "view = PageView('https://shop.test/', 'Shop', make_rows(['Buy']), 0, Shot(png(40, 30), 'png', 40, 30))\n"
        "Panel(AskingSource([call('q1')], view)).show()"
    )
    notebook.run(0)
    notebook.panel.get_by_role("button", name="Approve", exact=True).click()
    expect(notebook.panel.locator(".sbp-step")).to_have_count(1)
    record = notebook.page.locator("[data-skillbook-record]")
    expect(record).to_contain_text("done · 1 step")
    expect(record).to_be_hidden()
    saved = json.dumps(notebook.save())
    assert "data-skillbook-record" in saved
    notebook.restart()
    expect(record).to_be_visible()
    expect(notebook.panel).to_be_hidden()
    notebook.shut_down()
    notebook.open()
    expect(record).to_be_visible()
    error = notebook.page.get_by_text("Error displaying widget: model not found")
    expect(error).to_be_attached()
    expect(error).to_be_hidden()
    expect(record).to_contain_text("Buy a lamp")
    expect(record).to_contain_text("done · 1 step")
    expect(record.locator("table")).to_contain_text("approve")
    expect(record.locator("img")).to_be_visible()
    expect(record.locator("u")).to_have_count(1)
