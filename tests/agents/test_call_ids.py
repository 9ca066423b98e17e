"""A call is known by its turn and its place, whatever ids a server gives; it gets its own ids back."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_openai import ChatOpenAI

from skillbook.agents.models.answer_faults import given_back, identify
from skillbook.agents.models.choice import choose_model
from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_start import make_run
from skillbook.agents.state.checkpoints import find_run
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.call_history import restore_steps
from skillbook.config import Settings
from skillbook.errors import ModelUnreachable
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.agents.test_chat_openai import Saved, _closed, prepare, server
from tests.session.rig import Rig, outcome

__all__ = ["_closed", "server"]
GOLDEN = Path(__file__).with_name("golden") / "runs_of_an_earlier_version.db.gz"
SAVE, DELETE = {"target": "button 'Save'"}, {"target": "button 'Delete'"}


def call(*calls: tuple[str, dict[str, Any]], ids: Any = "call_0", **metadata: Any) -> AIMessage:
    """An answer whose calls all have one id, or one of a list each."""
    given = ids if isinstance(ids, list) else [ids] * len(calls)
    made = [
        {"name": name, "args": args, "id": each, "type": "tool_call"}
        for (name, args), each in zip(calls, given, strict=True)
    ]
    return AIMessage("", tool_calls=made, response_metadata=metadata)


def sent_ids(server: OpenAIServer) -> list[Any]:
    """The ids in the conversation of the last request: of each call, and of what each result answers."""
    messages = server.requests[-1].body["messages"]
    return [
        [each["id"] for each in message["tool_calls"]]
        if message.get("tool_calls")
        else message["tool_call_id"]
        for message in messages
        if message.get("tool_calls") or message["role"] == "tool"
    ]


async def run_of(rig: Rig, server: OpenAIServer, steps: list[Any], streaming: bool, **options: Any) -> Run:
    run = await prepare(rig, server, steps, **options)
    model = run._stepper.context.choice.model
    assert isinstance(model, ChatOpenAI)
    model.streaming = streaming
    return await run.settle()


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("given", ["call_0", "", None])
async def test_every_call_is_made_once_whatever_its_id(
    rig: Rig, server: OpenAIServer, given: str | None, streaming: bool
) -> None:
    steps = [
        call(("find", {"query": "Save"}), ids=given),
        call(("click", SAVE), ids=given),
        call(("click", SAVE), ids=given),
        call(("fill", {"target": "textbox 'Name'", "value": "Ada"}), ids=given),
        "Done.",
    ]
    run = await run_of(rig, server, steps, streaming)
    assert (run.status, run.result) == ("succeeded", "Done.")
    assert (len(rig.sent("click")), len(rig.sent("fill"))) == (2, 1)
    assert len({step.call_id for step in run.records}) == len(run.records) == 4
    assert all("already" not in step.result for step in run.records)
    back = [given or f"call_{turn}_0" for turn in range(4)]
    assert sent_ids(server) == [part for each in back for part in ([each], each)]


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
async def test_calls_of_one_answer_with_one_id_are_made_one_at_a_time(
    rig: Rig, server: OpenAIServer, streaming: bool
) -> None:
    steps = [call(("click", SAVE), ("click", DELETE)), call(("click", SAVE), ("click", SAVE)), "Done."]
    run = await run_of(rig, server, steps, streaming)
    assert run.status == "succeeded"
    assert [step.args for step in run.records] == [SAVE, SAVE]
    assert len(rig.sent("click")) == 2
    texts = [message.text for message in run.messages if isinstance(message, ToolMessage)]
    assert ["Not run" in text for text in texts] == [False, True, False, True]


async def test_a_schemas_call_needs_no_id(rig: Rig, server: OpenAIServer) -> None:
    steps = [call(("click", SAVE), ids=None), call(("Saved", {"who": 5}), ids=None), "It is Ada."]
    run = await (
        await prepare(rig, server, [*steps, call(("Saved", {"who": "Ada"}), ids=None)], Saved)
    ).settle()
    assert (run.status, run.result) == ("succeeded", Saved(who="Ada"))
    assert "not in words" in server.requests[-1].body["messages"][-1]["content"]


async def test_words_twice_are_no_result_of_a_schema(rig: Rig, server: OpenAIServer) -> None:
    run = await (await prepare(rig, server, ["It is Ada.", "Ada."], Saved)).settle()
    assert run.status == "failed"
    assert isinstance(run.error, ModelUnreachable)


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (AIMessage(""), "empty"),
        (AIMessage("The lamp is", response_metadata={"finish_reason": "length"}), "cut off"),
        (AIMessage('{"name": "click", "arguments": {"target": "e2"}}'), "written as text"),
        (AIMessage("<tool_call>\n{\"name\": \"click\"}</tool_call>"), "written as text"),
        (call(("fill", {"target": "textbox 'Name'", "value": "Ad"}), finish_reason="length"), "cut off"),
    ],
)  # fmt: skip
async def test_an_answer_that_is_none_is_asked_for_once_more_and_then_fails_the_run(
    rig: Rig, server: OpenAIServer, bad: AIMessage, words: str, streaming: bool
) -> None:
    run = await run_of(rig, server, [bad, "Done.", bad, bad, "Now it is done."], streaming)
    assert (run.status, run.result) == ("succeeded", "Done.")
    assert words in server.requests[1].body["messages"][-1]["content"]
    again = await run_of(rig, server, [], streaming, run_id="run-2")
    assert (again.status, again.result) == ("failed", None)
    assert isinstance(again.error, ModelUnreachable)
    assert words in again.error.message
    assert rig.sent("fill") == []
    await again.settle()
    assert (again.status, again.result) == ("succeeded", "Now it is done.")


@pytest.mark.parametrize(
    "bad",
    [
        AIMessage("I can", response_metadata={"finish_reason": "content_filter"}),
        AIMessage("", additional_kwargs={"refusal": "I can't content_filter that."}),
    ],
)
async def test_an_answer_that_was_kept_back_fails_the_run_with_the_reason(
    rig: Rig, server: OpenAIServer, bad: AIMessage
) -> None:
    run = await (await prepare(rig, server, [bad])).settle()
    assert run.status == "failed"
    assert run.error is not None
    assert "content_filter" in run.error.message


async def test_other_spellings_of_a_call_cost_no_turn(rig: Rig, server: OpenAIServer) -> None:
    ref = (await (await rig.open()).snapshot()).find("button 'Save'").ref
    field = "textbox 'Name'"
    steps = [
        call(("fill", {"target": field, "value": 5})),
        ToolCall("snapshot", ""),
        *[call(("click", {"target": form.format(ref)})) for form in ("[ref={}]", "ref={}", "@{}", "[{}]")],
        call(("click", SAVE | {"element": "the save button"})),
        call(("find", {"query": "Save", "why": "to press it"})),
        call(("wait_for", {"seconds": "0.01"})),
        "Done.",
    ]
    run = await run_of(rig, server, steps, streaming=False)
    assert [step.error for step in run.records] == [None] * 9, [step.result for step in run.records]
    assert rig.sent("fill")[0]["value"] == "5"
    assert [sent["ref"] for sent in rig.sent("click")] == [ref] * 5
    texts = [message.text for message in run.messages if isinstance(message, ToolMessage)]
    assert "`click` has no argument `element`" in texts[6]
    assert "`find` has no argument `why`" in texts[7]
    assert run.records[6].args == SAVE


async def test_what_cannot_be_undone_is_not_done_with_an_argument_left_out(
    rig: Rig, server: OpenAIServer
) -> None:
    rig.change('main\n  button "Pay now" +\n')
    steps = [call(("click", {"target": "button 'Pay now'", "dry_run": True})), "Done."]
    run = await run_of(rig, server, steps, streaming=False)
    assert run.records[0].error == "invalid_params"
    assert "dry_run" in run.records[0].result
    assert rig.sent("click") == []


@pytest.mark.parametrize("run_id", ["run-constant", "run-blank"])
async def test_a_run_that_waits_since_an_earlier_version_goes_on(
    rig: Rig, tmp_path: Path, run_id: str
) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(gzip.decompress(GOLDEN.read_bytes()))
    settings = rig.driver.settings
    rig.extension.handlers["click"] = lambda params, tab: outcome()
    model = ScriptedModel([call(("click", DELETE)), call(("click", DELETE)), "Done."])
    context = RunContext(
        run_id,
        "save it",
        await rig.open(),
        choose_model(model, settings),
        resumed=True,
        kept=find_run(path, run_id),
    )
    run = await make_run(context, settings).settle()
    for _ in range(3):
        assert run.status == "waiting", run.error
        run._stepper.decide({"type": "approve"}, run.pending.id)
        await run._stepper.settled()
    assert (run.status, run.result) == ("succeeded", "Done.")
    assert len(rig.sent("click")) == 3


def test_ids_are_ours_as_long_as_the_answer_is_here_and_given_back_after() -> None:
    broken = [
        {"name": "snapshot", "args": "", "id": "x", "error": None, "type": "invalid_tool_call"},
        {"name": "click", "args": {"target": "e2"}, "id": None, "error": None, "type": "invalid_tool_call"},
        {"name": "click", "args": '{"tar', "id": "x", "error": None, "type": "invalid_tool_call"},
    ]
    answer = call(("click", SAVE), ids="x").model_copy(
        update={"invalid_tool_calls": broken, "id": "chatcmpl-1"}
    )
    ours = identify(answer, "run-1", 4)
    assert ours.id == "run-1-4"
    assert [(each["id"], each["args"]) for each in ours.tool_calls] == [
        ("run-1-4-0", SAVE), ("run-1-4-1", {}), ("run-1-4-2", {"target": "e2"}),
    ]  # fmt: skip
    assert [each["id"] for each in ours.invalid_tool_calls] == ["run-1-4-3"]
    result, theirs = ToolMessage("done", tool_call_id="run-1-4-2"), ToolMessage("done", tool_call_id="other")
    back: list[Any] = list(given_back([ours, result, theirs]))
    assert back[0].id == "chatcmpl-1"
    assert [each["id"] for each in back[0].tool_calls] == ["x", "x", "call_4_2"]
    assert [message.tool_call_id for message in back[1:]] == ["call_4_2", "other"]
    assert "given_ids" not in back[0].response_metadata


def test_results_of_a_run_of_an_earlier_version_are_those_of_their_own_turn() -> None:
    from skillbook.agents.tools.note_tools import note_tools

    (tool, *_) = note_tools(
        RunContext("r", "g", None, choose_model(ScriptedModel([]), Settings(_env_file=None)))
    )
    made: list[Any] = []
    for words in ("first", "second"):
        made += [call((tool.name, {"n": words})), ToolMessage(words, tool_call_id="call_0")]
    steps = restore_steps(made, {tool.name: tool})
    assert [step.result for step in steps] == ["first", "second"]
