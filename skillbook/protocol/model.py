"""The base that every wire model shares."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints


class WireModel(BaseModel):
    """An immutable model that refuses fields it doesn't know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


REF_PATTERN = r"^(f[1-9][0-9]*)?e[1-9][0-9]*$"
Ref = Annotated[str, StringConstraints(pattern=REF_PATTERN)]
