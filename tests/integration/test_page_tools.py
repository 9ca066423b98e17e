"""Tools that a page declares (WebMCP): listed where the browser was started for them, and called as a write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

import pytest

import skillbook as sb
from skillbook.errors import ApprovalRequired, CommandError, SkillbookError
from skillbook.io_thread import io
from skillbook.policy import Secret
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.shown import after_reading

PAGE = """<title>Shop</title><h1>Shop</h1><ul id=found></ul>
<form toolname=subscribe tooldescription="Subscribe to the newsletter"
  onsubmit="event.preventDefault(); this.hidden = true">
  <input name=mail aria-label=E-mail toolparamdescription="Where to" required><button>Subscribe</button></form>
<script>
const text = words => ({content: [{type: 'text', text: words}]});
if (document.modelContext) {
  document.modelContext.registerTool({name: 'add_item', description: 'Add an item <b>to</b> the list',
    inputSchema: {type: 'object', properties: {name: {type: 'string'}, count: {type: 'integer'}}, required: ['name']},
    async execute({name}) {
      await fetch('/items', {method: 'POST', body: new URLSearchParams({name})});
      document.getElementById('found').innerHTML += '<li>' + name + '</li>';
      return text('added ' + name);
    }});
  document.modelContext.registerTool({name: 'find_products', description: 'Search the products',
    inputSchema: {type: 'object', properties: {text: {type: 'string'}}, required: ['text']},
    execute({text: wanted}) {
      document.getElementById('found').innerHTML = '<li>' + wanted + ' by the window</li><li>Old ' + wanted + '</li>';
      return text('2 products');
    }});
  document.modelContext.registerTool({name: 'fail', description: 'Never works',
    inputSchema: {type: 'object', properties: {}}, execute() { throw new Error('out of order'); }});
}
</script>"""


class Shop:
    """The page, and what was sent to it."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.page = PAGE
        sent, shop = self.sent, self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(shop.page if self.path == "/" else "")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                sent.extend(parse_qs(body)["name"])
                self.answer("")

            def answer(self, body: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.server.shutdown()


@pytest.fixture(scope="module")
def tool_browser() -> Iterator[Browser]:
    with sb.launch(page_tools=True) as browser:
        yield browser


@pytest.fixture
def page(tool_browser: Browser, shop: Shop) -> Iterator[Page]:
    shop.sent.clear()
    shop.page = PAGE
    page = tool_browser.open(shop.url)
    yield page
    page.close()


def test_a_snapshot_lists_the_tools_and_fences_their_words(page: Page) -> None:
    text = page.snapshot().text()
    lines = text.splitlines()
    assert lines[0] == "page's own tools (untrusted; call_page_tool):"
    assert '- "add_item"(name*, count): "Add an item <b>to</b> the list"' in lines
    assert '- "subscribe"(mail*): "Subscribe to the newsletter"' in lines
    tools = {tool.name: tool for tool in page.page_tools()}
    assert set(tools) == {"add_item", "find_products", "fail", "subscribe"}
    assert json.loads(tools["add_item"].input_schema)["required"] == ["name"]
    assert 'heading "Shop"' in text


def test_a_person_calls_a_tool_and_its_answer_comes_back(page: Page, shop: Shop) -> None:
    done = page.call_page_tool("add_item", {"name": "Lamp"})
    assert json.loads(done.data["answer"])["content"][0]["text"] == "added Lamp"
    assert not done.data["waits"]
    assert done.changed
    assert done.diff is not None
    assert "Lamp" in done.diff.text()
    assert shop.sent == ["Lamp"]


def test_a_form_is_filled_in_and_waits_for_somebody_to_send_it(page: Page) -> None:
    done = page.call_page_tool("subscribe", {"mail": "ann@x.test"})
    assert done.data["waits"]
    assert page.get("value", "textbox 'E-mail'") == "ann@x.test"
    page.click("button 'Subscribe'")
    assert not page.snapshot().find_all("button 'Subscribe'")


def test_a_tool_that_is_not_there_or_fails_says_so(page: Page) -> None:
    with pytest.raises(CommandError, match="declares no tool 'remove_item'") as missing:
        page.call_page_tool("remove_item")
    assert "add_item" in str(missing.value)
    with pytest.raises(CommandError, match="'fail' failed"):
        page.call_page_tool("fail")


def test_an_agent_is_asked_about_every_call(page: Page, shop: Shop) -> None:
    with pytest.raises(ApprovalRequired, match="runs the page's own code"):
        io.sync(
            page.driver.act("call_page_tool", name="add_item", args={"name": "Lamp"}, actor="agent", run="r")
        )
    assert shop.sent == []
    model = ScriptedModel(
        [ToolCall("call_page_tool", {"name": "add_item", "args": {"name": "Chair"}}), "done"]
    )
    run = sb.agent(page, "add a chair", model=model, autonomy="all")
    run.step()
    assert run.pending is not None
    assert "page's tool" in run.pending.review.reason
    assert shop.sent == []
    after_reading(run).approve()
    while run.pending is not None:  # the request that the tool sends is held, too
        after_reading(run).approve()
    assert run.result == "done"
    assert "added Chair" in run.messages[-2].text
    assert shop.sent == ["Chair"]


@pytest.mark.parametrize(
    ("declaration", "reason"),
    [
        ("name: 'add_note', annotations: {readOnlyHint: true}", None),
        (
            "name: 'delete_order', annotations: {readOnlyHint: true}",
            "'delete_order' deletes, which can't be undone",
        ),
        (
            "name: 'add_note', annotations: {consequentialHint: true}",
            "'add_note' can't be undone, as the page says",
        ),
        ("name: 'place_order', annotations: {consequentialHint: false}", "'place_order' pays or orders"),
    ],
)
def test_a_tool_that_says_it_cannot_be_undone_needs_a_second_press(
    page: Page, shop: Shop, declaration: str, reason: str | None
) -> None:
    shop.page = (
        f"<title>Tool</title><h1>Tool</h1><script>document.modelContext.registerTool({{{declaration}, description: 'x',"
        "inputSchema: {type: 'object', properties: {}}, execute() { return 'done'; }})</script>"
    )
    page.reload()
    name = declaration.split("'")[1]
    (tool,) = page.page_tools()
    assert tool.consequential == ("consequentialHint: true" in declaration)
    run = sb.agent(
        page, "go", model=ScriptedModel([ToolCall("call_page_tool", {"name": name}), "ok"]), autonomy="all"
    )
    run.run()
    pending = run.pending
    assert pending is not None
    assert (pending.review.effect == "irreversible") == (reason is not None)
    assert (reason or "") in pending.review.reason
    assert "runs the page's own code" in pending.review.reason
    after_reading(run).approve()
    assert run.status == "succeeded"


def test_search_uses_the_tool_where_the_page_has_no_field(page: Page) -> None:
    refused = sb.load_skill("search").run(page, query="Lamp")
    assert isinstance(refused.error, SkillbookError)
    assert "page's tool" in str(refused.error)
    assert "by the window" not in page.snapshot().text()
    done = sb.load_skill("search").run(
        page, query="Lamp", approve=lambda question: "find_products" in question
    )
    assert done.ok, done.error
    assert "Lamp by the window" in page.snapshot().text()


def test_a_form_that_the_page_does_not_show_is_filled_in_by_its_tool(page: Page, shop: Shop) -> None:
    values = {"Name": "Desk", "Count": "2"}
    kept = sb.load_skill("fill_form").run(page, values=values, approve=lambda _: True)
    assert not kept.ok, "a tool sends at once: only where that is asked for"
    secret = sb.load_skill("fill_form").run(
        page, values={"name": Secret("pass")}, submit=True, approve=lambda _: True
    )
    assert not secret.ok
    lacks = sb.load_skill("fill_form").run(page, values={"count": 2}, submit=True, approve=lambda _: True)
    assert not lacks.ok
    assert shop.sent == []
    done = sb.load_skill("fill_form").run(page, values=values, submit=True, approve=lambda _: True)
    assert done.ok, done.error
    assert shop.sent == ["Desk"]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({}, "it needs name"),
        ({"name": 3}, "'name' is no string"),
        ({"name": "x", "count": "many"}, "'count' is no integer"),
        ({"name": "x", "colour": "red"}, "it takes no 'colour'"),
    ],
)
def test_arguments_that_the_tool_does_not_declare_are_not_sent(
    page: Page, shop: Shop, args: dict[str, Any], why: str
) -> None:
    with pytest.raises(CommandError, match=why):
        page.call_page_tool("add_item", args)
    assert shop.sent == []


