"""Ask the built site what readers look for: `make docs` ends with it, if there is a Chromium and Playwright."""

from __future__ import annotations

import sys
import threading
import tomllib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).parent
FIRST = 3


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main(site: Path) -> int:
    """Search for each page's words; the exit code says whether all were found."""
    from playwright.sync_api import sync_playwright

    from skillbook.launcher.chromium_search import find_chromium

    wanted = tomllib.loads((HERE / "searches.toml").read_text(encoding="utf-8"))["words"]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/search.html?q="
    missed, count = [], 0
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=find_chromium().path, args=["--no-sandbox"])
        page = browser.new_page()
        for name, searches in wanted.items():
            for words in searches:
                count += 1
                page.goto(address + words.replace(" ", "+"))
                page.wait_for_function(
                    "document.querySelector('p.search-summary')?.textContent.match(/finished|not match/)"
                )
                links = page.locator("ul.search > li > a").evaluate_all("all => all.map(each => each.href)")
                pages = list(
                    dict.fromkeys(link.split("#")[0].split("?")[0].rpartition("/")[2] for link in links)
                )
                if f"{name}.html" not in pages[:FIRST]:
                    missed.append(f"{words!r}: {pages[:FIRST]}, not {name}")
        browser.close()
    server.shutdown()
    said = f"{count - len(missed)} of {count} searches bring their page among the first {FIRST}"
    sys.stdout.write("\n".join([said, *missed, ""]))
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
