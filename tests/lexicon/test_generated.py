"""The extension's words for secret fields are those of the lexicon."""

from __future__ import annotations

from skillbook.lexicon.generate import TARGET, render


def test_the_extensions_words_are_those_of_the_lexicon() -> None:
    assert TARGET.read_text(encoding="utf-8") == render(), "run `make generate`"
