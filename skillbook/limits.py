"""How long anything is waited for: all constants of time stand here. docs/waiting.md names those that users notice.

Most are the longest that something may take which ends by itself before. Whoever needs another one looks for the one
that fits first: what differs by a little is the same time.
"""

from __future__ import annotations

MOMENT_SECONDS = 0.1
"""What comes in small pieces is gathered for so long; what nobody reports, as an interrupt, is looked at so often."""
SHOWN_SECONDS = 0.5
"""What a page or a person does shows within this."""
ENDING_SECONDS = 1.0
"""What ends, or is on this machine, has done so within this."""
PEER_SECONDS = 2.0
"""Who is connected answers within this, or stands still; what a person waits for and lasts so long shows itself."""
ANSWER_SECONDS = 3.0
"""An act and an agent's turn wait so long for what was caused."""
READ_SECONDS = 5.0
"""A read waits so long for the page, an action for its element, and what stops for what is under way."""
CAUSE_SECONDS = 10.0
"""A step of a skill and a page of several wait so long; who connects has said who it is within this."""
PAGE_SECONDS = 30.0
"""How long a page may take in all, and a list to be looked through."""
PRESENT_SECONDS = 100.0
"""Who has said nothing for so long isn't there; another one's answer is waited for so long, also a person's pointing.

A command of a terminal may take so long: less than coding agents let one run.
"""
PERSON_SECONDS = 600.0
"""How long a person may take to decide, and a code to pair with holds; no wait is longer.

What could not be fetched isn't fetched again for so long.
"""
LEFT_SECONDS = 1800.0
"""A client that has done nothing for so long has left."""
DAY_SECONDS = 24 * 3600.0
"""How long what was found out about a site, and an exploration that was cut short, can be gone on with."""
