"""Lists of words that pages or people write stand in the lexicon, in English too: as alternations, sets and keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from skillbook.cells.parsed_code import parsed
from skillbook.lexicon.table import table
from skillbook.perception.roles import KNOWN
from skillbook.protocol.commands import COMMANDS

ROOT = Path(__file__).parents[2]
APART = ("skillbook/lexicon", "skillbook/testing", "skillbook/session/aio", "skillbook/session/sync")
LEAST = 3
"""Words of a list that no program knows; fewer are by chance."""
_WORD = re.compile(r"[a-z]{3,}(?:[ -][a-z]+)*")
_SIGNS = re.compile(r"\(\?[:=!<a-zA-Z]*|\\[bBsSdDwWZA]|[?*+^$()]")
ENDINGS = (
    "skillbook/exploration/page_states.py",
    "skillbook/perception/action_intent.py",
    "skillbook/policy/labels.py",
    "skillbook/skill/builtin/finding_skills.py",
)
_CODE, _ADDRESS, _TECHNICAL = (
    "names that programs give",
    "words of addresses",
    "names of a standard or a system",
)
EXCEPTIONS = {
    **dict.fromkeys(
        [
            ("skillbook/exploration/page_states.py", "basket"),
            ("skillbook/exploration/page_states.py", "phpsessid"),
            ("skillbook/extraction/walking/page_numbers.py", "paged"),
            ("skillbook/perception/records/record_table.py", "guid"),
            ("skillbook/policy/labels.py", "destroy"),
            ("skillbook/policy/labels.py", "payments"),
            ("skillbook/policy/labels.py", "unsubscribe"),
            ("skillbook/policy/labels.py", "developers"),
            ("skillbook/policy/labels.py", "documentation"),
            ("skillbook/policy/labels.py", "stable"),
            ("skillbook/policy/labels.py", "blame"),
            ("skillbook/policy/labels.py", "crates"),
            ("skillbook/policy/labels.py", "kubectl"),
        ],
        _ADDRESS,
    ),
    **dict.fromkeys(
        [
            ("skillbook/extraction/json_answers/behind_table.py", "pagesize"),
            ("skillbook/extraction/json_answers/json_rows.py", "recordstotal"),
            ("skillbook/extraction/json_answers/json_rows.py", "totalcount"),
            ("skillbook/extraction/walking/page_numbers.py", "inator"),
            ("skillbook/journal/trace_file.py", "pageref"),
            ("skillbook/extraction/walking/pagers.py", "caret"),
            ("skillbook/perception/collections/cells.py", "glyphicon"),
            ("skillbook/perception/collections/leaves.py", "wrapper"),
            ("skillbook/perception/collections/row_kinds.py", "totals"),
            ("skillbook/perception/collections/row_kinds.py", "footrow"),
            ("skillbook/perception/forms.py", "ccnum"),
            ("skillbook/policy/effects.py", "ccnum"),
            ("skillbook/policy/request_facts.py", "ccnum"),
            ("skillbook/policy/request_facts.py", "pwd"),
            ("skillbook/policy/request_rules.py", "xsrf"),
            ("skillbook/session/cassette/cassette_files.py", "pwd"),
            ("skillbook/session/saved_state.py", "jwt"),
            ("skillbook/skill/builtin/finding_skills.py", "quicksearch"),
        ],
        _CODE,
    ),
    **dict.fromkeys(
        [
            ("skillbook/cells/written_secrets.py", "builtins"),
            ("skillbook/cells/written_secrets.py", "globals"),
            ("skillbook/launcher/chromium_search.py", "graphics"),
            ("skillbook/policy/request_shape.py", "upgrade-insecure-requests"),
            ("skillbook/extraction/frames/number_texts.py", "kcal"),
            ("skillbook/launcher/chromium_search.py", "chromium-browser"),
            ("skillbook/perception/collections/grid.py", "tbody"),
            ("skillbook/perception/roles.py", "graphics-object"),
            ("skillbook/perception/selectors/grammar.py", "nav"),
            ("skillbook/protocol/refs.py", "cmd"),
            ("skillbook/session/page/request_log.py", "pageref"),
            ("skillbook/session/actions/local_files.py", "lpt"),
            ("skillbook/session/cassette/cassette_files.py", "referrer-policy"),
            ("skillbook/skill/model/spec_base.py", "prn"),
            *((name, "epub") for name in ENDINGS),
            ("skillbook/policy/labels.py", "webp"),
            ("skillbook/skill/builtin/finding_skills.py", "yml"),
        ],
        _TECHNICAL,
    ),
    **dict.fromkeys(
        [
            ("skillbook/__init__.py", "recover"),
            ("skillbook/aio.py", "recover"),
            ("skillbook/perception/selectors/grammar.py", "offscreen"),
            ("skillbook/evals/evaluation.py", "low"),
            ("skillbook/perception/text/describe.py", "obscured"),
            ("skillbook/perception/text/describe.py", "test id"),
            ("skillbook/perception/selectors/seen_parts.py", "obscured"),
            ("skillbook/session/awaited_call.py", "cli"),
            ("skillbook/skill/model/skill_prose.py", "the field holds"),
            ("skillbook/twin.py", "async"),
            ("skillbook/skill/proof/provable_skill.py", "lookalike"),
        ],
        "words of our own",
    ),
}


@cache
def trees() -> dict[str, ast.Module]:
    """The product's modules by their path."""
    found = {}
    for path in sorted((ROOT / "skillbook").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(APART):
            found[name] = parsed(path.read_text(encoding="utf-8"))
    return found


@cache
def names_of_programs() -> frozenset[str]:
    """Meanings, roles, commands, and what the product calls its own things."""
    found = {*table(), *KNOWN, *COMMANDS}
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.arg) or (isinstance(node, ast.keyword) and node.arg):
                found.add(node.arg)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
            elif isinstance(node, ast.Compare):
                found.update(text for one in node.comparators for text in texts_in(one))
            elif (
                isinstance(node, ast.Subscript)
                and isinstance(node.value, ast.Name)
                and node.value.id == "Literal"
            ):
                found.update(texts_in(node.slice))
    return frozenset(found)


