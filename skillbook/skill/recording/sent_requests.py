"""What a page sends while it is recorded, so that the skill can say what each of its steps sends."""

from __future__ import annotations

from collections.abc import Callable

from skillbook.policy.request_facts import RequestFact


class SentRequests:
    """Notes what a page sends: a `skillbook.session.page.act_requests.RequestWatcher`.

    Parameters
    ----------
    note : called with each request.
    is_known_otherwise : whether what is sent now is known without this: a skill's file says it.

    Attributes
    ----------
    known : whether everything that was sent was seen.
    early : what was sent before the first step.
    inside : what was sent while something is done that is recorded as one step.
    """

    def __init__(self, note: Callable[[RequestFact], None], is_known_otherwise: Callable[[], bool]) -> None:
        self.known = True
        self.early: list[RequestFact] = []
        self.inside: list[RequestFact] = []
        self._note = note
        self._is_known_otherwise = is_known_otherwise

    def sent(self, fact: RequestFact) -> None:
        """A request that may change something went."""
        self._note(fact)

    def take_inside(self) -> tuple[RequestFact, ...]:
        """What was sent within the step that ends now."""
        sent, self.inside = tuple(self.inside), []
        return sent

    def missed_requests(self) -> None:
        """What is sent isn't known any more."""
        self.known = self.known and self._is_known_otherwise()
