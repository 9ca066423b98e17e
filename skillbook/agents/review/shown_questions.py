"""Which question was shown where, and since when: nobody decides on a question that wasn't shown to them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where questions are shown and answered.

    Parameters
    ----------
    words : where that is, such as `in the side panel`.
    name : tells places of one kind apart, such as two terminals.
    """

    words: str
    name: str = ""


OUTPUTS = Place("in a cell")
"""The outputs of this kernel, or of this process where there is no kernel."""
NOTEBOOK_PANEL = Place("in the notebook")
SIDE_PANEL = Place("in the side panel")


class ShownQuestions:
    """The questions of one run, by place.

    Parameters
    ----------
    now : the time, in seconds since 1970.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._since: dict[tuple[Place, str], float] = {}

    def show(self, place: Place, question: str) -> None:
        """A place shows a question from now on, if it didn't before; may be called on any thread."""
        self._since.setdefault((place, question), self._now())

    def problem(self, place: Place, question: str, requested: float | None = None) -> str:
        """Why a place can't decide on a question, one sentence; empty if it can.

        Parameters
        ----------
        place : where the decision was made.
        question : the id of the question that it answers.
        requested : when the person gave the decision, in seconds since 1970; None where that isn't known.
        """
        since = self._since.get((place, question))
        if since is None:
            return f"This question wasn't shown {place.words}."
        if requested is not None and requested <= since:
            return "This decision was given before the question was shown."
        return ""
