"""Static HTML of a page and of a run, for saved notebooks: pure, and everything from a page is escaped."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from skillbook.agents.state.step_records import RUN_CELL
from skillbook.notebook.escaping import escape, escape_attribute, shorten
from skillbook.notebook.page.panel_source import PageView, Row, Shot
from skillbook.protocol.asks.run_asks import RunView, StepLine

MAX_ROWS = 200
MAX_BOXES = 80
_NAME_LENGTH = 120
_DECISIONS = {
    "auto": "by policy", "approve": "approved", "edit": "edited", "reject": "rejected", "skip": "skipped",
    "respond": "answered", "person": "by the person",
}  # fmt: skip
_INERT = "skb-static tex2jax_ignore mathjax_ignore"
"""MathJax (2 in nbconvert, 3 in JupyterLab) leaves elements of the last two classes alone."""


def page_html(view: PageView) -> str:
    """Render a page: its nodes with refs beside the screenshot with boxes."""
    return wrap(_page_header(view) + _page_body(view))


def browser_html(words: str, pages: Sequence[tuple[str, str]]) -> str:
    """Render a browser: what it is, and the title and address of each of its pages."""
    rows = "".join(
        f'<tr><td style="text-align:left">{escape(shorten(title, _NAME_LENGTH))}</td>'
        f'<td style="text-align:left">{escape(shorten(url, _NAME_LENGTH))}</td></tr>'
        for title, url in pages
    )
    return wrap(f'<div class="hd"><b>{escape(words)}</b></div>' + (f"<table>{rows}</table>" if rows else ""))


def record_html(runs: Sequence[tuple[RunView, str]], view: PageView | None) -> str:
    """Render a run: goal, steps, what waits, result and the page it ended on.

    runs: the run, after those that it is a fork of; each with what waits for the person, where no live panel shows it.
    """
    return wrap("".join([*(_run(run, waits) for run, waits in runs), _page_body(view) if view else ""]))


def _run(run: RunView, waits: str) -> str:
    return (
        _run_header(run)
        + _result("\n".join(filter(None, [run.origin, run.warning])))
        + _tasks(run)
        + _steps_table(run.steps)
        + (f'<div class="result"><b>Waits for you:</b> {escape_lines(waits)}</div>' if waits else "")
        + _result(run.result)
        + _result("\n".join(filter(None, [run.error, run.hint])), " bad")
        + _resume(run)
    )


def _result(text: str, kind: str = "") -> str:
    return f'<div class="result{kind}">{escape_lines(text)}</div>' if text else ""


def pair_html(url: str, name: str) -> str:
    """Render the one-click link that pairs the user's browser with this kernel."""
    link = f'<a class="pair" href="{escape_attribute(url)}" target="_blank" rel="noreferrer">Pair this browser</a>'
    text = "Opens a page of this kernel; the skillbook extension asks you to confirm. The link works once."
    return wrap(f'<div class="hd"><b>{link}</b><span class="m">{escape(name)}. {text}</span></div>')


def skill_html(name: str, place: str, wants: Sequence[str]) -> str:
    """Render what a skill wants that nobody has approved, and the code that approves it."""
    rows = "".join(f'<tr><td style="text-align:left">{escape(line)}</td></tr>' for line in wants)
    source = name if place == "not saved" else place
    code = "skill.approve()" if place == "not saved" else f"sb.load_skill({source!r}, approve=True)"
    return wrap(
        f'<div class="hd"><b>{escape(name)}</b><span class="m">{escape(place)}</span></div>'
        f'<p style="padding:0 12px">Nobody has approved this version. It wants to:</p><table>{rows}</table>'
        f'<p style="padding:0 12px">To approve it press the button, or run <code>{escape(code)}</code>; then run '
        "the cell again.</p>"
    )


def frame_html(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], more: str, numeric: Sequence[bool] = ()
) -> str:
    """Render rows of a DataFrame; each begins with its label. `numeric` says which columns are numbers."""
    kinds = ["", *(' class="r"' if is_number else "" for is_number in numeric), *[""] * len(columns)]
    heads = "".join(
        f"<th{kind}>{escape(shorten(name, _NAME_LENGTH))}</th>"
        for name, kind in zip(("", *columns), kinds, strict=False)
    )
    cell = lambda text, kind: f"<td{kind}>{escape(shorten(text, _NAME_LENGTH))}</td>"  # noqa: E731
    lines = "".join(f"<tr>{''.join(map(cell, row, kinds))}</tr>" for row in rows)
    return wrap(
        f'<div class="hd"><b>{escape(shorten(title, 200))}</b><span class="m">{escape(more)}</span></div>'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"
    )


def facts_html(facts: Sequence[tuple[str, str]]) -> str:
    """Render names and texts, a line each."""
    lines = (
        f'<tr><th style="text-align:left">{escape(name)}</th><td>{escape(shorten(text, 300))}</td></tr>'
        for name, text in facts
    )
    return wrap(f"<table>{''.join(lines)}</table>")


def text_html(text: str) -> str:
    """Render a text of several lines."""
    return wrap(f'<div class="result">{escape_lines(text)}</div>')


@cache
def _style() -> str:
    return files("skillbook.notebook").joinpath("static/record.css").read_text(encoding="utf-8")


