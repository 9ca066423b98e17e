"""Cassettes of attempts: the first time records what pages and models answered, later ones need neither."""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import skillbook as sb
from skillbook.errors import SkillbookError
from skillbook.evals.answer import Answer, AnsweringPerson, Approve
from skillbook.evals.eval_target import Stop, Target, Work
from skillbook.evals.eval_task import Start, Task
from skillbook.evals.expectations import DETAILS, Evaluator, Scores, score_answer, score_page
from skillbook.evals.served_start import Place, serve_start
from skillbook.policy.secrets import store as secrets
from skillbook.session.cassette import Cassette, cassette
from skillbook.session.sync import Browser, Page

_FILE = "attempt.json"


class AttemptCassette:
    """The cassette of one attempt, where there is to be one; a block in which it runs.

    Served sites get a port that nobody chose. A replay serves nothing, and its addresses have the recorded port.

    folder: of all cassettes; None where the task's own is used, or none.
    port: of the recording; 0 where there is none.
    sent: in a replay, what reached the site when it was recorded.
    """

    def __init__(self, folder: str | None, task: Task, key: str) -> None:
        self._own = task.start.cassette is not None
        named = Path(folder) / f"{task.name}-{key[:8]}".replace(".", "-") if folder else None
        self._path = Path(task.start.cassette) if task.start.cassette else named
        self._tape: Cassette | None = None
        self._place: Place | None = None
        self.port = 0
        self.sent: list[str] = []
        kept = self._path / _FILE if self._path is not None else None
        if kept is not None and kept.exists():
            data = json.loads(kept.read_text(encoding="utf-8"))
            self.port, self.sent = int(data["port"]), list(data["sent"])

    def __enter__(self) -> Self:
        if self._path is not None:
            mode: Literal["replay", "once"] = "replay" if self._own else "once"
            self._tape = cassette(self._path.name, folder=self._path.parent, mode=mode)
        return self

    def take(self, place: Place) -> None:
        """Note where the attempt's page is served."""
        self._place = place

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._tape is None:
            return
        self._tape.__exit__(kind, error, trace)
        if error is None and not self._tape.replaying and self._place is not None and self._path is not None:
            facts = {"port": self._place.port, "sent": self._place.sent}
            (self._path / _FILE).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


class AttemptBrowsers:
    """Gives one attempt after the other a browser.

    A site that is served for an attempt has an address of its own and keeps its visitor's cookies itself, so that the
    next such attempt can use the same browser. At other addresses each attempt has a new one.

    launch: options of `sb.launch`.
    """

    def __init__(self, launch: Mapping[str, Any], given: Browser | None = None) -> None:
        self._launch = launch
        self._given = given
        self._shared: Browser | None = None
        self._open: set[Browser] = set()
        self._closed = False

    @contextmanager
    def use(self, start: Start) -> Iterator[Browser]:
        """A browser for one attempt."""
        if self._given is not None:
            yield self._given
            return
        if not start.served:
            fresh = self._start()
            try:
                yield fresh
            finally:
                self._end(fresh)
            return
        if self._shared is None:
            self._shared = self._start()
        try:
            yield self._shared
        except BaseException:
            self._end(self._shared)
            self._shared = None
            raise

    def close(self) -> None:
        """Close what was started; from any thread, also while an attempt is under way, which then fails."""
        self._closed = True
        for browser in list(self._open):
            self._end(browser)
        self._shared = None

    def _start(self) -> Browser:
        browser = sb.launch(**self._launch)
        self._open.add(browser)
        if self._closed:
            self._end(browser)
        return browser

    def _end(self, browser: Browser) -> None:
        self._open.discard(browser)
        with suppress(Exception):
            browser.close()


