"""The words of the web stand in the lexicon: no other source file lists words of other languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbook.cells.parsed_code import parsed
from skillbook.lexicon import bare
from skillbook.lexicon.table import table, words

ROOT = Path(__file__).parents[2]
NOT_WORDS = {
    "extension/src/shared/secret_words.ts": "generated from the lexicon",
    "extension/src/shared/secret_fields.ts": "letters that are written in two ways",
    "skillbook/perception/text/tokens.py": "ranges of letters by which tokens are estimated",
    "skillbook/evals/eval_report.py": "ranges of characters that XML allows",
    "skillbook/notebook/escaping.py": "ranges of characters that nobody sees",
    "skillbook/policy/urls.py": "letters that host names may be mistaken for",
    "skillbook/extraction/frames/number_texts.py": "signs of currencies and units",
    "skillbook/extraction/frames/date_columns.py": "the signs for year, month and day in dates of East Asia",
    "skillbook/goals/goal_words.py": "the signs for year, month and day in Chinese and Japanese dates",
}
MOST = 2
"""Words of other languages in one text or list; a sentence in English has one by chance."""
_LIST = re.compile(r"[|,\s()\[\]?:\\]+")


def known_words() -> frozenset[str]:
    """Single words that are listed for other languages, and for English under no meaning."""
    english = {word for meaning in table() for word in words(meaning, "en")}
    english |= {part for word in english for part in word.split()}
    found = {bare(word) for meaning in table() for word in words(meaning) if " " not in word}
    return frozenset(word for word in found if len(word) > 3 and word not in english)


FOREIGN = known_words()


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    """The texts of a file that aren't docstrings, and its lists of texts as one."""
    tree = parsed(source)
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            texts = [
                one.value for one in node.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            if len(texts) > MOST:
                yield node.lineno, "|".join(texts)


def script_texts(source: str) -> Iterator[tuple[int, str]]:
    """The texts and patterns of a TypeScript file, a line each; comments aside."""
    for number, line in enumerate(source.splitlines(), 1):
        code = re.sub(r"^\s*(?://|/?\*).*|\s//\s.*", "", line)
        if re.search(r"[\"'`/]", code):
            yield number, code


def foreign_words(text: str) -> list[str]:
    """What a text lists of other languages: words of the lexicon, and words with letters that English hasn't."""
    parts = [part for part in _LIST.split(text) if part]
    listed = [part for part in parts if bare(part) in FOREIGN]
    other = [
        part
        for part in parts
        if sum(not char.isascii() and char.isalpha() for char in part) and len(part) > 2
    ]
    return other or (listed if len(listed) > MOST else [])


def source_files() -> list[Path]:
    found = [
        *(ROOT / "skillbook").rglob("*.py"),
        *(ROOT / "extension" / "src").rglob("*.ts"),
        *(ROOT / "extension" / "src").rglob("*.tsx"),
    ]
    apart = (ROOT / "skillbook" / "lexicon", ROOT / "skillbook" / "testing")
    return sorted(path for path in found if not any(path.is_relative_to(folder) for folder in apart))


def test_no_source_file_lists_words_of_other_languages() -> None:
    found = []
    for path in source_files():
        name = path.relative_to(ROOT).as_posix()
        if name in NOT_WORDS:
            continue
        source = path.read_text(encoding="utf-8")
        texts = python_texts(source) if path.suffix == ".py" else script_texts(source)
        found += [f"{name}:{line}: {words}" for line, text in texts if (words := foreign_words(text))]
    assert found == [], "put them into skillbook/lexicon/words"


@pytest.mark.parametrize("name", NOT_WORDS)
def test_what_is_exempt_is_there(name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.parametrize(
    "source",
    [
        '_X = re.compile(r"(?i)weiter|suivant|siguiente|volgende")',
        '_X = {"weiter", "suivant", "siguiente"}',
        '_X = words("loschen supprimer eliminar")',
        '_X = "löschen"',
    ],
)
def test_what_the_scan_finds(source: str) -> None:
    assert any(foreign_words(text) for _, text in python_texts(source))


def test_what_the_scan_leaves_alone() -> None:
    assert not any(foreign_words(text) for _, text in python_texts('_X = "Delete the row, or send it"'))
