"""What must hold after a step, inferred from what was seen after it; what the page found wrong, what failed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.records.record_table import CONTROLS
from skillbook.perception.roles import RECORDS
from skillbook.perception.selectors import Name, Selector, find_all
from skillbook.policy.urls import origin_of
from skillbook.session.page.act_requests import FailedRequest
from skillbook.skill.model.spec_steps import EXTRACT, Check, SkillStep
from skillbook.skill.model.templates import escape, fill_selector, placeholders, write_selector
from skillbook.skill.recording.literals import Literals
from skillbook.skill.recording.recorded_steps import RecordedStep
from skillbook.skill.targets.surroundings import said_around

_DIALOGS = {"dialog", "alertdialog"}
_SAID = {"alert", "status"}
_ITEMS = RECORDS | {"gridcell"}
_LONGEST_NAME = 60
_LONGEST_MESSAGE = 120
_PLAIN_VALUE = re.compile(r"[A-Za-z][\w.-]{0,15}|\d{1,3}")
_CHANGING = re.compile(r"\d")
_SAYS_SOMETHING = re.compile(r"[^\W\d_]{3}")


def expect_after(
    step: RecordedStep, settled: BaseSnapshot | None, literals: Literals, chosen_on: str = ""
) -> list[Check]:
    """The checks of one step.

    settled: the page as the next step found it, else as it was right after this one.
    chosen_on: the address on which a step before this one first used an input; "" where none did.
    """
    if step.command == EXTRACT:
        return [Check(rows=1)]
    checks: list[Check] = []
    after = settled or step.after
    url_after = after.url if after else step.url_after
    if url_after and url_after != step.url_before:
        checks.append(Check(url=url_pattern(url_after, literals, _lasting_ids(step, literals, chosen_on))))
    spec = step.spec
    field_value = _held(step, after, literals)
    checks += [Check(value=field_value)] if field_value else []
    shows = spec is not None and (spec.shows_outcome or (spec.sets_value and not spec.text_param))
    if not field_value and shows and step.before is not None and after is not None:
        checks += appeared(step, step.before, after, literals)
        left = [*gone(step.before, after, literals), *_removed(step.before, after, literals)]
        checks += [Check(absent=one) for one in left[:1]]
    if not checks and shows and (answer := _answer(step, after, literals, chosen_on)):
        return [Check(text=answer)]
    if not checks and step.sent and url_after:
        address = url_pattern(url_after, literals, _lasting_ids(step, literals, chosen_on))
        checks = [Check(url=address)]
    return checks


def offered_text(
    step: RecordedStep, settled: BaseSnapshot | None, written: SkillStep, literals: Literals
) -> str:
    """A text that came after a press or a request and may be there by chance; "" where the step checks more than that.

    A person who knows that it belongs to the step says so.
    """
    answers = step.sent or (step.spec is not None and step.spec.shows_outcome and not written.expect)
    if not answers or any(check.present or check.text or check.absent for check in written.expect):
        return ""
    return next(iter(_new_texts(step, settled or step.after, literals)), "")


def _held(step: RecordedStep, after: BaseSnapshot | None, literals: Literals) -> str:
    """What a filled field holds afterwards, if that is what was given; "" for nothing."""
    spec, ref = step.spec, step.node.ref if step.node is not None else None
    key = spec.text_param if spec is not None and spec.sets_value else None
    if key is None or after is None or ref is None or ref not in after:
        return ""
    given = str(step.params[key])
    if clean(str(after[ref].value or "")) != clean(given):
        return ""
    return str(literals.given.get(step.number, {}).get(key) or literals.template(given))


def _new_texts(step: RecordedStep, after: BaseSnapshot | None, literals: Literals) -> list[str]:
    """What the page says anywhere outside of its records since something was sent, as far as it lasts."""
    if step.before is None or after is None:
        return []
    new = [node for node in _new(step.before, after, {"text"}) if not _is_in(node, _ITEMS)]
    return [part for node in new if (part := _lasting(clean(node.label), literals))]


def _answer(step: RecordedStep, after: BaseSnapshot | None, literals: Literals, chosen_on: str) -> str:
    """A text that came in answer to a step: one that names an input, else the only one where none went; "" for none.

    A text in another one's place may be a tip, one after something was sent come by chance, and another input have
    another text.
    """
    new = _new_texts(step, after, literals)
    named = next((text for text in new if literals.names_an_input(text)), "")
    depends = chosen_on or step.sent or _names_an_input(step, literals)
    if named or depends or len(new) != 1 or step.before is None or after is None:
        return named
    return new[0] if not _new(after, step.before, {"text"}) else ""


def _is_in(node: Node, roles: Set[str]) -> bool:
    return any(up.role in roles for up in node.ancestors)


def _lasting_ids(step: RecordedStep, literals: Literals, chosen_on: str) -> frozenset[str] | None:
    """Which ids an address keeps in another run; None for all of them.

    Where a step names an input, its target's id depends on that; where one before it did, so do ids that came since.
    What a step has sent may have made a record, with an id that no other one gets.
    """
    if _names_an_input(step, literals):
        return frozenset()
    before = chosen_on or (step.url_before if step.sent else "")
    if not before:
        return None
    parts = urlsplit(before)
    route, _, asked = parts.fragment.partition("?")
    queries = parts.query, asked
    words = [word for query in queries for pair in parse_qsl(query, True) for word in pair]
    return frozenset([*map(unquote_plus, f"{parts.path}/{route}".split("/")), *words])


def url_pattern(url: str, literals: Literals, lasting: frozenset[str] | None = None) -> str:
    """An address as a pattern: inputs in their places, and `*` for what another run would have otherwise.

    lasting: the ids that another run would have, too; None for all.
    """
    parts = urlsplit(url)
    origin = literals.template_url(origin_of(url) or "*")
    route, _, asked = parts.fragment.partition("?")
    fragment = _place(route, asked, literals, lasting) if route.startswith(("/", "!")) else ""
    return origin + _place(parts.path, parts.query, literals, lasting) + (fragment and f"#{fragment}")


def _place(path: str, query: str, literals: Literals, lasting: frozenset[str] | None) -> str:
    segments = [_segment(part, literals, lasting) for part in path.split("/")]
    pairs = [_pair(pair, literals, lasting) for pair in query.split("&") if pair]
    return "/".join(segments) + (f"?{'&'.join(pairs)}" if pairs else "")


def _pair(pair: str, literals: Literals, lasting: frozenset[str] | None) -> str:
    name, equals, value = pair.partition("=")
    if not equals:  # a page that it led to may be called so
        word = unquote_plus(name)
        return "*" if lasting is not None and word not in lasting else _segment(name, literals, lasting)
    return f"{_plain(unquote_plus(name))}={_query_value(unquote_plus(name), unquote_plus(value), literals, lasting)}"


def _is_other_id(text: str, lasting: frozenset[str] | None) -> bool:
    return lasting is not None and text not in lasting and bool(_CHANGING.search(text))


def _segment(part: str, literals: Literals, lasting: frozenset[str] | None) -> str:
    text = unquote_plus(part)
    varies = has_input(literals.template(text)) or literals.mentions(text) or _is_other_id(text, lasting)
    return "*" if varies else _plain(text)


def _query_value(name: str, value: str, literals: Literals, lasting: frozenset[str] | None) -> str:
    found = literals.template(value)
    if has_input(found):
        return _encoded(found)
    if name in literals.fields or literals.mentions(value) or _is_other_id(value, lasting):
        return "*"
    return _plain(value) if not value or _PLAIN_VALUE.fullmatch(value) else "*"


def _plain(text: str) -> str:
    return _encoded(escape(text))


def _encoded(text: str) -> str:
    return text.replace("%", "%25").replace("+", "%2B")


def has_input(text: str) -> bool:
    """Whether a text has a placeholder in it."""
    return next(placeholders(text), None) is not None


def _names_an_input(step: RecordedStep, literals: Literals) -> bool:
    texts = [step.label, *(said_around(step.node) if step.node is not None else [])]
    return any(has_input(literals.template(text)) for text in texts)


def appeared(
    step: RecordedStep, before: BaseSnapshot, after: BaseSnapshot, literals: Literals
) -> list[Check]:
    """What shows that the page answered: a dialog, else one of a record, a message and a main heading that are new.

    What names an input says most, and is taken first.
    """
    dialogs = [Check(present=one) for node in _new(before, after, _DIALOGS) if (one := _said(node, literals))]
    if dialogs:
        return dialogs[:1]
    found = [
        *(
            _message(node, literals)
            for node in _new(before, after, _SAID)
            if _is_an_answer(node, before, literals)
        ),
        *_added(step, before, after, literals),
        *(Check(present=one) for node in _new(before, after, {"heading"}) if (one := _said(node, literals))),
    ]
    return [one for one in found if literals.names_an_input(f"{one.present} {one.text}")][:1] or found[:1]


def _is_an_answer(node: Node, before: BaseSnapshot, literals: Literals) -> bool:
    """Whether a message answers a step: one that says something else now may be a tip, and says it by chance."""
    earlier = [before[node.ref]] if node.ref is not None and node.ref in before else _of(before, {node.role})
    was_there = any(clean(one.text) for one in earlier if one.role == node.role)
    return not was_there or literals.names_an_input(_lasting(clean(node.text), literals) or "")


def _new(before: BaseSnapshot, after: BaseSnapshot, roles: set[str]) -> list[Node]:
    old = {_key(node) for node in _of(before, roles)}
    new = [node for node in _of(after, roles) if _key(node) not in old]
    return [node for node in new if not lexicon.matches("loading", clean(node.text))]  # gone a moment later


def _message(node: Node, literals: Literals) -> Check:
    """That a message says what it said, as far as another run's would say it too.

    That there is a message is not enough: an error is one.
    """
    return Check(present=_said(node, literals) or node.role, text=_lasting(clean(node.text), literals))


def _lasting(text: str, literals: Literals) -> str | None:
    """The longest part of a text that another run would say too: with inputs, without numbers."""
    parts: list[list[str]] = [[]]
    for word in literals.template(text[:_LONGEST_MESSAGE]).split():
        if _differs(word, literals):
            parts.append([])
        else:
            parts[-1].append(word)
    sentences = [" ".join(part) for part in parts]
    sentences = [one for one in sentences if _SAYS_SOMETHING.search(one) and "${secret:" not in one]
    return max(sentences, key=lambda one: (literals.names_an_input(one), len(one)), default=None)


def _differs(word: str, literals: Literals) -> bool:
    """Whether another run may have another word: a number, a month's name, a part of an input's value."""
    if has_input(word) and any(one.name in literals.plain for one in placeholders(word)):
        return True
    rest = re.sub(r"\$\{[^}]*\}", "", word)
    plain = lexicon.bare(rest.strip(".,;:!?()"))
    if _CHANGING.search(rest) or plain in lexicon.months() or plain in lexicon.weekdays():
        return True
    return rest.strip(".,;:!?()") in literals.texts or literals.mentions(rest)


def _added(
    step: RecordedStep, before: BaseSnapshot, after: BaseSnapshot, literals: Literals
) -> Iterator[Check]:
    """A record that is new, by an input that it shows: the only new one, or alone in its list, as messages are.

    A search that leaves one record shows an input too, and its next result is called otherwise: so all that were there
    must still be there, or the step must have sent something. Of a long list another run may show another part.
    """
    old, new = _records(before), _records(after)
    if not (step.sent or (old and old <= new)):
        return
    grown = new - old
    for record in _of(after, RECORDS):
        if clean(record.text) in grown and (grown.total() == 1 or _is_alone(record)):
            for selector in _shown(record, literals):
                if not find_all(before, fill_selector(selector, literals.shown())):
                    yield Check(present=selector)
                    return


def _removed(before: BaseSnapshot, after: BaseSnapshot, literals: Literals) -> list[str]:
    """The one record that is gone from those that are still there, by an input that it showed."""
    old, new = _records(before), _records(after)
    lost = old - new
    if lost.total() != 1 or not new <= old:
        return []
    record = next(node for node in _of(before, RECORDS) if clean(node.text) in lost)
    return _shown(record, literals)[:1]


def _records(snapshot: BaseSnapshot) -> Counter[str]:
    return Counter(clean(node.text) for node in _of(snapshot, RECORDS))


def _shown(record: Node, literals: Literals) -> list[str]:
    """The selectors of what shows an input in a record, and nothing else."""
    nodes = record.snapshot.nodes[record.index + 1 : record.snapshot.ends[record.index]]
    return [
        write_selector(_shown_in(node, record), literals.template)
        for node in nodes
        if _is_input(literals.template(clean(node.label)), literals)
    ]


def _is_alone(record: Node) -> bool:
    outer = record.parent
    return outer is not None and sum(node.role in RECORDS for node in outer.children) == 1


def _shown_in(node: Node, record: Node) -> Selector:
    name, place = Name(clean(node.label)), Selector(role=record.role)
    if node.name and node.role != "text":
        return Selector(role=node.role, name=name, within=place)
    return Selector("text", name=name, within=place)


def _is_input(text: str, literals: Literals) -> bool:
    found = list(placeholders(text))
    is_one = len(found) == 1 and text == f"${{input:{found[0].name}}}"
    return is_one and literals.names_an_input(text) and found[0].name not in literals.choices


def gone(before: BaseSnapshot, after: BaseSnapshot, literals: Literals) -> list[str]:
    """A named dialog that was closed."""
    left = {_key(node) for node in _of(after, _DIALOGS)}
    closed = [_said(node, literals) for node in _of(before, _DIALOGS) if _key(node) not in left and node.name]
    return [selector for selector in closed if selector and "'" in selector][:1]


def _of(snapshot: BaseSnapshot, roles: Set[str]) -> list[Node]:
    columns = snapshot.columns.role
    return [snapshot.nodes[index] for index, role in enumerate(columns) if role in roles]


def _key(node: Node) -> tuple[str, str, int | None]:
    return node.role, clean(node.label), node.level


def _said(node: Node, literals: Literals) -> str | None:
    """A selector that another run would match too, or None where there is none."""
    name = clean(node.name)
    part = _lasting(name, literals) if len(name) <= _LONGEST_NAME else None
    whole = part == literals.template(name)
    if node.role == "heading":
        by_input = part is not None and has_input(part)
        if not (by_input or (whole and node.level == 1)) or any(up.role in _ITEMS for up in node.ancestors):
            return None
    elif not whole or node.role in _SAID:
        return node.role
    selector = Selector(role=node.role, name=Name(part or "", "exact" if whole else "includes"))
    return write_selector(selector, lambda text: text)


_ERRORS = frozenset(("error", "errors", "danger", "invalid", "errorlist", "errornote"))
_CLASS_WORD = re.compile(r"[A-Z]?[a-z]+")
_LONGEST = 200


def page_error(before: BaseSnapshot | None, after: BaseSnapshot | None) -> str:
    """What a page finds wrong that it didn't before; "" for nothing.

    before, after: the page before and after something was done.
    """
    if after is None:
        return ""
    earlier = before.nodes if before is not None else ()
    known = {clean(node.label) for node in earlier} | {
        clean(node.text) for node in earlier if _is_marked(node)
    }
    for node in after.nodes:
        if node.role in CONTROLS or not (_is_marked(node) or node.role == "alert"):
            continue
        text = clean(node.label) or clean(node.text)
        if not 0 < len(text) <= _LONGEST or text in known:
            continue
        # In a record, red letters are a fact of it.
        if not _is_in(node, _ITEMS) if _is_marked(node) else lexicon.matches("error", text):
            return text
    was = {node.label for node in earlier if "invalid" in node.states}
    wrong = next((node for node in after.nodes if "invalid" in node.states and node.label not in was), None)
    if wrong is None:
        return ""
    why = f": {clean(wrong.description)[:_LONGEST]}" if wrong.description else ""
    return f"{clean(wrong.label)[:60]!r} is invalid{why}"


def _is_marked(node: Node) -> bool:
    """Whether a class of an element says that something is wrong, as `form-error` and `alertError` do."""
    return any(word.lower() in _ERRORS for name in node.classes for word in _CLASS_WORD.findall(name))


def text_beside(pressed: Node, after: BaseSnapshot | None) -> str:
    """A text that came into the form or dialog of what was pressed, where both are still there; "" for none."""
    if after is None or pressed.ref is None or pressed.ref not in after:
        return ""
    around = next((up for up in after[pressed.ref].ancestors if up.role in _DIALOGS | {"form"}), None)
    if around is None:
        return ""
    inside = after.nodes[around.index : after.ends[around.index]]
    new = _new(pressed.snapshot, after, {"text"})
    texts = [clean(node.label) for node in new if node in inside]
    return next((text for text in texts if 0 < len(text) <= _LONGEST), "")


def failed_shapes(failed: Iterable[FailedRequest], literals: Literals) -> list[str]:
    """A line for each, by what another run would have, too: `*` where an address has something of an input."""
    found = []
    for request in failed:
        method, path, status = request.shape
        parts = ["*" if _varies(part, literals) else part for part in path.split("/")]
        found.append(f"{method} {'/'.join(parts)} {status}")
    return found


def _varies(part: str, literals: Literals) -> bool:
    return literals.template(part) != part or literals.mentions(part) or any(map(str.isspace, part))
