"""Proving a skill: its recorded example is replayed in a tab of its own, and must read the same."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from html import escape
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from skillbook.errors import ApprovalRequired, SkillbookError
from skillbook.perception.escape import clean
from skillbook.policy.urls import origin_of
from skillbook.session.page_driver import PageDriver
from skillbook.session.shared_tabs import SharedTabs
from skillbook.skill.consent.consent_summary import special_steps
from skillbook.skill.consent.send_allowlist import Approve
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import EXTRACT, RUN_SKILL
from skillbook.skill.model.templates import Value, fill_url, placeholders
from skillbook.skill.recording.recorded_steps import RecordedStep, joined_rows
from skillbook.skill.recording.written_parts import output_of
from skillbook.skill.replay.permission import bring_state_of
from skillbook.skill.replay.replayer import run_skill
from skillbook.skill.replay.skill_result import SkillResult
from skillbook.skill.replay.step_actions import OnFound
from skillbook.skill.replay.step_outputs import typed
from skillbook.skill.targets.healing import Wanted
from skillbook.storage import caching, private_folder, write_private

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.skill.replay.skill_result import SkillResult


_SHOWN = 60
_SESSION = re.compile(r"=(?=[^&]*\d)(?=[^&]*[a-z])(?:[0-9a-f]{8,}|[\w-]{16,})(?=&|$)", re.I)


@dataclass(frozen=True)
class RecordedResults:
    """What a recording read.

    frames: as a replay gives them; None where a step's rows aren't known.
    values: the facts by the outputs' names.
    """

    frames: tuple[pd.DataFrame, ...] | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, steps: Sequence[RecordedStep]) -> RecordedResults:
        """What the steps of a skill had read when they were recorded."""
        read = [step for step in steps if step.command in {EXTRACT, RUN_SKILL}]
        values = {
            output.name: typed(step.read, output)
            for step in steps
            if step.read is not None and (output := output_of(step)) is not None
        }
        if any(step.frame is None for step in read):
            return cls(None, values)
        frames: list[pd.DataFrame] = []
        for step in read:
            appends = frames and step.params.get("append")
            frames.append(joined_rows([frames.pop(), step.frame]) if appends else step.frame)
        return cls(tuple(frames), values)

    def difference(self, result: SkillResult) -> str:
        """What a replay read otherwise, in words; "" where it read the same."""
        for name, value in self.values.items():
            if result.values.get(name) != value:
                return f"{name} is {_shown(result.values.get(name))}, and was {_shown(value)} when it was recorded"
        if self.frames is None:
            return ""
        if len(self.frames) != len(result.frames):
            return f"it read {len(result.frames)} tables, and {len(self.frames)} when it was recorded"
        pairs = zip(result.frames, self.frames, strict=True)
        return next((why for now, then in pairs if (why := frames_differ(now, then))), "")


def frames_differ(now: pd.DataFrame, then: pd.DataFrame) -> str:
    """Where a frame differs from the one before it, in words; "" where it has the same columns, rows and values."""
    ours, theirs = list(map(str, now.columns)), list(map(str, then.columns))
    if ours != theirs:
        return f"it read the columns {', '.join(ours)}, and {', '.join(theirs)} when it was recorded"
    if len(now) != len(then):
        return f"it read {len(now)} rows, and {len(then)} when it was recorded"
    for place, name in enumerate(ours):
        pairs = zip(now.iloc[:, place], then.iloc[:, place], strict=True)
        for row, (one, other) in enumerate(pairs, 1):
            if not _same(one, other):
                return f"{name} in row {row} is {_shown(one)}, and was {_shown(other)} when it was recorded"
    return ""


def _same(one: Any, other: Any) -> bool:
    """Whether two cells say the same; the ids of a session in an address's query may differ."""
    text, wanted = str(one), str(other)
    if text == wanted or (isinstance(one, Number) and one == other):
        return True
    return origin_of(text) is not None and _without_session(text) == _without_session(wanted)


def _without_session(url: str) -> str:
    path, mark, query = url.partition("?")
    return path + mark + _SESSION.sub("=", query)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


_FILE = "skill-results.json"
_MOST = 500


