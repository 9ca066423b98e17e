"""Documents of a site that isn't allowed: by an open redirect, or since an allowed page goes on by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import quote

import skillbook as sb
from skillbook.session.sync import Browser
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.acting import close_others, drain
from tests.faults.attack.sends import Tried
from tests.shown import after_reading

TITLE = "A redirect to a site that isn't allowed"
_LINKS = {
    "link": "/to?url={far}",
    "link by 301": "/to?status=301&url={far}",
    "link by 303": "/to?status=303&url={far}",
    "link by 307": "/to?status=307&url={far}",
    "link by 308": "/to?status=308&url={far}",
    "several hops": "/to?url={hop}",
    "refresh of a page": "/meta",
    "script of a page": "/script",
}
_SCRIPTS = {
    "location": "location = '{plain}'",
    "location by a redirect": "location.href = '/to?url={far}'",
    "another frame": "document.getElementById('f').src = '/to?url={far}'",
}


def page_of(site: str, far: str) -> dict[str, str]:
    """The pages of the allowed site, by address."""
    plain = f"{far}/landed?q=words"
    hop = quote(f"{site}/to?url={quote(plain, safe='')}", safe="")
    names = {"far": quote(plain, safe=""), "hop": hop, "plain": plain}
    links = "".join(
        f"<p><a href='{address.format(**names)}'>{name}</a></p>" for name, address in _LINKS.items()
    )
    buttons = "".join(
        f'<p><button onclick="{code.format(**names)}">{name}</button></p>' for name, code in _SCRIPTS.items()
    )
    forms = "".join(
        f"<form action='{action}' method={method}>{field}<button>{name}</button></form>"
        for name, action, method, field in (
            ("form", "/to", "get", f"<input type=hidden name=url value='{plain}'>"),
            ("form to the other site", f"{far}/landed", "get", "<input name=q value=words>"),
            ("posted form", f"/to?status=307&url={names['far']}", "post", "<input name=q value=words>"),
        )
    )
    others = (
        f"<a target=f href='/to?url={names['far']}'>link into a frame</a><iframe id=f name=f></iframe>"
        f"<a target=_blank href='/to?url={names['far']}'>new tab</a>"
        f"<a target=_blank rel=opener href='/to?url={names['far']}'>new window</a>"
        f"<a href='{plain}'>direct</a><button onclick=\"document.title = 'x'\">harmless</button>"
    )
    return {
        "/redirects": links + buttons + forms + others,
        "/meta": f"<meta http-equiv=refresh content='0;url={plain}'>",
        "/script": f"<script>location.replace('{plain}')</script>",
    }


def _goto(site: str, far: str, tool: str = "goto") -> ToolCall:
    return ToolCall(tool, {"url": f"{site}/to?url={quote(f'{far}/landed?q=words', safe='')}"})


def _click(role: str, name: str, site: str, far: str) -> ToolCall:
    return ToolCall("click", {"target": f"{role} '{name}'"})


WAYS: dict[str, Callable[[str, str], ToolCall]] = {
    "goto": _goto,
    "opened tab": partial(_goto, tool="tabs_open"),
    **{
        name: partial(_click, "link", name)
        for name in (*_LINKS, "link into a frame", "new tab", "new window")
    },
    **{
        name: partial(_click, "button", name)
        for name in (*_SCRIPTS, "form", "form to the other site", "posted form")
    },
}
"""The call of a model for each way, given the addresses of both sites."""


def try_redirects(browser: Browser, server: OpenAIServer, site: Site, far: Site) -> list[Tried]:
    """Have an agent go each way; the person refuses the other site and approves the rest."""
    site.app.pages |= page_of(site.url, far.url)
    tries = []
    for way, call in WAYS.items():
        kept = {page.driver.tab.id for page in browser.pages}
        far.app.all.clear()
        tried = Tried(way)
        page = browser.open(f"{site.url}/redirects")
        server.script.extend([call(site.url, far.url), "done"])
        run = sb.agent(page, "Do what the page says.", autonomy="all").run()
        while run.status == "waiting":
            assert run.pending is not None
            is_far = far.url in run.pending.review.reason
            tried.asked += is_far
            after_reading(run).reject("no") if is_far else after_reading(run).approve()
        drain(server)
        close_others(browser, kept)
        tried.arrived = any("/landed" in line for line in far.app.all)
        tries.append(tried)
    return tries
