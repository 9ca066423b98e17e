"""Moves: what may be tried next from a state, and how good it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote_plus, urlsplit

from skillbook.goals.goal_matching import exactness, likeness

ARROW = " › "
_STEP = 0.05
_MENU, _NO_MENU = 0.03, -0.02


class Press(NamedTuple):
    """A control that is pressed: its role selector, and its label."""

    selector: str
    label: str


@dataclass(frozen=True)
class Move:
    """An address to open, and the controls to press there.

    Parameters
    ----------
    url, presses : what is done; without presses it is a link.
    label : what the link or the last control says.
    source : the state that it is on.
    depth : how many moves from the start it leads.
    score : how good it looks, by words.
    promise : how exactly its label is the goal's words, from 0 to 1; 0 where one is missing.
    """

    url: str
    label: str
    source: str
    depth: int
    score: float
    promise: float
    presses: tuple[Press, ...] = ()

    @property
    def key(self) -> str:
        """What names the state that it leads to."""
        return state_key(self.url, self.presses)


def state_key(url: str, presses: Sequence[Press]) -> str:
    """The name of a state: its address, and the labels of what was pressed there."""
    return ARROW.join([url, *(press.label for press in presses)])


def link(url: str, label: str, source: str, depth: int, near: float, words: str) -> Move:
    """The move that a link is; `near` is how near its page is to the goal."""
    said = likeness(f"{label} {unquote_plus(urlsplit(url).path)}", words)
    return Move(url, label, source, depth, _score(said, near, depth), exactness(label, words))


def press(
    url: str, presses: tuple[Press, ...], source: str, depth: int, near: float, words: str, *, menu: bool
) -> Move:
    """The move that a control is; `menu` says that links may be behind it."""
    label = presses[-1].label
    score = _score(likeness(label, words), near, depth) + (_MENU if menu else _NO_MENU)
    return Move(url, label, source, depth, round(score, 4), exactness(label, words), presses)


def best_of(moves: Sequence[Move], most: int) -> list[Move]:
    """What is tried next: only those that say just the goal's words, where there are any, else the best few."""
    ranked = sorted(moves, key=lambda one: (-one.promise if one.promise == 1 else 0, -one.score, one.key))
    exact = [one for one in ranked if one.promise == 1]
    return (exact or ranked)[:most]


def _score(said: float, near: float, depth: int) -> float:
    return round(0.7 * said + 0.3 * near - _STEP * (depth - 1), 4)
