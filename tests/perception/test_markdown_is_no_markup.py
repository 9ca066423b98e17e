"""Markdown of a page: nothing that the page says becomes markup where it is rendered, or commands a terminal."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillbook.perception.markdown import to_markdown
from skillbook.protocol.commands.read import MarkdownResult, ShownDocument

RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")


def markdown(html: str, budget: int | None = None) -> str:
    document = ShownDocument(
        key="k", url="http://x.test/", frame=0, owner_key="", owner_number=0, html=html, canvases=0
    )
    return str(to_markdown(MarkdownResult(documents=[document], unread=[]), whole=True, budget=budget))


def tokens(text: str) -> list[Token]:
    return [
        each
        for token in RENDERER.parse(text)
        for each in [token, *(token.children or [])]
        if each.type != "inline"
    ]


def live(text: str) -> list[str]:
    """What a page could do through this text: HTML that isn't our note, links and images to what is no web page."""
    found = [
        each.content
        for each in tokens(text)
        if each.type in {"html_block", "html_inline"}
        and not re.fullmatch(r"<!-- left out: [^<>]* -->\n?", each.content)
    ]
    addresses = [str(each.attrs.get("href") or each.attrs.get("src") or "") for each in tokens(text)]
    return found + [each for each in addresses if each and not each.startswith(("http://good/", "mailto:"))]


HOSTILE = "<img src=x onerror=alert(1)>"
PAGES = [
    f"<p>{escape(HOSTILE)}</p>",
    f"<p>\\{escape(HOSTILE)}</p>",
    f"<p>\\\\\\{escape(HOSTILE)}</p>",
    "<p>&lt;<span>img src=x onerror=alert(1)&gt;</span></p>",
    "<p>\\<span>&lt;img src=x onerror=alert(1)&gt;</span></p>",
    f"<pre>a\n```\n{escape(HOSTILE)}\n</pre>",
    f"<pre>a\n``````\n{escape(HOSTILE)}\n~~~\n</pre>",
    f"<p>`</p><p>x` <code>{escape(HOSTILE)}</code></p>",
    f"<p>` <code>{escape(HOSTILE)}</code></p>",
    f"<code>`` {escape(HOSTILE)} `</code>",
    "<p>[x](javascript:alert(1))</p>",
    "<p>[x]<b>(javascript:alert(1))</b></p>",
    "<p>![x](http://evil/x.png)</p>",
    "<p>[a]: javascript:alert(1)</p><p>[a]</p>",
    "<p>[b][a]</p><p>[a]: http://evil/</p>",
    "<p>&lt;javascript:alert(1)&gt; &lt;http://evil/&gt;</p>",
    "<a href='javascript:alert(1)'>x</a><a href=' java&#10;script:alert(1)'>x</a>",
    "<a href='data:text/html,x'>x</a><a href='vbscript:x'>x</a>",
    f"<a href='http://good/' title='x\" {escape(HOSTILE)}\n\n{escape(HOSTILE)}'>x</a>",
    f"<a href='http://good/a\"]){escape(HOSTILE)}'>](javascript:alert(1)) {escape(HOSTILE)}</a>",
    f"<img src='http://good/x.png' alt='](javascript:1) {escape(HOSTILE)}\n\n{escape(HOSTILE)}'>",
    "<img src='javascript:alert(1)' alt='x'><img src='data:image/svg+xml,x'>",
    "<video src='javascript:1' poster='javascript:2'>x</video><audio src='javascript:1'>x</audio>",
    "<script>alert(1)</script><style>x</style><iframe src='javascript:1'></iframe><object data='x'></object>",
    f"<table><tr><th>{escape(HOSTILE)}</th></tr><tr><td><pre>`\n{escape(HOSTILE)}</pre></td></tr></table>",
    f"<ul><li><pre>```\n{escape(HOSTILE)}</pre></li></ul><blockquote><pre>```\n\n{escape(HOSTILE)}</pre></blockquote>",
    f"<h1>{escape(HOSTILE)}</h1><details><summary>{escape(HOSTILE)}</summary></details>",
    "<p>&lt;!-- x</p><p>--&gt; &lt;?php ?&gt; &lt;![CDATA[x]]&gt; &lt;!DOCTYPE x&gt; &lt;/div&gt;</p>",
]


@pytest.mark.parametrize("page", PAGES)
def test_nothing_of_a_page_is_live(page: str) -> None:
    assert live(markdown(page)) == []
    assert live(markdown(page + "<p>more words here</p>" * 20, budget=30)) == []


PIECES = st.sampled_from(
    [HOSTILE, "<", "img src=x onerror=1>", "</b>", "\\", "`", "```", "``", "\n", " ", "[", "]", "(", ")", "!", ":",
     "[x](javascript:1)", "javascript:1", "a", "#", "~~~", "<!--", "-->", "|", "&lt;", "$"]
)  # fmt: skip
TAGS = st.sampled_from(
    ["p", "span", "b", "i", "code", "pre", "td", "li", "h2", "blockquote", "div", "del", "q", "kbd"]
)


@example([("kbd", ["<img src=x onerror=alert(1)>"]), ("kbd", ["```"])])
@given(st.lists(st.tuples(TAGS, st.lists(PIECES, max_size=5)), max_size=6))
def test_no_mixture_of_texts_and_tags_is_live(parts: list[tuple[str, list[str]]]) -> None:
    page = "".join(f"<{tag}>{escape(''.join(texts))}</{tag}>" for tag, texts in parts)
    assert live(markdown(page)) == [], markdown(page)


def test_links_code_and_prices_stay_readable() -> None:
    assert markdown("<p>a < b, $12 and [1] of <a href='http://good/x'>all</a></p>") == (
        "a < b, $12 and [1] of [all](http://good/x)"
    )
    assert markdown("<pre>if a &lt; b:\n    x[0](y)</pre>") == "```\nif a < b:\n    x[0](y)\n```"


def test_nothing_commands_a_terminal() -> None:
    text = markdown("<p>a\u001b[31mred\u0007 \u009b2J</p><pre>\u001b]0;title\u0007</pre>")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert "␛[31mred␇" in text
