"""A replay of a skill that is code: its function runs in the sandbox, and each of its calls is the step of its line."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skillbook.cells.crossing import from_plain, value_for_code
from skillbook.cells.in_kernel import described_tables
from skillbook.cells.sandbox import CellEnd, HostCall, Sandbox, require_sandbox, tool_of
from skillbook.cells.traced_rows import Reading, are_rows, frame_of_rows, origin_of_frame
from skillbook.errors import InvalidSkill, PolicyError, ReplayFailed, SelectorSyntaxError, SkillbookError
from skillbook.perception.selectors import parse_selector
from skillbook.perception.word_search import find_nodes
from skillbook.policy.secrets import Secret
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.refs import is_ref
from skillbook.session.actions.shown_page import read_markdown
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model.spec import SkillSpec, program_of
from skillbook.skill.model.spec_steps import EXTRACT, Extract, SkillStep, StepTarget
from skillbook.skill.model.templates import Value, escape, fill_selector, over_texts, write_selector
from skillbook.skill.replay.skill_result import SkillResult
from skillbook.skill.replay.step_actions import Attempt
from skillbook.skill.targets.element_target import target_of

if TYPE_CHECKING:
    import pandas as pd

MOST_CALLS = 2_000
_PLACES = ("target", "to")
_ENDS = (PolicyError, InvalidSkill)
"""Errors after which the code doesn't go on, whatever it catches."""


