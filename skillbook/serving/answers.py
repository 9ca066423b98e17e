"""What a kernel answers to its side panel: one method for each entry of the table of asks."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Set
from importlib.metadata import version
from pathlib import Path
from typing import Any

from skillbook.agents import resume
from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.question_queue import SIDE_PANEL
from skillbook.agents.state.session_context import ALL, preferences
from skillbook.agents.tools.formatting import without_code
from skillbook.config import load_settings
from skillbook.errors import InvalidParams, PageClosed, SkillbookError
from skillbook.exploration.exploring import make_search
from skillbook.io_thread import io
from skillbook.perception.summary import PageSummary
from skillbook.protocol.commands.tabs import NoParams
from skillbook.protocol.model import WireModel
from skillbook.serving.outputs import RowsOutput
from skillbook.serving.panel_cards import (
    page_tool_card,
    skill_cards,
    skill_form,
    take_inputs,
    workflow_cards,
    workflow_form,
)
from skillbook.serving.recordings import Pointing, Recordings, saved_words
from skillbook.serving.runs.agent_runs import AgentRun
from skillbook.serving.runs.approved_calls import PageToolRun
from skillbook.serving.runs.run_list import PastRun, RunList, RunStore
from skillbook.serving.runs.served_run import ServedRun, TaskRun, page_of
from skillbook.serving.runs.task_runs import ExplorationRun, SkillRun
from skillbook.serving.runs.workflow_runs import PromptRun, WorkflowRun, belongs_to_workflow, under_way
from skillbook.serving.workflows.known_workflows import copilot, explore_site, start_copilot, workflows
from skillbook.serving.written_notebook import address_of, is_notebook, write_notebook
from skillbook.session.browser_driver import BrowserDriver
from skillbook.session.grant_book import grants
from skillbook.session.page_driver import PageDriver
from skillbook.skill.facade import Skill
from skillbook.skill.library import Library, skills

__all__ = ["Answers", "belongs_to_workflow"]
from skillbook.protocol.asks import run_asks, skill_asks


class Answers:
    """The answers of one browser's kernel; every method runs on the I/O thread.

    driver: the browser; its `answer_options` say which folders of skills and which model, where those aren't the
        settings'.
    """

    def __init__(self, driver: BrowserDriver) -> None:
        self._driver = driver
        folders = driver.answer_options.get("skills")
        self.library = skills if folders is None else Library(folders, with_builtin=True)
        self.model = driver.answer_options.get("model")
        store = RunStore(driver.settings.home / "shown_runs.db", driver.server.kernel.id)
        self._pointing = Pointing()
        self.runs = RunList(store, driver.server.notify, self._go_on)
        self.recordings = Recordings(
            lambda steps, active: io.call_soon(
                driver.server.notify, "recording_changed", {"steps": steps, "active": active}
            )
        )

    async def take(self, name: str, given: WireModel) -> WireModel:
        """Answer an ask of the table by its name."""
        try:
            result: WireModel = await getattr(self, f"_{name}")(given)
        except SkillbookError as error:
            error.hint = without_code(error.hint)
            raise
        return result

    @property
    def driver(self) -> BrowserDriver:
        """The browser."""
        return self._driver

    def note_run(self, run: Run) -> None:
        """Show an agent's run that started here."""
        if any(isinstance(each, AgentRun) and each.run is run for each in self.runs.live()):
            return
        self.runs.add(AgentRun(run))

    def note_recording(self, rec: Any) -> None:
        """Show a recording that started here."""
        self.recordings.note(rec)

    def _page(self, tab: int) -> PageDriver:
        page = self._driver.pages.get(tab)
        if page is None or page.closed:
            raise PageClosed("this tab isn't shared with the kernel", hint="share this tab first")
        return page

    # --- the kernel, skills, workflows ---

    async def _about(self, given: NoParams) -> skill_asks.About:
        settings = load_settings()
        model = self.model or settings.model
        return skill_asks.About(
            name=self._driver.server.kernel.name,
            version=version("skillbook"),
            model=None if model is None else str(model),
            notebook=is_notebook(),
            autonomy=settings.autonomy,
            skills=await asyncio.to_thread(len, self.library),
            workflows=len(workflows),
        )

    async def _list_skills(self, given: skill_asks.TabParams) -> skill_asks.SkillList:
        page = self._driver.pages.get(given.tab) if given.tab is not None else None
        summary: PageSummary | None = None
        if page is not None and not page.closed:
            try:
                summary = page.summarize(await page.snapshot())
            except SkillbookError:
                summary = None  # a page that can't be read has the skills in the order of their names
        last = await self._last({"skill"})
        cards = await asyncio.to_thread(skill_cards, self.library, summary, last)
        return skill_asks.SkillList(skills=cards)

    async def _list_workflows(self, given: NoParams) -> skill_asks.WorkflowList:
        known = [workflows[name] for name in workflows]
        return skill_asks.WorkflowList(
            workflows=workflow_cards(known, await self._last({"workflow", "exploration"}))
        )

    async def _last(self, kinds: Set[str]) -> Mapping[str, run_asks.RunSummary]:
        """The last run of each skill or workflow, by name."""
        found: dict[str, run_asks.RunSummary] = {}
        for one in await self.runs.summaries(200):
            if one.kind in kinds:
                found.setdefault(one.name, one)
        return found

    async def _run_skill(self, given: skill_asks.StartParams) -> skill_asks.Started:
        page = self._page(given.tab)
        skill = await asyncio.to_thread(self.library.load, given.name)
        inputs = await asyncio.to_thread(take_inputs, skill_form(skill), given.inputs)
        run: SkillRun | PromptRun
        if isinstance(skill, Skill) and not skill.spec.replays:
            run = PromptRun(skill, page, inputs, self.model, load_settings().autonomy)
        else:
            run = SkillRun(skill, page, inputs, self.model)
        return self._start(run)

    def _start(self, run: TaskRun) -> skill_asks.Started:
        self.runs.add(run)
        run.start()
        return skill_asks.Started(run=run.id)

    async def _run_workflow(self, given: skill_asks.StartParams) -> skill_asks.Started:
        return skill_asks.Started(
            run=(await self.start_workflow(self._page(given.tab), given.name, given.inputs)).id
        )

    async def start_workflow(self, page: PageDriver, name: str, given: Mapping[str, Any]) -> ServedRun:
        """Start a workflow on a page.

        Raises WorkflowNotFound: there is none of that name. InvalidInput, MissingInput : its inputs don't fit.
        """
        workflow = workflows[name]
        inputs = await asyncio.to_thread(lambda: take_inputs(workflow_form(workflow), given, frames=True))
        bound = workflow.signature.bind(inputs)
        is_search = workflow is explore_site
        run = ExplorationRun(make_search(page, **bound)) if is_search else WorkflowRun(workflow, page, bound)
        self._start(run)
        return run

    async def _list_page_tools(self, given: skill_asks.TabParams) -> skill_asks.PageToolList:
        page = self._driver.pages.get(given.tab) if given.tab is not None else None
        if page is None or page.closed or not self._driver.page_tools:
            return skill_asks.PageToolList(tools=[])
        return skill_asks.PageToolList(tools=[page_tool_card(tool) for tool in await page.list_tools()])

    async def _run_page_tool(self, given: skill_asks.PageToolParams) -> skill_asks.Started:
        page = self._page(given.tab)
        tools = await page.list_tools() if self._driver.page_tools else ()
        tool = next((one for one in tools if (one.name, one.frame) == (given.name, given.frame)), None)
        if tool is None:
            raise InvalidParams(
                f"the page declares no tool {given.name!r} now", hint="it may have taken it away: look again"
            )
        return self._start(PageToolRun(page, tool, take_inputs(page_tool_card(tool).inputs, given.inputs)))

    async def _run_goal(self, given: skill_asks.GoalParams) -> skill_asks.Started:
        page, workflow = self._page(given.tab), workflows["copilot"]
        if workflow is not copilot:
            run = WorkflowRun(workflow, page, workflow.signature.bind({"goal": given.goal}), given.goal)
            return self._start(run)
        autonomy = load_settings().autonomy
        made = await asyncio.to_thread(start_copilot, page_of(page), given.goal, self.model, autonomy)
        await self._begin(made)
        return skill_asks.Started(run=made.id)

    async def _begin(self, run: Run) -> None:
        """Show a run that was made here, and start it."""
        self.runs.add(AgentRun(run, by_panel=True))
        await asyncio.to_thread(run.start)

    async def explore(self, search: Any) -> Any:
        """Run an exploration that a cell started, and show it; one of a workflow is shown as that."""
        if under_way.get() is not None:
            return await search.run()
        run = ExplorationRun(search)
        self.runs.add(run)
        return await run.outcome()

    # --- runs ---

    async def _list_runs(self, given: run_asks.ListRunsParams) -> run_asks.RunList:
        found = await self.runs.summaries(given.limit + 1, given.before)
        return run_asks.RunList(runs=found[: given.limit], more=len(found) > given.limit)

    async def _show_run(self, given: run_asks.RunParams) -> run_asks.RunView:
        view = (await self.runs.find(given.run)).shown_view()
        steps = [step.model_copy(update={"hint": without_code(step.hint)}) for step in view.steps]
        return view.model_copy(update={"hint": without_code(view.hint), "steps": steps})

    async def _read_thumbnail(self, given: run_asks.ThumbnailParams) -> run_asks.Thumbnail:
        run = await self.runs.find(given.run)
        found = run.thumbnail(given.step) if isinstance(run, AgentRun | WorkflowRun) else None
        if found is None:
            return run_asks.Thumbnail(image=None)
        form, data = found
        return run_asks.Thumbnail(image=f"data:image/{form};base64,{base64.b64encode(data).decode()}")

    async def _decide(self, given: run_asks.DecideParams) -> run_asks.Decided:
        self._pointing.end()
        run = await self.runs.find(given.run)
        question = run.view().question if isinstance(run, PastRun) else None
        if (
            not isinstance(run, PastRun)
            or question is None
            or question.id != given.question
            or not run.shows(question.id, SIDE_PANEL)
        ):
            return run.decide(given)
        if given.decision == "approve":
            await run.resume()
            return run_asks.Decided(taken=True, words="it goes on")
        await self._end_past(run)
        return run_asks.Decided(taken=True, words="it was ended")

    async def _end_past(self, run: PastRun) -> None:
        await run.stop()
        await self.runs.keep(run)

    async def _point(self, given: run_asks.PointParams) -> run_asks.Pointed:
        return await self._pointing.point(await self.runs.find(given.run), given)

    async def _change_tasks(self, given: run_asks.ChangeTasksParams) -> run_asks.TasksChanged:
        run = await self.runs.find(given.run)
        run.change_tasks(given.edits)
        view = run.view()
        return run_asks.TasksChanged(tasks=view.tasks, words=view.tasks_words)

    async def _tell_run(self, given: run_asks.TellParams) -> run_asks.RunSteered:
        run = await self.runs.find(given.run)
        run.tell(given.text)
        return _steered(run)

    async def _pause_run(self, given: run_asks.RunParams) -> run_asks.RunSteered:
        run = await self.runs.find(given.run)
        run.pause()
        return _steered(run)

    async def _resume_run(self, given: run_asks.RunParams) -> run_asks.RunSteered:
        await (await self.runs.find(given.run)).resume()
        return _steered(await self.runs.find(given.run))

    async def _stop_run(self, given: run_asks.RunParams) -> run_asks.RunSteered:
        run = await self.runs.find(given.run)
        if isinstance(run, PastRun):
            await self._end_past(run)
        else:
            await run.stop()
        return _steered(run)

    async def _save_run(self, given: run_asks.SaveRunParams) -> run_asks.SkillSaved:
        run = await self.runs.find(given.run)
        agent_run = run.current if isinstance(run, WorkflowRun) else run
        if not isinstance(agent_run, AgentRun):
            raise InvalidParams("only what an agent did can become a skill", hint="record it instead")
        saved = await asyncio.to_thread(
            lambda: agent_run.run.save_skill(
                given.name, self.folder, description=given.description or None, overwrite=False
            )
        )
        return saved_words(saved)

    async def _go_on(self, summary: run_asks.RunSummary) -> Run:
        """Go on with an agent's run that an earlier process began; it asks before its next call."""
        page = next((one for one in self._driver.pages.values() if one.url == summary.page), None)
        if page is None:
            page = await self._driver.open(summary.page or "about:blank")
        run = await asyncio.to_thread(
            lambda: resume(summary.id, page_of(page), model=self.model, autonomy=load_settings().autonomy)
        )
        served = AgentRun(run, by_panel=True)
        served.started = summary.started
        self.runs.add(served)
        run.pause()
        await asyncio.to_thread(run.start)
        return run

    async def revive(self) -> None:
        """Bring up the questions of runs that waited when the kernel ended; nothing is carried out."""
        for summary in await self.runs.unfinished():
            if any(page.url == summary.page for page in self._driver.pages.values()):
                try:
                    await self._go_on(summary)
                except SkillbookError:
                    continue  # it stays in the list, with the question whether to go on

    # --- outputs ---

    async def _output(self, run: str, output: str) -> Any:
        return (await self.runs.find(run)).output(output)

    async def _rows_output(self, run: str, output: str) -> RowsOutput:
        found = await self._output(run, output)
        if not isinstance(found, RowsOutput):
            raise InvalidParams(f"{output!r} has no rows")
        return found

    async def _read_rows(self, given: skill_asks.ReadRowsParams) -> skill_asks.Rows:
        found = await self._rows_output(given.run, given.output)
        return await asyncio.to_thread(found.read, given.start, given.count, given.sort, given.descending)

    async def _show_source(self, given: skill_asks.SourceParams) -> skill_asks.SourceShown:
        found = await self._rows_output(given.run, given.output)
        return await found.show_source(given.row, given.column)

    async def _read_file(self, given: skill_asks.ReadFileParams) -> skill_asks.FileChunk:
        found = await self._output(given.run, given.output)
        chunk: skill_asks.FileChunk = await asyncio.to_thread(found.chunk, given.form, given.offset)
        return chunk

    async def _write_notebook(self, given: run_asks.RunParams) -> skill_asks.NotebookWritten:
        run = await self.runs.find(given.run)
        path = await asyncio.to_thread(write_notebook, run, Path.cwd())
        return skill_asks.NotebookWritten(
            path=str(path.resolve()), address=await asyncio.to_thread(address_of, path)
        )

    # --- recording ---

    @property
    def folder(self) -> Path:
        """Where skills are saved."""
        return self.library.folders[0]

    async def _show_recording(self, given: NoParams) -> skill_asks.RecordingState:
        return self.recordings.state()

    async def _start_recording(self, given: skill_asks.StartRecordingParams) -> skill_asks.RecordingState:
        page = self._page(given.tab)
        if given.last:
            return await self.recordings.take_recent(page, given.last, given.goal)
        return await self.recordings.start(page, given.goal)

    async def _mark_recording(self, given: skill_asks.MarkRecordingParams) -> skill_asks.RecordingState:
        return await self.recordings.mark(given)

    async def _stop_recording(self, given: NoParams) -> skill_asks.RecordingState:
        return await self.recordings.stop()

    async def _drop_recording(self, given: NoParams) -> skill_asks.RecordingState:
        return await self.recordings.drop()

    async def _save_recording(self, given: skill_asks.SaveRecordingParams) -> run_asks.SkillSaved:
        return await self.recordings.save(given, self.folder)

    # --- grants ---

    async def _list_grants(self, given: NoParams) -> skill_asks.GrantList:
        rows = await asyncio.to_thread(grants.table)
        return skill_asks.GrantList(
            grants=[skill_asks.GrantView(id=id, words=words, left=left) for id, words, left, _ in rows]
        )

    async def _revoke_grant(self, given: skill_asks.RevokeParams) -> skill_asks.GrantList:
        await asyncio.to_thread(grants.revoke, given.id)
        return await self._list_grants(NoParams())

    # --- preferences ---

    async def _list_preferences(self, given: NoParams) -> skill_asks.PreferenceList:
        known = await asyncio.to_thread(lambda: dict(preferences))
        return skill_asks.PreferenceList(
            preferences=[
                skill_asks.Preference(site=None if site == ALL else site, words=words)
                for site, words in known.items()
            ]
        )

    async def _set_preference(self, given: skill_asks.Preference) -> skill_asks.PreferenceList:
        await asyncio.to_thread(preferences.__setitem__, given.site or ALL, given.words)
        return await self._list_preferences(NoParams())


def _steered(run: ServedRun) -> run_asks.RunSteered:
    summary = run.summary()
    return run_asks.RunSteered(state=summary.state, words=summary.words)
