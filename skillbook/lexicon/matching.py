"""Which meanings a text speaks of: one pass over its words finds all of them.

Words count whole, whatever their case and accents; those of scripts without blanks anywhere. The longest phrase wins:
"add to cart" is no "cart". A blank in a phrase also stands for a hyphen or an apostrophe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from skillbook.lexicon.table import APART, MARKS, apart, bare, fold, grammar, steps, table, words

_WORD = re.compile(r"[\w\u0900-\u17ff]+")
_PART = re.compile(rf"{_WORD.pattern}\*?")
_LETTER = re.compile(r"[^\W\d_]")
_GAPS = frozenset(" -'")
_LONGEST = 300
"""Characters; longer texts are not remembered."""
_STEM = 2
_AT_ONCE = 100
"""Texts that are looked at together; a single one with such words has all of them looked at alone."""


@dataclass(frozen=True)
class Hit:
    """Words in a folded text, from `start` to `end`, and what they mean."""

    meaning: str
    start: int
    end: int
    begins: bool
    """Nothing but signs stands before it."""
    ends: bool
    """Nothing but signs stands after it."""
    is_part: bool = False
    """It goes on after a hyphen or dot: "pay-per-view", "next.js"."""

    @property
    def is_all(self) -> bool:
        """Nothing but signs stands around it."""
        return self.begins and self.ends


@dataclass(frozen=True)
class _Entry:
    meaning: str
    parts: tuple[str, ...]
    mark: str
    is_step: bool


@dataclass(frozen=True)
class _Index:
    """The entries by their first word, by how it begins, or in scripts without blanks by their first character."""

    bare: dict[str, list[_Entry]]
    accented: dict[str, list[_Entry]]
    stems: dict[str, list[_Entry]]
    unspaced: dict[str, list[_Entry]]


def matches(meaning: str, text: str) -> bool:
    """Whether a text has words of a meaning.

    Examples
    --------
    >>> matches("delete", "Supprimer le compte")
    True
    """
    return bool(_hits(meaning, text))


def begins(meaning: str, text: str) -> bool:
    """Whether a text begins with words of a meaning."""
    return any(hit.begins for hit in _hits(meaning, text))


def is_all(meaning: str, text: str) -> bool:
    """Whether a text has words of a meaning and no others; signs and arrows don't count."""
    return any(hit.is_all for hit in _hits(meaning, text))


def meanings(text: str) -> frozenset[str]:
    """All meanings that a text of a page has words of.

    Examples
    --------
    >>> sorted(meanings("Add to cart"))
    ['add_to_cart']
    """
    return frozenset(hit.meaning for hit in find(text))


def places_that_may_say(names: tuple[str, ...], texts: Sequence[str]) -> list[int]:
    """The places of all texts that have words of some meanings, and of others: a quick look at very many.

    Whether one of them has, `matches` tells.
    """
    opening = _opening_of(names)
    found: list[int] = []
    for at in range(0, len(texts), _AT_ONCE):
        part = texts[at : at + _AT_ONCE]
        if opening.search(bare(" ".join(part))):
            found += range(at, at + len(part))
    return found


