"""Words of the web by meaning and language: one table, one fold, one matcher.

The table is `words/*.toml`; `docs/lexicon.md` says how to read it and how to add a word. Structure decides before words
do: ask the lexicon only if no type, method, `rel` or role answers.
"""

from __future__ import annotations

from skillbook.lexicon.matching import (
    Hit,
    alternation,
    begins,
    find,
    is_all,
    matches,
    meanings,
    places_that_may_say,
)
from skillbook.lexicon.table import (
    bare,
    currency_codes,
    currency_signs,
    fold,
    languages,
    letters,
    months,
    synonyms,
    weekdays,
    words,
)

__all__ = [
    "Hit",
    "alternation",
    "bare",
    "begins",
    "currency_codes",
    "currency_signs",
    "find",
    "fold",
    "is_all",
    "languages",
    "letters",
    "matches",
    "meanings",
    "months",
    "places_that_may_say",
    "synonyms",
    "weekdays",
    "words",
]
