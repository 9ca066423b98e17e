"""The policy: a pure verdict on one call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from urllib.parse import urldefrag, urljoin

from skillbook.errors import ConfigError
from skillbook.policy.effects import danger
from skillbook.policy.labels import danger_of, says_change
from skillbook.policy.secrets import MASK
from skillbook.policy.urls import is_web, origin_of, same_server, same_site
from skillbook.protocol.commands import COMMANDS, Command, Effect
from skillbook.protocol.commands.read import DescribeResult

Actor = Literal["person", "agent", "replay"]
VerdictCode = Literal[
    "",
    "rule",
    "elsewhere",
    "own_server",
    "not_web",
    "origin",
    "no_ai",
    "address",
    "questions",
    "irreversible",
]
DANGERS = {
    "declared": "can't be undone, as the page says",
    "pay": "pays or orders, which can't be undone",
    "delete": "deletes, which can't be undone",
    "send": "sends, which can't be undone",
    "publish": "publishes, which can't be undone",
    "cancel": "cancels, confirms or signs out, which may not be undone",
    "credentials": "sends a password or code, which can't be undone",
}
_NOT_ALLOWED = "isn't on the list of allowed origins"


@dataclass(frozen=True)
class Call:
    """A command that somebody wants to run, with what the policy has to know of it.

    actor: who wants it: the person (a notebook cell), the agent's model, or a replayed skill.
    url: the page's address, as the browser committed it.
    frame_url: the address of the target's own document; None where it has no origin of its own.
    destination: the address to go to, for commands that navigate.
    role, label: the target's role and accessible name.
    submits, secret, facts, key, chosen: see `danger`.
    document: the key of the target's document.
    covered: whether something lies over the target.
    record: the record around the target as its caller saw it, such as row 'Bob'.
    with_secret: whether a secret is typed, or the target is a field whose value is never read.
    no_ai: whether the page asks not to be used by AI, where nothing is known of a target.
    focused: what has the keyboard focus, where the command has no target: see `ExpectedTarget`.
    questions: what a person has to answer before an agent or a skill does this, in words: secrets, files.
    script: whether it runs the caller's JavaScript in the page, although other calls of the command don't.
    declared: why it can't be undone, as the page says of its own tool; see `danger`.
    approved: a person saw exactly this call and approved it; set where an approval's token is redeemed.
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
    facts: DescribeResult | None = None
    key: str = ""
    chosen: tuple[str, ...] = ()
    document: str = ""
    covered: bool = False
    record: str = ""
    with_secret: bool = False
    no_ai: bool = False
    focused: str | None = None
    questions: tuple[str, ...] = ()
    script: bool = False
    declared: str = ""
    approved: bool = False

    @property
    def spec(self) -> Command:
        """The command's entry in the table."""
        return COMMANDS[self.command]

    @property
    def effect(self) -> Effect:
        """The call's effect on its target."""
        if self.script or self.declared:
            return Effect.IRREVERSIBLE
        own = self.spec.effect
        return Effect.IRREVERSIBLE if own is Effect.WRITE and self.danger else own

    @property
    def addresses(self) -> list[str]:
        """The page's address, the document's, and the one to go to, as far as it has them."""
        return [url for url in (self.url, self.frame_url, self.destination) if url]

    @property
    def written_on(self) -> tuple[str | None, ...]:
        """The addresses of the page and the document, if it changes something there."""
        writes = self.effect is not Effect.READ and not self.spec.on_any_origin
        return (self.url, self.frame_url) if writes else ()

    @property
    def danger(self) -> str | None:
        """Why it can't be undone: "pay", "delete", "send", "publish", "cancel" or "credentials"; None where it can."""
        return self.declared or danger(
            self.command, role=self.role, label=self.label, submits=self.submits, secret=self.secret,
            facts=self.facts, key=self.key, chosen=self.chosen, destination=self.destination,
        )  # fmt: skip

    @property
    def harmless_controls(self) -> list[str] | None:
        """The controls inside the target that a press on it may come to; None for any, where a name isn't known.

        One that speaks of a step which can't be undone is judged when it is pressed for its own sake.
        """
        controls = self.facts.controls if self.facts else []
        if any(MASK in control for control in controls):
            return None
        return [control for control in controls if not danger_of(control.partition(" ")[2])]

    @property
    def expected_origin(self) -> str | None:
        """The origin that the document has to be of when the command is carried out; None for any."""
        if self.spec.on_any_page or self.spec.on_any_document:
            return None
        return origin_of(self.frame_url or self.url)


