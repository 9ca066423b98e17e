"""A kernel that restarts, and one that brings no clicks while a cell runs: what a person sees, and how they go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site, serve_site
from tests.lab.notebook import LabNotebook
from tests.lab.test_run import AGENT, OPEN

Open = Callable[..., LabNotebook]
SETUP = """
import os
os.environ |= {{"SKILLBOOK_BASE_URL": {model!r}, "SKILLBOOK_API_KEY": "none", "SKILLBOOK_MODEL": "scripted"}}
import skillbook as sb
browser = sb.launch()
page = browser.open({shop!r})
"""
GOAL = "Be where the stores are"
CLICK = ToolCall("click", {"target": "link 'Stores'"}, "The stores are there.")
WAITS = """
import time
started = time.monotonic()
try:
    {way}
except sb.SkillbookError as error:
    print(error.code, time.monotonic() - started < 2, "run.start()" in error.hint, "ipykernel 6" in str(error))
"""


@pytest.fixture
def shop() -> Iterator[Site]:
    with serve_site("shop") as site:
        yield site


def test_after_a_restart_the_record_has_the_code_that_goes_on_with_the_run(lab: Open, shop: Site) -> None:
    with OpenAIServer([CLICK, "I am there."]) as model:
        setup = SETUP.format(model=model.base_url, shop=shop.url).strip()
        notebook = lab(setup, f"run = sb.agent(page, {GOAL!r})\nrun.start()", "", "")
        notebook.run(0)
        notebook.run(1)
        expect(notebook.panel.locator(".sbp-tool")).to_have_text("click")
        notebook.wait_for_output(1, "sb.resume(")
        notebook.restart()
        record = notebook.page.locator("[data-skillbook-record]")
        expect(record).to_be_visible()
        expect(notebook.panel).to_be_hidden()
        expect(record).to_contain_text(GOAL)
        code = record.locator("code").all_inner_texts()
        assert [line.partition("(")[0] for line in code] == ["run = sb.resume", "run.start"]
        notebook.run(0)
        notebook.set_source(2, "\n".join(code))
        notebook.run(2)
        panel = notebook.page.locator(".jp-OutputArea .sbp").last
        expect(panel.locator(".sbp-tool")).to_have_text("click")
        panel.get_by_role("button", name="Approve", exact=True).click()
        expect(panel.locator(".sbp-status")).to_have_text("Done")
        expect(panel.locator(".sbp-address")).to_contain_text("/stores")
        assert notebook.evaluate(3, "run.result, len(run.records)") == "('I am there.', 1)"
        assert len(model.requests) == 2
        notebook.evaluate(3, "browser.close()")


SLOW = """
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/never":
            threading.Event().wait(20)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        slow = b'<!doctype html><title>Slow</title><h1>Slow page</h1><img src="/never">'
        self.wfile.write(slow if self.path == "/slow" else b'<!doctype html><title>Start</title><a href="/slow">On</a>')

    def log_message(self, *args):
        pass

site = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
site.daemon_threads = True
threading.Thread(target=site.serve_forever, daemon=True).start()
page.goto(f"http://127.0.0.1:{site.server_port}/")
"""
ON = """
run = sb.agent(page, "Go on", model=ScriptedModel([CALL, "done"]))
run.start();
"""


@pytest.mark.parametrize("call", ['"click", {"target": "link \'On\'"}', '"goto", {"url": page.url + "slow"}'])
def test_a_page_that_never_ends_loading_is_shown_and_saved_as_the_one_it_is(lab: Open, call: str) -> None:
    """A screenshot may hang while a page loads, and a call wait for its end; tree and record don't."""
    notebook = lab(OPEN + SLOW, ON.strip().replace("CALL", f"ToolCall({call})"), "")
    notebook.run(0)
    notebook.run(1)
    panel = notebook.panel
    expect(panel.locator(".sbp-tool")).to_have_text(call.split('"')[1])
    panel.get_by_role("button", name="Approve", exact=True).click()
    expect(panel.locator(".sbp-address")).to_contain_text("/slow", timeout=8_000)
    expect(panel.get_by_role("tree")).to_contain_text("Slow page")
    notebook.wait_for_output(1, "Slow page")
    notebook.evaluate(2, "run.stop(); page.close(); site.shutdown()")


@pytest.mark.parametrize("way", ["run.run()", "await run.arun()"])
def test_a_kernel_that_brings_no_clicks_says_so_at_once(lab: Open, way: str) -> None:
    notebook = lab(OPEN.strip(), "", AGENT.strip(), "", "")
    notebook.run(0)
    version = notebook.evaluate(1, "import ipykernel; print(ipykernel.__version__)")
    try:
        if int(version.partition(".")[0]) >= 7:
            pytest.skip("make lab-matrix has ipykernel 6")
        notebook.run(2)
        expect(notebook.panel.locator(".sbp-tool")).to_have_text("fill")
        assert notebook.evaluate(3, WAITS.format(way=way)) == "approval_pending True True True"
        notebook.panel.get_by_role("button", name="Approve", exact=True).click()
        expect(notebook.panel.locator(".sbp-tool")).to_have_text("click")
        notebook.evaluate(3, "run.stop()")
    finally:
        notebook.evaluate(4, "page.close()")
