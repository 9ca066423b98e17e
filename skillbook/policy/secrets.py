"""Secrets by name: a placeholder everywhere, the value only at the gateway's last moment."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from getpass import getpass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from skillbook.errors import ConfigError, NotAllowed
from skillbook.policy.masking import MASK as MASK
from skillbook.policy.masking import SHORTEST, holds, mask, mask_address, mask_texts, readings, written_ways
from skillbook.policy.urls import origin_of
from skillbook.protocol.commands import COMMANDS

ONE_TIME = ".totp"
"""How the name of a secret ends whose value is a seed of codes."""


def is_one_time(name: str) -> bool:
    """Whether a secret is a seed, of which only codes are typed."""
    return name.endswith(ONE_TIME)


_FEWEST_BITS = 80
_DIGESTS = {"SHA1": hashlib.sha1, "SHA256": hashlib.sha256, "SHA512": hashlib.sha512}


def _options(given: str) -> dict[str, Any]:
    """What a seed or its address says of the codes."""
    if not given.startswith("otpauth://"):
        return {"s": given.replace(" ", "").upper()}
    parts = urlsplit(given)
    if parts.netloc != "totp":
        raise ValueError(parts.netloc)
    facts = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return {
        "s": facts["secret"],
        "digits": int(facts.get("digits", 6)),
        "interval": int(facts.get("period", 30)),
        "digest": _DIGESTS[facts.get("algorithm", "SHA1").upper()],
    }


class CodeSeed:
    """A seed; it prints as nothing.

    given: base32, with or without blanks, or an `otpauth://totp/…` address.
    Raises ConfigError: pyotp isn't installed.
    Raises NotAllowed: it is no seed.
    """

    def __init__(self, given: str) -> None:
        try:
            import pyotp
        except ImportError:
            raise ConfigError("one-time codes need pyotp", hint='pip install "skillbook[state]"') from None
        self.seed = given
        try:
            options = _options(given)

            class Codes(pyotp.TOTP):
                """Sites hand out shorter seeds than is advised to them; theirs is the choice."""

                min_secret_length_bits = _FEWEST_BITS

            self._codes = Codes(**options)
        except Exception:  # its words would quote the seed
            raise NotAllowed(
                "the seed of one-time codes can't be read",
                hint="give base32 text, or an otpauth://totp/ address",
            ) from None

    def code(self) -> str:
        """The code of this moment."""
        return str(self._codes.now())

    def __repr__(self) -> str:
        return "<CodeSeed>"


_PLACEHOLDER = re.compile(r"\$\{secret:([A-Za-z][A-Za-z0-9_.-]*)\}")
_NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_.-]*$")
_SHORTEST_KEPT = 6
"""Characters of a value that files are searched for; shorter ones stand in texts by chance."""


class Secret(str):
    """A secret's placeholder, `${secret:name}`, alone or in a text; it contains no secret.

    Only such an object counts. A plain text that says `${secret:name}`, from a page or a table, stays that text.
    """

    names: frozenset[str]

    def __new__(cls, name: str) -> Secret:
        """Make the placeholder of a secret's name."""
        return _placeholder_in(f"${{secret:{name}}}", frozenset({name}))

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _placeholder_in, (str.__str__(self), self.names)

    @staticmethod
    def masked(text: Any) -> str:
        """What is kept of a text that was typed where nobody may read it; placeholders stay."""
        found = Secret.within(str(text))
        return found if isinstance(found, Secret) or not found else MASK

    @staticmethod
    def within(text: str, names: Collection[str] | None = None) -> str:
        """A text of which placeholders count, as a `Secret`; without any, the text itself.

        Parameters
        ----------
        names : the secrets whose placeholders count; None for all of them.
        """
        found = frozenset(_PLACEHOLDER.findall(text))
        counted = found if names is None else found & frozenset(names)
        return _placeholder_in(text, counted) if counted else text


def _placeholder_in(text: str, names: frozenset[str]) -> Secret:
    secret = str.__new__(Secret, text)
    secret.names = names
    return secret


def literal(text: str) -> str:
    """A plain text as skills and the journal write it, so that no part of it is taken for a secret's placeholder."""
    return text.replace("${secret:", "${$}{secret:")


def read_literal(text: str) -> str:
    """A text of the journal or of a model: placeholders count, unless `literal` wrote them."""
    return Secret.within(text) if _PLACEHOLDER.search(text) else plain(text)


def plain(text: str) -> str:
    """What `literal` was made from."""
    return text.replace("${$}{secret:", "${secret:")


