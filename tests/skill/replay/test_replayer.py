from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from skillbook.errors import ApprovalRequired, CommandTimeout, NotAllowed, PageClosed, ReplayFailed
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.refs import split_ref
from skillbook.session.page_driver import PageDriver
from skillbook.skill.files.skill_folder import read_skill, write_skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import Check, Extract, SkillStep, StepTarget
from skillbook.skill.replay.replayer import Replay, run_skill
from skillbook.skill.replay.skill_result import SkillResult, StepOutcome, Stopped
from skillbook.skill.targets.element_target import target_of
from tests.session.rig import URL, Rig, outcome
from tests.trees import snapshot

FORM = """
main
  heading "Users" level=1
  textbox "Name" + value="{name}" html_id=name placeholder="Your name"
  button "Save" + html_id=save
  button "Cancel" + html_id=cancel
"""
EMPTY = FORM.format(name="")
SITE = URL.rstrip("/")


def targets(text: str = EMPTY) -> dict[str, StepTarget]:
    return {node.name: target_of(node) for node in snapshot(text).elements}


def spec_of(*steps: SkillStep, **changes: Any) -> SkillSpec:
    known = targets()
    default = (
        SkillStep(
            command="fill",
            target=known["Name"],
            params={"value": "${input:name}"},
            expect=[Check(value="${input:name}", within=1)],
        ),
        SkillStep(
            command="click", target=known["Save"], expect=[Check(text="Saved ${input:name}", within=1)]
        ),
    )
    return SkillSpec.model_validate(
        {
            "name": "add-user", "description": "x", "inputs": [SkillInput(name="name")], "origins": [SITE],
            "steps": [step.model_dump() for step in steps or default], **changes,
        }
    )  # fmt: skip


def quoted(text: str) -> str:
    return json.dumps(text)[1:-1]


class Form:
    """The page behind the rig: it keeps what is filled in, and says so when saved."""

    def __init__(self, rig: Rig, text: str = FORM) -> None:
        self.rig, self.text, self.name = rig, text, ""
        self.clicked: list[str] = []
        self.saved = asyncio.Event()
        rig.extension.handlers |= {"fill": self.fill, "click": self.click, "wait_for": self.wait_for}
        self.show()

    def show(self, more: str = "") -> None:
        self.rig.change(self.text.format(name=quoted(self.name)) + more)

    def label(self, ref: str) -> str:
        return str(Snapshot.from_wire(self.rig.snapshot())[ref].name)

    def fill(self, params: dict[str, Any], tab: Any) -> dict[str, Any]:
        assert self.label(params["ref"])
        self.name = params["value"]
        self.show()
        return outcome()

    def click(self, params: dict[str, Any], tab: Any) -> dict[str, Any]:
        self.clicked.append(self.label(params["ref"]))
        self.saved.set()
        self.show(f'status ""\n  "Saved {quoted(self.name)}"\n')
        return outcome()

    async def wait_for(self, params: dict[str, Any], tab: Any) -> dict[str, Any]:
        if params.get("idle"):
            return {"url": URL, "elapsed_ms": 1.0}
        for _ in range(50):
            if [self.rig.version] != list(params["changed"].values()):
                break
            await asyncio.sleep(0.01)
        else:
            raise CommandTimeout("no change")
        return {"url": URL, "elapsed_ms": 1.0}


async def replay(page: PageDriver, spec: SkillSpec, **options: Any) -> SkillResult:
    return await run_skill(spec, page, {"name": "Ann"}, **options)


async def test_a_saved_skill_replays_on_another_input(rig: Rig, tmp_path: Any) -> None:
    form, page = Form(rig), await rig.open()
    spec = read_skill(write_skill(spec_of(), tmp_path))
    seen: list[StepOutcome] = []
    result = await run_skill(spec, page, {"name": 'O\'Hara "x"'}, progress=seen.append)
    assert result.ok, result.error
    assert form.name == 'O\'Hara "x"'
    assert form.clicked == ["Save"]
    assert [(one.command, one.status, one.how) for one in result.outcomes] == [
        ("fill", "ok", "locator"),
        ("click", "ok", "locator"),
    ]
    assert seen == result.outcomes
    assert result.patch is None
    assert result.model_calls == 0
    assert list(result.steps["status"]) == ["ok", "ok"]


