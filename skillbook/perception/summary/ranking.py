"""Deterministic ranking of short texts: BM25 over words and their beginnings, and fuzzy likeness."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from skillbook.perception.escape import clean

MOST_CANDIDATES = 200
"""Texts that are scored; of more, those that have the query's letters come first."""
_WORD = re.compile(r"\w+")
_K1, _B = 1.2, 0.5
_LEAST = 0.2
_BEGINNING = 3


def rank(query: str, texts: Sequence[str], bonus: Sequence[float] | None = None) -> list[tuple[float, int]]:
    """Texts that fit a query, as (score, place), best first; equal ones in their order.

    query: what is looked for; alternatives may be separated by "|".
    """
    folded = [clean(text).casefold() for text in texts]
    parts = [words for part in query.split("|") if (words := _WORD.findall(clean(part).casefold()))]
    places = _likeliest([word for words in parts for word in words], folded)
    documents = _Documents([folded[place] for place in places])
    best = [max(scores) for scores in zip(*(documents.scores(words) for words in parts), strict=True)]
    found = [
        (round(score + (bonus[place] if bonus else 0.0), 4), place)
        for score, place in zip(best, places, strict=bool(parts))
        if score >= _LEAST
    ]
    return sorted(found, key=lambda entry: (-entry[0], entry[1]))


def _likeliest(wanted: Sequence[str], folded: Sequence[str]) -> list[int]:
    """The places of at most so many texts, those that have the beginnings of most of the words, in their order."""
    if len(folded) <= MOST_CANDIDATES:
        return list(range(len(folded)))
    beginnings = {word[:_BEGINNING] for word in wanted}
    shared = [sum(beginning in text for beginning in beginnings) for text in folded]
    return sorted(sorted(range(len(folded)), key=lambda place: -shared[place])[:MOST_CANDIDATES])


class _Documents:
    """Texts by the words that they have, so that each word of a query is looked up once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._words: dict[str, dict[int, int]] = {}
        sizes = []
        for place, text in enumerate(texts):
            words = _WORD.findall(text)
            sizes.append(len(words))
            for word in words:
                counts = self._words.setdefault(word, {})
                counts[place] = counts.get(place, 0) + 1
        mean = max(sum(sizes) / max(len(texts), 1), 1.0)
        self._sizes = [_K1 * (1 - _B + _B * size / mean) for size in sizes]

    def scores(self, wanted: Sequence[str]) -> list[float]:
        """How well each text fits the words: BM25, and fuzzy likeness."""
        from rapidfuzz import fuzz

        weighted, most = [0.0] * len(self._texts), 0.0
        for word in wanted:
            counts = self._counts(word)
            weight = math.log(1 + (len(self._texts) - len(counts) + 0.5) / (len(counts) + 0.5))
            most += weight * (_K1 + 1)
            for place, count in counts.items():
                weighted[place] += weight * count * (_K1 + 1) / (count + self._sizes[place])
        query, most = " ".join(wanted), most or 1.0
        scores = []
        for text, found in zip(self._texts, weighted, strict=True):
            likeness = float(fuzz.token_set_ratio(query, text)) / 100
            scores.append(0.7 * found / most + 0.3 * (likeness if likeness > 0.6 or found else 0.0))
        return scores

    def _counts(self, word: str) -> dict[int, float]:
        """How often each text has a word; less than once where it only has one that begins like it."""
        counts: dict[int, float] = {}
        for other, places in self._words.items():
            if other != word and _begins(other, word):
                counts |= dict.fromkeys(places, 0.7)
        return counts | self._words.get(word, {})


def _begins(other: str, word: str) -> bool:
    return min(len(other), len(word)) >= _BEGINNING and (other.startswith(word) or word.startswith(other))
