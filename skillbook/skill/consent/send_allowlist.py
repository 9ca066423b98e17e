"""What a skill may send: a list in replay.yaml that a replay keeps it to, also for records that an input names.

A skill that says nothing of it (saved by an earlier version, or made of a journal) is asked about as an agent is.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from skillbook.errors import ApprovalRequired, NotAllowed, PolicyError, SkillbookError
from skillbook.policy.approvals import Binding
from skillbook.policy.request_facts import RequestFact, read_request
from skillbook.policy.request_shape import NAMELESS, RequestShape, counted, lines, pattern_of, written_shape
from skillbook.policy.rules import Actor
from skillbook.policy.urls import origin_of
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Send
from skillbook.skill.model.templates import Value, fill_text, fill_url

_ID = re.compile(r"(?=[^\d]*\d)[\w.-]{1,100}")
_PLACE = re.compile(r"\{page\[([^\]]+)\]\}")
_ROW = re.compile(r".*\d", re.S)
_NAME = re.compile(r"(?!\d+$)[\w.-]{1,60}")


def ids_of(address: str) -> dict[str, str]:
    """The ids in an address, by where they stand."""
    parts = urlsplit(address)
    route = parts.fragment.lstrip("!").partition("?")[0] if parts.fragment.startswith(("/", "!/")) else ""
    found = {
        f"{mark}{place}": unquote(segment)
        for mark, path in (("", parts.path), ("#", route))
        for place, segment in enumerate(path.split("/"))
    }
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    names = [name for name, _ in pairs]
    found |= {name: value for name, value in pairs if _NAME.fullmatch(name) and names.count(name) == 1}
    return {place: value for place, value in found.items() if _ID.fullmatch(value)}


def new_ids(address: str, before: str) -> dict[str, str]:
    """Where each id stands in an address that another address, which came before it, doesn't have."""
    known = set(ids_of(before).values())
    places: dict[str, str] = {}
    for place, value in ids_of(address).items():
        if value not in known:
            places.setdefault(value, place)
    return places


def with_page_ids(path: str, places: Mapping[str, str]) -> str:
    """A request's path and query in which `{page[…]}` stands for each id that the page's address has at that place."""
    where, mark, query = path.partition("?")
    segments = [_place_or(segment, places) for segment in where.split("/")]
    pairs = [pair.partition("=") for pair in query.split("&")]
    filled = [name + equals + _place_or(value, places) for name, equals, value in pairs]
    return "/".join(segments) + mark + "&".join(filled)


def _place_or(text: str, places: Mapping[str, str]) -> str:
    return f"{{page[{places[text]}]}}" if text in places else text


def fill_page_ids(path: str, address: str) -> str:
    """A path with the ids of the page's address in it; `{page[…]}` stays where the address has none there."""
    ids = ids_of(address)
    return _PLACE.sub(lambda found: ids.get(found[1], found[0]), path)


Approve = str | Callable[[str], bool | Awaitable[bool]]
_SHOWN = 5
_log = logging.getLogger("skillbook.skill")


class Consent(Protocol):
    """An `approve` that is given the question itself beside its words: what a built-in skill's call approves."""

    def __call__(self, question: str) -> bool | Awaitable[bool]:
        """Whether a person says yes."""

    async def judge(self, question: str, about: ApprovalRequired | HeldRequest) -> bool:
        """Whether it may be done; never blocks."""


class Question(str):
    """What a function given as `approve=` is asked: the words, and what they are about.

    step: the number of the step; 0 before the first one.
    page: the address at which it acts.
    record: the record around what it acts on, such as `row 'Bob'`; empty where none is.
    dialog: the text of the dialog that it acts in; empty where it acts in none.
    inputs: every input's value.
    sends: the requests that the skill lists for the step, or the one that it is about, in words.
    confirms: what is listed where the step is confirmed: related records, counts, names.
    changes: what of this and of the record is another than recorded, in words.
    """

    skill: str
    step: int
    page: str
    record: str
    dialog: str
    inputs: Mapping[str, Value]
    sends: Sequence[str]
    confirms: Sequence[str] = ()
    changes: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        words: str,
        spec: SkillSpec,
        inputs: Mapping[str, Value],
        place: tuple[int, str],
        binding: Binding | None = None,
        sends: Sequence[str] = (),
    ) -> Question:
        """Put the words and what they are about together; `place` is the step and the page."""
        question = cls(words)
        question.skill, question.inputs, question.sends = spec.name, dict(inputs), tuple(sends)
        question.step, question.page = place
        question.record = binding.record if binding is not None else ""
        question.dialog = binding.dialog if binding is not None else ""
        return question


def named_fields(fact: RequestFact) -> list[str]:
    """The names in a body as a skill lists them, with kinds and counts: see `RequestShape.names`."""
    names = fact.shape.names if fact.shape is not None else frozenset(fact.fields)
    if fact.secrets:  # a digest would give away a short one
        names = frozenset(name for name in names if not name.startswith(NAMELESS))
    return sorted(names)


