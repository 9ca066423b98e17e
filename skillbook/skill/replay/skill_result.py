"""What a replay gives back: the frame, outcomes of steps, heals, a patch to review, under one name in the journal."""

from __future__ import annotations

import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from skillbook.errors import InvalidSkill, ReplayFailed, SkillbookError
from skillbook.journal.trace_file import Trace, Traced, TraceStep
from skillbook.policy.secrets import store
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import StepTarget
from skillbook.skill.model.templates import Value
from skillbook.skill.targets.healing import How

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.session.page.request_log import NetworkRequest


_SEPARATOR = "/replay-"
_caller: ContextVar[str] = ContextVar("caller", default="")


@contextmanager
def called_by(key: str) -> Iterator[None]:
    """Replays in here are a call's; `key` names that call in the journal."""
    before = _caller.set(key)
    try:
        yield
    finally:
        _caller.reset(before)


def is_called() -> bool:
    """Whether a replay that begins now is a call's, which goes on in the tab that it has."""
    return bool(_caller.get())


def new_key() -> str:
    """What names a replay that begins now."""
    return f"{_caller.get()}{_SEPARATOR}{uuid.uuid4().hex[:12]}".removeprefix("/")


def is_replay(run: str) -> bool:
    """Whether a step of the journal is one of a skill that was replayed."""
    return _SEPARATOR in run


def is_of_call(run: str, key: str) -> bool:
    """Whether a step of the journal is a call's, or one of a skill that the call replayed."""
    return run == key or run.startswith(f"{key}{_SEPARATOR}")


Status = Literal["ok", "skipped", "failed"]


@dataclass(frozen=True)
class Change:
    """One proposed change: the step (from 1), which of its locators, what it is and what it should be, and why.

    Parameters
    ----------
    confidence : how like the recorded element the new one is, from 0 to 1; None where a model or a person chose it.
    before, after : PNG screenshots of the element as it was in the last replay as recorded, and as it was found; empty
        where there is none.
    url : the address of the document that it was found in.
    """

    step: int
    part: Literal["target", "to"]
    old: StepTarget
    new: StepTarget
    why: str
    confidence: float | None = None
    before: bytes = field(default=b"", repr=False)
    after: bytes = field(default=b"", repr=False)
    url: str = ""

    @property
    def sureness(self) -> str:
        """The confidence in words."""
        return "chosen" if self.confidence is None else f"{self.confidence:.0%} alike"


@dataclass(frozen=True)
class Patch:
    """Changes to a skill that a replay proposes; `skill.apply(patch)` makes them, nothing else does.

    Parameters
    ----------
    digest : of the skill that they were made for.
    """

    skill: str
    digest: str
    changes: tuple[Change, ...]

    def apply_to(self, spec: SkillSpec) -> SkillSpec:
        """The skill with the changes made.

        Raises
        ------
        InvalidSkill : it is another skill, or it was changed since.
        """
        if spec.digest != self.digest:
            raise InvalidSkill(
                f"the patch was made for another version of {self.skill!r}",
                hint="run the skill again for a new patch",
            )
        data = spec.model_dump()
        numbered = _in_order(data["steps"])
        for change in self.changes:
            numbered[change.step - 1][change.part] = change.new.model_dump()
        return SkillSpec.model_validate(data)

    def __len__(self) -> int:
        return len(self.changes)

    def __repr__(self) -> str:
        lines = [f"Patch for {self.skill}: {len(self)} change{'s' if len(self) != 1 else ''}"]
        for change in self.changes:
            lines += [
                f"  step {change.step}, {change.part} ({change.sureness}): {change.why}",
                f"    - {change.old.selectors[0]}",
                f"    + {change.new.selectors[0]}",
            ]
        return "\n".join(lines)


def _in_order(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for step in steps for one in (step, *_in_order(step["steps"]))]


