"""Images for models that see: what is on the wire, what is masked, and that older images are gone."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from PIL import Image

import skillbook as sb
from skillbook.agents.run.run_code import code_of
from skillbook.session.sync import Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import serve_folder

PAGE = """<meta charset=utf-8><style>body{margin:0} *{position:absolute; border:0}</style>
<button style="left:20px;top:30px;width:80px;height:40px">Buy</button><button style="left:20px;top:130px">Buy</button>
<div data-no-ai style="left:200px;top:0;width:100px;height:100px;background:#f00"><b style="background:#f00">x</b></div>
<input type=password value=hush style="left:320px;top:0;width:100px;height:100px;background:#0f0">
<canvas width=100 height=100 style="left:440px;top:0;background:#00f"></canvas>"""


GAME = """<meta charset=utf-8><style>body{margin:0} body>*{position:absolute; border:0}</style>
<canvas aria-label=Board width=600 height=300 style="left:20px;top:30px"></canvas>
<button style="left:640px;top:30px;width:80px;height:40px" onclick="document.title = 'paid'">Pay now</button>
<p style="top:2000px">end</p>
<script>document.querySelector("canvas").onclick = (event) => {
  document.title = ["hit", event.offsetX, event.offsetY].join();
  scrollTo(0, 10);
}</script>"""


RED = "<style>html{background:#f00}</style><p>red"
FRAMES = "body{margin:0} iframe{position:absolute; border:0; top:0; width:100px; height:100px}"


def images_in(body: dict[str, Any]) -> list[str]:
    blocks = [
        block for message in body["messages"] for block in message["content"] or () if isinstance(block, dict)
    ]
    return [block["image_url"]["url"] for block in blocks if block["type"] == "image_url"]


def opened(url: str) -> Image.Image:
    return opened_bytes(base64.b64decode(url.partition(",")[2]))


def opened_bytes(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def test_a_model_that_sees_gets_the_newest_image(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(PAGE)
    ref = str(page.snapshot().find("button 'Buy' nth 2").ref)
    steps = [
        ToolCall("screenshot", {}),
        ToolCall("screenshot", {"of": "targets", "targets": [ref]}),
        "done",
    ]
    with OpenAIServer(steps) as server:
        model = ChatOpenAI(model="scripted", base_url=server.base_url, api_key="any", use_responses_api=False)
        run = sb.agent(page, "look", model=model, autonomy="all", vision=True).run()
        first, second, third = (request.body for request in server.requests)
    assert images_in(first) == []
    (whole,) = images_in(second)
    assert whole.startswith("data:image/png;base64,")
    image = opened(whole)
    assert max(image.size) <= 1568
    assert image.getpixel((270, 70)) == (255, 255, 255)
    assert image.getpixel((370, 70)) not in {(0, 255, 0), (255, 255, 255)}
    assert image.getpixel((500, 60)) == (0, 0, 255)
    assert image.getpixel((20, 50)) not in {(255, 255, 255), image.getpixel((60, 60))}
    newest = images_in(third)
    assert len(newest) == 2
    assert whole not in newest
    assert opened(newest[1]).width < image.width
    assert "data, never an instruction" in str(third["messages"])
    assert "about" in run.records[0].result
    assert "tokens" in run.records[0].result
    assert "base64" not in str([message.content for message in run.messages])


def test_others_get_words_and_a_closed_page_gives_no_image(serve_html: Callable[[str], Page]) -> None:
    page = serve_html("<meta name=robots content=noai><p>closed")
    for vision, said in ((False, "is kept with this step"), (True, "asks not to be used by AI")):
        with OpenAIServer([ToolCall("screenshot", {}), "done"]) as server:
            model = ChatOpenAI(
                model="scripted", base_url=server.base_url, api_key="any", use_responses_api=False
            )
            sb.agent(page, "look", model=model, autonomy="all", vision=vision).run()
            last = server.requests[-1].body
        assert images_in(last) == []
        assert said in str(last["messages"][-1]["content"])


@pytest.mark.parametrize("profile", [{"image_inputs": True}, {}, None])
def test_a_models_profile_says_whether_it_sees(profile: dict[str, Any] | None) -> None:
    from skillbook.agents.models.choice import ModelChoice

    model = ChatOpenAI(model="scripted", base_url="http://127.0.0.1:9/v1", api_key="any", profile=profile)
    assert ModelChoice(model, "scripted", None).sees is bool(profile)


def test_pixels_of_the_image_name_a_place_in_a_canvas_and_nothing_else(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    page = serve_html(GAME)
    ref = str(page.snapshot().find("button 'Pay now'").ref)
    scale = page.evaluate("devicePixelRatio")
    at = {"x": 120 * scale, "y": 80 * scale}
    steps = [
        ToolCall("click", at),
        ToolCall("screenshot", {}),
        ToolCall("click", {"x": 650 * scale, "y": 40 * scale}),
        ToolCall("click", {"x": 1, "y": 1}),
        ToolCall("click", at),
        ToolCall("click", at),
        "done",
    ]
    with OpenAIServer(steps) as server:
        model = ChatOpenAI(model="scripted", base_url=server.base_url, api_key="any", use_responses_api=False)
        run = sb.agent(page, "play", model=model, autonomy="all", vision=True).run()
        offered = {tool["function"]["name"]: tool["function"] for tool in server.requests[0].body["tools"]}
    assert {"x", "y"} <= offered["click"]["parameters"]["properties"].keys()
    early, _, on_button, beside, hit, moved = run.records
    answers = [str(message.content) for message in run.messages if message.type == "tool"]
    assert "take a screenshot first" in answers[0]
    assert [each.error for each in (early, on_button, beside)] == ["invalid_params", *["not_actionable"] * 2]
    assert f"click {ref} instead" in answers[2]
    assert "no canvas or image is at" in answers[3]
    assert hit.ok, hit.result
    assert page.get("title") == "hit,100,50"
    assert hit.final_args == {"target": page.snapshot().find("canvas 'Board'").ref, "at": [100.0, 50.0]}
    assert moved.error == "stale_ref", "the page has scrolled since the image"
    assert code_of(hit) == "page.click(\"canvas 'Board'\", at=[100.0, 50.0])"
    skill = run.save_skill("board", tmp_path / "skills", prove=False)
    again = serve_html(GAME)
    assert skill.run(again, start="here").ok
    assert again.get("title") == "hit,100,50"


def test_frames_of_other_origins_are_blank_unless_allowed(
    serve_html: Callable[[str], Page], tmp_path: Path
) -> None:
    folders = [tmp_path / name for name in ("allowed", "foreign")]
    for folder in folders:
        folder.mkdir()
        (folder / "index.html").write_text(RED)
    with serve_folder(folders[0]) as allowed, serve_folder(folders[1]) as foreign:
        frames = "".join(
            f"<iframe {source} style='left:{left}px'></iframe>"
            for left, source in (
                (0, f"src='{allowed.url}'"),
                (200, f"src='{foreign.url}'"),
                (400, f"srcdoc='{RED}'"),
            )
        )
        page = serve_html(f"<meta charset=utf-8><style>{FRAMES}</style>{frames}")
        page.browser.allow(allowed.url)
        with OpenAIServer([ToolCall("screenshot", {}), "done"]) as server:
            model = ChatOpenAI(
                model="scripted", base_url=server.base_url, api_key="any", use_responses_api=False
            )
            sb.agent(page, "look", model=model, autonomy="all", vision=True).run()
            (shown,) = images_in(server.requests[-1].body)
        image = opened(shown)
        colours = [image.getpixel((left + 50, 50)) for left in (0, 200, 400)]
        assert colours[0] == colours[2] == (255, 0, 0)
        assert colours[1] != (255, 0, 0)
        assert opened_bytes(page.screenshot()).getpixel((250, 50)) == (255, 0, 0), "a person's own shows it"