@pytest.mark.parametrize("shows_error", [False, True])
async def test_a_press_that_the_page_refuses_fails_where_nothing_is_checked(
    rig: Rig, shows_error: bool
) -> None:
    form, page = Form(rig), await rig.open()

    def refuse(params: dict[str, Any], tab: Any) -> dict[str, Any]:
        form.show('alert "Ann is already taken"\n')
        return outcome()

    rig.extension.handlers["click"] = refuse
    press = SkillStep(command="click", target=targets()["Save"], shows_error=shows_error)
    result = await replay(page, spec_of(press))
    assert result.ok is shows_error
    assert shows_error or "the page says 'Ann is already taken'" in str(result.error)


@pytest.mark.parametrize("version", ["1", "2"])
async def test_an_earlier_skill_whose_check_holds_may_show_an_error(rig: Rig, version: str) -> None:
    form, page = Form(rig), await rig.open()
    press = SkillStep(command="click", target=targets()["Save"], expect=[Check(present="alert", within=1)])
    spec = spec_of(press, metadata={"skillbook-version": version})
    replay = Replay(spec, page, {"name": "Ann"}, result=SkillResult(spec.name))

    def save(params: dict[str, Any], tab: Any) -> dict[str, Any]:
        replay.requests.let_out.append("POST app.example/users")
        form.show('alert "No error was found"\n')
        return outcome()

    rig.extension.handlers["click"] = save
    assert (await replay.run()).ok is (version == "1"), "a recording of today says `shows_error`"


@pytest.mark.parametrize(
    "name",
    [
        '<img src=x onerror="alert(1)">', '=HYPERLINK("http://evil.test","x")', "+1-1", "@SUM(1)", "${input:name}",
        "'] >> button 'Cancel", "*", "\\", "${$}", "{name}", "\u202eAnn", "x" * 5_000,
    ],
)  # fmt: skip
async def test_markup_formulas_and_selectors_as_inputs_are_typed_as_they_are(rig: Rig, name: str) -> None:
    form, page = Form(rig), await rig.open()
    result = await run_skill(spec_of(), page, {"name": name})
    assert result.ok, result.error
    assert form.name == name
    assert form.clicked == ["Save"]


async def test_fault_51_an_input_that_reads_like_a_secret_is_text(rig: Rig) -> None:
    form, page = Form(rig), await rig.open()
    result = await run_skill(spec_of(), page, {"name": "${secret:pw}"})
    assert result.ok, result.error
    assert form.name == "${secret:pw}"


async def test_a_skill_of_version_1_replays(rig: Rig, tmp_path: Any) -> None:
    form, page = Form(rig), await rig.open()
    place = write_skill(spec_of(), tmp_path)
    file = place / "replay.yaml"
    older = file.read_text().replace("version: 2", "version: 1")
    file.write_text(older.replace("selectors:", "rungs:").replace("fingerprint:", "looks:"))
    result = await replay(page, read_skill(place))
    assert result.ok, result.error
    assert (form.name, form.clicked) == ("Ann", ["Save"])


async def test_new_refs_do_not_matter(rig: Rig) -> None:
    form, page = Form(rig), await rig.open()
    rig.key, rig.first = "second", 500
    form.show()
    result = await replay(page, spec_of())
    assert result.ok, result.error
    assert split_ref(rig.sent("click")[0]["ref"]).number >= 500