@dataclass(frozen=True)
class StepOutcome:
    """What became of one step.

    Parameters
    ----------
    index : place in the skill, from 1.
    how : what found the target: the recorded locator, another of its selectors, ranking, a model, or a person.
    target : the element in words; page text, untrusted.
    rows : rows that an extract step gave, or items that a loop did.
    item : which items the loops around it were at; page text, untrusted.
    seen : what of the page showed that it was done: the checks that held, in words.
    requests : what the page sent meanwhile, if its network is watched.
    screenshot : the page afterwards as a small JPEG, if the setting `thumbnails` is "all".
    """

    index: int
    command: str
    status: Status
    how: How = ""
    target: str = ""
    url: str = ""
    rows: int | None = None
    elapsed_ms: float = 0.0
    error: str = ""
    item: str = ""
    seen: str = ""
    requests: tuple[NetworkRequest, ...] = field(default=(), repr=False)
    screenshot: bytes = field(default=b"", repr=False)


@dataclass
class LoopState:
    """How far a loop came.

    Parameters
    ----------
    done : the keys of the items that are done.
    current : the key of the item that is being worked on.
    rows : what the steps inside read, a row for each item.
    frame : the same as it stands in the result.
    """

    done: list[str] = field(default_factory=list)
    current: str | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    frame: pd.DataFrame | None = field(default=None, compare=False)

    def __deepcopy__(self, _: object) -> LoopState:
        return LoopState(list(self.done), self.current, [dict(row) for row in self.rows], self.frame)


@dataclass(frozen=True)
class Stopped:
    """Where a run ended: the step, from 1, whether its action was done, and how far the loops around it were."""

    step: int
    done: Literal["no", "yes", "unknown"] = "no"
    loops: Mapping[int, LoopState] = field(default_factory=dict)


Again = Callable[["SkillResult", Stopped, Mapping[str, Any]], "SkillResult"]


