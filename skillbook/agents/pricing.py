"""What models cost, for `run.cost` and `budget_usd`."""

from __future__ import annotations

from dataclasses import dataclass

from skillbook.config import Settings


@dataclass(frozen=True)
class Price:
    """US dollars for a million input and a million output tokens."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars for that many tokens; discounts for cached input are left out."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


PRICES: dict[str, Price] = {
    "gpt-4o": Price(2.5, 10),
    "gpt-4o-mini": Price(0.15, 0.6),
    "gpt-4.1": Price(2, 8),
    "gpt-4.1-mini": Price(0.4, 1.6),
    "gpt-4.1-nano": Price(0.1, 0.4),
    "gpt-5": Price(1.25, 10),
    "gpt-5-mini": Price(0.25, 2),
    "gpt-5-nano": Price(0.05, 0.4),
    "o3": Price(2, 8),
    "o4-mini": Price(1.1, 4.4),
    "claude-haiku-4-5": Price(1, 5),
    "claude-sonnet-4": Price(3, 15),
    "claude-sonnet-4-5": Price(3, 15),
    "claude-opus-4-5": Price(5, 25),
    "gemini-2.5-flash": Price(0.3, 2.5),
    "gemini-2.5-pro": Price(1.25, 10),
    "scripted": Price(0, 0),
}
"""List prices as their makers published them in 2025; settings override them."""


def price_of(model_name: str, settings: Settings) -> Price | None:
    """The price of a model: from the settings, else from the table, else None.

    A name with a date or version behind it counts as the model that it begins with.
    """
    if settings.price_input is not None or settings.price_output is not None:
        return Price(settings.price_input or 0.0, settings.price_output or 0.0)
    name = model_name.rpartition(":")[2].rpartition("/")[2]
    stems = [stem for stem in PRICES if name == stem or _is_dated(name, stem)]
    return PRICES[max(stems, key=len)] if stems else None


def _is_dated(name: str, stem: str) -> bool:
    rest = name.removeprefix(stem + "-")
    return rest != name and (rest == "latest" or (rest.replace("-", "").isdigit() and len(rest) >= 4))


@dataclass(frozen=True)
class Cost:
    """What a run used so far.

    `usd` is None where the model's price isn't known.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens

    def plus(self, input_tokens: int, output_tokens: int, price: Price | None) -> Cost:
        """The cost after one more answer of the model."""
        usd = None if price is None or self.usd is None else self.usd + price.of(input_tokens, output_tokens)
        return Cost(self.calls + 1, self.input_tokens + input_tokens, self.output_tokens + output_tokens, usd)

    def __str__(self) -> str:
        money = "price unknown" if self.usd is None else f"${self.usd:.4f}"
        return f"{self.calls} model calls, {self.tokens:,} tokens, {money}"
