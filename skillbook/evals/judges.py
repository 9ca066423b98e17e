"""Evaluators of `openevals`: a model as judge, and trajectories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from skillbook.config import load_settings
from skillbook.errors import ConfigError, EvalError, ModelNotConfigured
from skillbook.evals.answer import Answer
from skillbook.evals.eval_task import Task
from skillbook.evals.expectations import Evaluator


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
        said = {"inputs": task.goal or task.name, "outputs": _words(answer)}
        return float(ask(**said, reference_outputs=task.expected.answer)["score"])

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
