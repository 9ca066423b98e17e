"""Lists of suggestions: a text that was typed leads to a list, and an option of that is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skillbook.perception.escape import clean
from skillbook.policy.secrets import Secret
from skillbook.skill.recording.recorded_steps import RecordedStep


def leads_to(typed: RecordedStep, chosen: RecordedStep) -> bool:
    """Whether what was typed only led to a list of which an option was chosen: it is that option's name, or in it.

    An option that was there before is one of a list that stands in the page, whatever is typed beside it.
    """
    text = _typed_text(typed)
    name = clean(chosen.called).casefold()
    if not text.strip() or (chosen.command, chosen.called_role) != ("click", "option"):
        return False
    there = typed.before.nodes if typed.before is not None else ()
    was_there = any(node.role == "option" and clean(node.label).casefold() == name for node in there)
    return clean(text).casefold() in name and not was_there


def with_suggestions(steps: Sequence[RecordedStep]) -> list[RecordedStep]:
    """Make one input of a text and of the option that it led to, where one of them is marked: the option's name.

    Another option is in the list only if it is typed as well. And a text alone would choose the recorded option
    whatever a run gives. Where both are marked, each is what the person calls it.
    """
    found = list(steps)
    for place, step in enumerate(found):
        typed = next((at for at in range(place - 1, -1, -1) if found[at].command != "wait_for"), None)
        if typed is None or not leads_to(found[typed], step):
            continue
        first = found[typed]
        if bool(first.input) is bool(step.input) or first.spec is None:
            continue
        named, key = first.input or step.input, str(first.spec.text_param)
        found[typed] = replace(first, params={**first.params, key: step.called}, input=named, after=None)
        found[place] = replace(step, input=named)
    return found


def _typed_text(step: RecordedStep) -> str:
    spec = step.spec
    text = step.params.get(spec.text_param or "") if spec is not None and spec.edits_text else None
    return "" if not isinstance(text, str) or isinstance(text, Secret) else text
