"""The state of a bridge's connection."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from skillbook.errors import SkillbookError


@dataclass(frozen=True)
class BridgeStatus:
    """The connection at one moment.

    Parameters
    ----------
    state : "waiting" before the first browser, "connected", "lost" until it is back, "closed" for good.
    since : when this state began.
    browser, extension, profile : what the browser last said of itself.
    session : changes when the extension started anew and knows nothing of before.
    resumed : whether the connection continues an earlier session.
    missed_events : events that got lost; where above 0, or not resumed, list the tabs again.
    notice : a sentence for the user, such as that another connection took over.
    last_error : why there is no connection; None while connected.
    ignored : how many messages of each kind were ignored.
    """

    state: Literal["waiting", "connected", "lost", "closed"]
    since: datetime
    browser: str = ""
    extension: str = ""
    profile: str = ""
    session: str = ""
    resumed: bool = False
    missed_events: int = 0
    notice: str = ""
    last_error: SkillbookError | None = None
    ignored: dict[str, int] = field(default_factory=dict)
