"""A recorded target as a skill has it: selectors and a fingerprint that find it again, also for other inputs."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.errors import InvalidSkill
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.selectors import Name, Selector, beside_of, others_like, parse_selector
from skillbook.protocol.refs import is_ref
from skillbook.skill.model import StepTarget
from skillbook.skill.model.templates import depends_on_input, write_selector
from skillbook.skill.recording.expected_checks import has_input
from skillbook.skill.recording.facts import says
from skillbook.skill.recording.literals import Literals
from skillbook.skill.recording.recorded_steps import RecordedStep
from skillbook.skill.targets.element_target import selectors_of
from skillbook.skill.targets.fingerprint import SHARED, fingerprint_of
from skillbook.skill.targets.surroundings import ANY, AROUND, own_of, texts_around, varying, write_record

_TITLES = {"record", "beside", "heading", "inside", "frame", "date"}


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
    parts = [part if has_input(part) is by_input else ANY for part in templated]
    return write_record(parts) if any(part != ANY for part in parts) else ""


def write_target(
    step: RecordedStep, node: Node | None, named: str, literals: Literals, seen: Sequence[BaseSnapshot] = ()
) -> StepTarget | None:
    """Write where a step acts, with inputs in place of what was typed or chosen; None where it has no such target.

    What names the element must hold in the next run as well. So nothing of it may come from a value that is read or
    that varied; and where it depends on an input, every part does.

    Parameters
    ----------
    node, named : the element; the role selector that the call named it by, where that is all that is known.
    seen : the snapshots of the recording, which show what of the element's surroundings varies.

    Raises
    ------
    InvalidSkill : only a ref is known, which the next run doesn't have; or an input names the element, but not as it
        was typed.
    """
    if node is None:
        return _by_selector(step, named, literals)
    read = str(step.read or "").strip() if step.output else ""
    said = {key: texts_around(key, node) for key in AROUND}
    changed = {key: _changed_places(key, texts, node, seen, read) for key, texts in said.items()}
    unsteady = {said[key][place] for key, places in changed.items() for place in places}
    ordered = selectors_of(node, unsteady, lambda text: has_input(literals.template(text)))
    found = [one for one in ordered if not (read and says(str(one), read))]
    selectors = [write_selector(one, literals.template) for one in found]
    language = node.snapshot.columns.document_at(node.index).lang
    if (name := literals.shows_otherwise(str(found[0]), language)) and not depends_on_input(selectors[0]):
        raise InvalidSkill(
            f"{step.command} names its target by the input {name}, as {str(found[0])!r}: "
            "another value would act there, too",
            hint="leave the value out of the goal, or give it as the page shows it",
        )
    known = fingerprint_of(node)
    fingerprint = {
        key: literals.template(text)
        for key, text in known.items()
        if key not in AROUND
        and not (read and says(text, read))
        and (key == "date" or not literals.shows_otherwise(text, language))
    }
    if own := own_of(node):
        fingerprint["own"] = own
    by_input = depends_on_input(selectors[0])
    for key, texts in said.items():
        if key not in known:
            continue
        lasting = [
            None if place in changed[key] or literals.shows_otherwise(text, language) else text
            for place, text in enumerate(texts)
        ]
        if parts := _written_record(lasting, literals, by_input):
            fingerprint[key] = parts
        else:
            fingerprint.pop(f"{key}_place", None)
    if "beside" not in fingerprint and not by_input and beside_of(node) is not None:
        alike = sorted([node.index, *others_like(node)])  # nothing that lasts tells it from these
        fingerprint |= {"beside": "", "beside_place": f"{alike.index(node.index) + 1} of {len(alike)}"}
    if step.under_mouse and node is step.node:
        fingerprint["name_under_mouse"] = literals.template(clean(step.under_mouse))
        base = Selector("role", node.role, Name(clean(step.under_mouse)))
        selectors.append(write_selector(base, literals.template))
    if by_input:  # what stands for another item must not lead back to this one
        selectors = [selector for selector in selectors if depends_on_input(selector)]
        fingerprint = {key: text for key, text in fingerprint.items() if key in SHARED or has_input(text)}
    else:  # an input's literal that happens to be in it says nothing of the element
        selectors = [selector for selector in selectors if not depends_on_input(selector)]
        fingerprint = {
            key: text for key, text in fingerprint.items() if key in _TITLES or not has_input(text)
        }
    return StepTarget(selectors=list(dict.fromkeys(selectors)), fingerprint=fingerprint)


def _by_selector(step: RecordedStep, named: str, literals: Literals) -> StepTarget | None:
    """A target of which only the role selector is known that the call named it by."""
    if not named:
        return None
    if is_ref(named):
        raise InvalidSkill(
            f"nothing is known of {named}, the target of {step.command}",
            hint="do the step again with a role selector, or leave it out",
        )
    return StepTarget(selectors=[write_selector(parse_selector(named), literals.template)])
