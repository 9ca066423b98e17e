"""One task, once: open its page, let the target work, score what came of it."""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from skillbook.errors import SkillbookError
from skillbook.evals.answer import Answer
from skillbook.evals.attempt_browser import AttemptBrowsers
from skillbook.evals.eval_cassettes import AttemptCassette
from skillbook.evals.eval_target import Stop, Target, Work
from skillbook.evals.eval_task import Task
from skillbook.evals.expectations import DETAILS, Evaluator, Scores, score_answer, score_page
from skillbook.evals.person import AnsweringPerson, Approve
from skillbook.evals.served_start import Place, serve_start
from skillbook.policy.secrets import store as secrets
from skillbook.session.sync import Browser, Page


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

    Parameters
    ----------
    target : what is evaluated.
    evaluators : functions of task and answer, by name.
    approve : how questions are answered; None leaves it to the task.
    launch : options of `sb.launch`.
    cassettes : folder of cassettes; None for none.
    browser : one that is open, for all attempts; None starts one for each.
    """

    target: Target
    evaluators: Mapping[str, Evaluator] = field(default_factory=dict)
    approve: Approve | None = None
    launch: Mapping[str, Any] = field(default_factory=dict)
    cassettes: str | None = None
    browser: Browser | None = None

    def key_of(self, task: Task, repetition: int) -> str:
        """Names an attempt."""
        said = json.dumps([task.digest, self.target.name, self.target.digest, repetition])
        return hashlib.sha256(said.encode()).hexdigest()[:20]


def attempt_task(plan: Plan, task: Task, repetition: int, browsers: AttemptBrowsers | None = None) -> Attempt:
    """Carry a task out once; a failure is in the attempt's `error`, an interrupt goes through.

    Parameters
    ----------
    plan : of the evaluation.
    task : the task.
    repetition : which time, from 1.
    browsers : where its browser comes from; its own by default.
    """
    answer, started = Answer(), time.perf_counter()
    person = AnsweringPerson(task, plan.approve)
    source = browsers or AttemptBrowsers(plan.launch, plan.browser)
    try:
        _work(plan, task, repetition, person, answer, source)
    except Exception as error:
        said = error.message if isinstance(error, SkillbookError) else f"{type(error).__name__}: {error}"
        answer.error = answer.error or said
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