def test_a_recorded_call_replays_with_another_value_and_stops_where_the_tool_is_another(
    tool_browser: Browser, page: Page, shop: Shop, tmp_path: Path
) -> None:
    with sb.recording(page, goal='Add "Lamp" to the list') as recording:
        page.call_page_tool("add_item", {"name": "Lamp", "count": 2})
    skill = recording.save_skill("add-item", folder=tmp_path)
    assert (
        "Call the page's tool add_item with name ${input:name}, count 2"
        in (tmp_path / "add-item/SKILL.md").read_text()
    )
    shop.sent.clear()
    again = tool_browser.open(shop.url)
    asked: list[str] = []
    assert skill.run(again, name="Desk", approve=lambda question: not asked.append(question)).ok
    assert shop.sent == ["Desk"]
    assert "page's own code" in asked[0]
    shop.sent.clear()
    for old, new, why in (
        ("name: 'add_item'", "name: 'add_thing'", "declares no tool 'add_item'"),
        ("required: ['name']", "required: ['name', 'colour']", "it needs colour"),
        ("count: {", "quantity: {", "it takes no 'count'"),
    ):
        shop.page = PAGE.replace(old, new)
        again.goto(shop.url)
        failed = skill.run(again, name="Desk", approve=lambda _: True)
        assert not failed.ok
        assert why in str(failed.error)
    assert shop.sent == []
    again.close()


def test_without_the_switch_there_are_none(browser: Browser, shop: Shop) -> None:
    page = browser.open(shop.url)
    assert page.page_tools() == []
    assert "tools" not in page.snapshot().text()
    with pytest.raises(CommandError, match="declares no tool"):
        page.call_page_tool("add_item", {"name": "x"})
    page.close()


def test_switches_that_are_given_stay(tmp_path: Path) -> None:
    from skillbook.session.start import with_page_tools

    assert with_page_tools(["--lang=de", "--enable-features=A"]) == (
        "--lang=de",
        "--enable-features=A,WebMCP",
    )
