"""The scores of what a task expects: by what came, and by evaluators of `openevals`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal
from urllib.parse import urljoin

import pandas as pd

from skillbook.config import load_settings
from skillbook.errors import ConfigError, EvalError, ModelNotConfigured
from skillbook.evals.answer import Answer
from skillbook.evals.eval_task import Call, SiteState, Task, parse_goal
from skillbook.evals.served_start import Place
from skillbook.session.sync import Page

_MOST_PAIRS = 4_000_000
"""Pairs of rows that are compared; beyond, only rows that are alike in every cell belong together."""


@dataclass(frozen=True)
class Agreement:
    """How many were expected, were there, and agree."""

    expected: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        """How much of what was read is right, 0 to 1."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """How much of what was expected was read, 0 to 1."""
        return self.right / self.expected if self.expected else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def frame_agreement(frame: pd.DataFrame | None, rows: Sequence[Mapping[str, Any]]) -> dict[str, Agreement]:
    """Compare a frame with the rows that were expected, whatever their order.

    A column counts by its name without regard to case; more columns than expected lower the precision of columns, not
    of cells. Numbers count by value, texts without regard to white space.

    frame: what was read; None for nothing.
    """
    wanted = list(dict.fromkeys(name for row in rows for name in row))
    there = {} if frame is None else {_name(column): at for at, column in enumerate(frame.columns)}
    shared = [name for name in wanted if _name(name) in there]
    read: list[tuple[Any, ...]] = []
    if frame is not None and shared:
        columns = [[_value(cell) for cell in frame.iloc[:, there[_name(name)]]] for name in shared]
        read = list(zip(*columns, strict=True))
    expected = [tuple(_value(row.get(name)) for name in shared) for row in rows]
    pairs = _pairs(expected, read)
    cells = sum(_alike(expected[left], read[right]) for left, right in pairs)
    whole = sum(_alike(expected[left], read[right]) == len(wanted) for left, right in pairs)
    count = 0 if frame is None else len(frame)
    return {
        "columns": Agreement(len(wanted), len(there), len(shared)),
        "rows": Agreement(len(rows), count, whole),
        "cells": Agreement(len(rows) * len(wanted), count * len(shared), cells),
    }


def same(left: Any, right: Any, within: float = 1e-9) -> bool:
    """Whether two values are the same: numbers by value, texts without regard to white space."""
    first, second = _value(left), _value(right)
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=0, abs_tol=within)
    return bool(first == second)


def numbers_in(text: str) -> list[float]:
    """The numbers of a text, as English writes them."""
    return [float(found.replace(",", "")) for found in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


def _pairs(expected: list[tuple[Any, ...]], read: list[tuple[Any, ...]]) -> list[tuple[int, int]]:
    """Which expected row belongs to which that was read: equal ones first, then the most alike."""
    places: dict[tuple[Any, ...], list[int]] = {}
    for at, row in enumerate(read):
        places.setdefault(row, []).append(at)
    pairs = [(at, places[row].pop(0)) for at, row in enumerate(expected) if places.get(row)]
    left = sorted(set(range(len(expected))) - {one for one, _ in pairs})
    right = sorted(set(range(len(read))) - {one for _, one in pairs})
    if len(left) * len(right) > _MOST_PAIRS:
        return pairs
    scored = [(_alike(expected[one], read[other]), one, other) for one in left for other in right]
    taken: tuple[set[int], set[int]] = (set(), set())
    for score, one, other in sorted(scored, key=lambda each: (-each[0], each[1], each[2])):
        if score and one not in taken[0] and other not in taken[1]:
            pairs.append((one, other))
            taken[0].add(one)
            taken[1].add(other)
    return pairs


def _alike(left: tuple[Any, ...], right: tuple[Any, ...]) -> int:
    return sum(one == other for one, other in zip(left, right, strict=True))


def _name(column: Any) -> str:
    return " ".join(str(column).split()).casefold()


def _value(cell: Any) -> Any:
    """A cell as it is compared."""
    if cell is None or (not isinstance(cell, str | list | dict) and pd.isna(cell)):
        return None
    if isinstance(cell, bool):
        return cell
    if hasattr(cell, "item"):
        cell = cell.item()
    if isinstance(cell, int | float):
        return round(float(cell), 9)
    text = " ".join(str(cell).split())
    try:
        number = float(text)
    except ValueError:
        return text or None
    return round(number, 9) if math.isfinite(number) else text


Scores = dict[str, float]


def score_answer(task: Task, answer: Answer) -> Scores:
    """The scores of what the target gave."""
    wanted, scores = task.expected, Scores()
    whole_answer = _folded(" ".join([answer.text, *map(str, answer.facts.values())]))
    if wanted.text is not None:
        parts = [wanted.text] if isinstance(wanted.text, str) else wanted.text
        scores["text"] = _share([_folded(part) in whole_answer for part in parts])
    if wanted.exact is not None:
        scores["exact"] = float(answer.text.strip() == wanted.exact.strip())
    if wanted.number is not None:
        found = numbers_in(answer.text) or numbers_in(whole_answer)
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


def judge(model: Any = None, prompt: str | None = None, name: str = "correctness") -> Evaluator:
    """An evaluator that lets a model compare the answer with `expected.answer`.

    Needs `pip install "skillbook[evals]"`.

    Parameters
    ----------
    model : str or BaseChatModel, optional
        The judge; the setting `judge_model` by default.
    prompt : str, optional
        What it is asked, with `{inputs}`, `{outputs}` and `{reference_outputs}`; `CORRECTNESS_PROMPT` of `openevals`
        by default.
    name : str
        What the score is called.

    Returns
    -------
    function
        For `sb.evaluate(evaluators=[…])`. A task without `expected.answer` gets no score.

    Raises
    ------
    ConfigError
        `openevals` isn't installed.
    ModelNotConfigured
        No model is given, and none is set.

    Examples
    --------
    >>> sb.evaluate("shop", model="openai:gpt-5-mini", evaluators=[judge("openai:gpt-5")])  # doctest: +SKIP
    """
    openevals = _openevals()
    from openevals.prompts import CORRECTNESS_PROMPT

    ask = openevals.create_llm_as_judge(
        prompt=prompt or CORRECTNESS_PROMPT, judge=_chat_model(model), feedback_key=name, continuous=True
    )

    def evaluate(task: Task, answer: Answer) -> float | None:
        if task.expected.answer is None:
            return None
        question = {"inputs": task.goal or task.name, "outputs": _words(answer)}
        return float(ask(**question, reference_outputs=task.expected.answer)["score"])

    return _named(evaluate, name)


def trajectory(
    mode: Literal["strict", "unordered", "subset", "superset"] = "superset",
    args: Literal["exact", "ignore", "subset", "superset"] = "superset",
) -> Evaluator:
    """An evaluator that compares the calls with `expected.trajectory` by `openevals`.

    `expected.trajectory` is a score without this, too: its calls must be made, in order. This one has other modes.

    Parameters
    ----------
    mode : {"strict", "unordered", "subset", "superset"}
        Whether the calls must be just these in order, in any order, only of these, or at least these.
    args : {"exact", "ignore", "subset", "superset"}
        How arguments are compared.

    Returns
    -------
    function
        For `sb.evaluate(evaluators=[…])`. A task without `expected.trajectory` gets no score.

    Raises
    ------
    ConfigError
        `openevals` isn't installed.
    """
    _openevals()
    from openevals.trajectory import create_trajectory_match_evaluator

    if mode not in {"strict", "unordered", "subset", "superset"}:
        raise EvalError(f"there is no trajectory mode {mode!r}", hint="strict, unordered, subset or superset")
    compare = create_trajectory_match_evaluator(trajectory_match_mode=mode, tool_args_match_mode=args)

    def evaluate(task: Task, answer: Answer) -> float | None:
        if task.expected.trajectory is None:
            return None
        wanted = [{"tool": call.tool, "args": call.args} for call in task.expected.trajectory]
        found: Any = compare(outputs=_messages(answer.calls), reference_outputs=_messages(wanted))
        return float(found["score"])

    return _named(evaluate, f"trajectory_{mode}")


def _messages(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    import json

    made = [
        {"function": {"name": each["tool"], "arguments": json.dumps(each["args"], default=str)}}
        for each in calls
    ]
    return [{"role": "user", "content": ""}, {"role": "assistant", "content": "", "tool_calls": made}]


def _words(answer: Answer) -> str:
    rows = "" if answer.frame is None else answer.frame.head(50).to_csv(index=False)
    return "\n".join(filter(None, [answer.text, rows, answer.error])) or "nothing"


def _openevals() -> Any:
    try:
        import openevals.llm
    except ImportError:
        raise ConfigError(
            "judges and trajectories need openevals", hint='pip install "skillbook[evals]"'
        ) from None
    return openevals.llm


def _chat_model(model: Any) -> Any:
    """The chat model by its name."""
    if model is not None and not isinstance(model, str):
        return model
    settings = load_settings()
    chosen = model or settings.judge_model
    if not chosen:
        raise ModelNotConfigured(
            "no judge is given", hint='judge("openai:gpt-5"), or set SKILLBOOK_JUDGE_MODEL'
        )
    from skillbook.agents.models.choice import choose_model

    return choose_model(chosen, settings).model


def _named(function: Callable[..., Any], name: str) -> Evaluator:
    function.__name__ = name
    return function
