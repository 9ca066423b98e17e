"""A skill as users hold it: look at it, run it, patch it, save and export it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from skillbook.errors import InvalidInput, ModelNotConfigured
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.session.awaited_call import AwaitedCall
from skillbook.session.page_driver import driver_of
from skillbook.skill.consent.consent_summary import Consent, Wants
from skillbook.skill.consent.granting import ProposedGrant, propose
from skillbook.skill.consent.send_allowlist import Approve
from skillbook.skill.files.stored_skill import StoredSkill
from skillbook.skill.model.inputs import (
    Empty,
    bind_inputs,
    describe_inputs,
    insert_button,
    merge_inputs,
    named_model,
)
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep, Start
from skillbook.skill.proof.provable_skill import ProvableSkill
from skillbook.skill.proof.skill_proof import Proof, RecordedResults
from skillbook.skill.replay.permission import check_state, signed_in
from skillbook.skill.replay.skill_result import Progress, SkillResult
from skillbook.skill.replay.skill_run import PromptRunner, RecordedRun
from skillbook.skill.targets.healing import Healer

if TYPE_CHECKING:
    from pandas import DataFrame

    from skillbook.session.aio import Page as AioPage
    from skillbook.session.sync import Page


class Skill(StoredSkill, ProvableSkill):
    """A skill: a prompt, typed inputs, and steps that replay without a model. `sb.load_skill` returns one.

    Parameters
    ----------
    spec : SkillSpec
        What its files say.
    path : Path, optional
        Its folder or prompt file, if it is saved.
    prompt_runner : PromptRunner, optional
        Runs it if it is a prompt only; an agent of skillbook's by default.
    foreign : bool, optional
        Whether it comes from a file, which anybody may have written, so that a person has to approve it
        before it runs; by default if it has a path.
    dropped_steps : tuple of str
        If it was made here, the recorded steps that were left out, with their numbers and why;
        `save_skill(keep=[number])` keeps one.
    offered_checks : tuple of str
        If it was made here, texts that came after a step and that it doesn't check, since they may be there by chance.
    recorded : RecordedResults, optional
        If it was made here, the rows and facts that were read meanwhile.

    Examples
    --------
    >>> skill = sb.load_skill("search-products")  # doctest: +SKIP
    >>> skill.run(page, query="lamp").frame  # doctest: +SKIP
    """

    def __init__(
        self,
        spec: SkillSpec,
        path: Path | None = None,
        *,
        prompt_runner: PromptRunner | None = None,
        foreign: bool | None = None,
        dropped_steps: tuple[str, ...] = (),
        offered_checks: tuple[str, ...] = (),
        recorded: RecordedResults | None = None,
    ) -> None:
        self.spec = spec
        self.dropped_steps = dropped_steps
        self.offered_checks = offered_checks
        self.recorded = recorded or RecordedResults()
        self.path = path
        self._consent = Consent(spec, path, path is not None if foreign is None else foreign)
        self.last: SkillResult | None = None
        self._prompt_runner = prompt_runner

    @property
    def name(self) -> str:
        """Its name in the library."""
        return self.spec.name

    @property
    def description(self) -> str:
        """What it does, and when to use it."""
        return self.spec.description

    @property
    def inputs(self) -> list[SkillInput]:
        """Its typed inputs."""
        return list(self.spec.inputs)

    @property
    def planned(self) -> int | None:
        """How many steps a run has; None where nobody knows that before."""
        return len(self.spec.steps) or None

    @property
    def digest(self) -> str:
        """Hash of what it says; another one after any change."""
        return self.spec.digest

    @property
    def wants(self) -> Wants:
        """What it wants to do: addresses, secrets, files, scripts, steps that can't be undone."""
        return self._consent.wants

    @property
    def approved(self) -> bool:
        """Whether it may run: made or saved here, or a person approved exactly this version."""
        return self._consent.is_given

    def approve(self) -> Skill:
        """Approve this version once and for all: you have read `skill.wants`.

        Steps that can't be undone, secrets without a site and files go on asking.

        Returns
        -------
        Skill
            The skill.
        """
        self._consent.give()
        return self

    def grant(
        self,
        step: int | None = None,
        *,
        only: Mapping[str, Any] | None = None,
        most: Mapping[str, float] | None = None,
        count: int = 1,
        until: str | timedelta | datetime = "7 days",
    ) -> ProposedGrant:
        """Grant in advance one step that can't be undone, so that it isn't asked about when nobody is there.

        It is for this version of the skill, this step, and the inputs that you list. Nothing is in force until you
        `confirm()` what this returns. `sb.grants` lists all, and revokes them. A fact of the record that changed, a
        file and a secret are asked about all the same.

        Parameters
        ----------
        step : int, optional
            The step's number; may be left out where only one step can't be undone. The answer to the dialog that a
            step opens belongs to it, and counts with it.
        only : dict, optional
            The value, or the list of values, that each input may have; or each field that the step sends. Other inputs
            must have their defaults.
        most : dict, optional
            The most that an input, or a field that is sent, may be: numbers from 0 on.
        count : int
            How often it may be used. A use counts when the step begins, whatever comes of it.
        until : str, timedelta or datetime
            When it ends, within 30 days: such as "7 days" or "2026-12-24".

        Returns
        -------
        ProposedGrant
            What it would be, in one sentence.

        Raises
        ------
        InvalidInput
            There is no such step or input, or the skill doesn't say what it sends.

        Examples
        --------
        >>> offer = skill.grant(only={"order": "1001"}, until="2 days")  # doctest: +SKIP
        >>> offer.confirm()  # in the next cell, once you have read it  # doctest: +SKIP
        """
        return propose(self.spec, step, only or {}, count, until, most or {})

    def run(
        self,
        page: Page | AioPage,
        *unnamed: Any,
        model: Any = None,
        inputs: Mapping[str, Any] | None = None,
        empty: Empty = "refuse",
        start: Start = "auto",
        raise_on_error: bool = False,
        healer: Healer | Literal["person"] | None = None,
        approve: Approve | None = None,
        progress: Progress | None = None,
        **more: Any,
    ) -> SkillResult:
        """Run the skill on a page and block until it is done. Recorded steps need no model.

        Ctrl-C stops it cleanly; what it read until then is in `skill.last.frame`.

        Parameters
        ----------
        page : Page
            A page of `sb.launch()`, `sb.connect()` or their async versions.
        *unnamed : object
            Nothing: inputs and model are given by name.
        model : str, BaseChatModel or False, optional
            Runs a skill that is a prompt (the setting `SKILLBOOK_MODEL` by default, none with False). If steps were
            recorded, it finds targets that code alone can't find, unless there is a `healer`; it can only look.
        inputs : dict, optional
            The inputs' values: texts, finite numbers, booleans or secrets.
        empty : {"refuse", "default"}
            "default" takes the default for values that are blank (None, nan), which are refused otherwise.
        start : {"auto", "always", "here"}
            `auto` loads the skill's first address, unless the page shows it as loaded; `always` goes, `here` stays.
        raise_on_error : bool
            Raise what ended the run, rather than return it as `result.error`.
        healer : function or "person", optional
            Finds a target that is not where it was recorded and that code alone can't find. With
            "person" the page comes to the front and waits two minutes at most for you to click it there; if there is
            a `model` too, the model is asked first.
        approve : function or str, optional
            Gets a question in words, and approves by returning True: first, with what the skill wants,
            if nobody approved this version yet; then for each step that can't be undone. Or this skill's `digest`,
            which approves the run and every step of exactly this version. Without it such a step ends the run, unless
            a person approved it in the run that this very version was saved from.
        progress : function, optional
            Called after each step with its outcome.
        **more : object
            The inputs' values by keyword.

        Returns
        -------
        SkillResult
            A step that fails ends the run with `ok` False and what was read so far.

        Raises
        ------
        MissingInput, InvalidInput
            Before anything is done. A blank value is invalid: a default is for inputs that are left out.
        SkillNotApproved
            Nobody has approved this version, it wants more than to read, type and click where you
            allowed that, and `approve` doesn't approve it either; the error says what the skill wants.
        NotAllowed
            A secret has no value.
        ConfigError
            There is no state of the name that it gives, or the state is for other origins.
        ModelNotConfigured
            It is a prompt, and there is nothing to run it.
        """
        model, given = self._given(unnamed, model, inputs, more, empty)
        if self._consent.is_needed(page, given):
            self._show_wants(approve)
            io.sync(self._consent.ask(approve))
        self._consent.ask_secrets(page)
        with AwaitedCall() as shown:
            report = progress or shown.on_step
            work = self._start(page, model, given, start, healer=healer, approve=approve, progress=report)
            result = io.sync(work, meanwhile=shown)
        return result.raise_for_error() if raise_on_error else result

    async def arun(
        self,
        page: Page | AioPage,
        *unnamed: Any,
        model: Any = None,
        inputs: Mapping[str, Any] | None = None,
        empty: Empty = "refuse",
        start: Start = "auto",
        raise_on_error: bool = False,
        healer: Healer | Literal["person"] | None = None,
        approve: Approve | None = None,
        progress: Progress | None = None,
        **more: Any,
    ) -> SkillResult:
        """Like `run`, awaitable from any loop."""
        model, given = self._given(unnamed, model, inputs, more, empty)
        if self._consent.is_needed(page, given):
            self._show_wants(approve)
            await io.wait(self._consent.ask(approve))
        await asyncio.to_thread(self._consent.ask_secrets, page)
        with AwaitedCall() as shown:
            report = progress or shown.on_step
            work = self._start(page, model, given, start, healer=healer, approve=approve, progress=report)
            result = await io.wait(work, shown)
        return result.raise_for_error() if raise_on_error else result

    def _show_wants(self, approve: Approve | None) -> None:
        """Where nobody will be asked, a notebook shows what it wants, beside the error."""
        if approve is None and hooks.skill_unapproved:
            hooks.skill_unapproved(self)

    def _given(
        self,
        unnamed: Sequence[Any],
        model: Any,
        inputs: Mapping[str, Any] | None,
        more: Mapping[str, Any],
        empty: Empty,
    ) -> tuple[Any, dict[str, Any]]:
        return named_model(self.name, self.inputs, unnamed, model), merge_inputs(inputs, more, empty)

    async def _start(
        self,
        page: Any,
        model: Any,
        given: Mapping[str, Any],
        start: Start,
        *,
        approve: Approve | None,
        **options: Any,
    ) -> SkillResult:
        if start not in get_args(Start):
            raise InvalidInput(
                f"start={start!r} is no way to begin", hint=f"one of {', '.join(get_args(Start))}"
            )
        driver = driver_of(page)
        values = bind_inputs(self.spec, given, driver.url)
        if self.spec.replays:
            await self._consent.ask_sites(page, given, values, approve)
        await check_state(self.spec, driver, values, start)
        if self.spec.replays:
            run = RecordedRun(
                self.spec, driver, page, dict(given), values, model or None, approve=approve, **options
            )
            self.last = run.result
            return await run.begin(start)
        if model is False:
            raise ModelNotConfigured(f"{self.name} is a prompt, which model=False leaves to nobody")
        runner = self._prompt_runner or hooks.run_prompt
        if runner is None:
            raise ModelNotConfigured(
                f"{self.name} is a prompt without recorded steps, and no agent runs it here"
            )
        prompt = self.spec.prompt(values)
        await signed_in(self.spec, driver, values, start)
        device = self.spec.device
        async with driver.emulation.as_on(device) if device else nullcontext():
            self.last = await runner(page, prompt, spec=self.spec, model=model)
        return self.last

    def prompt(self, **inputs: Any) -> str:
        """Fill the inputs in the prompt.

        Parameters
        ----------
        **inputs : object
            The inputs' values.

        Returns
        -------
        str
            The prompt for an agent.

        Raises
        ------
        MissingInput, InvalidInput
            As `run`.
        """
        return self.spec.prompt(bind_inputs(self.spec, inputs))

    def map(
        self, inputs: Any, client: Any = None, workers: int = 2, *, empty: Empty = "refuse", **options: Any
    ) -> DataFrame:
        """Run the skill for every row of inputs on Dask, one browser a worker, and block until all are done.

        Needs `pip install "skillbook[scale]"`. Every worker is checked before the first row. A row whose repetition
        could do something twice is claimed here right before its first effect. If its worker is lost after that, the
        row is `unknown` and is never done again. Other rows are done by another worker. See docs/scaling.md.

        Parameters
        ----------
        inputs : DataFrame or iterable of dict
            One row for each run; columns are the inputs' names. Other columns of a DataFrame go along.
        client : distributed.Client, optional
            By default a cluster on this machine is started and ended.
        workers : int
            How many processes of that cluster.
        empty : {"refuse", "default"}
            "default" takes the input's default for a blank cell, which is refused otherwise; the column `defaulted`
            then names these inputs in each row.
        **options : object
            `folder`, in which this process keeps claims and results, so that another call with it goes on without
            repeating what is done: a folder, or a database's address such as `sqlite:///rows.db`; `retries` of rows
            that failed, 1 by default; `approve`, the skill's digest, for steps that can't be undone; `progress`, False
            or a function of done, total and the row's result; `every`, the least seconds between the begins of two rows
            at a site; `recycle`, rows and seconds after which a worker's browser is replaced; `launch`, options of
            `sb.launch`.

        Returns
        -------
        DataFrame
            The inputs with `status` (ok, failed, unknown), `error`, `attempts`, `elapsed_ms`, `host`, the facts that
            were read, and in `frame` the rows that were read.

        Raises
        ------
        MissingInput, InvalidInput, SkillNotApproved, InvalidSkill
            Before anything is done.
        ConfigError
            Dask isn't installed, `folder` can't be written, or there is no state of the name that the skill gives.
        HostUnfit
            A worker has another version, no browser, or no value for a secret.
        ClusterLost
            The scheduler is gone. The error's `frame` has all rows: done, `unknown` if they were under way, or
            `cancelled`. So has the `RunInterrupted` that Ctrl-C raises.
        """
        assert hooks.map_skill is not None, "`import skillbook` sets it"
        frame: DataFrame = hooks.map_skill(self, inputs, client, workers, empty=empty, **options)
        return frame

    def _like(self, spec: SkillSpec, path: Path | None, *, foreign: bool | None = None) -> Skill:
        return Skill(
            spec, path, prompt_runner=self._prompt_runner, foreign=foreign,
            dropped_steps=self.dropped_steps, offered_checks=self.offered_checks, recorded=self.recorded,
        )  # fmt: skip

    def __repr__(self) -> str:
        kind = f"{len(self.spec.all_steps)} steps" if self.spec.replays else "prompt"
        return f"<Skill {self.name}({describe_inputs(self.spec) if self.inputs else ''}): {kind}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        return skill_card(self.spec, self.dropped_steps, self.proof, self.offered_checks)


