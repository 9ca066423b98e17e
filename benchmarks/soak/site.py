"""The site that is acted on. It counts what reaches it, so that nobody has to take the browser's word."""

from __future__ import annotations

from collections import Counter

from skillbook.testing.sites.web import Request, Response

ITEMS = 12

# A note that a reload took away can't be sent: what is sent is what was filled in.
_PAGE = """<!doctype html>
<html lang="en"><title>Soak $name</title><link rel="icon" href="data:,">
<style>section { height: 300px; overflow: auto; } li { padding: 4px; }</style>
<nav><a href="/page/1">First</a> <a href="/page/2">Second</a></nav>
<form id="form"><label>Note <input name="note" id="note" required></label> <button>Send</button></form>
<p id="said" aria-live="polite"></p>
<label>Plain <input id="plain"></label>
<label><input type="checkbox" id="box"> Box</label>
<label>Size <select id="size"><option>small</option><option>medium</option><option>large</option></select></label>
<section aria-label="Items"><ul>$items</ul></section>
<script>
  // Sent to the server at once and by the browser itself: it arrives also when this page ends.
  const report = (path) => navigator.sendBeacon(path);
  for (const button of document.querySelectorAll("li button"))
    button.onclick = () => report("/press?item=" + button.dataset.item);
  document.querySelector("#form").onsubmit = (event) => {
    event.preventDefault();
    report("/write?token=" + encodeURIComponent(document.querySelector("#note").value));
    document.querySelector("#said").textContent = "Sent " + document.querySelector("#note").value;
  };
  // A page that lives: its content changes under the reader.
  setInterval(() => {
    const list = document.querySelector("ul");
    list.append(list.firstElementChild);
  }, 400);
</script></html>"""


class SoakSite:
    """Two pages with buttons, fields and a form.

    Attributes
    ----------
    presses : how often each item's button was pressed.
    writes : how often each token was sent.
    """

    def __init__(self) -> None:
        self.presses: Counter[str] = Counter()
        self.writes: Counter[str] = Counter()

    def respond(self, request: Request) -> Response:
        """Answer one request."""
        if request.path == "/press":
            self.presses[request.query["item"]] += 1
            return Response("", status=204)
        if request.path == "/write":
            self.writes[request.query.get("token", "")] += 1
            return Response("", status=204)
        items = "".join(f'<li><button data-item="{n}">Item {n}</button></li>' for n in range(1, ITEMS + 1))
        name = request.path.rpartition("/")[2] or "1"
        return Response(_PAGE.replace("$name", name).replace("$items", items))