def texts_in(node: ast.AST) -> Iterator[str]:
    """The texts of a literal, those of sets inside it too; the keys of a dict."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        for one in node.elts:
            yield from texts_in(one)
    elif isinstance(node, ast.Starred):
        yield from texts_in(node.value)
    elif isinstance(node, ast.Dict):
        for key in node.keys:
            yield from texts_in(key) if key is not None else ()


def word_lists(tree: ast.Module) -> Iterator[tuple[int, list[str]]]:
    """Each list of a module that has words no program knows: its line and these words."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        parts: list[str] = []
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            if "|" in node.value and not re.search(r"[.!?] [A-Z]|, ", node.value):
                parts = _SIGNS.sub("|", node.value).split("|")
        elif isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            parts = list(texts_in(node))
        elif isinstance(node, ast.Call) and _splits(node):
            parts = " ".join(texts_in(ast.Tuple([*node.args, *_value(node)]))).split()
        found = dict.fromkeys(part.strip() for part in parts)
        unknown = [
            part
            for part in found
            if _WORD.fullmatch(part) and part.replace("-", "_") not in names_of_programs()
        ]
        if len(unknown) >= LEAST:
            yield node.lineno, unknown


def _splits(node: ast.Call) -> bool:
    named = node.func.id if isinstance(node.func, ast.Name) else ""
    return named in {"words", "_words"} or (
        isinstance(node.func, ast.Attribute) and node.func.attr == "split"
    )


def _value(node: ast.Call) -> list[ast.expr]:
    return [node.func.value] if isinstance(node.func, ast.Attribute) else []


def test_lists_of_words_stand_in_the_lexicon() -> None:
    found = [
        f"{name}:{line}: {' | '.join(unknown)}"
        for name, tree in trees().items()
        for line, unknown in word_lists(tree)
        if not any((name, word) in EXCEPTIONS for word in unknown)
    ]
    assert found == [], "put them into skillbook/lexicon/words, or say above why they are no words of pages"


@pytest.mark.parametrize(("name", "word"), EXCEPTIONS)
def test_exceptions_are_still_there(name: str, word: str) -> None:
    assert re.search(rf"\b{word}\b", (ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        '_AGO = re.compile(r"\\b(just now|yesterday|(\\d+|an?) (second|sec|minute|min|hour|week)s? ago)\\b", re.I)',
        '_ENGLISH = (*({"save", "store"}, {"sign up", "register"}), *({"buy", "purchase"}, {"edit", "modify"}))',
        '_SYNONYMS = ({"price", "cost", "amount"}, {"stock", "availability", "inventory"})',
        '_NAMES = {"excerpt": 1, "headline": 2, "author": 3}',
        '_CODES = words("postcode zipcode firmware")',
    ],
)
def test_what_the_scan_finds(source: str) -> None:
    assert list(word_lists(parsed(source)))