@dataclass(frozen=True)
class Verdict:
    """What the policy says.

    action: "allow", "ask" a person, or "refuse".
    reason, code: why, in words and for programs.
    rule: the name of the rule that says it; empty where none applies.
    """

    action: Literal["allow", "ask", "refuse"]
    effect: Effect
    reason: str = ""
    origin: str | None = None
    code: VerdictCode = ""
    rule: str = ""


@dataclass
class Policy:
    """Origins on which writes are allowed, and origins that are never touched.

    allowed: origins such as `https://example.com`.
    despite_no_ai: origins on which agents may act although the page asks that no AI does.
    despite_robots: origins whose robots.txt doesn't count.
    visitable: origins that an agent may go to without asking, although it may not act there.
    forbidden: origins refused even for reading, such as the bridge's pages.
    is_notebook_server: says of an origin whether a notebook server answers there; refused even for reading.
    """

    allowed: set[str] = field(default_factory=set)
    despite_no_ai: set[str] = field(default_factory=set)
    despite_robots: set[str] = field(default_factory=set)
    visitable: set[str] = field(default_factory=set)
    forbidden: set[str] = field(default_factory=set)
    is_notebook_server: Callable[[str], bool] = field(default=lambda _: False)

    @classmethod
    def of(cls, origins: Iterable[str], forbidden: Iterable[str] = ()) -> Policy:
        """Make a policy from origins or URLs.

        Raises ConfigError: one of them has no origin.
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

    def allow_landing(self, requested: str, landed: str) -> None:
        """A person opened a URL: allow its origin, and the one it redirected to if that is the same site."""
        wanted, got = origin_of(requested), origin_of(landed)
        if wanted:
            self.allowed.add(wanted)
        if wanted and got and same_site(wanted, got):
            self.allowed.add(got)

    def is_forbidden(self, url: str) -> bool:
        """Whether a URL leads to a server that is never touched."""
        origin = origin_of(url)
        if origin is None:
            return False
        return any(same_server(origin, other) for other in self.forbidden) or self.is_notebook_server(origin)

    def leads_to(self, call: Call) -> str | None:
        """The address that a program goes to by a call, where its site's robots.txt counts; None otherwise."""
        if call.actor == "person":
            return None
        url = call.destination
        if url is None and call.facts and call.spec.follows_links:
            link = urljoin(call.frame_url or call.url, call.facts.attributes.get("href", ""))
            moves = urldefrag(link)[0] != urldefrag(call.frame_url or call.url)[0]
            url = link if moves and origin_of(link) in self.allowed else None
        return None if url is None or origin_of(url) in self.despite_robots else url

    def missing_origins(self, call: Call) -> list[str]:
        """The origins that aren't on the list, for which alone a call is refused or asked about."""
        here = [origin for url in call.written_on for origin in self.origins_missing_for(url)]
        return list(dict.fromkeys([*here, *self.not_visitable(call)]))

    def origins_missing_for(self, url: str | None) -> list[str]:
        """A document's origin, unless writes are allowed there."""
        origin = origin_of(url) if url is not None else None
        return [origin] if origin is not None and origin not in self.allowed else []

    def not_visitable(self, call: Call) -> list[str]:
        """The origin that an agent goes to, unless it may without asking."""
        if call.actor != "agent" or not call.destination or call.approved:
            return []
        return [
            origin for origin in self.origins_missing_for(call.destination) if origin not in self.visitable
        ]

    def judge_landing(
        self, url: str, *, redirected_from: str | None, approved: Collection[str]
    ) -> Verdict | None:
        """The verdict on an address that a redirect, or a page by itself, leads an agent or a skill to.

        It is the one on the address that an agent goes to; None where there is nothing to say about its origin.

        redirected_from: the origin that redirects; None where the page itself goes on.
        approved: origins that a person approved, for whoever acts.
        """
        known = {*self.allowed, *self.visitable, *approved}
        origin = origin_of(url)
        if (
            origin is None
            or origin in known
            or (redirected_from is not None and redirected_from not in known)
        ):
            return None
        if any(same_site(each, origin) for each in known):
            return None
        verdict = self.judge(Call("goto", actor="agent", destination=url))
        return verdict if verdict.code in {"origin", "own_server"} else None

    def judge(self, call: Call) -> Verdict:
        """The verdict on a call: of the first of the rules that says something of it."""
        for rule in RULES:
            if (found := rule.finds(self, call)) is not None:
                reason, origin = found
                return Verdict(rule.action, call.effect, reason, origin, rule.code, rule.name)
        return Verdict("allow", call.effect)


