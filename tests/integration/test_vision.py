"""Images for models that see: what is on the wire, what is masked, and that older images are gone."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from PIL import Image

import skillbook as sb
from skillbook.session.sync import Page
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall

PAGE = """<meta charset=utf-8><style>body{margin:0} *{position:absolute; border:0}</style>
<button style="left:20px;top:30px;width:80px;height:40px">Buy</button><button style="left:20px;top:130px">Buy</button>
<div data-no-ai style="left:200px;top:0;width:100px;height:100px;background:#f00"><b style="background:#f00">x</b></div>
<input type=password value=hush style="left:320px;top:0;width:100px;height:100px;background:#0f0">
<canvas width=100 height=100 style="left:440px;top:0;background:#00f"></canvas>"""


def images_in(body: dict[str, Any]) -> list[str]:
    blocks = [
        block for message in body["messages"] for block in message["content"] or () if isinstance(block, dict)
    ]
    return [block["image_url"]["url"] for block in blocks if block["type"] == "image_url"]


def opened(url: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")


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
