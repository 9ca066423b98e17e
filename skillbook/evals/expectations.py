"""The scores of what a task expects: 1 where it came, 0 where it didn't, between for rows of which some came."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from urllib.parse import urljoin

from skillbook.evals.answer import Answer
from skillbook.evals.eval_task import Call, SiteState, Task
from skillbook.evals.frame_scores import frame_agreement, numbers_in, same
from skillbook.evals.goal_text import parse_goal
from skillbook.evals.served_start import Place
from skillbook.session.sync import Page

Scores = dict[str, float]


def score_answer(task: Task, answer: Answer) -> Scores:
    """The scores of what the target gave."""
    wanted, scores = task.expected, Scores()
    said = _folded(" ".join([answer.text, *map(str, answer.facts.values())]))
    if wanted.text is not None:
        parts = [wanted.text] if isinstance(wanted.text, str) else wanted.text
        scores["text"] = _share([_folded(part) in said for part in parts])
    if wanted.exact is not None:
        scores["exact"] = float(answer.text.strip() == wanted.exact.strip())
    if wanted.number is not None:
        found = numbers_in(answer.text) or numbers_in(said)
        scores["number"] = float(any(same(each, wanted.number, wanted.within) for each in found))
    if wanted.facts is not None:
        facts = wanted.facts.items()
        scores["facts"] = _share(
            [same(answer.facts.get(name), value, wanted.within) for name, value in facts]
        )
    if wanted.frame is not None:
        agreement = frame_agreement(answer.frame, wanted.frame)
        scores["frame"] = agreement["cells"].f1
        for name, one in agreement.items():
            scores[f"{name}_precision"], scores[f"{name}_recall"] = one.precision, one.recall
    if wanted.file is not None:
        scores["file"] = float(any(fnmatchcase(name, wanted.file) for name in answer.files))
    if wanted.sends is not None:
        scores["sends"] = float(sorted(answer.sent) == sorted(wanted.sends))
    if wanted.trajectory is not None:
        scores["trajectory"] = _share(_followed(wanted.trajectory, answer))
    return scores


def score_page(task: Task, answer: Answer, page: Page, place: Place) -> Scores:
    """The scores of what the browser shows at the end."""
    wanted, scores = task.expected, Scores()
    if wanted.page is not None:
        scores["page"] = float(parse_goal(wanted.page).holds(page.summary(), downloads=answer.files))
    if wanted.url is not None:
        scores["url"] = float(fnmatchcase(page.url, wanted.url))
    if wanted.state is not None:
        scores["state"] = _share([_holds(state, page, place) for state in wanted.state])
    return scores


DETAILS: tuple[str, ...] = tuple(
    f"{part}_{kind}" for part in ("columns", "rows", "cells") for kind in ("precision", "recall")
)
"""Scores that explain another; nothing passes or fails by them."""


def _holds(state: SiteState, page: Page, place: Place) -> bool:
    """Whether a page of the site, requested by the same visitor, shows what it must."""
    tab = page.browser.open(urljoin(place.root, state.path))
    try:
        shown = _folded(tab.snapshot().text(budget=None))
    finally:
        tab.close()
    there = state.text is None or _folded(state.text) in shown
    return there and (state.absent is None or _folded(state.absent) not in shown)


def _followed(wanted: list[Call], answer: Answer) -> list[bool]:
    """Which of the calls were made, each after the one before."""
    made = iter(answer.calls)
    return [any(_is_call(call, each) for each in made) for call in wanted]


def _is_call(wanted: Call, made: dict[str, object]) -> bool:
    args = made.get("args")
    given = args if isinstance(args, dict) else {}
    return made["tool"] == wanted.tool and all(
        same(given.get(name), value) for name, value in wanted.args.items()
    )


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _share(right: list[bool]) -> float:
    return sum(right) / len(right) if right else 1.0


Evaluator = Callable[[Task, Answer], "float | bool | dict[str, float] | None"]
"""A function of yours: it gets task and answer, and gives a score from 0 to 1, or several by name."""
