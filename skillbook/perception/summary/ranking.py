"""Deterministic ranking of short texts: BM25 over words and their beginnings, and fuzzy likeness."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from skillbook.perception.escape import clean

_WORD = re.compile(r"\w+")
_K1, _B = 1.2, 0.5
_LEAST = 0.2


def rank(query: str, texts: Sequence[str], bonus: Sequence[float] | None = None) -> list[tuple[float, int]]:
    """Texts that fit a query, as (score, place), best first; equal ones in their order.

    Parameters
    ----------
    query : what is looked for; alternatives may be separated by "|".
    texts : what is ranked.
    bonus : added to the score of texts that fit at all.
    """
    best: dict[int, float] = {}
    for part in query.split("|"):
        for place, score in enumerate(_scores(part, texts)):
            best[place] = max(score, best.get(place, 0.0))
    found = [
        (round(score + (bonus[place] if bonus else 0.0), 4), place)
        for place, score in best.items()
        if score >= _LEAST
    ]
    return sorted(found, key=lambda entry: (-entry[0], entry[1]))


def _scores(query: str, texts: Sequence[str]) -> list[float]:
    from rapidfuzz import fuzz

    wanted = _WORD.findall(clean(query).casefold())
    if not wanted:
        return [0.0] * len(texts)
    folded = [clean(text).casefold() for text in texts]
    documents = [Counter(_WORD.findall(text)) for text in folded]
    length = sum(sum(words.values()) for words in documents) / max(len(documents), 1)
    weight = {word: _weight(word, documents) for word in wanted}
    most = sum(weight[word] * (_K1 + 1) for word in wanted) or 1.0
    scores = []
    for text, words in zip(folded, documents, strict=True):
        size = _K1 * (1 - _B + _B * sum(words.values()) / max(length, 1.0))
        weighted = 0.0
        for word in wanted:
            count = words[word] or 0.7 * any(_begins(other, word) for other in words)
            weighted += weight[word] * count * (_K1 + 1) / (count + size) if count else 0.0
        likeness = float(fuzz.token_set_ratio(" ".join(wanted), text)) / 100
        scores.append(0.7 * weighted / most + 0.3 * (likeness if likeness > 0.6 or weighted else 0.0))
    return scores


def _weight(word: str, documents: Sequence[Counter[str]]) -> float:
    having = sum(any(other == word or _begins(other, word) for other in words) for words in documents)
    return math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))


def _begins(other: str, word: str) -> bool:
    return min(len(other), len(word)) >= 3 and (other.startswith(word) or word.startswith(other))
