"""A question as a terminal shows it: all that its card in the side panel shows, and no line that a page forged."""

from __future__ import annotations

from skillbook.perception.escape import clean, shorten_middle
from skillbook.protocol.asks.run_asks import CellView, Question

_LONGEST_LINE = 2_000


def question_lines(question: Question, title: str = "") -> list[str]:
    """The lines of a question.

    Parameters
    ----------
    question : what a run waits for; its words may be the page's.
    title : the run's, where it isn't the terminal's own.
    """
    place = f" in {question.place}" if question.place else ""
    lines = [_on_one_line(": ".join(filter(None, [title, question.words])) + place)]
    if question.cell is not None:
        lines += _code(question.cell)
    if question.why:
        lines.append(_on_one_line(f"why this asks: {question.why}"))
    if question.form:
        lines.append(_on_one_line(f"with `skillbook approve --form` it asks no more: {question.form}"))
    return lines


def _code(cell: CellView) -> list[str]:
    """The cell's code, which the person decides on, with the line that waits marked."""
    texts = ("".join(piece.text for piece in line) for line in cell.lines)
    return [
        f"{'>' if number == cell.line else ' '}{number:>3}  {_indent(text)}{_on_one_line(text)}"
        for number, text in enumerate(texts, 1)
    ]


def _indent(line: str) -> str:
    return " " * (len(line) - len(line.lstrip(" ")))


def _on_one_line(line: str) -> str:
    return shorten_middle(clean(line), _LONGEST_LINE)
