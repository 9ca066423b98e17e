"""Which of the pages that have a goal is the one that the goal asks for."""

from __future__ import annotations

from typing import Any

from skillbook.exploration.outcome import Exploration


async def pages_of_goal(result: Exploration, words: str, least: float, chooser: Any = None) -> list[str]:
    """The states that say a goal most exactly; several where nothing shows which of them it is.

    Of states with one text the first counts, of a page and a state of it, or the same with parameters, as when it is
    sorted, the page; and those whose title or main heading says just the goal before those that only a link calls so.
    Where that leaves several, the chooser may choose.

    Parameters
    ----------
    result : what was seen.
    words : the goal's.
    least : how exactly a page must say it.
    chooser : chooses among several, where there is one.
    """
    seen = dict(result.seen())
    most = max((data["closeness"] for data in seen.values()), default=0.0)
    if most < least:
        return []
    texts: dict[str, str] = {}
    for key, data in seen.items():
        if data["closeness"] == most:
            texts.setdefault(data["text"], key)
    meant = [
        key for key in texts.values() if not seen[key]["presses"] or seen[key]["url"] not in texts.values()
    ]
    plain = {seen[key]["url"] for key in meant}
    meant = [key for key in meant if key.partition("?")[0] == key or key.partition("?")[0] not in plain]
    meant = [key for key in meant if seen[key]["exact"] == 1] or meant
    if len(meant) > 1 and chooser is not None:
        lines = [f"{seen[key]['title']}, by the link {result.label_to(key)!r} ({key})" for key in meant]
        chosen = await chooser.choose(f"Which of these pages is meant by this goal: {words}?", lines, 1)
        meant = [meant[at] for at in chosen[:1]] or meant
    return meant
