"""A run as one file: HTML that opens without skillbook and without a network, or what Playwright's viewer opens."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from skillbook.errors import InvalidInput
from skillbook.journal.playwright_trace import write_playwright_trace
from skillbook.journal.traced_steps import Trace, TraceStep
from skillbook.storage import expanded, storing

_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069]")
"""Characters that hide or reorder the text around them."""
_IMAGES = frozenset({"image/png", "image/jpeg", "image/webp"})
_STYLE = Path(__file__).with_name("trace.css").read_text(encoding="utf-8")


class Traced:
    """What can be written as a trace."""

    def trace(self, path: Path | str) -> Path:
        """Write the steps into one file: .html opens anywhere and needs no network, .zip is for Playwright's viewer.

        The viewer is `playwright show-trace run.zip`, or a page of the browser: trace.playwright.dev.
        It has what was done and what came of it, with the requests that the page sent and the screenshots, as far as
        they were kept: `docs/keep.md`. Secrets are masked.

        Parameters
        ----------
        path : Path or str
            The file, which ends in .html or .zip; one that is there is replaced.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InvalidInput
            There is no such folder, or the name ends otherwise.
        """
        return write_trace(path, self._trace())

    def _trace(self) -> Trace:
        raise NotImplementedError


def write_trace(path: Path | str, trace: Trace) -> Path:
    """Write a trace into a file that ends in .html or .zip; one that is there is replaced.

    Raises InvalidInput: there is no such folder, or the name ends otherwise.
    """
    file = expanded(path)
    ending = file.suffix.lower()
    if ending not in {".html", ".htm", ".zip"}:
        raise InvalidInput(f"{file.name!r} doesn't end in .html or .zip", hint="give it one of these endings")
    if not file.parent.is_dir():
        raise InvalidInput(f"there is no folder {str(file.parent)!r}", hint="make it first")
    with storing(file):
        if ending == ".zip":
            write_playwright_trace(file, trace)
        else:
            page = _Writer(trace.mask).page(trace.title, trace.facts, trace.steps)
            file.write_text(page, encoding="utf-8")
    return file


class _Writer:
    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask

    def page(self, title: str, facts: Iterable[tuple[str, str]], steps: Sequence[TraceStep]) -> str:
        digest = b64encode(sha256(_STYLE.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
        items = "".join(
            f'<li><a class="{step.status}" href="#step-{number}">{number} {self.text(step.title)}</a></li>'
            for number, step in enumerate(steps, 1)
        )
        sections = "".join(self.section(number, step) for number, step in enumerate(steps, 1))
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="referrer" content="no-referrer">'
            f"<title>{self.text(title)}</title><style>{_STYLE}</style></head><body>"
            f"<header><h1>{self.text(title)}</h1>{self.facts(facts)}</header>"
            f'<nav aria-label="Steps"><ol>{items}</ol></nav><main>{sections or "<p>No steps.</p>"}</main></body></html>'
        )

    def section(self, number: int, step: TraceStep) -> str:
        parts = [
            f'<h2><span class="{step.status}">{number} · {step.status}</span> {self.text(step.title)}</h2>'
        ]
        parts.append(self.facts(step.facts))
        if step.requests:
            rows = "".join(
                "<tr>" + "".join(f"<td>{self.text(cell)}</td>" for cell in row) + "</tr>"
                for row in step.requests
            )
            head = "<tr><th>Method</th><th>Address</th><th>Outcome</th></tr>"
            parts.append(f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>")
        if step.image is not None and step.image[0] in _IMAGES:
            data = re.sub(r"[^A-Za-z0-9+/=]", "", step.image[1])
            parts.append(
                f'<p><img alt="Screenshot after step {number}" src="data:{step.image[0]};base64,{data}"></p>'
            )
        parts += [
            f"<details><summary>{self.text(name)}</summary><pre>{self.text(text)}</pre></details>"
            for name, text in step.texts
            if text
        ]
        return f'<section id="step-{number}">{"".join(parts)}</section>'

    def facts(self, facts: Iterable[tuple[str, str]]) -> str:
        rows = "".join(
            f"<dt>{self.text(name)}</dt><dd>{self.text(value)}</dd>" for name, value in facts if value
        )
        return f"<dl>{rows}</dl>" if rows else ""

    def text(self, text: str) -> str:
        """A text as the file may have it: no secrets, no HTML, nothing that turns around what follows."""
        return escape(_UNSHOWN.sub("�", self._mask(str(text)).replace("\r", "")))