@dataclass
class CodeRun:
    """Runs the code of one replay.

    inputs: every input's value.
    result: gets what the function returns, as the answer, and its rows as a frame.
    do: does a step of a number; the same as in any replay, with its permission, healing and report.
    """

    spec: SkillSpec
    driver: PageDriver
    inputs: Mapping[str, Value]
    result: SkillResult
    do: Callable[[int, SkillStep], Awaitable[Attempt]]
    _failed: SkillbookError | None = field(default=None, init=False)
    _readings: list[Reading] = field(default_factory=list, init=False)

    async def run(self) -> None:
        """Run the function to its end.

        Raises SkillbookError: a call failed and the code didn't catch that, or the code itself failed.
        """
        require_sandbox()
        sandbox = Sandbox(time.time())
        try:
            step = await sandbox.start(program_of(self.spec.code, self.inputs))
            for _ in range(MOST_CALLS):
                if isinstance(step, CellEnd):
                    break
                step = await self._next(sandbox, step)
            if not isinstance(step, CellEnd):
                raise ReplayFailed(f"{self.spec.name} makes more than {MOST_CALLS:,} calls")
        finally:
            await sandbox.close()
        if step.error:
            if self._failed is not None and self._failed.message in step.error:
                raise self._failed
            raise ReplayFailed(f"{self.spec.name}, line {step.error_line} of skill.py: {step.error}")
        self.result.answer = step.value
        self.result.returned = self._rows(step.value)

    def _rows(self, value: Any) -> pd.DataFrame | None:
        """The rows that the function returned; an empty list is none of those that it may have read."""
        import pandas as pd

        if value == [] and self._readings:
            read, _ = self._readings[-1]
            return pd.DataFrame(columns=list(read[0]) if read else [each.name for each in self.spec.outputs])
        if not are_rows(value):
            return None
        made = frame_of_rows(value, self._readings, [self.spec.code])
        return pd.DataFrame(value) if made is None else made

    async def _next(self, sandbox: Sandbox, host: HostCall) -> HostCall | CellEnd:
        try:
            tool, args = tool_of(host)
        except (TypeError, AttributeError) as error:
            return await sandbox.fail(type(error), str(error))
        try:
            value = await self._call(host, tool, args)
        except _ENDS:
            raise
        except SkillbookError as error:
            self._failed = error
            return await sandbox.fail(RuntimeError, f"[{error.code}] {error.message}")
        plain = from_plain(value_for_code(value))
        if tool == EXTRACT:
            self._readings.append((plain, origin_of_frame(value)))
        return await sandbox.answer(plain)

    async def _call(self, host: HostCall, tool: str, args: dict[str, Any]) -> Any:
        found = [
            (number, step)
            for number, step in enumerate(self.spec.steps, 1)
            if (step.line, step.command) == (host.line, tool)
        ]
        if found:
            number, step = found[0]
            attempt = await self.do(number, await self._with_args(step, args))
            return self.result.frames[-1] if tool == EXTRACT else attempt.gave
        if tool == EXTRACT or (tool in COMMANDS and COMMANDS[tool].effect.value != "read"):
            raise InvalidSkill(
                f"line {host.line} of skill.py calls {tool}, and no step of replay.yaml is that call"
            )
        return await self._read(tool, args)

    async def _read(self, tool: str, args: dict[str, Any]) -> Any:
        driver = self.driver
        if tool == "count":
            return await driver.count(args["selector"])
        if tool == "find":
            return find_nodes(await driver.snapshot_for(args["query"]), args["query"])
        if tool == "query":
            return driver.summarize(await driver.snapshot()).nodes_for(args["text"])
        if tool == "list_tables":
            return described_tables(await driver.snapshot())
        if tool == "markdown":
            return str(await read_markdown(driver, args.get("within")))
        if tool == "wait_for":
            seconds = args.pop("seconds", None)
            waited = {name: value for name, value in args.items() if value not in (None, False)}
            return await driver.wait_for(actor="replay", timeout=seconds, **(waited or {"seconds": seconds}))
        target, what = args.pop("target", None), args.get("what")
        if what in {"url", "title"} and target is None:
            return driver.url if what == "url" else driver.title
        return (await driver.read(tool, target, **args))["value"]

    async def _with_args(self, step: SkillStep, args: dict[str, Any]) -> SkillStep:
        """A step with what this very call says."""
        if step.command == EXTRACT:
            known = {name: value for name, value in args.items() if value not in (None, False)}
            recorded = step.extract or Extract()
            known |= {"allow_partial": recorded.allow_partial, "leftover": recorded.leftover}
            return step.model_copy(update={"extract": Extract.model_validate(self._literal(known))})
        more: dict[str, Any] = dict.fromkeys(_PLACES)
        for name in _PLACES:
            if args.get(name) is not None:
                more[name] = await self._place(step, name, str(args[name]))
        params = {name: value for name, value in args.items() if name not in _PLACES and value is not None}
        return SkillStep.model_validate({**dict(step), **more, "params": self._literal(params)})

    async def _place(self, step: SkillStep, name: str, given: str) -> StepTarget:
        """Where a call acts: as it was recorded if it names the same, else just what it names."""
        recorded: StepTarget | None = getattr(step, name)
        if is_ref(given):
            snapshot = await self.driver.snapshot()
            return target_of(snapshot[given]).model_copy(update={"fingerprint": {}})
        try:
            selector = write_selector(parse_selector(given))
        except SelectorSyntaxError as error:
            raise ReplayFailed(f"{given!r} is no selector: {error.message}") from None
        if recorded is not None and name == "target" and step.named:
            same = write_selector(parse_selector(fill_selector(step.named, self.inputs)))
            if same == selector:
                return recorded
        return StepTarget(selectors=[selector])

    @property
    def _secrets(self) -> set[str]:
        """The names that the skill declares, and those of secrets that were given as inputs."""
        given = [each.names for each in self.inputs.values() if isinstance(each, Secret)]
        return {*self.spec.secrets, *frozenset().union(*given)}

    def _literal(self, value: Any) -> Any:
        """Arguments as a step has them: nothing in them stands for an input, and only the skill's secrets are some."""
        secrets = self._secrets

        def literal(text: str) -> str:
            is_known = isinstance(text, Secret) and text.names <= secrets
            return str.__str__(text) if is_known else escape(text)

        return over_texts(value, literal)
