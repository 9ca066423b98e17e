"""Settings, read from `SKILLBOOK_*` environment variables and a `.env` file."""

from __future__ import annotations

import inspect
import os
import warnings
from pathlib import Path
from typing import Any, Literal

from dotenv import dotenv_values
from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

from skillbook.errors import ConfigError, StorageError
from skillbook.storage import home_folder


class Settings(BaseSettings):
    """Every setting with its default; `SKILLBOOK_HEADLESS=1` sets `headless`, and so on.

    Examples
    --------
    >>> sb.Settings().command_timeout
    30.0
    """

    model_config = SettingsConfigDict(
        env_prefix="SKILLBOOK_", env_file=".env", env_ignore_empty=True, populate_by_name=True, extra="ignore"
    )

    chromium: Path | None = Field(None, description="The browser to start; found by itself if unset.")
    headless: bool = Field(True, description="Start the browser without a window.")
    home: Path = Field(
        default_factory=lambda: home_folder() / ".local" / "share" / "skillbook",
        description="Where journals and learned rules are kept.",
    )
    command_timeout: float = Field(
        30.0, gt=0, description="Seconds a command may take unless it says otherwise."
    )
    connect_timeout: float = Field(30.0, gt=0, description="Seconds to wait for a browser to dial in.")
    public_url: str | None = Field(
        None,
        description="Where your browser reaches this kernel's port through a proxy or tunnel; {port} stands for it.",
    )
    heartbeat_seconds: float = Field(20.0, gt=0, description="Seconds between application heartbeats.")
    max_frame_bytes: int = Field(64 * 2**20, gt=0, description="Largest message accepted from the extension.")
    input: Literal["trusted", "synthetic"] = Field("trusted", description="How input reaches the page.")
    effects: bool | None = Field(
        None, description="Show the mouse in the page while it is driven; unset, if there is a window."
    )
    look_at_once: bool = Field(
        False,
        description="Read the page right after each action, not only when somebody looks at the result.",
    )
    robots: bool = Field(True, description="Agents and skills obey a site's robots.txt.")
    downloads: Path = Field(Path("downloads"), description="Where downloaded files are put.")
    uploads: Path = Field(
        Path("uploads"), description="Folder from which agents upload files without asking."
    )
    thumbnails: Literal["none", "agents", "all"] = Field(
        "agents",
        description="Of whose steps the journal keeps a small screenshot; with `all` traces of skills and explorations "
        "have them, too.",
    )
    network_bytes: int = Field(
        20_000_000,
        gt=0,
        description="Bytes kept of a page's answers, and again of its requests, once watched.",
    )
    record_screenshots: bool = Field(
        False,
        description="Keep a screenshot in what a saved notebook shows of pages and runs; each is 30 to 150 kB.",
    )
    kept_acts: int = Field(
        50,
        ge=0,
        description="How many of the last acts each shared tab keeps in memory for sb.save_skill; 0 keeps none.",
    )
    kept_extractions: int = Field(
        20, ge=0, description="How many extractions' rows are kept on disk for sb.recover."
    )
    quiet: bool | None = Field(
        None, description="Show nothing live in notebooks; unset, notebooks run by pytest are quiet."
    )

    cassettes: Literal["once", "record", "replay"] | None = Field(
        None, description="What cassettes do, whatever `sb.cassette` says: in CI, replay."
    )

    smtp: SecretStr | None = Field(
        None, description="The mail server by which watches tell, such as smtps://USER:PASSWORD@HOST:465."
    )

    model: str | None = Field(None, description="The agent's model, such as openai:gpt-5-mini.")
    base_url: str | None = Field(None, description="An OpenAI-compatible server to use, ending in /v1.")
    api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("SKILLBOOK_API_KEY", "OPENAI_API_KEY"),
        description="Key for OpenAI, or for the server at base_url.",
    )
    autonomy: Literal["ask", "reads", "all"] = Field(
        "ask",
        description="Which calls of runs from the side panel pass without you; irreversible ones never do.",
    )
    max_steps: int = Field(50, gt=0, description="Tool calls that a run may make unless it says otherwise.")
    budget_usd: float | None = Field(None, gt=0, description="US dollars that a run's model may cost.")
    budget_tokens: int | None = Field(None, gt=0, description="Tokens that a run's model may take.")
    assistance_timeout: float = Field(
        86_400.0, gt=0, description="Seconds that a run waits for a person's help before it stops."
    )
    summary_model: str | None = Field(
        None, description="Model that condenses long runs; the agent's if unset."
    )
    summary_tokens: int = Field(
        48_000, gt=1000, description="Tokens of conversation after which it is condensed."
    )
    kept_messages: int = Field(
        10, gt=0, description="Messages at the end of a conversation that are never condensed."
    )
    model_timeout: float = Field(120.0, gt=0, description="Seconds a model's answer may take.")
    model_retries: int = Field(2, ge=0, description="How often a failed request to the model is tried again.")
    price_input: float | None = Field(None, ge=0, description="US dollars for a million input tokens.")
    price_output: float | None = Field(None, ge=0, description="US dollars for a million output tokens.")

    judge_model: str | None = Field(None, description="The model that judges answers in evaluations.")
    eval_dataset: str = Field(
        "Browser Agent Skills", description="The LangSmith dataset to which evaluations are uploaded."
    )
    eval_prefix: str = Field(
        "browser-agent-eval", description="What names of LangSmith experiments begin with."
    )
    eval_workers: int = Field(2, gt=0, description="How many browsers an evaluation has at a time.")
    langsmith_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("SKILLBOOK_LANGSMITH_API_KEY", "LANGSMITH_API_KEY"),
        description="Key for LangSmith, to which evaluations are uploaded only if you say so.",
    )
    langsmith_endpoint: str | None = Field(
        None,
        validation_alias=AliasChoices("SKILLBOOK_LANGSMITH_ENDPOINT", "LANGSMITH_ENDPOINT"),
        description="Where LangSmith is; its own service by default.",
    )


