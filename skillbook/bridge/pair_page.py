"""The page that a pairing link opens: no script, nothing from elsewhere, two states shown by style alone."""

from __future__ import annotations

import json
import secrets
from html import escape
from typing import Any

from skillbook.bridge.address import PublicAddress
from skillbook.protocol.envelopes import KernelInfo

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
code { user-select: all; padding: .1em .3em; border-radius: .3em; background: #8882; }
.recognised, .paired, .declined { display: none; }
.help { animation: appear 0s 2s both; }
@keyframes appear { from { visibility: hidden; } to { visibility: visible; } }
html[data-skillbook] :is(.looking, .help) { display: none; }
html[data-skillbook="recognised"] .recognised { display: block; }
html[data-skillbook="paired"] .paired { display: block; }
html[data-skillbook="declined"] .declined { display: block; }
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pair with skillbook</title>
{meta}<style nonce="{nonce}">{style}</style>
</head>
<body><main>{body}</main></body>
</html>
"""

_LIVE = """
<h1>Pair this browser with the notebook <q>{name}</q></h1>
{looking}
<p class="recognised" role="status">The extension asks you to confirm. The notebook will then see the
tabs that it opens and the tabs that you share with it, and no others.</p>
<p class="paired" role="status">Paired. You can close this tab and go back to the notebook.</p>
<p class="declined" role="status">Not paired. Open a new link in the notebook to try again.</p>
<section class="help">
<h2>The extension isn't in this browser?</h2>
<ol>
<li>Run <code>skillbook extension</code> in a terminal: it prints a folder.</li>
<li>Open <code>chrome://extensions</code>, switch on <b>Developer mode</b>, choose <b>Load unpacked</b> and
that folder.</li>
<li>Load this page again. The link works once, within five minutes.</li>
</ol>
</section>
"""

_LOCAL = '<p class="looking">Looking for the skillbook extension …</p>'
# The extension doesn't look at pages from elsewhere by itself, else any site could ask to be paired.
_REMOTE = """<p class="looking">Click the skillbook button in the browser's toolbar, and there
<b>Pair with this page</b>.</p>"""

_DEAD = """
<h1>This pairing link no longer works</h1>
<p>A link works once and for five minutes. Run <code>sb.connect()</code> in the notebook for a new one.</p>
"""


def make_page(
    kernel: KernelInfo, code: str | None, public: PublicAddress | None = None
) -> tuple[str, dict[str, str]]:
    """The page's HTML and its HTTP headers.

    Parameters
    ----------
    kernel : who wants to pair.
    code : the live one-time code, or None for the page that says the link is dead.
    public : the address of the proxy or tunnel, if any; behind a proxy the user has to bring the extension here.
    """
    nonce = secrets.token_urlsafe(16)
    meta, body = "", _DEAD
    if code is not None:
        facts: dict[str, Any] = {"code": code, "kernel": {"id": kernel.id, "name": kernel.name}}
        if public is not None and public.query:
            facts["query"] = public.query
        looking = _LOCAL if public is None or public.local else _REMOTE
        meta = f'<meta name="skillbook-pair" content="{escape(json.dumps(facts))}">\n'
        body = _LIVE.format(name=escape(kernel.name), looking=looking)
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": f"default-src 'none'; style-src 'nonce-{nonce}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
    return _PAGE.format(meta=meta, nonce=nonce, style=_STYLE, body=body), headers
