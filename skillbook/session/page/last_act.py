"""What the last action may still bring into a form: the record that the form is there to edit.

A page shows a form at once, and its record when that was read. Saved before that, blank fields take the record's place,
and a text that is filled in is overwritten. Requests are known. What comes from a timer, nothing reports: after the
address changed, such a form is waited for as reading waits for a page that shows nothing yet.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from skillbook.perception.forms import form_elements, form_key
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.protocol.refs import split_ref
from skillbook.protocol.snapshot import Activity
from skillbook.session.page.filled_fields import value_of

RECORD_SECONDS = 1.0
"""How long a form that shows no record is waited for where nothing is known to be on its way."""
TEXT_ROLES = ("textbox", "combobox", "spinbutton")
_REPORT_SECONDS = 0.1  # within which the browser reports what an act requested
_RENDER_MS = 250  # within which a page shows what came


@dataclass
class LastAct:
    """The last action that did more than fill something in, of which a form may still get its record.

    Attributes
    ----------
    url : the page's address before it.
    highest : the highest number of a ref by then: elements with higher ones were first seen after it.
    values : what text fields held before it, by ref; None where that isn't known.
    navigated : whether another document came with it.
    followed : whether a link was clicked, so that another record may come at any moment.
    at : when it ended, on the monotonic clock.
    filled : whether something was filled in since.
    """

    url: str = ""
    highest: int = 0
    values: Mapping[str, str] | None = None
    navigated: bool = True
    followed: bool = False
    at: float = field(default_factory=time.monotonic)
    filled: bool = False

    def is_turned(self, snapshot: BaseSnapshot) -> bool:
        """Whether another record is expected in the same document."""
        return not self.navigated and (self.followed or snapshot.url != self.url)

    def is_pending(self, snapshot: BaseSnapshot) -> bool:
        """Whether what it requested is on its way, or was answered just now."""
        return self.is_busy(snapshot.activity)

    def is_busy(self, activity: Activity | None) -> bool:
        """The same by what still goes on in a page; not where that isn't known."""
        if activity is None:
            return False
        if self.navigated:
            return activity.loading or bool(activity.open_ms)
        return bool(activity.caused) or (activity.caused_ms is not None and activity.caused_ms < _RENDER_MS)

    def may_change(self, snapshot: BaseSnapshot, texts: Collection[Node], count: int) -> bool:
        """Whether the last act may still change one of some fields for texts, of `count` in their form."""
        is_turned = self.is_turned(snapshot)
        if any(self._is_news(one) for one in texts) or not any(
            self._awaits(one, is_one_of_many=is_turned and count > 1) for one in texts
        ):
            return False
        if self.is_pending(snapshot):
            return True
        # What an old form requests without a change of the address is known by now, or isn't known.
        is_new = is_turned or not all(self._is_seen(one) for one in texts)
        return is_new and (time.monotonic() - self.at < _REPORT_SECONDS or changed_lately(snapshot))

    def may_bring(self, form: Form) -> bool:
        """Whether a form may still get the record that it is there to edit."""
        texts = [one for one in form.texts if one.ref not in form.filled]
        if not self.may_change(form.snapshot, texts, len(texts)):
            return False
        is_pending = self.is_pending(form.snapshot)
        is_young = time.monotonic() - self.at < RECORD_SECONDS
        is_early = (form.is_untouched and changed_lately(form.snapshot)) or is_young
        # What stands in no form may be to filter by, or for something else.
        is_early = is_early and form.is_sent and form.is_one
        if self.navigated:
            # A lone field is to search by.
            blank = not any(value_of(one) for one in texts) and (form.is_one or len(form.texts) > 1)
            is_record = form.is_sent or (form.is_untouched and len(texts) > 1)
            return blank and ((is_pending and is_record) or is_early)
        if is_pending or time.monotonic() - self.at < _REPORT_SECONDS:
            return True
        if self.is_turned(form.snapshot):
            return not self.filled
        return is_early and not all(self._is_seen(one) for one in texts)

    def _is_seen(self, node: Node) -> bool:
        """Whether an element was there before."""
        ref = node.ref or ""
        parts = split_ref(ref)
        if parts.frame:
            return self.values is not None and ref in self.values
        return parts.number <= self.highest

    def _is_news(self, text: Node) -> bool:
        """Whether a field shows what it didn't show before."""
        value, values = value_of(text), self.values or {}
        return bool(value) and (not self._is_seen(text) or values.get(text.ref or "", value) != value)

    def _awaits(self, text: Node, *, is_one_of_many: bool) -> bool:
        """Whether a field that shows nothing new may get its value by a record."""
        if not self._is_seen(text) or value_of(text):
            return True
        # One that was blank before as well is to be filled by hand.
        return is_one_of_many if self.values is None else bool(self.values.get(text.ref or ""))


@dataclass(frozen=True)
class Form:
    """The form that an element is in.

    Attributes
    ----------
    snapshot : the page.
    texts : its fields for texts.
    filled : the refs of those that were filled since the last act.
    is_sent : whether it may be sent now, rather than filled in.
    is_one : whether a form or a dialog is around it.
    """

    snapshot: BaseSnapshot
    texts: Collection[Node]
    filled: Collection[str]
    is_sent: bool
    is_one: bool

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was filled in."""
        return not self.filled


def changed_lately(snapshot: BaseSnapshot) -> bool:
    """Whether a page changed within the time in which a record comes."""
    return snapshot.activity is not None and snapshot.activity.quiet_ms < RECORD_SECONDS * 1000


def form_of(node: Node, filled: Collection[str], *, sends: bool) -> Form:
    """The form that a node is in."""
    return Form(node.snapshot, text_fields(form_elements(node)), filled, sends, form_key(node) is not None)


def text_fields(nodes: Iterable[Node]) -> list[Node]:
    """The fields for texts among some nodes."""
    return [one for one in nodes if one.role in TEXT_ROLES and one.ref and "editable" in one.states]