def wrap(body: str) -> str:
    """Put what is inert in a saved notebook into its frame, with its style."""
    return f'<div class="{_INERT}"><style>{_style()}</style>{body}</div>'


def _page_header(view: PageView) -> str:
    shown_as = f", as on {shorten(view.shown_as, 80)}" if view.shown_as else ""
    return (
        f"<div class='hd'><b>{escape(shorten(view.title, 200)) or 'Untitled page'}</b>"
        f'<span class="m">{escape(shorten(view.url, 300) + shown_as)}</span></div>'
    )


def _page_body(view: PageView) -> str:
    shown = view.rows[:MAX_ROWS]
    missing = len(view.rows) - len(shown) + view.omitted
    more = f'<li class="m">… and {missing:,} more</li>' if missing else ""
    tree = f'<ul class="tree">{"".join(_row(row) for row in shown)}{more}</ul>'
    return f'<div class="page">{tree}{_shot(view.shot, view.rows) if view.shot else ""}</div>'


def _row(row: Row) -> str:
    kind = ' class="act"' if row.actionable else ""
    parts = [f"<span{kind}>{escape(row.role)}</span>"]
    if row.name:
        parts.append(f"“{escape(shorten(row.name, _NAME_LENGTH))}”")
    if row.states:
        parts.append(f"<i>{escape(row.states)}</i>")
    if row.ref:
        parts.append(f"<i>[{escape(row.ref)}]</i>")
    return f'<li style="padding-left: {10 + 14 * min(row.depth, 20)}px">{" ".join(parts)}</li>'


def _shot(shot: Shot, rows: tuple[Row, ...]) -> str:
    data = base64.b64encode(shot.data).decode("ascii")
    boxes = [box for row in rows if row.actionable and (box := _box(row, shot))]
    return (
        f'<div class="shot"><img alt="Screenshot of the page" src="data:image/{shot.format};base64,{data}">'
        f"{''.join(boxes[:MAX_BOXES])}</div>"
    )


def _box(row: Row, shot: Shot) -> str:
    if row.box is None or not shot.width or not shot.height:
        return ""
    left, top = max(row.box[0] - shot.origin[0], 0.0), max(row.box[1] - shot.origin[1], 0.0)
    right = min(row.box[0] - shot.origin[0] + row.box[2], shot.width)
    bottom = min(row.box[1] - shot.origin[1] + row.box[3], shot.height)
    if right <= left or bottom <= top:
        return ""
    place = (
        f"left: {100 * left / shot.width:.2f}%; top: {100 * top / shot.height:.2f}%; "
        f"width: {100 * (right - left) / shot.width:.2f}%; height: {100 * (bottom - top) / shot.height:.2f}%"
    )
    title = escape_attribute(shorten(f"{row.role} {row.name}".strip(), _NAME_LENGTH))
    return f'<u style="{place}" title="{title}"><s>{escape(row.ref)}</s></u>'


def _run_header(run: RunView) -> str:
    facts = [run.words, f"{len(run.steps)} steps" if len(run.steps) != 1 else "1 step"]
    if run.tokens:
        facts.append(f"{run.tokens:,} tokens")
    if run.cost:
        facts.append(f"${run.cost:.4f}")
    if run.model:
        facts.append(run.model)
    return (
        f'<div class="hd"><b>{escape(run.title)}</b><span class="m">{escape(" · ".join(facts))}</span></div>'
    )


def _tasks(run: RunView) -> str:
    rows = "".join(
        f"<tr><td>{task.id}</td><td>{escape(task.title)}</td><td>{escape(task.type)}</td>"
        f"<td>{escape(task.status)}</td><td>{escape(', '.join(map(str, task.after)))}</td></tr>"
        for task in run.tasks
    )
    heads = "".join(f"<th>{name}</th>" for name in ("task", "title", "type", "status", "after"))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""


def _steps_table(steps: Sequence[StepLine]) -> str:
    if not steps:
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("#", "call", "the model said", "outcome", "decision"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(map(_step, steps))}</tbody></table>"


def _step(step: StepLine) -> str:
    call = f"{step.words} in {step.record}" if step.record else step.words
    mark = "" if step.ok or step.declined else ' class="bad"'
    model_text, outcome = (
        escape_lines(shorten(text, 300)) for text in (step.said, step.error or step.outcome)
    )
    cell = f"<pre>{escape_lines(step.code)}</pre>" if step.tool == RUN_CELL else ""
    decision = escape(_DECISIONS.get(step.decision, step.decision))
    return (
        f'<tr><td class="n">{step.number}</td><td>{escape(shorten(call, 200))}{cell}</td><td>{model_text}</td>'
        f'<td{mark}>{outcome}</td><td class="n">{decision}</td></tr>'
    )


def _resume(run: RunView) -> str:
    if run.state in {"created", "succeeded"}:
        return ""
    label = "To go on in another kernel, open the page and run:"
    code = f"<code>{escape(f'run = sb.resume({run.id!r}, page)')}</code><br><code>run.start()</code>"
    return f'<div class="result"><span class="m">{label}</span><br>{code}</div>'


def escape_lines(text: str) -> str:
    """Escape a text of several lines; its line breaks stay line breaks."""
    return "<br>".join(escape(line) for line in text.splitlines())
