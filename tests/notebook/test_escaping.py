"""Page text made visible and escaped; JavaScript's table agrees with Python's."""

from __future__ import annotations

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.notebook.escaping import escape, escape_attribute, shorten, show_hidden

EXTENSION = Path(__file__).parents[2] / "extension"
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "$\\href{javascript:alert(1)}{click}$",
    "$$\\unicode{x}$$ \\(a\\) \\[b\\] \\begin{align}",
    "&lt;b&gt; &amp;amp; &#x3C;",
    "abc\u202edcba\u202c \u2066x\u2069 \u200f",
    "two\nlines\r\tand a tab\u2028end",
    "zero\u200bwidth\ufeff\u2060 soft\u00adhyphen",
    "blank\u2800braille \u3164filler",
    "tag\U000e0041\U000e007f",
    "\x00\x1b[31m",
]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


@pytest.mark.parametrize("text", HOSTILE)
def test_escape_shows_text_literally(text: str) -> None:
    reader = read(escape(text))
    assert reader.text == show_hidden(text)
    assert reader.tags <= {"span"}


@given(st.text())
def test_escape_round_trips_any_text(text: str) -> None:
    reader = read(escape(text))
    assert reader.text == show_hidden(text)
    assert reader.tags <= {"span"}


@given(st.text())
def test_attributes_never_end_early(text: str) -> None:
    escaped = escape_attribute(text)
    assert not set("<>\"'\n") & set(escaped)


@pytest.mark.parametrize("text", [text for text in HOSTILE if "$" in text or "\\" in text])
def test_no_formula_delimiter_is_left_whole(text: str) -> None:
    escaped = escape(text)
    for delimiter in ("$$", "\\(", "\\[", "\\begin"):
        assert delimiter not in escaped
    assert escaped.count("<span>$</span>") == text.count("$")


def test_hidden_characters_get_signs() -> None:
    assert show_hidden("a\u202eb\nc\u200bd\U000e0041") == "a⟨U+202E⟩b⏎c⟨U+200B⟩d⟨U+E0041⟩"
    assert show_hidden("👨\u200d👩 می\u200cخواهم") == "👨\u200d👩 می\u200cخواهم"


def test_shorten() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcde…"


@pytest.mark.skipif(shutil.which("node") is None, reason="Node runs the panel's code here")
def test_the_panel_shows_the_same_signs() -> None:
    texts = [
        *HOSTILE,
        *(chr(code) for code in [*range(0x3100), *range(0xFE00, 0x10000), *range(0xE0000, 0xE1000)]),
    ]
    texts = [text for text in texts if not any(0xD800 <= ord(char) < 0xE000 for char in text)]
    script = (
        "import { readFileSync } from 'node:fs'; import { transformWithOxc } from 'vite';\n"
        "const { code } = await transformWithOxc(readFileSync('src/ui/common/text.ts', 'utf8'), 'text.ts');\n"
        "const { showHidden } = await import('data:text/javascript,' + encodeURIComponent(code));\n"
    )
    script += "let data = ''; process.stdin.on('data', (part) => { data += part; });\n"
    script += "process.stdin.on('end', () => console.log(JSON.stringify(JSON.parse(data).map(showHidden))));"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        cwd=EXTENSION,
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    shown = json.loads(done.stdout)
    assert [pair for pair in zip(texts, shown, strict=True) if show_hidden(pair[0]) != pair[1]] == []