@dataclass
class SkillResult(Traced):
    """What running a skill gave.

    Attributes
    ----------
    ok : every step that isn't optional was done and checked. It turns False where the page sends something after
        the end that the skill doesn't list: that is blocked, and `error` says what it was.
    frame : the rows of the last extract step that gave any; rows read before a failure are kept. If the skill is code
        and returns rows, those.
    frames : one for each extract step.
    returned : the rows that a skill's code returned; None where it returned something else.
    outcomes : one for each step tried; `steps` shows them as a DataFrame.
    healed : the outcomes whose target was not where it was recorded.
    patch : the changes that would make the skill fit; None where nothing was healed.
    error : what ended the run, or None.
    values : the facts that steps read, by the outputs' names, typed.
    files : where the files are that `download` steps saved.
    value : the one fact, or all of them as a dict where there are several; for skills that are prompts, what the
        agent answered; for code, what it returned.
    model_calls : how many times a model was called.
    stopped : where the run ended; None where it ran to its end, or did not begin.
    sent : whether all that the skill sends was sent, and none of it failed.
    page : the new tab in which it ran, so that what somebody typed in the one that was given isn't lost; else None.
    why_new_tab : why it ran in that one.
    """

    skill: str
    inputs: dict[str, Value] = field(default_factory=dict)
    ok: bool = False
    frames: list[pd.DataFrame] = field(default_factory=list)
    returned: pd.DataFrame | None = None
    outcomes: list[StepOutcome] = field(default_factory=list)
    patch: Patch | None = None
    error: SkillbookError | None = None
    values: dict[str, Any] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    answer: Any = field(default=None, repr=False)
    model_calls: int = 0
    elapsed_ms: float = 0.0
    stopped: Stopped | None = None
    sent: bool = False
    page: Any = field(default=None, repr=False)
    why_new_tab: str = ""
    again: Again | None = field(default=None, repr=False)

    def resume(self, *, done: bool | None = None, **options: Any) -> SkillResult:
        """Go on at the step that failed, on the page as it is now, and block until it is done.

        A step whose action was done and whose check failed is only checked again.

        Parameters
        ----------
        done : bool, optional
            Whether the step's action counts as done, where nobody knows it, or you know better.
        **options : object
            `approve`, `healer` and `progress`, as for `skill.run`.

        Returns
        -------
        SkillResult
            This result, with the rest of the run in it.

        Raises
        ------
        ReplayFailed
            There is nothing to resume, or nobody knows whether the step's action was done.
        """
        stopped = self.stopped
        if stopped is None or self.again is None:
            raise ReplayFailed(
                "there is nothing to resume", hint="run the skill; a run that failed can be resumed"
            )
        if done is not None:
            stopped = replace(stopped, done="yes" if done else "no")
        if stopped.done == "unknown":
            raise ReplayFailed(
                f"nobody knows whether step {stopped.step} was done",
                hint="look at the page, then call resume(done=True) or resume(done=False)",
            )
        return self.again(self, stopped, options)

    @property
    def status(self) -> Literal["ok", "failed", "sent, not confirmed"]:
        """What became of it; what was sent whole isn't failed, though the page didn't confirm it as it was recorded."""
        if self.ok:
            return "ok"
        return "sent, not confirmed" if self.sent else "failed"

    @property
    def value(self) -> Any:
        """The one fact that was read, all of them where there are several, else what an agent or the code answered."""
        if len(self.values) == 1:
            return next(iter(self.values.values()))
        return dict(self.values) if self.values else self.answer

    @property
    def has_rows(self) -> bool:
        """Whether it read rows or its code returned some, be it none of them."""
        return bool(self.frames) or self.returned is not None

    @property
    def frame(self) -> pd.DataFrame:
        """The rows that the skill's code returned, else those of the last extract step that gave any, else none."""
        import pandas as pd

        if self.returned is not None:
            return self.returned
        filled = [frame for frame in self.frames if len(frame)]
        if filled:
            return filled[-1]
        return self.frames[-1] if self.frames else pd.DataFrame()

    @property
    def steps(self) -> pd.DataFrame:
        """The outcomes as a DataFrame, one row a step."""
        import pandas as pd

        names = [each.name for each in fields(StepOutcome) if each.repr]
        rows = [[getattr(outcome, name) for name in names] for outcome in self.outcomes]
        return pd.DataFrame(rows, columns=names).set_index("index")

    @property
    def healed(self) -> list[StepOutcome]:
        """The steps whose target was not found by the recorded locator."""
        return [outcome for outcome in self.outcomes if outcome.how not in {"", "locator"}]

    def _trace(self) -> Trace:
        steps = [_traced(outcome) for outcome in self.outcomes]
        facts = [
            ("Status", self.status),
            ("Error", str(self.error) if self.error else ""),
            ("In a new tab", self.why_new_tab),
            ("Inputs", ", ".join(f"{name}={value!r}" for name, value in self.inputs.items())),
            ("Read", ", ".join(f"{name}={value!r}" for name, value in self.values.items())),
            ("Time", f"{self.elapsed_ms:,.0f} ms"),
        ]
        return Trace(f"Skill {self.skill}", facts, steps, store.redact_kept)

    def raise_for_error(self) -> SkillResult:
        """Raise what ended the run, if anything did; else return the result.

        Returns
        -------
        SkillResult
            The result, if nothing did.
        """
        if self.error is not None:
            raise self.error
        return self

    def __repr__(self) -> str:
        parts = [f"{len(self.outcomes)} steps"]
        if self.has_rows:
            rows, columns = self.frame.shape
            parts.append(f"frame {rows} × {columns}")
        if self.values:
            parts.append(", ".join(f"{name} {str(value)[:40]!r}" for name, value in self.values.items()))
        if self.healed:
            parts.append(f"{len(self.healed)} healed")
        if self.why_new_tab:
            parts.append(f"in a new tab, `result.page`: {self.why_new_tab}")
        tail = f": {self.error.message}" if self.error else ""
        return f"<SkillResult {self.skill} {self.status}, {', '.join(parts)}{tail}>"


def _traced(outcome: StepOutcome) -> TraceStep:
    facts = [
        ("Found by", outcome.how),
        ("Checked", outcome.seen),
        ("Error", outcome.error),
        ("Item", outcome.item),
        ("Rows", "" if outcome.rows is None else f"{outcome.rows:,}"),
        ("Address", outcome.url),
        ("Time", f"{outcome.elapsed_ms:,.0f} ms"),
        ("Status", outcome.status),
    ]
    names: dict[Status, Literal["ok", "failed", "declined"]] = {"skipped": "declined", "failed": "failed"}
    title = f"{outcome.command} {outcome.target}".strip()
    image = ("image/jpeg", b64encode(outcome.screenshot).decode("ascii")) if outcome.screenshot else None
    requests = [one.row for one in outcome.requests]
    status = names.get(outcome.status, "ok")
    return TraceStep(title, status, facts, requests=requests, image=image, elapsed_ms=outcome.elapsed_ms)


Progress = Callable[[StepOutcome], None]
