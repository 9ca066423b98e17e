"""What a goal says beside itself, in any language."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.summary.action_intent import action_intent


def goal_itself(goal: str) -> str:
    """A goal, folded, without "please" and what joins it to the one before."""
    return re.sub(f"^{before_goal()}", "", lexicon.fold(clean(goal)))


@cache
def before_goal() -> str:
    """What may stand before a goal, as a part of a regular expression."""
    return rf"(?:{lexicon.alternation('polite', 'then')}[ ,]+(?=\S))*"


_WORD = re.compile(r"\w+")
_SECTION = re.compile(r"^\s*(?:chapter\s+)?\d+(?:\.\d+)*[.):]?\s+", re.IGNORECASE)
_LEAST_STEM = 4
_OTHER_WORD = 0.8


@lru_cache(maxsize=4096)
def content_words(text: str) -> tuple[str, ...]:
    """The words of a text that say something, folded, without "'s"."""
    found = _WORD.findall(re.sub(r"'s\b", "", lexicon.fold(clean(text))))
    return tuple(word for word in found if word not in _small_words())


@cache
def _small_words() -> frozenset[str]:
    return frozenset(lexicon.words("small_word"))


def covers(text: str, wanted: str) -> bool:
    """Whether a text has every content word of another, in whatever form."""
    words = content_words(wanted)
    return bool(words) and all(_has(text, word) for word in words)


def likeness(text: str, wanted: str) -> float:
    """The share of another text's content words that a text has; a word for the same thing counts a little less."""
    words = content_words(wanted)
    return (
        sum(max(_has(text, word), _OTHER_WORD * _means(text, word)) for word in words) / len(words)
        if words
        else 0.0
    )


def exactness(text: str, wanted: str) -> float:
    """How much of a text is another's content words, from 0 to 1; 0 where it doesn't have them all.

    Numbers of sections count neither for nor against: "4. README" is "README".
    """
    if not covers(text, wanted):
        return 0.0
    words = set(content_words(wanted))
    said = [word for word in content_words(_SECTION.sub("", clean(text))) if word]
    extra = sum(not any(_alike(word, one) for one in words) for word in said)
    return round(len(words) / (len(words) + extra), 4)


def _means(text: str, word: str) -> bool:
    """Whether a text has another word for it, in whatever language."""
    kind = _kind(word)
    return kind is not None and any(_kind(said) == kind for said in content_words(text))


@lru_cache(maxsize=4096)
def _kind(word: str) -> str | None:
    return action_intent(word)


def _has(text: str, word: str) -> bool:
    return any(_alike(said, word) for said in content_words(text)) or (
        not word.isascii() and word in lexicon.fold(clean(text))
    )


def _alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: equal, or the same but for a short ending; a number is only itself."""
    if one == other:
        return True
    if any(letter.isdigit() for letter in one + other):
        return False
    short, long = sorted((one, other), key=len)
    shared = len(short) - (1 if short.endswith(("e", "y", "s")) else 0)
    return len(short) >= _LEAST_STEM and long.startswith(short[:shared]) and len(long) - shared <= 3