def _names_in(params: Any) -> list[str]:
    """The names of the secrets that count in a value, or in a mapping's or a list's values."""
    if isinstance(params, Secret):
        return sorted(params.names)
    inner = params.values() if isinstance(params, Mapping) else params if isinstance(params, list) else ()
    return [name for value in inner for name in _names_in(value)]


class SecretStore:
    """Where values come from: what was given here, the environment, the system keyring, else a prompt.

    environ: the environment; `SKILLBOOK_SECRET_NAME` holds the secret `name`.
    ask: asks a person for a value without showing it.
    stand_in: gives a value in the person's place, by the secret's name; None where a person is asked.
    """

    def __init__(self, environ: Mapping[str, str] | None = None, ask: Callable[[str], str] = getpass) -> None:
        self._environ = os.environ if environ is None else environ
        self._ask = ask
        self._values: dict[str, str] = {}
        self._seeds: dict[str, CodeSeed] = {}
        self._origins: dict[str, set[str]] = {}
        self._fields: dict[str, set[str]] = {}
        self._filled: set[str] = set()
        self._typed: set[str] = set()
        self._in_addresses: set[str] = set()
        self._signed_in: set[str] = set()
        self.stand_in: Callable[[str], str] | None = None

    def __repr__(self) -> str:
        return f"<SecretStore: {', '.join(sorted({*self._values, *self._seeds})) or 'empty'}>"

    def add(
        self,
        name: str,
        value: str | None = None,
        origins: Iterable[str] | None = None,
        fields: Iterable[str] | None = None,
        *,
        totp: bool = False,
    ) -> Secret:
        """Make a secret known by name and return its placeholder; see `secret`.

        Raises NotAllowed: the name can't be a secret's, no value is to be had, or one of the origins is none.
        """
        if not _NAME.match(name):
            raise NotAllowed(f"{name!r} can't be a secret's name", hint="use letters, digits, _ . and -")
        if totp and not is_one_time(name):
            name += ONE_TIME
        found = value if value is not None else self._known(name) or self._look_up(name)
        if not found:
            raise NotAllowed(f"the secret {name!r} has no value", hint=f"set {self.variable(name)}")
        bound = {address: origin_of(address) for address in _several(origins)}
        if odd := [address for address, origin in bound.items() if origin is None]:
            raise NotAllowed(f"{odd[0]!r} is no origin", hint="give origins such as https://example.com")
        if is_one_time(name):
            self._seeds[name] = CodeSeed(found)
        else:
            self._values[name] = found
        if len(found) >= SHORTEST:
            self._in_addresses.add(found)
        self._origins.setdefault(name, set()).update(origin for origin in bound.values() if origin)
        self._fields.setdefault(name, set()).update(field.strip().casefold() for field in _several(fields))
        return Secret(name)

    def has(self, name: str) -> bool:
        """Whether a secret has a value, without asking anybody for it."""
        if not _NAME.match(name):
            return False
        return bool(self._known(name) or self._environ.get(self.variable(name)) or _from_keyring(name))

    def questions(
        self, params: Any, *, origin: str | None, field: str, takes_secrets: bool
    ) -> tuple[str, ...]:
        """What a person has to answer before an agent or a skill types the secrets in these parameters, in words.

        takes_secrets: whether it is a field for passwords, cards or codes.
        """
        questions = []
        for name in dict.fromkeys(_names_in(params)):
            bound = self.bound_to(name)
            if bound and origin not in bound:
                continue  # refused when it is filled in
            if not bound:
                questions.append(
                    f"the secret {name!r} belongs to no site yet, and would from then on to {origin}"
                )
            if not takes_secrets and field.strip().casefold() not in self._fields.get(name, ()):
                questions.append(
                    f"the secret {name!r} would stand in {field!r}, no field for passwords or codes"
                )
        return tuple(questions)

    def name_field(self, params: Any, field: str) -> None:
        """A person typed these secrets into a field, or approved it: that field is named."""
        for name in _names_in(params):
            self._fields.setdefault(name, set()).add(field.strip().casefold())

    def fill_in(self, params: Any, *, command: str, origin: str | None, bind: bool = True) -> Any:
        """Replace placeholders by values, only for what is typed into a page.

        origin: of the document; None for one that has none of its own.
        bind: whether a secret that belongs to no site yet may from now on belong to this one.
        Raises NotAllowed: a placeholder in another command, on an origin the secret isn't bound to, or of no known
            secret.
        """
        if isinstance(params, Mapping):
            return {
                key: self.fill_in(item, command=command, origin=origin, bind=bind)
                for key, item in params.items()
            }
        if isinstance(params, list):
            return [self.fill_in(item, command=command, origin=origin, bind=bind) for item in params]
        if not isinstance(params, Secret):
            return params
        values = {name: self._value(name, command, origin, bind=bind) for name in sorted(params.names)}
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), params)

    def fill_header(self, text: str, origin: str) -> str:
        """A header's value for requests to an origin that a person gives, with the secrets that belong to it.

        Raises NotAllowed: a secret that isn't bound to the origin, or isn't known.
        """
        names = _PLACEHOLDER.findall(text)
        values = {name: self._bound_value(name, origin, bind=True) for name in names}
        return _PLACEHOLDER.sub(lambda match: values[match[1]], text)

    def _value(self, name: str, command: str, origin: str | None, *, bind: bool) -> str:
        if COMMANDS[command].text_param is None:
            raise NotAllowed(f"the secret {name!r} can only be typed into a field", hint="use fill or type")
        return self._bound_value(name, origin, bind=bind)

    def _bound_value(self, name: str, origin: str | None, *, bind: bool) -> str:
        if not self._known(name):
            raise NotAllowed(f"no secret named {name!r} is known", hint=f"call sb.secret({name!r}) first")
        bound = self._origins.setdefault(name, set())
        if not bound and bind and origin:
            bound.add(origin)
        if origin not in bound:
            raise NotAllowed(
                f"the secret {name!r} belongs to {', '.join(sorted(bound)) or 'no site yet'}, not to "
                f"{origin or 'a document without an origin of its own'}",
                hint=f"bind it: sb.secret({name!r}, origins=[...])",
                origin=origin,
            )
        self._filled.add(name)
        if name in self._seeds:
            self._values[name] = self._seeds[name].code()
        return self._values[name]

    def _known(self, name: str) -> str | None:
        """The value, or the seed of one-time codes, that is known already."""
        return self._seeds[name].seed if name in self._seeds else self._values.get(name)

    def _masked(self) -> list[str]:
        """What no text may show: values, and seeds of codes."""
        return [*self._values.values(), *(each.seed for each in self._seeds.values())]

    def filled(self) -> list[str]:
        """Every way to write the values that were filled in anywhere; those too short to be recognised are left out."""
        values = (self._values[name] for name in sorted(self._filled))
        return [form for value in values if len(value) > 2 for form in written_ways(value)]

    def carried(self, text: str) -> list[str]:
        """Names of the secrets filled in so far whose value stands in a text, however it is written there."""
        values = {name: value for name in sorted(self._filled) if len(value := self._values[name]) > 2}
        if not values:
            return []
        read = readings(text)
        return [name for name, value in values.items() if any(value.casefold() in one for one in read)]

    def bound_to(self, name: str) -> frozenset[str]:
        """The origins on which a secret may be typed, and to which it may go."""
        return frozenset(origin for origin in self._origins.get(name, ()) if origin)

    def filled_origins(self, more: Collection[str] = ()) -> list[str] | None:
        """The origins that every secret filled in so far, and those given, belong to; None without any."""
        names = self._filled | set(more)
        if not names:
            return None
        return sorted(frozenset.intersection(*(self.bound_to(name) for name in names)))

    def shared_origins(self, names: Collection[str], here: str | None) -> list[str]:
        """The origins that all of these secrets belong to; one that belongs to no site yet will belong to this one."""
        bound = [self.bound_to(name) or frozenset(filter(None, [here])) for name in names]
        return sorted(frozenset.intersection(*bound)) if bound else []

    def check_form(self, params: Any, action: str, *, origin: str | None) -> None:
        """Refuse a secret for a field whose form goes to another origin than the secret is bound to.

        Raises NotAllowed: it does.
        """
        goes_to = origin_of(action)
        for name in _names_in(params):
            bound: set[str | None] = {*self._origins.get(name, ())} or {origin}
            if goes_to is not None and goes_to not in bound:
                raise NotAllowed(
                    f"the secret {name!r} would be sent to {goes_to}: the field's form goes there",
                    hint=f"name that origin: sb.secret({name!r}, origins={{...}})",
                    origin=goes_to,
                )

    def refuse_leak(self, address: str) -> None:
        """Refuse an address that holds a secret's value, plain or encoded, or one that was masked.

        Raises NotAllowed: it does.
        """
        if MASK in unquote(address):
            raise NotAllowed(
                "a value in the address is masked",
                hint="go there as before: fill in the form, or page.back()",
            )
        for name, value in self._values.items():
            if len(value) >= SHORTEST and holds(address, value):
                raise NotAllowed(
                    f"the address holds the value of the secret {name!r}",
                    hint="secrets are only typed into fields",
                )

    def redact(self, text: str) -> str:
        """The text with every known value masked, however it is written there; see `skillbook.policy.masking`."""
        return self.redact_texts([text])[0]

    def redact_texts(self, texts: Sequence[str]) -> list[str]:
        """Texts that follow one another, with every known value masked, also one that several of them make up."""
        signed_in = [value for value in self._signed_in if any(len(text) >= len(value) for text in texts)]
        return mask_texts(texts, [*self._masked(), *signed_in])

    def note_typed(self, text: str) -> None:
        """A text that is no named secret went where nobody may read it: what is kept has it masked from now on."""
        if len(text) >= SHORTEST and text != MASK:
            self._typed.add(text)
            self._in_addresses.add(text)

    def hide_sign_ins(self, values: Iterable[str]) -> None:
        """What a state signs somebody in with, such as a session's cookie: no text shows it from now on."""
        self._signed_in |= set(values)

    def was_typed(self, text: str) -> bool:
        """Whether a text is all of what went into such a field."""
        return text in self._typed

    def redact_kept(self, text: str) -> str:
        """A text as files have it: without known values, and without what went into fields that nobody may read."""
        text = self.redact(text)
        for value in self._typed:
            if len(value) >= _SHORTEST_KEPT:
                text = mask(text, (value,))
            elif f"={value}" in text:  # in an address or a form
                text = re.sub(rf"(?<==){re.escape(value)}(?![\w.])", MASK, text)
        return text

    def redact_data(self, data: Any) -> Any:
        """JSON data with known values masked in its strings, in addresses also what went into secret fields."""
        if not (self._values or self._seeds or self._typed or self._signed_in):
            return data
        if isinstance(data, str):
            return mask_address(self.redact(data), self._in_addresses, MASK)
        if isinstance(data, Mapping):
            return {key: self.redact_data(item) for key, item in data.items()}
        if not isinstance(data, list):
            return data
        texts = iter(self.redact_texts([item for item in data if isinstance(item, str)]))
        return [
            mask_address(next(texts), self._in_addresses, MASK)
            if isinstance(item, str)
            else self.redact_data(item)
            for item in data
        ]

    @staticmethod
    def variable(name: str) -> str:
        """The environment variable that a secret's value is looked for in."""
        return "SKILLBOOK_SECRET_" + re.sub(r"[^A-Za-z0-9]", "_", name).upper()

    def _look_up(self, name: str) -> str | None:
        found = self._environ.get(self.variable(name)) or _from_keyring(name)
        if found or self.stand_in:
            return found or (self.stand_in(name) if self.stand_in else None)
        try:
            return self._ask(f"{name}: ")
        except (EOFError, OSError, NotImplementedError):  # nobody is there to type it
            return None


