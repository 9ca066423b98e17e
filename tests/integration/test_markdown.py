"""`page.markdown`: what a page shows as Markdown, and what of it isn't there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import skillbook as sb
from skillbook.errors import InvalidParams
from skillbook.session.sync import Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall

PAGE = """<meta charset=utf-8><title>Lamps</title>
<nav><a href=/home>Home</a> <a href=/about>About</a></nav>
<main>
<h1>Lamps<a href="#lamps">¶</a></h1>
<p>Read <b>this</b> <a href="/guide (new)">guide</a>, not &lt;script&gt;alert(1)&lt;/script&gt;.</p>
<p style="display:none">hidden words</p>
<pre>def f():
    return 1</pre>
<table><tr><th>Kind<th>Watt<th>Price
<tr><td rowspan=2>LED<td>5<td>1|2<tr><td>7<td>3
<tr><td colspan=2>none<td>4</table>
<div role=table><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div>
<div role=row><span role=cell>a1</span><span role=cell>b1</span></div></div>
<div id=open></div><div id=closed><i>slotted</i></div>
<iframe srcdoc="<p>words of the frame</p>"></iframe>
<label>Name <input value="Ann"></label><label>PIN <input type=password value=hush1></label>
<canvas></canvas>
<div data-no-ai><h2>Diary</h2><input value=hush2></div><input data-no-ai value=hush3>
</main>
<div role=dialog><p>Sold out</p></div>
<footer>imprint</footer>
<script>
open.attachShadow({mode: 'open'}).innerHTML = '<p>open words</p>';
closed.attachShadow({mode: 'closed'}).innerHTML = '<p>closed words <slot></slot></p>';
</script>""".replace("open.attach", "document.getElementById('open').attach").replace(
    "closed.attach", "document.getElementById('closed').attach"
)
TABLE = """| Kind | Watt | Price |
| --- | --- | --- |
| LED | 5 | 1\\|2 |
| LED | 7 | 3 |
| none | | 4 |"""


def test_the_main_part_is_markdown_and_the_rest_is_named(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(PAGE)
    text = page.markdown()
    assert text.startswith("# Lamps\n")
    assert TABLE in text
    assert "| A | B |\n| --- | --- |\n| a1 | b1 |" in text
    assert "    return 1" in text
    assert "/guide%20%28new%29)" in text
    for words in ("open words", "closed words *slotted*", "words of the frame", "Sold out", "Ann", "Diary"):
        assert words in text, words
    assert "••••••" in text
    assert "\\<script>" in text
    assert not [words for words in ("hidden words", "hush1", "About", "imprint", "¶") if words in text]
    said = "; ".join(text.left_out)
    assert "3 words outside of main (navigation, contentinfo)" in said
    assert "1 canvas" in said
    assert text.endswith(f"<!-- left out: {said} -->")
    assert "](" not in page.markdown(links=False)
    assert page.markdown("table ~'Kind'").splitlines()[0] == "| Kind | Watt | Price |"
    short = page.markdown(budget=20)
    assert "tokens from here on, with 'Diary'" in short.left_out[-1]
    with pytest.raises(InvalidParams, match="budget"):
        page.markdown(budget=0)


def test_an_agent_reads_without_what_asks_for_no_ai(serve_html: Callable[[str], Page]) -> None:
    page = serve_html(PAGE)
    model = ScriptedModel([ToolCall("snapshot", {"of": "text"}), "done"])
    run = sb.agent(page, "read it", model=model, autonomy="reads").run()
    said = "\n".join(str(message.content) for message in model.requests[-1].messages)
    answer = str(model.requests[-1].messages[-1].content)
    assert "closed words *slotted*" in answer
    assert "2 parts of the page: it asks not to be used by AI" in answer
    assert not [words for words in ("hush1", "hush2", "hush3", "Diary") if words in said]
    assert run.records[0].tool == "markdown"
    assert run.records[0].ok
