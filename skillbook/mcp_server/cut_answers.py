"""Keeping answers short: what is too long is cut inside its fence, and can be read on in parts."""

from __future__ import annotations

from collections import OrderedDict

from skillbook.agents.fence import fence, longest_fence, unfence
from skillbook.errors import InvalidParams

_KEPT = 8
_LEAST = 400


class CutAnswers:
    """The last answers that were cut.

    Parameters
    ----------
    characters : the most that an answer may have.
    """

    def __init__(self, characters: int) -> None:
        self._characters = max(characters, _LEAST)
        self._whole: OrderedDict[str, str] = OrderedDict()
        self._made = 0

    def cut(self, text: str) -> str:
        """The text, if need be without the end of its longest fence, and how to read that."""
        if len(text) <= self._characters:
            return text
        longest = longest_fence(text)
        if longest is None or len(text) - len(longest[2]) > self._characters // 2:
            # Many fences, or long words of ours: all of it is data then.
            return self._part(self._keep(unfence(text)), 0)
        start, end, whole = longest
        shown = _upto(whole, self._characters - (len(text) - len(whole)) - _LEAST // 2)
        rest = _more(self._keep(whole), len(shown), len(whole))
        return f"{text[:start]}{fence(shown)}{text[end:]}\n{rest}"

    def more(self, name: str, start: int) -> str:
        """The next part of an answer that was cut.

        Raises
        ------
        InvalidParams : it isn't kept any more, or has no such part.
        """
        if name not in self._whole:
            raise InvalidParams(f"there is no answer {name!r} any more", hint="make the call again")
        if not 0 <= start < len(self._whole[name]):
            raise InvalidParams(f"answer {name} has {len(self._whole[name])} characters", hint="it is read")
        return self._part(name, start)

    def _part(self, name: str, start: int) -> str:
        whole = self._whole[name]
        shown = _upto(whole[start:], self._characters - _LEAST // 2)
        end = start + len(shown)
        rest = f"\n{_more(name, end, len(whole))}" if end < len(whole) else ""
        return f"{fence(shown)}{rest}"

    def _keep(self, whole: str) -> str:
        self._made += 1
        name = f"a{self._made}"
        self._whole[name] = whole
        while len(self._whole) > _KEPT:
            self._whole.popitem(last=False)
        return name


def _upto(text: str, characters: int) -> str:
    """The beginning of a text, up to the end of a line where there is one near."""
    if len(text) <= characters:
        return text
    line = text.rfind("\n", characters // 2, characters)
    return text[: characters if line < 0 else line + 1]


def _more(name: str, end: int, whole: int) -> str:
    return (
        f"[{end:,} of {whole:,} characters. `find` searches the page; `more` with answer={name!r}, start={end} "
        "reads on.]"
    )