def _from_keyring(name: str) -> str | None:
    try:
        import keyring  # type: ignore[import-not-found, unused-ignore]
        from keyring.errors import KeyringError  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    try:
        value: str | None = keyring.get_password("skillbook", name)
    except KeyringError:  # there is none on this machine, or it stays locked
        return None
    return value


store = SecretStore()


def _several(given: Iterable[str] | None) -> list[str]:
    """One text counts as one, not as its letters."""
    return [given] if isinstance(given, str) else list(given or ())


def secret(
    name: str,
    *,
    origins: Iterable[str] | None = None,
    fields: Iterable[str] | None = None,
    totp: bool = False,
) -> Secret:
    """Name a secret; it stands as `${secret:name}` everywhere and is filled in at the last moment.

    Parameters
    ----------
    name : str
        Letters, digits, `_ . -`. The value comes from `SKILLBOOK_SECRET_NAME`, the system keyring (service
        "skillbook"), or a prompt.
    origins : iterable of str, optional
        Origins on which it may be typed. By default it belongs to the one on which you type it first, and an agent
        or a skill asks before it is the first to type it.
    fields : iterable of str, optional
        Names of fields into which agents and skills may type it besides those for passwords, cards and codes.
    totp : bool
        The one-time code of this moment, as an authenticator shows it, from a seed: base32 or an `otpauth://` address
        in `SKILLBOOK_SECRET_NAME_TOTP` or the keyring. It stands as `${secret:name.totp}`.

    Returns
    -------
    Secret
        A text that contains no secret.

    Raises
    ------
    NotAllowed
        The name can't be used, one of the origins is none, or there is no value and no terminal to type it in.

    Examples
    --------
    >>> page.fill("label 'Password'", sb.secret("github"))  # doctest: +SKIP
    """
    return store.add(name, origins=origins, fields=fields, totp=totp)
