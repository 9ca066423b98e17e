"""A recording as a skill has it: targets that are found again, facts and columns with their types, steps in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from skillbook.errors import InvalidSkill, NoMatch
from skillbook.perception.escape import clean
from skillbook.perception.forms import caption_of
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.records import ANY
from skillbook.perception.records.same_record import place_among_twins
from skillbook.perception.roles import RECORDS
from skillbook.perception.selectors import Name, Selector, parse_selector
from skillbook.perception.selectors.selector_matching import find_indexes
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.refs import is_ref
from skillbook.skill.model.spec_base import BOOLS, FLOAT, INT, OutputType, SkillOutput
from skillbook.skill.model.spec_steps import EXTRACT, FACTS, RUN_SKILL, Check, StepTarget
from skillbook.skill.model.templates import depends_on_input, lead, write_selector
from skillbook.skill.recording.cleanup import DroppedStep
from skillbook.skill.recording.expected_checks import has_input
from skillbook.skill.recording.literals import Literals
from skillbook.skill.recording.recorded_steps import RecordedStep
from skillbook.skill.targets.confirmation import listed_for
from skillbook.skill.targets.element_target import SHARED, fingerprint_of, selectors_of
from skillbook.skill.targets.healing import say
from skillbook.skill.targets.surroundings import (
    PARTS,
    TELLING,
    date_of,
    seen_record,
    texts_around,
    varying,
    write_record,
)

_LONGEST = 2000
_WITHOUT_TARGET = {"url", "title"}


def mark_facts(steps: Sequence[RecordedStep], answer: Any) -> list[RecordedStep]:
    """Name what `get` and `is` steps read that is in the answer; the same fact counts once, as it was read last."""
    marked: list[RecordedStep] = []
    for step in steps:
        name = "" if step.output else _named_by(step, answer)
        names = {other.output for other in marked if other.output}
        marked.append(replace(step, output=_unique(name, names)) if name else step)
    return marked


def _named_by(step: RecordedStep, answer: Any) -> str:
    """What a reading step's fact is called; "" where the answer doesn't have it, or nothing finds it again."""
    text = clean(str(step.read or ""))
    if step.command not in FACTS or not text or len(text) > _LONGEST or not _is_found_again(step, text):
        return ""
    fields = _fields(answer)
    if fields is not None:
        return next((name for name, value in fields.items() if _same(value, text)), "")
    is_text = isinstance(answer, str) and step.command == "get"
    if is_text and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", clean(answer)):
        return _default_name(step)
    return ""


def _fields(answer: Any) -> Mapping[str, Any] | None:
    if isinstance(answer, Mapping):
        return answer
    dump = getattr(answer, "model_dump", None)
    return dump() if callable(dump) else None


def _same(value: Any, text: str) -> bool:
    if value is None:
        return False
    if isinstance(value, bool):
        return BOOLS.get(text.casefold()) is value
    if isinstance(value, int | float):
        return bool(INT.fullmatch(text) or FLOAT.fullmatch(text)) and float(text) == value
    return clean(str(value)) == text


def _is_found_again(step: RecordedStep, text: str) -> bool:
    if step.params.get("what") in _WITHOUT_TARGET:
        return True
    return step.node is not None and any(not says(str(selector), text) for selector in _selectors(step.node))


def _selectors(node: Node) -> list[Any]:
    try:
        return list(selectors_of(node))
    except NoMatch:
        return []


def says(selector: str, text: str) -> bool:
    """Whether a selector or a piece of a fingerprint holds the text that is to be read: it would find no other."""
    return text.casefold() in clean(selector).casefold()


def _default_name(step: RecordedStep) -> str:
    what, node = str(step.params.get("what", "")), step.node
    if node is None or what in _WITHOUT_TARGET:
        return what or step.command
    named = node.html_id or node.html_name or node.test_id or node.role
    return re.sub(r"\W+", "_", str(named)).strip("_").lower() or what


def _unique(name: str, taken: set[str]) -> str:
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def output_of(step: RecordedStep) -> SkillOutput | None:
    """The output of a reading step, with the type of what it read."""
    if not step.output:
        return None
    text = clean(str(step.read if step.read is not None else ""))
    kind: OutputType = "str"
    if step.command == "is":
        kind = "bool"
    elif INT.fullmatch(text):
        kind = "int"
    elif FLOAT.fullmatch(text):
        kind = "float"
    return SkillOutput(name=step.output, type=kind)


_TITLES = {*PARTS, "heading", "inside", "frame", "date"}


def _changed_places(
    key: str, texts: Sequence[str], node: Node, seen: Sequence[BaseSnapshot], read: str
) -> set[int]:
    """The places in what stands around an element that hold what varied, or what the step reads."""
    return {
        *varying(key, node, seen),
        *(place for place, text in enumerate(texts) if read and says(text, read)),
    }


def _written_record(texts: Sequence[str | None], literals: Literals, by_input: bool) -> str:
    """The texts around an element that hold for other inputs too, if it is named `by_input`; "" if none does."""
    templated = [ANY if text is None else literals.template(text) for text in texts]
    parts = [part if has_input(_bare(part)) is by_input else ANY for part in templated]
    return write_record(parts) if any(part != ANY for part in parts) else ""


def _bare(part: str) -> str:
    """A part without the site that an address begins with, which says nothing of the record."""
    site, rest = lead(part)
    return rest if site and rest.startswith("/") else part


def write_target(
    step: RecordedStep, node: Node | None, named: str, literals: Literals, seen: Sequence[BaseSnapshot] = ()
) -> StepTarget | None:
    """Write where a step acts, with inputs in place of what was typed or chosen; None where it has no such target.

    What names the element must hold in the next run as well. So nothing of it may come from a value that is read or
    that varied; and where it depends on an input, every part does.

    node, named: the element; the role selector that the call named it by, where that is all that is known.
    seen: the snapshots of the recording, which show what of the element's surroundings varies.
    Raises InvalidSkill: only a ref is known, which the next run doesn't have; or an input names the element, but not as
        it was typed.
    """
    if node is None:
        return _by_selector(step, named, literals)
    read = str(step.read or "").strip() if step.output else ""
    texts_of = {key: texts_around(key, node) for key in PARTS}
    changed = {key: _changed_places(key, texts, node, seen, read) for key, texts in texts_of.items()}
    unsteady = {texts_of[key][place] for key, places in changed.items() for place in places}
    ordered = selectors_of(node, unsteady, lambda text: has_input(literals.template(text)))
    found = [one for one in ordered if not (read and says(str(one), read))]
    found = _without_example(found, node, literals)
    selectors = [write_selector(one, literals.template) for one in found]
    language = node.snapshot.columns.document_at(node.index).lang
    if (name := literals.shows_otherwise(str(found[0]), language)) and not depends_on_input(selectors[0]):
        raise InvalidSkill(
            f"{step.command} names its target by the input {name}, as {str(found[0])!r}: "
            "another value would act there, too",
            hint="leave the value out of the goal, or give it as the page shows it",
        )
    known = fingerprint_of(node, seen)
    fingerprint = {
        key: literals.template(text)
        for key, text in known.items()
        if key not in PARTS
        and not (read and says(text, read))
        and (key == "date" or not literals.shows_otherwise(text, language))
    }
    by_input = depends_on_input(selectors[0])
    for key, texts in texts_of.items():
        if key not in known:
            continue
        lasting = [
            None
            if place in changed[key] or literals.shows_otherwise(text, language) or literals.is_free(text)
            else text
            for place, text in enumerate(texts)
        ]
        if parts := _written_record(lasting, literals, by_input):
            fingerprint[key] = parts
    if any(texts_of.values()) and not by_input and not any(key in fingerprint for key in TELLING):
        # Nothing that lasts tells it from those alike; its place is counted as a replay counts it.
        record = seen_record(fingerprint | {"record_place": "1 of 1"})
        fingerprint["record_place"] = place_among_twins(record, node) if record is not None else ""
    if step.under_mouse and node is step.node:
        fingerprint["name_under_mouse"] = literals.template(clean(step.under_mouse))
        base = Selector("role", node.role, Name(clean(step.under_mouse)))
        selectors.append(write_selector(base, literals.template))
    if by_input:  # what stands for another item must not lead back to this one
        selectors = [selector for selector in selectors if depends_on_input(selector)]
        fingerprint = {
            key: text for key, text in fingerprint.items() if key in SHARED or has_input(_bare(text))
        }
    else:  # an input's literal that happens to be in it says nothing of the element
        selectors = [selector for selector in selectors if not depends_on_input(selector)]
        fingerprint = {
            key: text for key, text in fingerprint.items() if key in _TITLES or not has_input(text)
        }
    return StepTarget(selectors=list(dict.fromkeys(selectors)), fingerprint=fingerprint)


def _without_example(found: Sequence[Selector], node: Node, literals: Literals) -> list[Selector]:
    """Selectors without those that an input names and that say more of the example's record: they find no other's.

    If an input is all that an element is called, its name alone is one of them.
    """

    def is_by_input(selector: Selector) -> bool:
        return depends_on_input(write_selector(selector, literals.template))

    def says_example(selector: Selector) -> bool:
        outer = selector.within
        around = [selector.beside] + ([outer.name] if outer and outer.role in {*RECORDS, "card"} else [])
        texts = [literals.template(name.text) for name in around if name is not None]
        more = any(re.search(r"\w", re.sub(r"\$\{input:[^}]*\}", "", text)) for text in texts)
        return more or (outer is not None and says_example(outer))

    def is_called_so(selector: Selector) -> bool:
        return selector.name is None or is_by_input(replace(selector, within=None, beside=None))

    if not found or not is_by_input(found[0]):
        return list(found)
    own = _is_called_by_record(node)
    plain = [
        selector
        for selector in found
        if is_by_input(selector) and not says_example(selector) and (not own or is_called_so(selector))
    ]
    alone = Selector("role", node.role, Name(clean(node.name)))
    if is_by_input(alone) and find_indexes(node.snapshot, alone) == [node.index]:
        plain = [alone, *(other for other in plain if other != alone)]
    return [*plain, *(other for other in found if not is_by_input(other))] if plain else list(found)


def _is_called_by_record(node: Node) -> bool:
    """Whether an element is called by a number of its record: the records beside it have others in its place."""
    record = next((up for up in node.ancestors if up.role in RECORDS), None)
    if record is None or record.parent is None or not re.search(r"\d", node.label):
        return False
    nodes, ends = node.snapshot.nodes, node.snapshot.ends
    beside = [one for one in record.parent.children if one.role == record.role and one != record]
    inside = [nodes[at] for one in beside for at in range(one.index + 1, ends[one.index])]
    called = [clean(one.label) for one in inside if one.role == node.role]
    return bool(called) and clean(node.label) not in called


def confirms_of(
    step: RecordedStep, literals: Literals, expect: Sequence[Check], answered: str = ""
) -> list[str] | None:
    """What was listed where a step that can't be undone was confirmed; None where nothing is to be compared.

    expect: what must hold after it.
    answered: what the JavaScript dialog said that the step answers; "" for none.
    """
    if not step.irreversible:
        return None
    if step.spec is not None and step.spec.answers_dialog:
        return [literals.lasting(answered)] if answered else None
    if step.node is None:
        return None
    listed = listed_for(step.node, expect, lambda text: literals.names_an_input(literals.template(text)))
    language = step.node.snapshot.columns.document_at(step.node.index).lang or ""
    return listed and [text if text == ANY else literals.lasting(text, language) for text in listed]


def _by_selector(step: RecordedStep, named: str, literals: Literals) -> StepTarget | None:
    """A target of which only the role selector is known that the call named it by."""
    if not named:
        return None
    if is_ref(named):
        raise InvalidSkill(
            f"nothing is known of {named}, the target of {step.command}",
            hint="do the step again with a role selector, or leave it out",
        )
    selector = write_selector(parse_selector(named), literals.template)
    around = {} if depends_on_input(selector) or named != step.named else dict(step.around)
    return StepTarget(selectors=[selector], fingerprint=around)


_CONDITIONS = ("text", "text_gone", "selector", "url")


def words_of(step: RecordedStep) -> str:
    """A recorded step in words; what is typed into secret fields is left out."""
    literals = Literals("")
    literals.look_at(replace(step, input=""))
    if step.command == EXTRACT:
        rest = ", ".join(f"{key}: {value}" for key, value in step.params.items())
        return f"Read the rows ({rest})" if rest else "Read the rows"
    if step.command == RUN_SKILL:
        return literals.scrub(run_note(step.params["name"], step.params["inputs"]))
    params = {key: literals.template_value(value) for key, value in step.params.items()}
    words = note_of(step.command, step.node, params, literals, step.named)
    return f"{words} onto {say(step.to_node)}" if step.to_node is not None else words


def dropped_words(one: DroppedStep, literals: Literals) -> str:
    """A step that was left out, in words, with why; secrets are left out too."""
    return f"{one.number}. {literals.scrub(words_of(one.step))}: {one.why}"


def run_note(name: str, inputs: Mapping[str, Any]) -> str:
    """What running another skill is called, with the inputs that it gets."""
    given = ", ".join(f"{key} {value}" for key, value in inputs.items())
    return f"Run the skill {name}" + (f" with {given}" if given else "")


def note_of(
    command: str, node: Node | None, params: Mapping[str, Any], literals: Literals, named: str = ""
) -> str:
    """What a step of a skill does, with inputs in place of what was typed or chosen.

    named: the selector that its call named the element by, where its node isn't known.
    """
    if command == "wait_for":
        return _wait_note(params)
    if command == "call_page_tool":
        given = ", ".join(f"{name} {value}" for name, value in params.get("args", {}).items())
        frame = f" of the frame {params['frame']}" if params.get("frame") else ""
        return f"Call the page's tool {params['name']}{frame}" + (f" with {given}" if given else "")
    words = [_verb(command)]
    if "key" in params:
        words.append(f"{params['key']} in" if node is not None or named else str(params["key"]))
    if node is not None:
        label = " ".join((node.label or caption_of(node)).split())[:60]
        words.append(f"{node.role} {literals.template(repr(label))}" if label else node.role)
        words += [f"({date})"] if (date := date_of(node)) else []
    elif named:
        words.append(literals.template(named))
    shown = params.get("value", params.get("text", params.get("values", params.get("url"))))
    if shown is not None:
        words.append(f"with {', '.join(shown) if isinstance(shown, list) else shown}")
    return " ".join(words)


def _verb(command: str) -> str:
    known = COMMANDS.get(command)
    phrase = known.phrase if known else ""
    return phrase if phrase and " " not in phrase else command.replace("_", " ").capitalize()


def _wait_note(params: Mapping[str, Any]) -> str:
    for condition in _CONDITIONS:
        if condition in params:
            kind = "" if condition == "selector" else f"{condition.replace('_', ' ')} "
            return f"Wait for {kind}{params[condition]}"
    return "Wait until the page is at rest"
