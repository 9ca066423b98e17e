"""An application with a login, a redirect, cookies and data that a script fetches."""

from __future__ import annotations

import json

from skillbook.testing.sites.web import Request, Response, redirect

PASSWORD = "correct-horse-battery"
SESSION = "s3ss10n-0f-ann"
TOKEN = "t0k3n-that-nobody-may-see"
_HEAD = "<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1>"
_LOGIN = """<form method=post action=/login>
<label>Name <input name=user></label> <label>Password <input type=password name=password></label>
<button>Log in</button></form>"""
_ORDERS = """<label>Search <input id=word type=search></label> <button id=go>Search</button>
<button id=ping>Refresh rates</button>
<ul aria-label=Orders></ul><p id=said></p>
<script>
const say = (text) => document.querySelector("#said").textContent = text;
async function load() {
  const word = document.querySelector("#word").value;
  const answer = await (await fetch("/api/orders?_=" + Date.now(), {method: "POST",
    headers: {"content-type": "application/json"}, body: JSON.stringify({word})})).json();
  document.querySelector("ul").innerHTML = answer.rows.map(
    ([id, item, amount]) => `<li><h2>${item}</h2><span>${id}</span> <em>${amount}</em></li>`).join("");
  say(`${answer.rows.length} orders`);
}
document.querySelector("#go").onclick = load;
document.querySelector("#ping").onclick = () => fetch("/api/rates").then(() => say("fresh"), () => say("no rates"));
load();
</script>"""
ROWS = [["A1", "Lamp", "19.90"], ["A2", "Chair", "120.00"], ["A3", "Lamp shade", "7.50"]]


class Orders:
    """Counts what arrives."""

    def __init__(self) -> None:
        self.arrived: list[str] = []

    def respond(self, request: Request) -> Response:
        """Answer one request."""
        self.arrived.append(f"{request.method} {request.path}")
        if request.path == "/login":
            return redirect("/orders", session=SESSION)
        if request.path == "/orders":
            return Response(_HEAD.format(title="Orders") + _ORDERS)
        if request.path == "/api/orders":
            word = json.loads(next(iter(request.form), "") or "{}").get("word", "") if request.form else ""
            rows = [row for row in ROWS if word.lower() in row[1].lower()]
            return Response(json.dumps({"access_token": TOKEN, "rows": rows}), kind="application/json")
        if request.path == "/api/rates":
            return Response("{}", kind="application/json")
        return Response(_HEAD.format(title="Welcome") + _LOGIN)