async def test_a_renamed_button_is_healed_and_the_patch_fixes_the_skill(rig: Rig, tmp_path: Any) -> None:
    form, page = Form(rig, FORM.replace('button "Save"', 'button "Store"')), await rig.open()
    spec = spec_of()
    result = await replay(page, spec)
    assert result.ok, result.error
    assert form.clicked == ["Store"]
    assert [one.how for one in result.healed] == ["alternative"]
    assert result.patch is not None
    place = write_skill(spec, tmp_path)
    assert read_skill(place) == spec
    healed = result.patch.apply_to(spec)
    assert healed.steps[1].target is not None
    assert healed.steps[1].target.selectors[0] == "button 'Store'"
    assert "Store" in repr(result.patch)
    again = await replay(page, healed)
    assert again.ok
    assert again.healed == []


async def test_changed_ids_alone_do_not_matter(rig: Rig) -> None:
    form, page = Form(rig, FORM.replace("html_id=save", "html_id=b17")), await rig.open()
    result = await replay(page, spec_of())
    assert result.ok, result.error
    assert result.healed == []
    assert form.clicked == ["Save"]


async def test_renamed_with_another_id_is_refused_and_nothing_clicked(rig: Rig) -> None:
    changed = FORM.replace('button "Save" + html_id=save', 'button "Continue" + html_id=b17')
    form, page = Form(rig, changed), await rig.open()
    result = await replay(page, spec_of())
    assert not result.ok
    assert isinstance(result.error, ReplayFailed)
    assert result.error.data["step"] == 2
    assert {one["name"] for one in result.error.data["candidates"]} >= {"Continue", "Cancel"}
    assert form.clicked == []
    assert [one.status for one in result.outcomes] == ["ok", "failed"]


async def test_two_alike_are_refused(rig: Rig) -> None:
    form, page = Form(rig, FORM.replace("html_id=save", "") + '  button "Save" +\n'), await rig.open()
    result = await replay(page, spec_of())
    assert isinstance(result.error, ReplayFailed)
    assert "2 elements match button 'Save'" in result.error.message
    assert form.clicked == []


async def test_of_two_alike_the_recorded_one_is_taken_where_it_is_sure(rig: Rig) -> None:
    other = 'dialog "Help"\n  button "Save" + html_id=save-help tag=a\n'
    form, page = Form(rig, FORM + other), await rig.open()
    result = await replay(page, spec_of())
    assert result.ok, result.error
    assert result.healed == []
    assert split_ref(rig.sent("click")[0]["ref"]).number == 4
    assert form.clicked == ["Save"]


async def test_a_healer_is_asked_last(rig: Rig) -> None:
    changed = FORM.replace('button "Save" + html_id=save', 'button "Continue" + html_id=b17')
    form, page = Form(rig, changed), await rig.open()

    async def healer(wanted: StepTarget, note: str, seen: Snapshot, candidates: list[Node]) -> str | None:
        assert wanted.selectors[0] == "button 'Save'"
        return next(node.ref for node in candidates if node.name == "Continue")

    result = await replay(page, spec_of(), healer=healer)
    assert result.ok, result.error
    assert form.clicked == ["Continue"]
    assert result.healed[0].how == "model"
    assert result.model_calls == 1


async def test_an_element_that_comes_late_is_waited_for(rig: Rig) -> None:
    form, page = Form(rig, 'main\n  heading "Loading" level=1\n'), await rig.open()

    async def load() -> None:
        await asyncio.sleep(0.3)
        form.text = FORM
        form.show()

    task = asyncio.create_task(load())
    result = await replay(page, spec_of())
    await task
    assert result.ok, result.error
    assert result.healed == []


async def test_a_check_that_fails_ends_the_run(rig: Rig) -> None:
    form, page = Form(rig), await rig.open()
    known = targets()
    spec = spec_of(
        SkillStep(command="click", target=known["Cancel"], expect=[Check(text="Cancelled", within=0.3)]),
        SkillStep(command="click", target=known["Save"]),
    )
    result = await replay(page, spec)
    assert isinstance(result.error, ReplayFailed)
    assert "doesn't show 'Cancelled'" in result.error.message
    assert "step 1 of 2" in result.error.message
    assert result.error.hint == "look at the page, or change `text` under `expect` of step 1 in replay.yaml"
    assert form.clicked == ["Cancel"]
    with pytest.raises(ReplayFailed):
        result.raise_for_error()