@cache
def _opening_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Finds the first word of what says a meaning, in a text that `bare` folded."""
    index = _index(False)
    filed = [entry for kind in (index.bare, index.accented) for listed in kind.values() for entry in listed]
    stems = [entry for listed in index.stems.values() for entry in listed]
    anywhere = [entry for listed in index.unspaced.values() for entry in listed]

    def either(entries: Sequence[_Entry]) -> str:
        firsts = {bare(entry.parts[0].rstrip("*")) for entry in entries if entry.meaning in names}
        return "|".join(map(re.escape, sorted(firsts))) or r"(?!)"

    letter = _WORD.pattern.rstrip("+")
    whole = rf"(?<!{letter})(?:(?:{either(filed)})(?!{letter})|(?:{either(stems)}))"
    return re.compile(rf"{whole}|{either(anywhere)}")


def find(text: str, *, is_goal: bool = False) -> tuple[Hit, ...]:
    """What a text has words of, in the order in which they stand in `fold(text)`.

    text: what a page says.
    is_goal: it is what a person wants instead; then the meanings of `goals.toml` are looked for, and only these.
    """
    if not _LETTER.search(text):
        return ()
    return _remembered(text, is_goal) if len(text) <= _LONGEST else _find(text, is_goal)


def _hits(meaning: str, text: str) -> list[Hit]:
    return [hit for hit in find(text, is_goal=meaning in apart("goals")) if hit.meaning == meaning]


@cache
def alternation(*names: str) -> str:
    """The words of meanings as part of a regular expression, to search in a text that `fold` or `bare` folded."""
    found = {form for name in names for word in words(name) for form in (word, bare(word))}
    listed = sorted(found, key=lambda word: (-len(word), word))
    free = [re.escape(word) for word in listed if _is_unspaced(word)]
    edged = [re.escape(word).replace(r"\ ", "[ '-]") for word in listed if not _is_unspaced(word)]
    whole = [rf"(?<!\w)(?:{'|'.join(edged)})(?!\w)"] if edged else []
    return f"(?:{'|'.join([*whole, *free])})"


@lru_cache(maxsize=8192)
def _remembered(text: str, is_goal: bool) -> tuple[Hit, ...]:
    return _find(text, is_goal)


def _find(text: str, is_goal: bool) -> tuple[Hit, ...]:
    words, index = _Said.of(text), _index(is_goal)
    found = dict.fromkeys([*_spaced(words, index), *_unspaced(words, index)])
    kept: list[Hit] = []
    around: list[Hit] = []
    for hit in sorted(found, key=lambda hit: (hit.start, -hit.end)):
        around = [other for other in around if other.end > hit.start]
        if not any(_covers(other, hit) for other in around):
            kept.append(hit)
        around.append(hit)
    return tuple(kept)


def _covers(one: Hit, other: Hit) -> bool:
    longer = one.end - one.start > other.end - other.start
    return longer and one.meaning != other.meaning and other.end <= one.end


@dataclass(frozen=True)
class _Said:
    """A folded text and its words: where they stand, with their accents and without."""

    folded: str
    spans: Sequence[tuple[int, int]]
    accented: Sequence[str]
    bare: Sequence[str]

    @classmethod
    def of(cls, text: str) -> _Said:
        folded = fold(text)
        spans = [match.span() for match in _WORD.finditer(folded)]
        accented = [folded[start:end] for start, end in spans]
        return cls(folded, spans, accented, [word if word.isascii() else _bare(word) for word in accented])

    def gap(self, at: int) -> str:
        """What stands between a word and the next."""
        return self.folded[self.spans[at][1] : self.spans[at + 1][0]] if at + 1 < len(self.spans) else ""

    def has(self, parts: Sequence[str], at: int, *, accents: bool) -> bool:
        """Whether a phrase stands at a word."""
        here = (self.accented if accents else self.bare)[at : at + len(parts)]
        return (
            len(here) == len(parts)
            and all(map(_is_word, here, parts))
            and all(self.gap(at + n) in _GAPS for n in range(len(parts) - 1))
        )


@lru_cache(maxsize=8192)
def _bare(word: str) -> str:
    return bare(word)


def _is_word(word: str, wanted: str) -> bool:
    return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted


def _spaced(words: _Said, index: _Index) -> Iterator[Hit]:
    for at, word in enumerate(words.bare):
        for entry in (*index.bare.get(word, ()), *index.stems.get(word[:_STEM], ())):
            if words.has(entry.parts, at, accents=False) and _counts(entry, words, at):
                yield _hit(entry, words, at)
        for entry in index.accented.get(words.accented[at], ()):
            if words.has(entry.parts, at, accents=True) and _counts(entry, words, at):
                yield _hit(entry, words, at)


def _counts(entry: _Entry, words: _Said, at: int) -> bool:
    """Whether an entry's mark holds, and no word beside it makes of a step what was done."""
    known, end = grammar(), at + len(entry.parts)
    after = words.accented[end] if words.gap(end - 1) == " " else ""
    if entry.mark in {"^", "="} and at > 0:
        return False
    if entry.mark == "=":
        return end == len(words.spans)
    if entry.mark and after in known.nouns:
        return False
    if not entry.is_step:
        return True
    before = {" ".join(words.accented[max(at - size, 0) : at]) for size in (1, 2)}
    return after not in known.after and before.isdisjoint(known.before)


def _hit(entry: _Entry, words: _Said, at: int) -> Hit:
    last = at + len(entry.parts) - 1
    end = words.spans[last][1]
    goes_on = words.folded[end : end + 1] in {"-", "."} and words.folded[end + 1 : end + 2].isalnum()
    return Hit(entry.meaning, words.spans[at][0], end, at == 0, last == len(words.spans) - 1, goes_on)


def _unspaced(words: _Said, index: _Index) -> Iterator[Hit]:
    folded = words.folded
    if not _is_unspaced(folded):
        return
    first, last = (words.spans[0][0], words.spans[-1][1]) if words.spans else (0, 0)
    before, after = tuple(grammar().before), tuple(grammar().after)
    for at, char in enumerate(folded):
        for entry in index.unspaced.get(char, ()):
            end = at + len(entry.parts[0])
            if not folded.startswith(entry.parts[0], at):
                continue
            rest = folded[end:].removeprefix(" ")
            if entry.is_step and (folded[:at].endswith(before) or rest.startswith(after)):
                continue
            begins, ends = at <= first, end >= last
            if entry.mark != "=" or (begins and ends):
                yield Hit(entry.meaning, at, end, begins, ends)


@cache
def _index(is_goal: bool) -> _Index:
    index = _Index({}, {}, {}, {})
    for meaning, lines in table().items():
        file = next((name for name in APART if meaning in apart(name)), "")
        if file != ("goals" if is_goal else ""):
            continue
        for language, listed in lines.items():
            for word in listed:
                _file(index, meaning, language, word)
    return index


def _file(index: _Index, meaning: str, language: str, word: str) -> None:
    text = word.lstrip(MARKS)
    mark, is_step = word[: len(word) - len(text)], meaning in steps()
    if _is_unspaced(text):
        parts: tuple[str, ...] = (fold(text).rstrip("*"),)
        index.unspaced.setdefault(parts[0][0], []).append(_Entry(meaning, parts, mark, is_step))
        return
    keeps_accents = language in grammar().accented
    parts = tuple(_PART.findall(fold(text) if keeps_accents else bare(text)))
    entry = _Entry(meaning, parts, mark, is_step)
    if parts[0].endswith("*"):
        index.stems.setdefault(parts[0][:_STEM], []).append(entry)
    else:
        (index.accented if keeps_accents else index.bare).setdefault(parts[0], []).append(entry)


_NO_BLANKS = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _is_unspaced(text: str) -> bool:
    return _NO_BLANKS.search(text) is not None
