"""The policy: a pure verdict on one call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from skillbook.errors import ConfigError
from skillbook.policy.effects import classify
from skillbook.policy.urls import origin_of, same_server, same_site
from skillbook.protocol.commands import Effect

Actor = Literal["person", "agent", "replay"]
_NAVIGATION = {"goto", "tabs_open"}
_HARMLESS_ANYWHERE = {"back", "reload", "tabs_switch", "tabs_close", "handle_dialog", "scroll"}


@dataclass(frozen=True)
class Call:
    """A command that somebody wants to run, with what the policy has to know of it.

    Parameters
    ----------
    command : its name.
    actor : who wants it: the person (a notebook cell), the agent's model, or a replayed skill.
    url : the page's address, as the browser committed it.
    frame_url : the address of the target's own document; None where it has no origin of its own.
    destination : the address to go to, for commands that navigate.
    role, label : the target's role and accessible name.
    submits, secret : see `classify`.
    approved : a person saw exactly this call and approved it.
    """

    command: str
    actor: Actor = "person"
    url: str = ""
    frame_url: str | None = None
    destination: str | None = None
    role: str = ""
    label: str = ""
    submits: bool = False
    secret: bool = False
    approved: bool = False

    @property
    def effect(self) -> Effect:
        """The call's effect on its target."""
        return classify(
            self.command, role=self.role, label=self.label, submits=self.submits, secret=self.secret
        )


@dataclass(frozen=True)
class Verdict:
    """What the policy says: allow, ask a person, or refuse; with the effect and the reason."""

    action: Literal["allow", "ask", "refuse"]
    effect: Effect
    reason: str = ""
    origin: str | None = None


@dataclass
class Policy:
    """Origins on which writes are allowed, and origins that are never touched.

    Parameters
    ----------
    allowed : origins such as `https://example.com`.
    forbidden : origins refused even for reading: the notebook server's own, for one.
    """

    allowed: set[str] = field(default_factory=set)
    forbidden: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, origins: Iterable[str], forbidden: Iterable[str] = ()) -> Policy:
        """Make a policy from origins or URLs.

        Raises
        ------
        ConfigError : one of them has no origin.
        """
        policy = cls(forbidden=set(forbidden))
        for origin in origins:
            policy.allow(origin)
        return policy

    def allow(self, url: str) -> str:
        """Allow writes on a URL's origin; returns the origin."""
        origin = origin_of(url)
        if origin is None:
            raise ConfigError(f"{url!r} has no origin that could be allowed", hint="give https://HOST[:PORT]")
        self.allowed.add(origin)
        return origin

    def allow_landing(self, asked: str, landed: str) -> None:
        """A person opened a URL: allow its origin, and the one it redirected to if that is the same site."""
        wanted, got = origin_of(asked), origin_of(landed)
        if wanted:
            self.allowed.add(wanted)
        if wanted and got and same_site(wanted, got):
            self.allowed.add(got)

    def judge(self, call: Call) -> Verdict:
        """The verdict on a call."""
        effect = call.effect
        for url in (call.url, call.frame_url, call.destination):
            origin = origin_of(url) if url else None
            if origin and any(same_server(origin, other) for other in self.forbidden):
                return Verdict("refuse", effect, f"{origin} is this notebook's own server", origin)
        if effect is not Effect.READ and call.command not in _NAVIGATION | _HARMLESS_ANYWHERE:
            for url in (call.url, call.frame_url):
                if url is None:
                    continue
                origin = origin_of(url)
                if origin is None and url not in {"", "about:blank"}:
                    return Verdict("refuse", effect, f"{url[:80]!r} isn't a web page that can be acted on")
                if origin is not None and origin not in self.allowed:
                    return Verdict("refuse", effect, f"{origin} isn't on the list of allowed origins", origin)
        if call.actor == "agent" and call.destination:
            origin = origin_of(call.destination)
            if origin and origin not in self.allowed and not call.approved:
                return Verdict("ask", effect, f"{origin} isn't on the list of allowed origins", origin)
        if effect is Effect.IRREVERSIBLE and call.actor != "person" and not call.approved:
            return Verdict("ask", effect, f"{call.label or call.command!r} can't be undone")
        return Verdict("allow", effect)
