"""What the runs of one session know of each other, and the words of a person that each new run is given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from skillbook.agents.fence import fence, unfence
from skillbook.config import load_settings
from skillbook.errors import InvalidInput
from skillbook.storage import HOME, private_folder, storing, write_private

if TYPE_CHECKING:
    import pandas as pd


_REF = re.compile(r"\s*\[ref=[^\]]*\]")
_SHOWN_RUNS = 8
_SHOWN_CHARACTERS = 300
_COLUMNS = ["goal", "status", "result", "tasks", "said", "url"]


@dataclass(frozen=True)
class PastRun:
    """What is remembered of a run.

    result: its answer as text; may quote pages.
    tasks: how far its task list came.
    said: what the person said in it: reasons, answers and feedback.
    """

    run_id: str
    goal: str
    status: str
    result: str = ""
    tasks: str = ""
    said: tuple[str, ...] = ()
    url: str = ""


class SessionContext:
    """The runs of one browser session so far; a new run's model learns of them. `clear()` forgets them."""

    def __init__(self) -> None:
        self._runs: dict[str, PastRun] = {}

    def note(self, run: PastRun) -> None:
        """Remember a run; what was remembered of the same run before is replaced."""
        self._runs.pop(run.run_id, None)
        self._runs[run.run_id] = run

    def clear(self) -> None:
        """Forget all runs."""
        self._runs.clear()

    @property
    def runs(self) -> list[PastRun]:
        """The runs, oldest first."""
        return list(self._runs.values())

    @property
    def frame(self) -> pd.DataFrame:
        """One row a run, oldest first."""
        import pandas as pd

        rows = [{name: getattr(run, name) for name in _COLUMNS} for run in self.runs]
        return pd.DataFrame(
            rows, columns=_COLUMNS, index=pd.Index(list(self._runs), name="run", dtype=object)
        )

    def text(self, without: str = "") -> str:
        """The latest runs as a new run's model sees them; empty where there are none.

        without: id of a run that is left out.
        """
        runs = [run for run in self.runs if run.run_id != without][-_SHOWN_RUNS:]
        if not runs:
            return ""
        # An answer may quote pages, so it is data like them; refs of an earlier page would name other elements here.
        results = [(at, _short(_REF.sub("", unfence(run.result)))) for at, run in enumerate(runs, 1)]
        listed = "\n".join(f"{at}. {result}" for at, result in results if result)
        lines = [f"{at}. {_lines(run)}" for at, run in enumerate(runs, 1)]
        return "\n".join(
            [
                "Earlier in this session:",
                *lines,
                *([f"What came of them:\n{fence(listed)}"] if listed else []),
            ]
        )

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        lines = [f"{run.status}: {run.goal} → {_short(run.result)}".rstrip(" →") for run in self.runs]
        return "\n".join([f"<SessionContext of {len(self)} run{'' if len(self) == 1 else 's'}>", *lines])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        rows = "".join(
            f"<tr><td>{escape(run.goal)}</td><td>{run.status}</td><td>{escape(_short(run.result))}</td></tr>"
            for run in self.runs
        )
        head = "<tr><th>goal</th><th>status</th><th>result</th></tr>"
        return {"text/plain": repr(self), "text/html": f"<table>{head}{rows}</table>"}


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[: _SHOWN_CHARACTERS - 1]}…"


def _lines(run: PastRun) -> str:
    head = f"{_short(run.goal)}: {run.status}" + (f", {run.tasks}" if run.tasks else "")
    return head + "".join(f"\n  The person said: {_short(words)}" for words in run.said[-3:])


_contexts: WeakKeyDictionary[Any, SessionContext] = WeakKeyDictionary()


def session_context(browser: Any) -> SessionContext:
    """The context of a browser's session."""
    return _contexts.setdefault(browser, SessionContext())


ALL = "*"
_LONGEST = 4_000
_MOST = 200


class Preferences(MutableMapping[str, str]):
    """Standing words for runs: by site, such as `shop.test`, or `"*"` for all sites.

    They are kept in the settings' `home`. Each new run's model is given those for all sites and for the site that it
    begins on. They are the person's words: nothing that a page says gets in here.

    Parameters
    ----------
    path : Path, optional
        The file; by default `preferences.json` in the settings' `home`.

    Examples
    --------
    >>> sb.preferences["*"] = "Answer in German."  # doctest: +SKIP
    >>> sb.preferences["shop.test"] = "I wear shoe size 42."  # doctest: +SKIP
    >>> del sb.preferences["shop.test"]  # doctest: +SKIP
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    @property
    def path(self) -> Path:
        """The file that they are kept in."""
        return self._path or load_settings().home / "preferences.json"

    def for_page(self, url: str) -> str:
        """The words for a run that begins on a page, those for all sites first; empty where there are none.

        Parameters
        ----------
        url : str
            The page's address.

        Returns
        -------
        str
            The words.
        """
        known, host = self._read(), (urlsplit(url).hostname or "").casefold()
        sites = [site for site in known if site != ALL and (host == site or host.endswith(f".{site}"))]
        return "\n".join(known[site] for site in [ALL, *sorted(sites, key=len)] if site in known)

    def __getitem__(self, site: str) -> str:
        return self._read()[_site(site)]

    def __setitem__(self, site: str, words: str) -> None:
        known, words = self._read(), words.strip()
        if len(words) > _LONGEST:
            raise InvalidInput(f"preferences have at most {_LONGEST} characters, not {len(words)}")
        known[_site(site)] = words
        if not words:
            del known[_site(site)]
        if len(known) > _MOST:
            raise InvalidInput(f"there are {_MOST} preferences at most")
        self._write(known)

    def __delitem__(self, site: str) -> None:
        known = self._read()
        del known[_site(site)]
        self._write(known)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._read()))

    def __len__(self) -> int:
        return len(self._read())

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        lines = [f"{'all sites' if site == ALL else site}: {words}" for site, words in sorted(self.items())]
        return "\n".join(lines) or "<no preferences>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        rows = "".join(
            f"<tr><td>{'all sites' if site == ALL else escape(site)}</td><td>{escape(words)}</td></tr>"
            for site, words in sorted(self.items())
        )
        return {"text/plain": repr(self), "text/html": f"<table>{rows}</table>"}

    def _read(self) -> dict[str, str]:
        try:
            known = json.loads(self.path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(site): str(words) for site, words in known.items()} if isinstance(known, dict) else {}

    def _write(self, known: dict[str, str]) -> None:
        with storing(self.path, HOME):
            private_folder(self.path.parent)
            write_private(self.path, json.dumps(known, ensure_ascii=False, indent=1, sort_keys=True))


def _site(given: str) -> str:
    """A site as it is kept: a host name, or `*`."""
    if given == ALL:
        return ALL
    host = (urlsplit(given if "//" in given else f"//{given}").hostname or "").casefold()
    if not host or any(char.isspace() for char in host):
        raise InvalidInput(f"{given!r} is no site", hint="such as 'shop.test', or '*' for all sites")
    return host


preferences = Preferences()