@dataclass(frozen=True)
class Proof:
    """What replaying a skill's recorded example gave.

    status: `skipped` where it wasn't tried, or came to a point where somebody would have to be asked.
    why: what went wrong, or why it was skipped.
    at: when, as ISO 8601 in UTC.
    rows: rows that it read; None where it reads none.
    other: what came of another value of an input, where the page offered one; empty where none was tried.
    result: the replay itself; None where there was none, or it was long ago.
    """

    status: Literal["passed", "failed", "skipped"]
    why: str = ""
    at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    rows: int | None = None
    healed: int = 0
    elapsed_ms: float = 0.0
    other: str = ""
    result: SkillResult | None = field(default=None, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """Whether the replay did everything and every check held."""
        return self.status == "passed"

    def __str__(self) -> str:
        if self.status == "skipped":
            return f"not replayed: {self.why}"
        if self.status == "failed":
            return f"its replay failed: {self.why}"
        parts = [f"{self.rows} rows"] * (self.rows is not None) + [f"{self.healed} healed"] * bool(
            self.healed
        )
        more = f"; {self.other}" if self.other else ""
        return "replayed" + (f", {', '.join(parts)}" if parts else "") + more

    @property
    def report(self) -> pd.DataFrame:
        """A row for each step that was tried: what became of it, on what, and what of the page showed that."""
        import pandas as pd

        columns = ["step", "command", "status", "target", "found by", "seen"]
        tried = self.result.outcomes if self.result else []
        rows = [
            [
                one.index,
                one.command,
                one.status,
                one.target,
                one.how,
                one.error or one.seen or "nothing to check",
            ]
            for one in tried
        ]
        return pd.DataFrame(rows, columns=columns).set_index("step")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        tried = dict(self.result.inputs) if self.result else {}
        given = ", ".join(f"{name}={value!r}" for name, value in tried.items())
        first = f"{self.status}: {self}" + (f" (tried with {given})" if given else "")
        if self.result is None:
            return {"text/plain": first, "text/html": f"<p>{escape(first)}</p>"}
        report = self.report
        return {
            "text/plain": f"{first}\n{report.to_string()}",
            "text/html": f"<p>{escape(first)}</p>{report.to_html(escape=True)}",
        }


def why_not(spec: SkillSpec) -> str:
    """Why a skill is not replayed right after it was saved; empty where nothing speaks against it."""
    if not spec.replays:
        return "it is a prompt for an agent"
    if spec.start is None:
        return "it doesn't say where it begins"
    if spec.all_secrets:
        return f"it types the secret {spec.all_secrets[0]}"
    for number in special_steps(spec):
        return (
            f"step {number} ({spec.all_steps[number - 1].note}) can't be undone, or takes a file or a script"
        )
    if spec.all_sends:
        return f"it sends {spec.all_sends[0]}, which would then be sent twice"
    missing = [one.name for one in spec.inputs if one.required and one.default is None and not one.from_page]
    if missing:
        return f"there is no value for its input {missing[0]}"
    return ""


async def prove(
    spec: SkillSpec,
    browser: SharedTabs[PageDriver],
    inputs: Mapping[str, Value],
    *,
    approve: Approve | None = None,
    given: Collection[str] = (),
    lab: Callable[[PageDriver], OnFound] | None = None,
    keep_screenshots: bool = True,
    recorded: RecordedResults | None = None,
) -> Proof:
    """Replay a skill in a tab of its own, which is closed afterwards.

    approve, given: as for `Replay`; without `approve` nobody is asked: where somebody would have to be, it ends.
    lab: makes, of the tab, what is awaited with each target that was found.
    keep_screenshots: keep what each target looks like, for those who review a heal later.
    recorded: what the recording read with the same values; a replay that reads anything else has failed.
    """
    started = time.perf_counter()
    front, page = browser.active, None
    try:
        await bring_state_of(spec, browser, inputs, "")
        page = await browser.open(fill_url(spec.start or "about:blank", inputs))
        result = await run_skill(
            spec,
            page,
            inputs,
            start="here",
            approve=approve,
            given=given,
            on_found=lab(page) if lab else None,
            keep_screenshots=keep_screenshots,
        )
    except SkillbookError as error:
        return Proof("failed", error.message)
    finally:
        if page is not None and not page.closed:
            await browser.close_page(page)
            if front is not None and not front.closed:
                await browser.switch_to(front)
    rows = sum(len(frame) for frame in result.frames) if result.frames else None
    status: Literal["passed", "failed", "skipped"] = "passed" if result.ok else "failed"
    if isinstance(result.error, ApprovalRequired):
        status = "skipped"
    why = result.error.message if result.error else ""
    if result.ok and recorded is not None and (why := recorded.difference(result)):
        status = "failed"
    elapsed = (time.perf_counter() - started) * 1000
    return Proof(status, why, rows=rows, healed=len(result.healed), elapsed_ms=elapsed, result=result)


@dataclass
class OtherValues:
    """Notes, during a replay, which other values the page offers for inputs: the options of a list."""

    spec: SkillSpec
    values: Mapping[str, Value]
    found: dict[str, str] = field(default_factory=dict)

    def watch(self, driver: PageDriver) -> OnFound:
        """What a replay in a tab calls with each target."""

        async def note(number: int, command: str, _: Wanted, ref: str) -> None:
            chosen = self.spec.all_steps[number - 1].params.get("values")
            name = _only_input(chosen[0]) if isinstance(chosen, list) and len(chosen) == 1 else None
            snapshot = driver.latest
            if command != "select" or name is None or snapshot is None or ref not in snapshot:
                return
            index = snapshot[ref].index
            options = [
                snapshot.nodes[inner]
                for inner in range(index + 1, snapshot.ends[index])
                if snapshot.columns.role[inner] == "option"
            ]
            others = [
                clean(one.name)
                for one in options
                if "disabled" not in one.states and one.value != "" and clean(one.name)
            ]
            others = [text for text in others if text != str(self.values.get(name))]
            if others:
                self.found.setdefault(name, others[-1])

        return note

    def pick(self) -> dict[str, str]:
        """One input with another value; none where nothing offers one."""
        for one in self.spec.inputs:
            listed = [str(value) for value in one.choices or () if value != self.values.get(one.name)]
            other = self.found.get(one.name) or next(iter(listed), None)
            if other is not None and one.type == "str":
                return {one.name: other}
        return {}


async def prove_twice(
    spec: SkillSpec, browser: SharedTabs[PageDriver], url: str, recorded: RecordedResults | None = None
) -> Proof:
    """Replay the recorded example, and where the page offers another value for an input, that too.

    url: of the page at hand, which may say where the site is.
    """
    values = bind_inputs(spec, {}, url)
    others = OtherValues(spec, values)
    proof = await prove(spec, browser, values, lab=others.watch, recorded=recorded)
    given = others.pick() if proof.ok else {}
    if not given:
        return proof
    again = await prove(spec, browser, bind_inputs(spec, given, url))
    name, value = next(iter(given.items()))
    return replace(proof, other=f"with {name}={value!r}: {again}")


def _only_input(text: object) -> str | None:
    named = list(placeholders(text))
    return named[0].name if len(named) == 1 and text == f"${{input:{named[0].name}}}" else None


def remember_proof(home: Path, digest: str, proof: Proof) -> None:
    """Keep the last result of this version of a skill."""
    known = _known(home)
    known.pop(digest, None)
    known[digest] = {name: value for name, value in asdict(_bare(proof)).items() if name != "result"}
    with caching(home / _FILE):
        private_folder(home)
        write_private(home / _FILE, json.dumps(dict(list(known.items())[-_MOST:]), indent=1))


def _bare(proof: Proof) -> Proof:
    elapsed = round(proof.elapsed_ms)
    return Proof(
        proof.status, proof.why[:500], proof.at, proof.rows, proof.healed, elapsed, proof.other[:300]
    )


def last_proof(home: Path, digest: str) -> Proof | None:
    """The last result of this version of a skill; None where it was never replayed."""
    try:
        return Proof(**_known(home)[digest])
    except (KeyError, TypeError):
        return None


def _known(home: Path) -> dict[str, Any]:
    try:
        found = json.loads((home / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
