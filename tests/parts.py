"""Parts of the suite: where their tests stand, what they test, and which of them always run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Part(NamedTuple):
    """Tests of one thing.

    Attributes
    ----------
    files : patterns of the files that they stand in.
    tests : what they test, files and folders of the repository.
    core : parts of the ids of those that always run.
    nth : of the others, each so many runs as well; 0 for none.
    """

    files: tuple[str, ...]
    tests: tuple[str, ...]
    core: tuple[str, ...] = ()
    nth: int = 0


def _integration(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/integration/test_{name}.py" for name in names)


WHOLE: Mapping[str, Part] = {
    "conformance": Part(
        ("tests/conformance/*",),
        ("extension/src/engine", "extension/src/shared", "skillbook/perception", "tests/conformance"),
        (
            "test_page[own/",
            "test_generated_documents[0]",
            "test_what_is_not_allowed",
            "test_a_wrong_expectation",
        ),
        9,
    ),
    "lab": Part(
        ("tests/lab/*",),
        ("skillbook/notebook", "skillbook/serving", "extension/src/ui/notebook", "requirements-dev.txt"),
        ("test_quickstart.py",),
        40,
    ),
}
"""Folders of which even each case of a test runs once something has changed."""

PARTS: Mapping[str, Part] = {
    **WHOLE,
    "exploration": Part(
        ("tests/exploration/*", "notebooks/explore_a_site.ipynb"),
        ("skillbook/exploration",),
        (
            "test_the_way_is_found_without_logging_out",
            "test_the_budget_of_pages_ends_it",
            "test_a_page_that_never_answers_is_left",
            "test_links_that_change_something_by_their_address",
            "test_site_memory_store.py",
            "test_graph_drawing.py",
        ),
    ),
    "many rows": Part(
        (*_integration("far_workers", "map"), "notebooks/map_over_inputs.ipynb"),
        ("skillbook/scale", "tests/integration/far_workers.py"),
        ("test_every_row_comes_once", "test_rows_are_checked", "test_whole_numbers_beside_blanks"),
    ),
    "evaluations": Part(
        (
            *_integration("evaluate_targets", "eval_suites"),
            "tests/evals/test_langsmith_upload.py",
            "notebooks/evaluate_a_skill.ipynb",
        ),
        ("skillbook/evals",),
        (
            "test_an_agents_calls_cost_and_answer_are_scored",
            "test_a_failing_function_ends_its_attempt_only",
            "test_values_of_inputs_and_cookies_stay_here",
        ),
    ),
    "watches": Part(
        (*_integration("watch_service", "watches"), "notebooks/watch_a_page.ipynb"),
        ("skillbook/serving/watches", "skillbook/serving/service.py"),
        ("test_a_page_is_read_when_its_time_has_come", "test_who_may_make_a_watch"),
    ),
    "nbtest": Part(
        ("tests/testing/test_nbtest.py", "notebooks/regression_test.ipynb"),
        ("skillbook/testing/nbtest.py", "skillbook/testing/nbval_outputs.py"),
        ("test_cells_that_differ_fail_or_hang",),
    ),
    "notebooks": Part(
        ("notebooks/[!q]*", "tests/test_notebooks_twice.py"),
        ("skillbook/notebook", "skillbook/cells", "skillbook/skill/recording"),
    ),
    "documents": Part(
        ("tests/test_site.py", *_integration("documented_blocks")),
        ("docs", "notebooks", "README.md", "CHANGELOG.md", "skillbook/cli", "pyproject.toml"),
        (
            "test_hints_and_the_wheel",
            "test_no_line_of_python",
            "test_every_block_says",
            "test_every_block_of_data",
            "test_every_block_of_python_runs[README.md]",
        ),
    ),
    "wheel": Part(
        ("tests/test_wheel.py",),
        ("pyproject.toml", "hatch_build.py", "skillbook/launcher", "skillbook/testing/demo.py", "skillbook/cli"),
        ("test_it_holds_the_extension",),
    ),
    "connections": Part(
        _integration(
            "pairings", "sharing", "connect", "remote", "unshared_windows", "stopped_browser", "dead_browser",
            "open_browsers", "serve", "service_worker",
        ),
        (
            "extension/src/background/connection", "extension/src/background/tabs", "extension/src/ui/popup",
            "extension/src/background/store.ts", "extension/src/background/index.ts", "extension/src/content/pair.ts",
            "skillbook/bridge", "skillbook/launcher", "skillbook/session/start.py",
            "skillbook/session/browser_driver.py", "skillbook/session/shared_tabs.py",
        ),
        (
            "test_unpair_takes_token",
            "test_a_busy_kernel_stays_connected",
            "test_one_click_pairs_and_only_shared_tabs_are_seen",
            "test_fault_66_acting_is_refused_and_reading_is_not",
            "test_every_call_fails_at_once_and_says_so",
            "test_fault_21_a_press_never_lands_on_something_else",
            "test_a_page_that_opens_another_shares_it",
        ),
    ),
    "side panel": Part(
        _integration(
            "side_panel", "side_panel_states", "side_panel_chat", "side_panel_page_tools", "side_panel_steering",
            "who_can_ask", "ui", "mcp_panel_answers",
        ),
        (
            "extension/src/ui", "extension/src/background/connection", "skillbook/serving",
            "tests/integration/side_panel.py", "tests/integration/panel_views.py",
        ),
        (
            "test_a_goal_is_asked_decided_and_done",
            "test_a_hundred_skills_and_their_forms",
            "test_a_workflow_that_only_yields_stops",
            "test_an_answer_decides_on_its_own_question",
        ),
    ),
    "MCP": Part(
        _integration(
            "mcp_server", "mcp_options", "mcp_cancelled", "mcp_new_sites", "mcp_workflows", "mcp_answer_budget",
            "mcp_http", "mcp_conformance", "mcp_out_of_reach",
        ),
        ("skillbook/mcp_server", "skillbook/agents/tools", "skillbook/protocol/commands"),
        (
            "test_what_cant_be_undone_is_asked_in_the_clients_dialog",
            "test_where_nobody_can_be_asked_it_is_refused",
            "test_without_the_token_nothing_is_answered",
            "test_a_rejected_site_is_asked_about_again",
            "test_typing_that_is_cancelled_stops",
            "test_nothing_of_a_workflow_runs_unless",
            "test_ask_says_which_calls_wait",
            "test_every_tool_is_tried",
        ),
    ),
    "terminal": Part(
        (*_integration("terminal"), "tests/notebook/html/test_run_lines.py"),
        ("skillbook/serving", "skillbook/cli", "skillbook/notebook/html"),
        (
            "test_what_cannot_be_undone_waits",
            "test_rows_are_csv_or_json",
            "test_the_socket_is_its_users_alone",
            "bench",
        ),
    ),
    "kept state": Part(
        _integration("saved_state", "state_databases", "keeping"),
        (
            "skillbook/session/saved_state.py", "skillbook/session/state_keeping.py",
            "skillbook/session/kept_profiles.py", "extension/src/content/databases",
            "extension/src/background/commands/site_state.ts",
        ),
        ("test_a_state_signs_a_new_browser_in", "test_what_no_file_keeps_is_refused"),
    ),
    "cassettes": Part(
        _integration("cassettes"),
        ("skillbook/session/cassette", "extension/src/background/requests/cassettes.ts"),
        ("test_a_request_that_is_not_there", "test_nothing_secret_is_in_its_files"),
    ),
    "recordings": Part(
        _integration("demonstration", "recent_acts"),
        (
            "skillbook/skill/recording", "skillbook/skill/authoring", "skillbook/serving/recordings.py",
            "skillbook/session/page/recent_acts.py", "extension/src/content/gesture_recorder.ts",
            "extension/src/background/commands/record.ts",
        ),
        (
            "test_what_a_person_shows_replays_on_another_input",
            "test_each_kind_of_gesture_becomes_one_step",
            "test_boxes_that_a_page_sets_itself_are_steps",
            "test_a_secret_is_kept_by_name",
            "test_fault_94_what_a_person_typed",
        ),
    ),
    "lost connections": Part(
        ("tests/faults/test_[!f]*",),
        (
            "extension/src/background/connection", "extension/src/background/input", "extension/src/background/tabs",
            "extension/src/background/store.ts", "extension/src/background/index.ts", "skillbook/bridge",
            "tests/faults",
        ),
        (
            "test_fault_12_a_killed_worker",
            "test_fault_11_a_cut_repeats",
            "test_input_that_the_browser_keeps",
            "test_fault_33_a_request_that_waits_when_the_worker",
        ),
    ),
    "cells": Part(
        _integration("cells", "cell_tabs", "saved_cells", "cell_skills", "cell_limits"),
        (
            "skillbook/cells", "skillbook/agents/middleware", "skillbook/agents/run", "skillbook/agents/review",
            "skillbook/agents/state", "skillbook/agents/tools/cell_tool.py", "skillbook/skill/authoring",
            "skillbook/skill/replay/code_run.py",
        ),
        (
            "test_what_is_wrong_comes_back_with_its_line",
            "test_a_cell_that_is_approved_whole_asks_no_more",
            "test_what_can_not_be_undone_asks_within",
            "test_a_held_request_that_is_refused_raises",
            "test_fault_70",
            "test_ctrl_c_stops_within_a_cell",
            "test_a_fork_at_a_line",
            "test_a_call_of_another_tab_is_shown_there",
            "test_a_skill_that_is_code_heals_and_refuses",
            "test_a_skill_asks_at_its_line",
        ),
    ),
    "controller": Part(
        _integration("controller", "scout", "first_attempts"),
        ("skillbook/agents/control", "skillbook/agents/run", "skillbook/skill/builtin", "skillbook/goals"),
        (
            "test_last_months_invoice",
            "test_a_call_that_the_person_refuses",
            "test_a_page_that_was_found_is_not_what",
            "test_a_saved_skill_for_another_thing",
            "test_the_model_goes_on_where_a_saved_skill_is_refused",
            "test_nonsense_and_doubt_choose_nothing",
            "test_each_step_waits_for_approval",
            "test_a_goal_that_is_more_than_a_skills",
        ),
    ),
    "agents' properties": Part(
        (
            "tests/agents/test_assistant_properties.py",
            "tests/agents/test_approval_properties.py",
            "tests/agents/test_call_ids.py",
            "tests/agents/test_chat_openai.py",
        ),
        ("skillbook/agents", "skillbook/testing/openai_server.py", "skillbook/testing/scripted_model.py"),
        (
            "test_property_03",
            "test_property_06",
            "test_property_09",
            "test_no_call_goes_without_its_approval",
            "test_every_call_is_made_once_whatever_its_id",
            "test_a_fault_fails_the_run",
        ),
    ),
    "pages' tools": Part(
        _integration("page_tools", "page_tool_calls"),
        (
            "extension/src/content/page_tools.ts", "extension/src/background/commands/page_tools.ts",
            "extension/src/background/commands/page_tool_call.ts", "skillbook/protocol/commands",
            "skillbook/agents/tools", "skillbook/skill/replay",
        ),
        (
            "test_an_agent_is_asked_about_every_call",
            "test_what_a_tool_says_of_itself_is_not_believed",
            "test_arguments_that_the_tool_does_not_declare",
            "test_a_tool_that_is_not_there_or_fails",
        ),
    ),
    "logs": Part(
        _integration("trace", "transparency", "playwright_export", "causes_as_traced"),
        (
            "skillbook/journal", "skillbook/skill/playwright_export", "extension/src/page",
            "extension/src/background/tabs/causes_script.ts", "extension/src/content/page_causes.ts",
        ),
        (
            "test_a_run_is_one_file_that_opens_anywhere",
            "test_programs_give_the_same_logs_with_and_without_the_script",
            "test_what_chrome_gives_to_a_click",
        ),
    ),
    "killed kernels": Part(
        (
            "tests/agents/test_killed_cell.py",
            "tests/agents/test_killed_run.py",
            *_integration("killed_skill", "resumed_run", "recover"),
        ),
        (
            "skillbook/agents/state", "skillbook/agents/run", "skillbook/agents/middleware", "skillbook/cells",
            "skillbook/journal", "skillbook/session/page_driver.py", "tests/agents/killed_cell.py",
            "tests/agents/killed_run.py", "tests/integration/killed_skill.py",
        ),
        ("test_fault_27_a_killed_run_never_repeats_a_write", "test_fault_41", "test_a_killed_kernel_loses_no_row"),
    ),
}  # fmt: skip
"""All parts; a file is of the first one that has a pattern of it."""