async def answer_of(
    approve: Callable[[str], bool | Awaitable[bool]],
    question: str,
    about: ApprovalRequired | HeldRequest | None = None,
) -> bool:
    """What a function that asks a person answers; it may block, or be awaitable."""
    judge = getattr(approve, "judge", None)
    if judge is not None and about is not None:
        return bool(await judge(question, about))
    answer = await asyncio.to_thread(approve, question)
    return bool(await answer if inspect.isawaitable(answer) else answer)


def is_of_code(approve: Approve | None) -> bool:
    """Whether a person's code runs the skill: a `Consent` answers for a model, a client or a form."""
    return not hasattr(approve, "judge")


def warn_of_late(error: SkillbookError) -> None:
    """The replay has ended, and whoever ran it has its result: here they are warned."""
    _log.warning("after the replay's end: %s", error.message)


def _shape_of(send: Send) -> RequestShape:
    """The requests that a filled entry of the list stands for."""
    return written_shape(send.method, send.origin, send.path, send.operation, frozenset(send.fields or ()))


def _as_loaded(request: HeldRequest) -> frozenset[tuple[str, str]]:
    """Names and values of the form's fields that nobody has changed since the page was loaded."""
    return frozenset(
        (shown.name, lines(shown.value)) for shown in request.shown if shown.name and shown.as_loaded
    )


def _other_names(listed: RequestShape, request: HeldRequest) -> list[str]:
    """Names that a request has, or has more often, than an entry of a skill's list.

    A field that isn't listed is sent as the page had it when it was loaded: a box that the record has ticked. A form
    with more rows has more fields of the listed names: those that the page shows as it had them, and hidden ones
    beside these.
    """
    assert request.fact.shape is not None
    known, left = listed.counts, request.fact.shape.without(_as_loaded(request))
    visible = {pattern_of(field.name) for field in request.shown}
    rows = {_row_of(field.name) for field in request.shown} - {""}
    names = [str(place[1]) for place in left.values if place[0] == "body" and len(place) > 1]

    def is_of_rows(name: str) -> bool:
        """Whether all fields of a name are hidden ones in rows that the page shows."""
        rows_of_it = {_row_of(one) for one in names if pattern_of(one) == name}
        return left.is_form and name not in visible and set() < rows_of_it <= rows

    return sorted(
        counted(name, count)
        for name, count in left.counts.items()
        if name not in known or (count > known[name] and not is_of_rows(name))
    )


def _row_of(name: str) -> str:
    """What the names of a row's fields begin with, such as `form-2` of `form-2-amount`; "" for a name without one."""
    found = _ROW.match(name)
    return found[0] if found is not None else ""


def _names_beyond(send: Send, request: HeldRequest) -> list[str]:
    """The other names of a request, where only they keep it from being listed."""
    shape, listed = request.fact.shape, _shape_of(send)
    if shape is None or send.fields is None or not (shape.whole and listed.covers(shape, "address")):
        return []
    return _other_names(listed, request)


class GrantedStep(Protocol):
    """What a step goes by that was granted in advance."""

    def allows(self, fact: RequestFact, send: Send) -> bool:
        """Whether a request that the skill lists keeps to it."""

    def begin(self, step: int) -> None:
        """A step begins."""


