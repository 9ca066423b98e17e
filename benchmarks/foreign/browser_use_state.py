"""Times browser-use's page state; runs in browser-use's environment, not in skillbook's.

Arguments: DevTools address, rounds, page addresses. Prints one JSON object a page.
"""

import asyncio
import json
import sys
import time
from typing import Any

from browser_use import BrowserSession  # type: ignore[import-not-found]


async def main(endpoint: str, rounds: int, urls: list[str]) -> None:
    session: Any = BrowserSession(cdp_url=endpoint, highlight_elements=False)
    await session.start()
    for url in urls:
        await session.navigate_to(url)
        took = []
        text = ""
        # The first isn't counted: the page is still settling.
        for number in range(rounds + 1):
            started = time.perf_counter()
            state = await session.get_browser_state_summary(include_screenshot=False, cached=False)
            text = state.dom_state.llm_representation()
            if number:
                took.append((time.perf_counter() - started) * 1000)
        elements = len(state.dom_state.selector_map)
        print(json.dumps({"took": took, "text": text, "elements": elements}), flush=True)
    await session.stop()


asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
