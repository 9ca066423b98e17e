"""Finding the model that an agent talks to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel

from skillbook.agents.models.pricing import Price, price_of
from skillbook.agents.models.recorded_model import RecordedModel
from skillbook.config import Settings
from skillbook.errors import ModelNotConfigured, ModelUnreachable, SkillbookError
from skillbook.session.cassette import current


@dataclass(frozen=True)
class ModelChoice:
    """A model ready to use, its name, and its price where that is known."""

    model: BaseChatModel
    name: str
    price: Price | None

    @property
    def sees(self) -> bool:
        """Whether it is known to take images."""
        return bool((self.model.profile or {}).get("image_inputs"))


def choose_model(wanted: str | BaseChatModel | None, settings: Settings) -> ModelChoice:
    """Make the model that is wanted, or the configured one.

    Parameters
    ----------
    wanted: a LangChain chat model, a name such as `openai:gpt-5-mini` or `anthropic:claude-sonnet-4-5`, or
        None for `SKILLBOOK_MODEL`. With `SKILLBOOK_BASE_URL` set, names without a provider and OpenAI's go
        to that server.

    Raises
    ------
    ModelNotConfigured: no name, no key, an unknown provider, or its package is missing.
    """
    cassette = current()
    if cassette is None:
        return _choose(wanted, settings)
    if not cassette.replaying:
        choice = _choose(wanted, settings)
        recorded = RecordedModel(cassette=cassette, model_name=choice.name, inner=choice.model)
        return ModelChoice(recorded, choice.name, choice.price)
    # It answers itself: no key, package or server is needed.
    name = (
        name_of(wanted)
        if isinstance(wanted, BaseChatModel)
        else wanted or settings.model or cassette.model.model
    )
    return ModelChoice(RecordedModel(cassette=cassette, model_name=name), name, price_of(name, settings))


def _choose(wanted: str | BaseChatModel | None, settings: Settings) -> ModelChoice:
    if isinstance(wanted, BaseChatModel):
        name = name_of(wanted)
        return ModelChoice(wanted, name, price_of(name, settings))
    name = wanted or settings.model or ""
    if not name:
        where = f" for the server at {settings.base_url}" if settings.base_url else ""
        raise ModelNotConfigured(f"No model was given{where}, and SKILLBOOK_MODEL isn't set.")
    provider, _, bare = name.rpartition(":")
    if provider in {"", "openai"} and (settings.base_url or provider or _looks_like_openai(bare)):
        return ModelChoice(_openai(bare, settings), name, price_of(name, settings))
    return ModelChoice(_by_langchain(name, settings), name, price_of(name, settings))


def name_of(model: BaseChatModel) -> str:
    """The name a model goes by."""
    for attribute in ("model_name", "model", "model_id"):
        value = getattr(model, attribute, None)
        if isinstance(value, str) and value:
            return value
    return str(model._identifying_params.get("model_name", type(model).__name__))


def as_model_error(error: Exception, name: str) -> SkillbookError:
    """Say what a failed request to a model means; a `SkillbookError` stays as it is."""
    if isinstance(error, SkillbookError):
        return error
    status = getattr(error, "status_code", None)
    kind = type(error).__name__
    hints = {
        401: "Check the API key.",
        403: "Check what the API key is allowed to use.",
        404: "Check the model's name and the base URL.",
        429: "Wait a little, or check the account's quota; `run.start()` then goes on.",
    }
    said = " ".join(str(error).split())[:300]
    hint = hints.get(status) if isinstance(status, int) else None
    if "tool" in said.lower() and "support" in said.lower():
        hint = "This model, or its server, doesn't call tools: choose one that does."
    return ModelUnreachable(
        f"The model {name} gave no usable answer: {kind}: {said}",
        hint=hint,
        status=status,
    )


def _looks_like_openai(name: str) -> bool:
    return name.startswith(("gpt-", "o1", "o3", "o4", "chatgpt"))


def _openai(name: str, settings: Settings) -> BaseChatModel:
    from langchain_openai import ChatOpenAI

    key = settings.api_key.get_secret_value() if settings.api_key else None
    if settings.base_url is None and not key:
        raise ModelNotConfigured(f"The model openai:{name} needs a key, and OPENAI_API_KEY isn't set.")
    options: dict[str, Any] = {"timeout": settings.model_timeout, "max_retries": settings.model_retries}
    if settings.base_url is not None:
        options |= {"base_url": settings.base_url, "use_responses_api": False}
    return ChatOpenAI(model=name, api_key=key or "none", **options)


def _by_langchain(name: str, settings: Settings) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    try:
        return init_chat_model(name, timeout=settings.model_timeout, max_retries=settings.model_retries)
    except ImportError as error:
        raise ModelNotConfigured(
            f"The model {name} needs a package that isn't installed: {error}",
            hint="Install the package that the message names, or use an `openai:` model.",
        ) from None
    except Exception as error:  # every provider has other exceptions for a bad name or a missing key
        raise ModelNotConfigured(f"The model {name} can't be used: {error}") from error