async def test_a_reading_that_gives_no_row_quotes_the_page_and_names_the_line_that_wants_one(
    rig: Rig,
) -> None:
    Form(
        rig,
        'main\n  heading "Specimens"\n  paragraph\n    "No specimens found"\n  table\n    row\n'
        '      columnheader "Sheet"\n      columnheader "Site"\n',
    )
    page = await rig.open()
    spec = spec_of(SkillStep(command="extract", extract=Extract(), expect=[Check(rows=1)]))
    result = await replay(page, spec)
    assert isinstance(result.error, ReplayFailed)
    assert '0 rows were read, not at least 1; the page says "No specimens found"' in result.error.message
    assert result.error.hint == (
        "look at the page; to accept fewer rows, or none, change `rows: 1` under `expect` of step 1 in replay.yaml to "
        "`rows: 0`"
    )
    spec = spec_of(SkillStep(command="extract", extract=Extract(), expect=[Check(rows=0)]))
    assert (await replay(page, spec)).ok


async def test_what_the_page_finds_wrong_is_quoted(rig: Rig) -> None:
    form, page = Form(rig, FORM + '  alert "Error: no seats are left"\n'), await rig.open()
    rig.extension.handlers["click"] = lambda params, tab: (
        form.show('alert "Error: the name is too short"\n'),
        outcome(),
    )[1]
    result = await replay(page, spec_of())
    assert isinstance(result.error, ReplayFailed)
    assert "and the page says 'Error: the name is too short'" in result.error.message
    assert "seats" not in result.error.message


async def test_an_optional_step_may_fail(rig: Rig) -> None:
    form, page = Form(rig), await rig.open()
    gone = StepTarget(
        selectors=["button 'Accept cookies'"], fingerprint={"role": "button", "name": "Accept cookies"}
    )
    spec = spec_of(
        SkillStep(command="click", target=gone, optional=True),
        SkillStep(command="click", target=targets()["Save"]),
    )
    result = await replay(page, spec)
    assert result.ok, result.error
    assert [one.status for one in result.outcomes] == ["skipped", "ok"]
    assert form.clicked == ["Save"]


async def test_writes_outside_the_skills_origins_are_refused(rig: Rig) -> None:
    form, page = Form(rig), await rig.open()
    result = await replay(page, spec_of(origins=["https://other.example"]))
    assert isinstance(result.error, NotAllowed)
    assert "https://other.example" in result.error.hint
    assert form.name == ""
    assert rig.sent("fill") == []


async def test_irreversible_steps_ask(rig: Rig) -> None:
    text = FORM.replace('button "Cancel" + html_id=cancel', 'button "Delete" +')
    form, page = Form(rig, text), await rig.open()
    spec = spec_of(SkillStep(command="click", target=targets(text)["Delete"]))
    result = await replay(page, spec)
    assert isinstance(result.error, ApprovalRequired)
    assert form.clicked == []
    asked: list[str] = []
    result = await replay(page, spec, approve=lambda question: bool(asked.append(question)))
    assert not result.ok
    assert len(asked) == 1
    assert "Delete" in asked[0]
    assert (await replay(page, spec, approve="another digest")).error is not None
    assert form.clicked == []
    assert (await replay(page, spec, approve=spec.digest)).ok
    assert (await replay(page, spec, approve=lambda question: True)).ok
    assert form.clicked == ["Delete", "Delete"]


