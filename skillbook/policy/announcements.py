"""What an approved call was said to send, and whether a request is just that.

The card of an approval names the address and shows the form's fields. A page that changes an amount, an id or the
address between the approval and the request sends another one, which asks again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urljoin

from skillbook.policy.request_bodies import names_of, read_json
from skillbook.policy.request_facts import RequestFact, read_request
from skillbook.policy.rules import Call

_BOUNDARY = re.compile(r'boundary="?([^";]+)')
_PART_NAME = re.compile(r'content-disposition:\s*form-data;[^\r\n]*?(?<![a-z])name="([^"]*)"', re.I)
_FILE = re.compile(r"content-disposition:[^\r\n]*filename", re.I)

Pairs = tuple[tuple[str, str | None], ...]
"""Names and values, in order; None for a value that isn't known."""


@dataclass(frozen=True)
class Announcement:
    """What an approved call was said to send; held in memory only.

    Parameters
    ----------
    fact : the request, as its card names it.
    pairs : the form's fields with their values, as they were when the call was judged.
    """

    fact: RequestFact
    pairs: Pairs = ()

    def covers(self, fact: RequestFact, pairs: Pairs | None) -> bool:
        """Whether a request is the announced one: its address, its fields and every value that is known.

        Parameters
        ----------
        fact : the request.
        pairs : what its body holds; None if that can't be read.
        """
        if not self._is_like(fact):
            return False
        if fact.body == "none" and not self.pairs:
            return True
        if pairs is None:
            return False
        unknown = {name for name, value in (*self.pairs, *pairs) if value is None}
        said, sent = (
            Counter((name, _lines(value)) for name, value in one if value is not None and name not in unknown)
            for one in (self.pairs, pairs)
        )
        return said == sent

    def _is_like(self, fact: RequestFact) -> bool:
        """Whether a request goes where this one was to go, with none but its fields, and files only if it has some."""
        said = self.fact
        same = (said.method, said.origin, said.address, said.operation) == (
            fact.method, fact.origin, fact.address, fact.operation
        )  # fmt: skip
        known = not fact.opaque or said.opaque or said.files
        return (
            same
            and bool(known)
            and set(fact.fields) <= set(said.fields)
            and not (fact.files and not said.files)
        )


def announced_by(call: Call) -> Announcement | None:
    """What a call sends as far as the page says so before it is made: its form, or its link or address.

    The card of an approval has this in words, so that what is sent just so asks no second time.
    """
    facts, here = call.facts, call.frame_url or call.url
    if call.destination:
        return Announcement(read_request("GET", call.destination, navigates=True))
    if facts is None:
        return None
    if facts.form is not None and (facts.submits or call.spec.submits or call.key):
        url = urljoin(here, facts.form.action or here)
        fact = read_request(facts.form.method or "GET", url, navigates=True)
        names = names_of(field.partition(":")[2] for field in facts.form.fields)
        files = tuple("a file" for field in facts.form.fields if field.startswith("file:"))
        pairs = tuple((name, value) for name, value in facts.form.sent)
        return Announcement(replace(fact, body="form", fields=names, files=files), pairs)
    href = facts.attributes.get("href", "")
    if not href or not call.spec.follows_links:
        return None
    return Announcement(read_request("GET", urljoin(here, href), navigates=True))


def pairs_of(content_type: str, body: str | None) -> Pairs | None:
    """Names and values in a request's body, as forms send them; None if it is no such body, or can't be read."""
    kind = content_type.lower()
    if body is None:
        return None
    if "urlencoded" in kind:
        return tuple(parse_qsl(body, keep_blank_values=True))
    if "multipart/form-data" in kind:
        return _parts(content_type, body)
    data = read_json(body)
    if isinstance(data, Mapping) and all(isinstance(value, str) for value in data.values()):
        return tuple((str(name), value) for name, value in data.items())
    return None


def _parts(content_type: str, body: str) -> Pairs | None:
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        return None
    found: list[tuple[str, str | None]] = []
    for part in body.split(f"--{boundary[1]}")[1:-1]:
        head, blank, value = part.partition("\r\n\r\n")
        name = _PART_NAME.search(head)
        if name is None or not blank:
            return None
        found.append((name[1], None if _FILE.search(head) else value.removesuffix("\r\n")))
    return tuple(found)


def _lines(text: str | None) -> str:
    """A value as forms send it, whichever line ends it has."""
    return (text or "").replace("\r\n", "\n").replace("\r", "\n")