def _default_of(field: FieldInfo) -> Any:
    """A setting's default, for the signature."""
    try:
        return field.get_default(call_default_factory=True)
    except StorageError:  # a user without a home folder, who has to name one
        return inspect.Parameter.empty


def _describe_fields() -> None:
    """Let signature and docstring name our settings; pydantic's have its 28 parameters for a command line only."""
    kind = inspect.Parameter.KEYWORD_ONLY
    fields = Settings.model_fields
    Settings.__signature__ = inspect.Signature(
        [inspect.Parameter(name, kind, default=_default_of(field)) for name, field in fields.items()]
    )
    types = {name: str(Settings.__annotations__[name]) for name in fields}
    lines = [f"{name} : {types[name]}\n    {field.description}" for name, field in fields.items()]
    summary, _, examples = inspect.cleandoc(Settings.__doc__ or "").partition("\n\n")
    Settings.__doc__ = "\n".join([summary, "", "Parameters", "----------", *lines, "", examples])


_describe_fields()


_known: dict[str, Any] = {}
"""What the settings were read from last, and the settings: each step of a run asks for them."""


def _environment() -> list[tuple[str, str]]:
    """The variables that are set; another thread may be setting or deleting some."""
    return [(name, value) for name in list(os.environ) if (value := os.environ.get(name)) is not None]


def _given() -> tuple[frozenset[tuple[str, str]], str, bytes]:
    """Everything that settings depend on: variables, the working folder, and its `.env`."""
    names = frozenset(
        (name, value)
        for name, value in _environment()
        if name.upper().startswith(("SKILLBOOK_", "LANGSMITH_", "OPENAI_API_KEY"))
    )
    try:
        file = Path(".env").read_bytes()
    except OSError:
        file = b""
    return names, os.getcwd(), file


def skill_folders(home: Path) -> tuple[Path, ...]:
    """Where skills and site hints are: `skills` in the working folder, then in skillbook's."""
    return Path("skills"), home / "skills"


def load_settings() -> Settings:
    """Read the settings now.

    A `.env` file comes with the folder, which somebody else may have made. It names no program to start, and no server
    to send a key to that it doesn't contain itself, unless the environment has `SKILLBOOK_TRUST_DOTENV=1`; such lines
    are left out with a warning.

    Raises ConfigError: a variable's value doesn't fit. StorageError : the user has no home folder, and names none.
    """
    given = _given()
    if _known.get("given") == given:
        known: Settings = _known["settings"]
        return known.model_copy()
    try:
        settings = Settings()
        ignored = {} if os.environ.get("SKILLBOOK_TRUST_DOTENV") == "1" else _untrusted(settings)
        if ignored:
            names = " and ".join(f"SKILLBOOK_{name.upper()}" for name in ignored)
            warnings.warn(
                f"{Path('.env').absolute()} sets {names}, ignored: a folder's file doesn't decide which program "
                "starts or who gets your key. Set it in the environment, or set SKILLBOOK_TRUST_DOTENV=1 there.",
                stacklevel=2,
            )
            return settings.model_copy(update=ignored)
        _known.update(given=given, settings=settings)
        return settings.model_copy()
    except ValidationError as error:
        first = error.errors()[0]
        name = "SKILLBOOK_" + "_".join(str(part) for part in first["loc"]).upper()
        raise ConfigError(f"{name}: {first['msg']}", setting=name) from None


def _untrusted(settings: Settings) -> dict[str, None]:
    """The settings that only the folder's `.env` file has and may not decide, as what they are without it."""
    file = {name.upper() for name, value in dotenv_values(".env").items() if value}
    given = {name.upper() for name, value in _environment() if value}
    keys = {"SKILLBOOK_API_KEY", "OPENAI_API_KEY"}
    found: dict[str, None] = {}
    if "SKILLBOOK_CHROMIUM" in file - given:
        found["chromium"] = None
    if "SKILLBOOK_BASE_URL" in file - given and settings.api_key is not None and keys & given:
        found["base_url"] = None
    places = {"SKILLBOOK_LANGSMITH_ENDPOINT", "LANGSMITH_ENDPOINT"}
    keys = {"SKILLBOOK_LANGSMITH_API_KEY", "LANGSMITH_API_KEY"}
    if places & file and not places & given and settings.langsmith_api_key is not None and keys & given:
        found["langsmith_endpoint"] = None
    return found
