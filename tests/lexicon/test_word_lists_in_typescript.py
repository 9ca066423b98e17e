"""Lists of words that pages write stand in the lexicon, not in the extension's source either."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.lexicon.test_word_lists import _SIGNS, _WORD, ROOT, names_of_programs

SOURCE = ROOT / "extension" / "src"
LEAST = 3
"""Words of a list that no program knows; fewer are by chance."""
GENERATED = ("protocol/generated.ts", "shared/secret_words.ts", "shared/record_table.ts")
EXCEPTIONS = {
    "background/requests/network_log.ts": "permissions-policy",
    "background/tabs/debugger_content_script.ts": "cannot be scripted",
    "background/tabs/debuggers.ts": "target closed",
    "background/tabs/groups.ts": "purple",
    "content/synthetic_input.ts": "pointerover",
    "content/web_vitals.ts": "layout-shift",
    "engine/cdp/event_listeners.ts": "touchstart",
    "engine/cdp/protocol.ts": "pointer-events",
    "engine/dom/semantics/visibility.ts": "lineargradient",
    "engine/dom/walk/candidates.ts": "aria-owns",
    "engine/dom/watch/change_watch.ts": "hashchange",
    "page/documents.ts": "animationiteration",
    "page/network.ts": "compilestreaming",
    "shared/attributes.ts": "data-testid",
    "ui/notebook/model.ts": "autorestarting",
}
"""Files with names of the platform and of Chrome, and one of them."""
_TEXT = r'"((?:[^"\\\n]|\\.)*)"'
_CLASS = r"\[(?:[^\]\\\n]|\\.)*\]"
_PATTERN = re.compile(
    rf"(?<=[(=,:\[!&|?{{;\s])/((?:[^/\\\n\[*\s]|\\.|{_CLASS})(?:[^/\\\n\[]|\\.|{_CLASS})*)/"
)
_LIST = re.compile(rf"\[((?:\s*(?:{_TEXT}),?)+\s*)\]")
_SPLIT = re.compile(rf"{_TEXT}\s*\.split\(")
_COMMENT = re.compile(r"^\s*(?://|\*|/\*).*$", re.MULTILINE)


@cache
def sources() -> dict[str, str]:
    """The extension's modules by their path, without comments."""
    return {
        path.relative_to(SOURCE).as_posix(): _COMMENT.sub("", path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.ts*"))
    }


@cache
def known() -> frozenset[str]:
    """What programs name, in either language."""
    found = set(names_of_programs())
    for source in sources().values():
        found.update(re.findall(r"[A-Za-z]\w+", re.sub(_TEXT, '""', source)))
    return frozenset(name.lower() for name in found)


def word_lists(source: str) -> Iterator[tuple[int, list[str]]]:
    """Each list of a module that has words no program knows: its line and these words."""
    lists = [(match.start(), re.findall(_TEXT, match[1])) for match in _LIST.finditer(source)]
    lists += [(match.start(), match[1].split()) for match in _SPLIT.finditer(source)]
    for pattern in (_PATTERN, re.compile(_TEXT)):
        found = (match for match in pattern.finditer(source) if "|" in match[1])
        lists += [(match.start(), _SIGNS.sub("|", match[1]).split("|")) for match in found]
    for at, parts in lists:
        unknown = [
            part
            for part in dict.fromkeys(part.strip().lower() for part in parts)
            if _WORD.fullmatch(part) and part.replace("-", "_") not in known()
        ]
        if len(unknown) >= LEAST:
            yield source[:at].count("\n") + 1, unknown


def test_the_extension_has_no_lists_of_words() -> None:
    found = [
        f"{name}:{line}: {' | '.join(unknown)}"
        for name, source in sources().items()
        if name not in GENERATED and name not in EXCEPTIONS
        for line, unknown in word_lists(source)
    ]
    assert found == [], "put them into skillbook/lexicon/words and generate them, as secret_words.ts is"


@pytest.mark.parametrize(("name", "word"), EXCEPTIONS.items())
def test_files_apart_still_have_such_names(name: str, word: str) -> None:
    assert word in sources()[name].lower()


@pytest.mark.parametrize(
    "source",
    [
        "const PAY = /\\b(purchase|checkout now|tip jar)\\b/i;",
        'const names = new Set(["gutschein", "warenkorb", "kasse"]);',
        'const gone = "kaufen abonnieren spenden".split(" ");',
    ],
)
def test_what_the_scan_of_the_extension_finds(source: str) -> None:
    assert list(word_lists(source))
