"""How a reader would solve MiniWoB++ tasks: generators that yield tool calls and get each tool's answer.

Each gets the task's utterance and the first page text; what it knows of the page it reads from the answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator

from langchain_core.messages import BaseMessage

from skillbook.testing.scripted_model import ScriptedModel, ToolCall

Solving = Generator[ToolCall, str, None]
Solver = Callable[[str, str], Solving]


def model_of(solver: Solver, utterance: str) -> ScriptedModel:
    """A scripted model that solves one task by looking first."""
    solving: list[Solving] = []

    def answer(messages: list[BaseMessage]) -> ToolCall | str:
        text = str(messages[-1].text)
        if not solving:
            solving.append(_look_then(solver, utterance))
            return next(solving[0])
        try:
            return solving[0].send(text)
        except StopIteration:
            return "done"

    return ScriptedModel(answer)


def _look_then(solver: Solver, utterance: str) -> Solving:
    page = yield ToolCall("snapshot", {})
    yield from solver(utterance, page)


def click(target: str) -> ToolCall:
    """Click a ref or role selector."""
    return ToolCall("click", {"target": target})


def fill(target: str, value: str) -> ToolCall:
    """Fill a field."""
    return ToolCall("fill", {"target": target, "value": value})


def quoted(text: str) -> list[str]:
    """The strings in double quotes."""
    return re.findall(r'"([^"]*)"', text)


def names_between(text: str, start: str, end: str) -> list[str]:
    """The comma-separated names between two words."""
    return [name.strip() for name in text.split(start, 1)[1].rsplit(end, 1)[0].split(",")]


def refs(page: str, pattern: str) -> list[str]:
    """The refs of lines or parts of lines that a pattern matches before its ref."""
    return re.findall(rf"{pattern}[^\n\"]*?\[ref=((?:f\d+)?e\d+)\]", page)


def click_quoted_button(utterance: str, page: str) -> Solving:
    yield click(refs(page, f'button "{re.escape(quoted(utterance)[0])}"')[0])


def click_named_buttons(utterance: str, page: str) -> Solving:
    for name in re.findall(r"\b(ONE|TWO)\b", utterance):
        yield click(f"button '{name}'")


def click_only_button(utterance: str, page: str) -> Solving:
    yield click("button nth 1")


def click_dialog_button(utterance: str, page: str) -> Solving:
    name = quoted(utterance)[0]
    yield click(f"button '{'Close' if name == 'x' else name}' in dialog")


def click_quoted_link(utterance: str, page: str) -> Solving:
    yield click(refs(page, f'"{re.escape(quoted(utterance)[0])}"')[0])


def click_tab(utterance: str, page: str) -> Solving:
    yield click(f"link '{utterance.removeprefix('Click on ').rstrip('.')}'")


def click_link_on_tab(utterance: str, page: str) -> Solving:
    wanted = quoted(utterance)[0]
    for tab in ("Tab #1", "Tab #2", "Tab #3"):
        yield click(f"link '{tab}'")
        shown = yield ToolCall("snapshot", {})
        if found := refs(shown, f'generic "{re.escape(wanted)}"'):
            yield click(found[0])
            return


def open_section(utterance: str, page: str) -> Solving:
    yield click("tab name~'Section'")
    yield click("button 'Submit'")


def check_boxes(utterance: str, page: str) -> Solving:
    for name in names_between(utterance, "Select ", " and click"):
        yield ToolCall("check", {"target": f"checkbox '{name}'"})
    yield click("button 'Submit'")


def choose_radio(utterance: str, page: str) -> Solving:
    yield ToolCall("check", {"target": f"radio '{names_between(utterance, 'Select ', ' and click')[0]}'"})
    yield click("button 'Submit'")


def choose_from_list(utterance: str, page: str) -> Solving:
    wanted = names_between(utterance, "Select ", " from the list")[0]
    yield ToolCall("select", {"target": "combobox", "values": [wanted]})
    yield click("button 'Submit'")


def enter_quoted(utterance: str, page: str) -> Solving:
    values = quoted(utterance)
    fields = refs(page, "textbox")
    for field, value in zip(fields, values * (len(fields) if len(values) == 1 else 1), strict=False):
        yield fill(field, value)
    yield click("button")


def enter_date(utterance: str, page: str) -> Solving:
    month, day, year = re.findall(r"\d+", utterance)
    yield fill("textbox", f"{year}-{month}-{day}")
    yield click("button 'Submit'")


def enter_time(utterance: str, page: str) -> Solving:
    hour, minute = (int(part) for part in re.findall(r"\d+", utterance)[:2])
    yield fill("textbox", f"{hour % 12 + (12 if 'PM' in utterance else 0):02}:{minute:02}")
    yield click("button 'Submit'")


def focus_field(utterance: str, page: str) -> Solving:
    yield ToolCall("focus", {"target": "textbox"})


def complete(utterance: str, page: str) -> Solving:
    start, end = quoted(utterance)[0], quoted(utterance)[-1] if "ends" in utterance else ""
    yield ToolCall("type", {"target": "textbox", "text": start})
    shown = yield ToolCall("snapshot", {})
    names = re.findall(r'listitem "([^"]+)"', shown)
    yield click(f"listitem '{next(name for name in names if name.startswith(start) and name.endswith(end))}'")
    yield click("button 'Submit'")


def read_table(utterance: str, page: str) -> Solving:
    wanted = re.search(r"value of (.+?) into", utterance)
    assert wanted
    row = re.search(rf"{re.escape(wanted[1])} \| ([^\n|]+)", page)
    assert row, page
    yield fill("textbox", row[1].strip().strip('"'))
    yield click("button 'Submit'")


def calculate(utterance: str, page: str) -> Solving:
    found = re.search(r"(\d+) ([x+-]) (\d+) =", page)
    assert found
    left, right = int(found[1]), int(found[3])
    yield fill("textbox", str({"x": left * right, "+": left + right, "-": left - right}[found[2]]))
    yield click("button 'Submit'")


def copy_text(utterance: str, page: str) -> Solving:
    source, goal = sorted(refs(page, "textbox"), key=lambda ref: f"[ref={ref}] = " not in page)
    answer = yield ToolCall("get", {"what": "value", "target": source})
    line = next(line for line in answer.splitlines() if line and not line.startswith("<"))
    yield fill(goal, line)
    yield click("button 'Submit'")


def find_word(utterance: str, page: str) -> Solving:
    place = int(re.findall(r"(\d+)(?:st|nd|rd|th)", utterance)[0])
    paragraph = re.findall(r'^- "([^"\n]*)"$', page, re.M)[0]
    yield fill("textbox", re.findall(r"\w+", paragraph)[place - 1])
    yield click("button 'Submit'")


def search_and_open(utterance: str, page: str) -> Solving:
    place = int(re.findall(r"(\d+)(?:st|nd|rd|th)", utterance)[0])
    yield fill("textbox", quoted(utterance)[0])
    yield click("button 'Search'")
    number, of_page = divmod(place - 1, 3)
    shown = yield ToolCall("snapshot", {})
    if number:
        yield click(f"link '{number + 1}'")
        shown = yield ToolCall("snapshot", {})
    yield click(refs(shown, r'link "[A-Za-z]+"')[of_page])


def click_widget(utterance: str, page: str) -> Solving:
    role = {
        "text": "textbox",
        "textarea": "textbox",
        "checkbox": "checkbox",
        "radio": "radio",
        "button": "button",
    }
    wanted = quoted(utterance)[0]
    for ref in refs(page, f'{role[wanted]}(?: "[^"]*")?'):
        tag = yield ToolCall("get", {"what": "html", "target": ref})
        if role[wanted] != "textbox" or ("textarea" in tag) == (wanted == "textarea"):
            yield click(ref)
            return


TASKS: dict[str, Solver] = {
    "click-test": click_only_button,
    "click-test-2": click_named_buttons,
    "click-button": click_quoted_button,
    "click-button-sequence": click_named_buttons,
    "click-dialog": click_dialog_button,
    "click-dialog-2": click_dialog_button,
    "click-link": click_quoted_link,
    "click-tab": click_tab,
    "click-tab-2": click_link_on_tab,
    "click-collapsible-nodelay": open_section,
    "click-checkboxes": check_boxes,
    "click-checkboxes-large": check_boxes,
    "click-option": choose_radio,
    "click-widget": click_widget,
    "choose-list": choose_from_list,
    "enter-text": enter_quoted,
    "enter-text-dynamic": enter_quoted,
    "enter-password": enter_quoted,
    "login-user": enter_quoted,
    "enter-date": enter_date,
    "enter-time": enter_time,
    "focus-text": focus_field,
    "use-autocomplete-nodelay": complete,
    "read-table": read_table,
    "simple-arithmetic": calculate,
    "copy-paste": copy_text,
    "find-word": find_word,
    "search-engine": search_and_open,
}