@dataclass(frozen=True)
class Attempt:
    """What became of one task in one repetition.

    Parameters
    ----------
    task : the task's name.
    repetition : from 1.
    target : what was evaluated.
    key : names task, target and repetition, as they are now.
    passed : whether every score is 1 and nothing failed.
    scores : by evaluator, 0 to 1.
    answer, error : page text in them is untrusted.
    steps, seconds, tokens, usd : what it took.
    asked, refused, unasked : questions to a person; refused ones; calls that weren't reads and passed unasked.
    """

    task: str
    repetition: int
    target: str
    key: str
    passed: bool = False
    scores: Scores = field(default_factory=dict)
    answer: str = ""
    error: str = ""
    steps: int = 0
    seconds: float = 0.0
    tokens: int = 0
    usd: float | None = 0.0
    asked: int = 0
    refused: int = 0
    unasked: int = 0
    sent: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    rows: int | None = None
    url: str = ""

    def to_json(self) -> str:
        """One line of JSON; secrets are masked in it."""
        return secrets.redact_kept(json.dumps(asdict(self), default=str, ensure_ascii=False))

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Read what `to_json` wrote.

        Raises
        ------
        ValueError : it isn't that.
        """
        data = json.loads(line)
        names = {each.name for each in fields(cls)}
        if not isinstance(data, dict) or set(data) - names or not {"task", "key", "repetition"} <= set(data):
            raise ValueError("no attempt")
        return cls(**data)


@dataclass(frozen=True)
class Plan:
    """What all attempts of an evaluation have in common.

    evaluators: functions of task and answer, by name.
    approve: how questions are answered; None leaves it to the task.
    launch: options of `sb.launch`.
    cassettes: folder of cassettes; None for none.
    browser: one that is open, for all attempts; None starts one for each.
    """

    target: Target
    evaluators: Mapping[str, Evaluator] = field(default_factory=dict)
    approve: Approve | None = None
    launch: Mapping[str, Any] = field(default_factory=dict)
    cassettes: str | None = None
    browser: Browser | None = None

    def key_of(self, task: Task, repetition: int) -> str:
        """Names an attempt."""
        identity = json.dumps([task.digest, self.target.name, self.target.digest, repetition])
        return hashlib.sha256(identity.encode()).hexdigest()[:20]


def attempt_task(plan: Plan, task: Task, repetition: int, browsers: AttemptBrowsers | None = None) -> Attempt:
    """Carry a task out once; a failure is in the attempt's `error`, an interrupt goes through.

    browsers: where its browser comes from; its own by default.
    """
    answer, started = Answer(), time.perf_counter()
    person = AnsweringPerson(task, plan.approve)
    source = browsers or AttemptBrowsers(plan.launch, plan.browser)
    try:
        _work(plan, task, repetition, person, answer, source)
    except Exception as error:
        reason = error.message if isinstance(error, SkillbookError) else f"{type(error).__name__}: {error}"
        answer.error = answer.error or reason
    finally:
        if browsers is None:
            source.close()
    answer.note_person(person)
    _judge(plan.evaluators, task, answer)
    counted = [score for name, score in answer.scores.items() if name not in DETAILS]
    return Attempt(
        task=task.name,
        repetition=repetition,
        target=plan.target.name,
        key=plan.key_of(task, repetition),
        passed=not answer.error and all(score >= 1.0 for score in counted),
        scores={name: round(score, 6) for name, score in answer.scores.items()},
        answer=answer.text[:5_000],
        error=answer.error[:1_000],
        steps=len(answer.calls),
        seconds=round(time.perf_counter() - started, 3),
        tokens=answer.tokens,
        usd=answer.usd,
        asked=answer.asked,
        refused=answer.refused,
        unasked=answer.unasked,
        sent=list(answer.sent),
        calls=answer.calls,
        rows=None if answer.frame is None else len(answer.frame),
        url=answer.url,
    )


def _work(
    plan: Plan,
    task: Task,
    repetition: int,
    person: AnsweringPerson,
    answer: Answer,
    browsers: AttemptBrowsers,
) -> None:
    tape = AttemptCassette(plan.cassettes, task, plan.key_of(task, repetition))
    with (
        serve_start(task.start, tape.port) as place,
        browsers.use(task.start) as browser,
        tempfile.TemporaryDirectory(prefix="skillbook-eval-") as folder,
        _downloads(browser, folder),
        tape,
    ):
        tape.take(place)
        page = browser.open(place.url)
        try:
            _carry_out(plan.target, page, task, person, answer)
            answer.files += [each.name for each in Path(folder).rglob("*") if each.is_file()]
            answer.url = "" if page.closed else page.url
            answer.sent = tape.sent or list(place.sent)
            answer.scores |= score_answer(task, answer)
            answer.scores |= _scores_of_page(task, answer, page, place)
        finally:
            if not page.closed:
                page.close()


def _carry_out(target: Target, page: Page, task: Task, person: AnsweringPerson, answer: Answer) -> None:
    """Let the target work for as long as the task's budget says."""
    stops: list[Stop] = []
    late = threading.Event()

    def end() -> None:
        late.set()
        for stop in stops or [page.close]:
            stop()

    timer = threading.Timer(task.budget.seconds, end)
    timer.daemon = True
    timer.start()
    try:
        target.carry_out(Work(page, task, person, answer, stops.append))
    finally:
        timer.cancel()
        if late.is_set():
            answer.error = f"it took longer than {task.budget.seconds:g} s"


def _scores_of_page(task: Task, answer: Answer, page: Page, place: Place) -> Scores:
    """What the page shows; nothing of it holds where the page is gone."""
    if page.closed:
        names = [name for name in ("page", "url", "state") if getattr(task.expected, name) is not None]
        return dict.fromkeys(names, 0.0)
    return score_page(task, answer, page, place)


def _judge(evaluators: Mapping[str, Evaluator], task: Task, answer: Answer) -> None:
    """Add the scores of further evaluators; one that fails is an error of the attempt."""
    for name, evaluator in evaluators.items():
        try:
            given = evaluator(task, answer)
        except Exception as error:
            answer.error = answer.error or f"the evaluator {name} failed: {error}"
            continue
        if isinstance(given, Mapping):
            answer.scores |= {f"{name}_{part}": float(score) for part, score in given.items()}
        elif given is not None:
            answer.scores[name] = float(given)


@contextmanager
def _downloads(browser: Browser, folder: str) -> Iterator[None]:
    """Put what the attempt downloads into a folder of its own."""
    driver = browser.driver
    before = driver.settings
    driver.settings = before.model_copy(update={"downloads": Path(folder)})
    try:
        yield
    finally:
        driver.settings = before


def evaluators_of(given: Sequence[Evaluator] | Mapping[str, Evaluator]) -> dict[str, Evaluator]:
    """Evaluators by name; a function's own name by default."""
    if isinstance(given, Mapping):
        return dict(given)
    return {getattr(each, "__name__", type(each).__name__): each for each in given}