async def test_a_stop_is_clean_and_says_how_far_it_came(rig: Rig) -> None:
    form, page = Form(rig), await rig.open()
    spec = spec_of(
        SkillStep(command="click", target=targets()["Save"]),
        SkillStep(command="click", target=StepTarget(selectors=["button 'Never'"])),
    )
    result, pressed = SkillResult("add-user"), asyncio.Event()
    task = asyncio.create_task(replay(page, spec, result=result, progress=lambda _: pressed.set()))
    await asyncio.wait_for(pressed.wait(), 5)
    await asyncio.wait({task}, timeout=0.1)
    assert form.saved.is_set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [one.status for one in result.outcomes] == ["ok", "failed"]
    assert isinstance(result.error, ReplayFailed)
    assert "stopped at step 2" in result.error.message
    assert (await replay(page, spec_of())).ok


async def test_the_start_is_gone_to_unless_the_page_is_there(rig: Rig) -> None:
    Form(rig)
    page = await rig.open()
    rig.extension.handlers["goto"] = lambda params, tab: {"url": URL, "title": "Users", "elapsed_ms": 1.0}
    assert (await replay(page, spec_of(start=URL))).ok
    assert rig.sent("goto") == []
    assert (await replay(page, spec_of(start=URL), start="always")).ok
    assert rig.sent("goto") == [{"url": URL, "wait": "load"}] or rig.sent("goto") == [{"url": URL}]


async def test_an_item_that_is_not_there_is_never_replaced_by_the_recorded_one(rig: Rig) -> None:
    text = 'main\n  list\n    listitem\n      link "Red lamp" + href=/1\n    listitem\n      link "Chair" + href=/2\n'
    form, page = Form(rig, text), await rig.open()
    target = StepTarget(
        selectors=["link '${input:name}'", "link [href='/1']"],
        fingerprint={"role": "link", "name": "${input:name}", "href": "/1"},
    )
    result = await replay(page, spec_of(SkillStep(command="click", target=target)))
    assert isinstance(result.error, ReplayFailed)
    assert form.clicked == []


async def test_a_run_resumes_at_the_failed_step_and_only_checks_what_was_done(rig: Rig) -> None:
    form, page = Form(rig), await rig.open()
    real = rig.extension.handlers["click"]

    def quiet(params: dict[str, Any], tab: Any) -> dict[str, Any]:
        form.clicked.append(form.label(params["ref"]))
        return outcome()

    rig.extension.handlers["click"] = quiet
    result = await replay(page, spec_of())
    assert not result.ok
    assert result.stopped == Stopped(2, "yes")
    rig.extension.handlers["click"] = real
    form.name = "Ann"
    form.show('status ""\n  "Saved Ann"\n')
    result.outcomes.pop()
    again = await replay(page, spec_of(), result=result, stopped=result.stopped)
    assert again is result
    assert result.ok, result.error
    assert result.stopped is None
    assert form.clicked == ["Save"]
    assert [one.status for one in result.outcomes] == ["ok", "ok"]


def test_what_nobody_knows_is_not_done_again_unasked() -> None:
    asked: list[Stopped] = []
    result = SkillResult("x", stopped=Stopped(3, "unknown"), again=lambda r, s, o: asked.append(s) or r)
    with pytest.raises(ReplayFailed, match="nobody knows"):
        result.resume()
    assert result.resume(done=True) is result
    assert asked == [Stopped(3, "yes")]
    with pytest.raises(ReplayFailed, match="nothing to resume"):
        SkillResult("x").resume()


async def test_a_step_that_acted_says_so_whatever_goes_wrong_then(rig: Rig) -> None:
    form, page = Form(rig), await rig.open()
    rig.extension.handlers["click"] = lambda params, tab: outcome()
    result = await replay(page, spec_of())
    assert result.error is not None
    assert "click was done, but the page doesn't show 'Saved Ann'" in result.error.message

    def closes(params: Any, tab: Any) -> dict[str, Any]:
        rig.extension.handlers["wait_for"] = gone
        return outcome()

    def gone(params: Any, tab: Any) -> dict[str, Any]:
        raise PageClosed("the page was closed")

    form.name = ""
    form.show()
    rig.extension.handlers["click"] = closes
    result = await replay(page, spec_of())
    assert result.error is not None
    assert "click was done, but then: the page was closed" in result.error.message
