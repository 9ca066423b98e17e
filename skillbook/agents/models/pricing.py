"""What models cost, for `run.cost` and `budget_usd`: the settings' price, else that of the `genai-prices` package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from skillbook.config import Settings

SCRIPTED = "scripted"
"""The model of `skillbook.testing`, which answers from a script and costs nothing."""


class Price(Protocol):
    """What one request to a model costs."""

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars of a request; discounts for cached input are left out."""


@dataclass(frozen=True)
class FixedPrice:
    """US dollars for a million input and a million output tokens."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars of a request."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


@dataclass(frozen=True)
class ListPrice:
    """The price of a model in the list that `genai-prices` brings along; it needs no network.

    The list knows prices that rise with the length of a request, so each request is calculated by it.
    """

    model: str
    provider: str | None

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """US dollars of a request.

        Raises LookupError: the list doesn't have the model.
        """
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        return float(calc_price(usage, self.model, provider_id=self.provider).total_price)


def price_of(model_name: str, settings: Settings) -> Price | None:
    """The price of a model such as `openai:gpt-5-mini`; None where neither the settings nor the list have it."""
    if settings.price_input is not None or settings.price_output is not None:
        return FixedPrice(settings.price_input or 0.0, settings.price_output or 0.0)
    if model_name == SCRIPTED:
        return FixedPrice(0.0, 0.0)
    provider, _, model = model_name.rpartition(":")
    stem = model.removesuffix("-latest")
    for name in (model, stem, stem.rpartition("/")[2]):
        price = ListPrice(name, provider or None)
        try:
            price.of(1, 1)
        except LookupError:
            continue
        return price
    return None


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
