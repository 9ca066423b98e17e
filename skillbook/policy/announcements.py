"""What an approved call was said to send.

The card of an approval names the address and shows the form's fields. A page that changes an amount, an id or the
address between the approval and the request sends another one, which asks again.
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urljoin

from skillbook.policy.body_values import Place, Value, named_values
from skillbook.policy.request_bodies import names_of
from skillbook.policy.request_facts import RequestFact, read_request
from skillbook.policy.request_shape import FORM, AnyText
from skillbook.policy.rules import Call

_TYPE: Place = ("header", "content-type")
"""A form's, which isn't known before it is sent."""


def announced_by(call: Call) -> RequestFact | None:
    """The request that a call sends, as far as the page says so: its form's, its link's or its address'.

    The card of an approval has this in words, so that what is sent just so asks no second time. Its shape covers that;
    values of files and secret fields aren't known.
    """
    facts, here = call.facts, call.frame_url or call.url
    if call.destination:
        return read_request("GET", call.destination, size=0, navigates=True)
    if facts is None:
        return None
    if facts.form is not None and (facts.submits or call.spec.submits or call.key):
        url = urljoin(here, facts.form.action or here)
        fact = read_request(facts.form.method or "GET", url, size=0, navigates=True)
        names = names_of(field.partition(":")[2] for field in facts.form.fields)
        files = tuple("a file" for field in facts.form.fields if field.startswith("file:"))
        pairs = [
            (name, Value("?") if value is None else Value("text", value)) for name, value in facts.form.sent
        ]
        fields = dict(named_values(("body",), pairs))
        unknown = [place for place, value in fields.items() if value.kind == "?"]
        assert fact.shape is not None
        body = {_TYPE: Value("?"), ("body",): FORM, **fields}
        shape = fact.shape.freed(dict.fromkeys([_TYPE, *unknown], AnyText()), unknown, body)
        return replace(fact, body="form", fields=names, files=files, shape=shape)
    href = facts.attributes.get("href", "")
    if not href or not call.spec.follows_links:
        return None
    return read_request("GET", urljoin(here, href), size=0, navigates=True)