def skill_card(
    spec: SkillSpec, dropped_steps: Sequence[str], proof: Proof | None, offered_checks: Sequence[str] = ()
) -> str:
    """A skill as HTML: its inputs, its steps or prompt, what was left out, and what replaying it gave last."""
    body = _steps(spec.steps) if spec.steps else f"<pre>{escape(spec.body)}</pre>"
    items = "".join(f"<li>{escape(one)}</li>" for one in dropped_steps)
    left_out = f"<details><summary>left out: {len(dropped_steps)}</summary><ul>{items}</ul></details>"
    head = f"<b>{escape(spec.name)}</b> ({escape(describe_inputs(spec))}) {insert_button(spec.name, spec.inputs)}"
    return (
        f"{head}<p>{escape(spec.description)}</p>{body}"
        f"{''.join(f'<p>{escape(each)}</p>' for each in offered_checks)}"
        f"{left_out if dropped_steps else ''}{f'<p>{escape(str(proof))}</p>' if proof else ''}"
    )


def _steps(steps: Sequence[SkillStep]) -> str:
    items = []
    for step in steps:
        words = step.note or (step.skill.name if step.skill else step.command)
        items.append(f"<li>{escape(words)}{_steps(step.steps) if step.steps else ''}</li>")
    return f"<ol>{''.join(items)}</ol>"