Finding = tuple[str, str | None]
"""Why a rule applies, in words, and the origin that it is about."""


class PolicyRule(NamedTuple):
    """A row of the policy.

    finds: why it applies to a call; None where it doesn't.
    action, code: what it says then, and why for programs.
    """

    name: str
    finds: Callable[[Policy, Call], Finding | None]
    action: Literal["ask", "refuse"]
    code: VerdictCode
    source: str


def _own_server(policy: Policy, call: Call) -> Finding | None:
    url = next((url for url in call.addresses if policy.is_forbidden(url)), None)
    return (url and (f"{origin_of(url)} is this notebook's own server", origin_of(url))) or None


def _not_web(policy: Policy, call: Call) -> Finding | None:
    url = next((url for url in call.addresses if not call.spec.on_any_page and not is_web(url)), None)
    return None if url is None else (f"{url[:80]!r} isn't a web page that can be read or acted on", None)


def _without_origin(policy: Policy, call: Call) -> Finding | None:
    here = (url for url in call.written_on if url not in {None, "", "about:blank"})
    url = next((url for url in here if origin_of(str(url)) is None), None)
    return None if url is None else (f"{url[:80]!r} isn't a web page that can be acted on", None)


def _other_origin(policy: Policy, call: Call) -> Finding | None:
    origin = next((origin for url in call.written_on for origin in policy.origins_missing_for(url)), None)
    return None if origin is None else (f"{origin} {_NOT_ALLOWED}", origin)


def _no_ai(policy: Policy, call: Call) -> Finding | None:
    why = _opted_out(call) if call.actor != "person" else ""
    origin = origin_of(call.frame_url or call.url)
    return (
        (f"{why} asks not to be used by AI (data-no-ai)", origin)
        if why and origin not in policy.despite_no_ai
        else None
    )


def _unvisited(policy: Policy, call: Call) -> Finding | None:
    origin = next(iter(policy.not_visitable(call)), None)
    return None if origin is None else (f"{origin} {_NOT_ALLOWED}", origin)


def _changing_address(policy: Policy, call: Call) -> Finding | None:
    goes = call.actor == "agent" and call.destination and not call.approved
    word = says_change(call.destination) if goes and call.destination else None
    return (f"the address says {word!r}: going there may change something", None) if word else None


def _irreversible(policy: Policy, call: Call) -> Finding | None:
    return None if call.questions or call.with_secret or call.script else _asked(policy, call)


def _asked(policy: Policy, call: Call) -> Finding | None:
    if call.actor == "person" or call.approved:
        return None
    why = "runs JavaScript" if call.script else DANGERS.get(call.danger or "", "can't be undone")
    words = f"{call.label or call.destination or call.command!r} {why}"
    reasons = [*([words] if call.effect is Effect.IRREVERSIBLE else []), *call.questions]
    return ("; ".join(reasons), None) if reasons else None


RULES = (
    PolicyRule("own server", _own_server, "refuse", "own_server", "code in a notebook can do anything"),
    PolicyRule("no web page", _not_web, "refuse", "not_web", "scripts, files and the browser's own pages"),
    PolicyRule(
        "no origin", _without_origin, "refuse", "not_web", "nobody can allow a page without an origin"
    ),
    PolicyRule(
        "origin not allowed", _other_origin, "refuse", "origin", "writes are for the person's origins"
    ),
    PolicyRule("no AI", _no_ai, "refuse", "no_ai", "the page asks for it"),
    PolicyRule("unvisited origin", _unvisited, "ask", "origin", "an address may carry what a page says"),
    PolicyRule("changing address", _changing_address, "ask", "address", "some addresses change something"),
    PolicyRule(
        "can't be undone", _irreversible, "ask", "irreversible", "a person decides, or granted it in advance"
    ),
    PolicyRule(
        "more questions", _asked, "ask", "questions", "a person decides on secrets, files and scripts"
    ),
)
"""The policy, row by row: the first that applies decides; what none applies to is allowed."""


def _opted_out(call: Call) -> str:
    """What asks that no AI uses it, in words; empty where nothing does or the call doesn't use it."""
    spec = call.spec
    if call.facts is None:
        free = spec.on_any_page or spec.on_any_document or spec.captures_image
        return "the page" if call.no_ai and not free else ""
    if call.facts.no_ai and (spec.reads_element or call.effect is not Effect.READ):
        return "the page"
    inside = call.facts.no_ai_inside and spec.reads_element
    return "a part of the element" if inside else ""
