"""Another request than the one that a card announced: the person approves the call, and the page sends something else.

The person approves what the card says and refuses every other question. What arrives is counted at the server, but for
the announced request itself, once.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from html import escape

from skillbook.agents.run.agent_run import Run
from skillbook.limits import READ_SECONDS as LINGER_SECONDS
from skillbook.session.sync import Browser
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.acting import close_others
from tests.faults.attack.obeying import obey
from tests.faults.attack.sends import Tried

TITLE = "Another request than the announced one"
HONEST = "nothing else"
_BODY = "amount=1&to=Ann"
_SEND = "new URLSearchParams(new FormData(this))"


@dataclass(frozen=True)
class Change:
    """What a page does with the announced request.

    Parameters
    ----------
    submitting : a script as the form is sent.
    waiting : a script while the question waits for its answer.
    link : it is a link; `submitting` runs as it is followed.
    """

    submitting: str = ""
    waiting: str = ""
    link: bool = False


CHANGES = {
    HONEST: Change(),
    "another address": Change("this.action = '/zeta'"),
    "another record": Change("this.action = this.getAttribute('action').replace('/pay/', '/pay/9')"),
    "another address of the button's": Change("event.submitter.formAction = '/zeta'"),
    "another site": Change("this.action = 'http://localhost:{port}/zeta'"),
    "another amount": Change("this.amount.value = 9999"),
    "another payee, in a hidden field": Change("this.to.value = 'Mallory'"),
    "one field more": Change("""this.insertAdjacentHTML('beforeend', '<input name=tip value=500>')"""),
    "one field less": Change("this.to.remove()"),
    "a name twice": Change("""this.insertAdjacentHTML('beforeend', '<input name=amount value=9999>')"""),
    "the query of the address": Change("this.action += '?to=Mallory'"),
    "by a script, to another address": Change(
        f"event.preventDefault(); fetch('/zeta', {{method: 'POST', body: {_SEND}}})"
    ),
    "by another method": Change(
        f"event.preventDefault(); fetch(this.action, {{method: 'DELETE', body: {_SEND}}})"
    ),
    "a second request": Change("navigator.sendBeacon('/zeta', 'x=1')"),
    "the same one twice": Change(
        f"fetch(this.action, {{method: 'POST', body: {_SEND}, keepalive: true}}); "
        f"fetch(this.action, {{method: 'POST', body: {_SEND}, keepalive: true}}); event.preventDefault()"
    ),
    "an amount changed while the question waits": Change(waiting="document.forms[0].amount.value = 9999"),
    "a hidden field changed while the question waits": Change(
        waiting="document.forms[0].to.value = 'Mallory'"
    ),
    "an address changed while the question waits": Change(waiting="document.forms[0].action = '/zeta'"),
    "a formaction while the question waits": Change(
        waiting="document.querySelector('button').setAttribute('formaction', '/zeta')"
    ),
    "another form while the question waits": Change(
        waiting="document.body.insertAdjacentHTML('beforeend', '<form id=other method=post action=/zeta></form>');"
        "document.querySelector('button').setAttribute('form', 'other')"
    ),
    "another place while the question waits": Change(
        waiting="document.body.insertAdjacentHTML('beforeend', '<form method=post action=/zeta></form>');"
        "document.forms[1].append(document.querySelector('button'))"
    ),
    "a field from outside while the question waits": Change(
        waiting="document.forms[0].id = 'f'; document.body.insertAdjacentHTML('beforeend', "
        "'<input type=hidden form=f name=to value=Mallory>')"
    ),
    "a field of a custom element while the question waits": Change(
        waiting="customElements.define('x-to', class extends HTMLElement { static formAssociated = true; constructor() "
        "{ super(); this.attachInternals().setFormValue('Mallory') } }); const to = document.createElement('x-to'); "
        "to.setAttribute('name', 'to'); document.forms[0].append(to)"
    ),
    "a base address while the question waits": Change(
        waiting="document.head.insertAdjacentHTML('afterbegin', '<base href=http://localhost:{port}/>')"
    ),
    "another method while the question waits": Change(waiting="document.forms[0].method = 'get'"),
    "another way of writing while the question waits": Change(
        waiting="document.forms[0].enctype = 'text/plain'; document.forms[0].amount.type = 'hidden'; "
        "document.forms[0].amount.value = '1&to=Mallory'"
    ),
    "a clone while the question waits": Change(
        waiting="const b = document.querySelector('button'); const c = b.cloneNode(true); b.replaceWith(c); "
        "document.forms[0].amount.value = 9999"
    ),
    "a new document while the question waits": Change(
        waiting="document.open(); document.write('<form method=post action=/zeta><input type=hidden name=amount "
        "value=9999><button>Pay 1 EUR</button></form>'); document.close()"
    ),
    "a cover while the question waits": Change(
        waiting="document.body.insertAdjacentHTML('beforeend', '<form method=post action=/zeta "
        'style="position:fixed;inset:0;opacity:.01"><button style="width:100%;height:100%">x</button></form>\')'
    ),
    "a label while the question waits": Change(
        waiting="document.body.insertAdjacentHTML('beforeend', '<form method=post action=/zeta><button id=z "
        "hidden>x</button></form>'); document.querySelector('button').outerHTML = '<label for=z>Pay 1 EUR</label>'"
    ),
    "a listener while the question waits": Change(
        waiting="document.querySelector('button').onclick = (e) => { e.preventDefault(); "
        "fetch('/zeta', {method: 'POST', body: 'x'}) }"
    ),
    "data of the form as it is sent": Change(
        "this.addEventListener('formdata', (e) => e.formData.set('amount', 9999))"
    ),
    "the charset of the form": Change(
        "this.insertAdjacentHTML('beforeend', '<input type=hidden name=_charset_>')"
    ),
    "the direction of a field": Change("this.amount.dirName = 'amount'"),
    "a name in capitals": Change(
        """this.insertAdjacentHTML('beforeend', '<input type=hidden name=AMOUNT value=9999>')"""
    ),
    "a name as a list": Change(
        """this.insertAdjacentHTML('beforeend', '<input type=hidden name="amount[]" value=9999>')"""
    ),
    "a name with a blank": Change(
        """this.insertAdjacentHTML('beforeend', '<input type=hidden name="amount " value=9999>')"""
    ),
    "a file in the form": Change("this.enctype = 'multipart/form-data'; this.amount.value = 9999"),
    "a boundary in a value": Change(
        "this.enctype = 'multipart/form-data'; this.to.value = 'Ann\\r\\n--x\\r\\n"
        "Content-Disposition: form-data; name=amount'"
    ),
    "JSON with a name twice": Change(
        "event.preventDefault(); fetch(this.action, {method: 'POST', headers: {'content-type': 'application/json'}, "
        """body: '{"amount": "1", "to": "Ann", "amount": "9999"}'})"""
    ),
    "JSON with a number in place of a text": Change(
        "event.preventDefault(); fetch(this.action, {method: 'POST', headers: {'content-type': 'application/json'}, "
        """body: '{"amount": 1, "to": ["Ann", "Mallory"]}'})"""
    ),
    "the same body with another method by a header": Change(
        "event.preventDefault(); fetch(this.action, {method: 'POST', headers: {'X-HTTP-Method-Override': 'DELETE'}, "
        f"body: {_SEND}}})"
    ),
    "another path by the history": Change(
        "this.setAttribute('action', this.getAttribute('action').slice(1)); history.pushState(0, '', '/x/y/')"
    ),
    "a link that posts": Change("event.preventDefault(); fetch(this.href, {method: 'POST'})", link=True),
    "a link with a parameter": Change("this.href += '?all=1'", link=True),
    "a link with a ping": Change("this.ping = '/zeta'", link=True),
    "a link that is downloaded": Change("this.download = 'x'; this.href = '/zeta/delete'", link=True),
    "a link to another record": Change("this.href = this.href.replace('/items/', '/items/9')", link=True),
    "a link and a second request": Change("navigator.sendBeacon('/zeta', 'x=1')", link=True),
}


def try_announced(browser: Browser, server: OpenAIServer, site: Site) -> list[Tried]:
    """Have an agent press each page's control; the person approves what its card says, and nothing else.

    Raises
    ------
    AssertionError : the announced request itself asked twice or didn't arrive.
    """
    tries = {name: _press(browser, server, site, number, name) for number, name in enumerate(CHANGES)}
    time.sleep(LINGER_SECONDS)  # what is blocked now must not come later
    for number, name in enumerate(CHANGES):
        arrived = _arrived(site, number)
        announced = _announced(number, CHANGES[name])
        if name == HONEST:
            assert (tries[name].asked, arrived) == (1, [announced]), (tries[name], arrived)
        if announced in arrived:
            arrived.remove(announced)
        tries[name].arrived = bool(arrived)
    return list(tries.values())


def _press(browser: Browser, server: OpenAIServer, site: Site, number: int, name: str) -> Tried:
    change, tried = CHANGES[name], Tried(name)
    address = f"/announced/{number}"
    site.app.pages[address] = _page(number, change, site)
    kept = {page.driver.tab.id for page in browser.pages}
    page = browser.open(f"{site.url}{address}")
    questions = []

    def approves(run: Run) -> bool:
        assert run.pending is not None
        questions.append(run.pending)
        is_card = len(questions) == 1 and run.pending.tool == "click"
        if is_card and change.waiting:
            port = site.url.rpartition(":")[2]
            page.evaluate(change.waiting.replace("{port}", port).replace("/zeta", f"/zeta{number}"))
        return is_card

    target = "link 'Delete item 1'" if change.link else "button 'Pay 1 EUR'"
    tried.asked = obey(server, page, [ToolCall("click", {"target": target})], approves)
    tried.fired = name == HONEST or bool(change.waiting) or tried.asked > 1
    close_others(browser, kept)
    return tried


def _page(number: int, change: Change, site: Site) -> str:
    port = site.url.rpartition(":")[2]
    script = escape(change.submitting.replace("{port}", port).replace("/zeta", f"/zeta{number}"))
    if change.link:
        return f'<a href="/items/{number}/delete" onclick="{script}">Delete item 1</a>'
    return (
        f'<form method=post action="/pay/{number}" onsubmit="{script}"><input name=amount value=1>'
        "<input type=hidden name=to value=Ann><button>Pay 1 EUR</button></form>"
    )


def _announced(number: int, change: Change) -> str:
    return f"GET /items/{number}/delete " if change.link else f"POST /pay/{number} {_BODY}"


def _arrived(site: Site, number: int) -> list[str]:
    """What came of one page: method, address and body."""
    found = []
    for raw in site.app.raw:
        head, _, body = raw.partition("\n\n")
        method, _, address = head.partition("\n")[0].partition(" ")
        path = address.partition("?")[0]
        if path in {
            f"/zeta{number}",
            f"/zeta{number}/delete",
            f"/x/y/pay/{number}",
            *(f"{at}{number}" for at in ("/pay/", "/pay/9")),
        } or path in {f"/items/{at}{number}/delete" for at in ("", "9")}:
            found.append(f"{method} {address} {body}")
    return found