class SkillRequests:
    """The requests of one replay: a `skillbook.session.page.act_requests.RequestReview`.

    inputs: every input's value.
    key: the replay's id, for the journal.
    approve: decides where the skill doesn't say what it sends; see `skillbook.skill.replay.replayer.Replay`.
    step: the number of the step that is being carried out; 0 while the skill opens the page where it starts.
    let_out: the requests that may change something and were let out, in words.
    on_late: called with the error for a request that was blocked after the replay's end.
    granted: what was granted in advance, which limits what the step sends.
    """

    actor: Actor = "replay"

    def __init__(
        self, spec: SkillSpec, inputs: Mapping[str, Value], key: str, approve: Approve | None
    ) -> None:
        self.key = key
        self._step = 0
        self.addresses: dict[int, str] = {}
        self._spec = spec
        self._inputs = inputs
        self._approve = approve
        self._refused: list[HeldRequest] = []
        self._sends = spec.all_sends
        self._origins = {origin_of(fill_text(origin, inputs)) for origin in spec.all_origins} - {None}
        self._sent = [0] * len(self._sends or ())
        self._missing = {at for at, _ in enumerate(self._sends or ())}
        self._ended = False
        self.let_out: list[str] = []
        self.on_late: Callable[[SkillbookError], None] = warn_of_late
        self.granted: GrantedStep | None = None

    @property
    def step(self) -> int:
        """The step that is being carried out."""
        return self._step

    @step.setter
    def step(self, number: int) -> None:
        self._step = number
        if self.granted is not None:
            self.granted.begin(number)
        for at, send in enumerate(self._sends or ()):
            if send.step == number:
                self._sent[at] = 0

    @property
    def send_allowlist(self) -> bool:
        """Whether the skill says what it sends."""
        return self._sends is not None

    @property
    def announced_is_approved(self) -> bool:
        """Whether what a step's form announces is approved with the step."""
        return not self.send_allowlist

    async def judge(self, request: HeldRequest) -> RequestDecision:
        """Allow what the skill says, or what was approved; the rest is blocked and ends the step."""
        if request.verdict.origin in self._origins and not request.fact.changes:
            return RequestDecision(True, "the skill says that it goes there")
        if not request.verdict.strict:
            if self.step == 0 and (not request.fact.navigates or self._is_start(request.fact)):
                return RequestDecision(True, "the skill opens the page where it starts")
            covering = [
                number
                for number, send in enumerate(self._sends or ())
                if self._sent[number] < send.count
                and self._is_listed(send, request)
                and (self.granted is None or self.granted.allows(request.fact, send))
            ]
            if covering:
                self._sent[covering[0]] += 1
                self._missing.discard(covering[0])
                self.let_out.append(str(request.fact))
                return RequestDecision(True, "the skill says that it sends this")
            if not self.send_allowlist and await self._approved(request):
                self.let_out.append(str(request.fact))
                return RequestDecision(True, "it was approved")
        self._refused.append(request)
        if self._ended:
            self.on_late(self._error(request))
        return RequestDecision(False, "the skill doesn't say that it sends this")

    @property
    def complete(self) -> bool:
        """Whether everything that the skill says was sent."""
        return not self._missing

    @property
    def sent_whole(self) -> bool:
        """Whether the skill says that it sends something, and has sent all of it."""
        return bool(self._sends) and self.complete

    @property
    def writes(self) -> bool:
        """Whether the skill sends something that may change something, as far as it says so."""
        return not self.send_allowlist or bool(self._sends)

    def end(self) -> None:
        """The replay has ended: nobody is asked any more."""
        self._ended = True

    def check(self) -> None:
        """Raise for the first request that was blocked since this was called last.

        Raises NotAllowed: with what the skill may send. ApprovalRequired : the skill says nothing of what it sends.
        """
        refused, self._refused = self._refused, []
        if refused:
            raise self._error(refused[0])

    def _error(self, request: HeldRequest) -> PolicyError:
        what = f"{request.cause} wants to send {request.fact}"
        if not self.send_allowlist:
            return ApprovalRequired(
                f"{what}; the skill doesn't say what it sends, so nothing was sent",
                hint="run it with approve=skill.digest or with a function that asks, or save it anew from a run",
                request=str(request.fact),
            )
        filled = [self._filled(send) for send in self._sends or () if send.step <= self.step]
        listed = list(map(str, filled))
        alike = next((send for send in filled if _names_beyond(send, request)), None)
        why, hint = f"{what}", "add it to `sends` in replay.yaml if the skill is to send it"
        if alike is not None:
            names = _names_beyond(alike, request)
            shown = f"{', '.join(map(repr, names[:_SHOWN]))}{', …' if len(names) > _SHOWN else ''}"
            why = f"its body has {shown}, which the recording didn't send: {what}"
            hint = (
                f"add {shown} to `fields` of {alike.method} {alike.path} under `sends` in replay.yaml if the skill is "
                "to send it"
            )
        elif request.fact.shape is not None and not request.fact.shape.whole:
            why = f"its body can't be read as a whole: {what}"
        return NotAllowed(
            f"{why}; up to this step the skill may send {', '.join(listed) or 'nothing'}, so nothing was sent",
            hint=f"{hint}, and look at why it does so now",
            request=str(request.fact),
            allowed=listed,
        )

    def _is_listed(self, send: Send, request: HeldRequest) -> bool:
        """Whether a request is one that the skill lists, however often it was sent."""
        shape, listed = request.fact.shape, _shape_of(self._filled(send))
        if shape is None or send.step > self.step or not listed.covers(shape, "address"):
            return False
        return send.fields is None or (shape.whole and not _other_names(listed, request))

    def _is_start(self, fact: RequestFact) -> bool:
        """Whether a document is the one at which the skill starts: it was approved with the skill."""
        start = read_request("GET", fill_url(self._spec.start or "", self._inputs), size=0).shape
        return start is not None and fact.shape is not None and start.covers(fact.shape, "announced")

    def _filled(self, send: Send) -> Send:
        parts = {
            name: fill_text(text, self._inputs)
            for name, text in (
                ("origin", send.origin),
                ("path", fill_page_ids(send.path, self.addresses.get(send.step, ""))),
                ("operation", send.operation),
            )
        }
        return send.model_copy(update=parts)

    async def _approved(self, request: HeldRequest) -> bool:
        if isinstance(self._approve, str):
            return self._approve == self._spec.digest
        if self._approve is None or self._ended:
            return False
        place = self.step, self.addresses.get(self.step, "")
        sends = [request.what]
        question = Question.of(request.question, self._spec, self._inputs, place, sends=sends)
        return await answer_of(self._approve, question, request)
