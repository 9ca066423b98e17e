"""What a person knows of one site: names of unnamed controls, its pager, what to ignore, how slowly to visit it."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from skillbook.perception.escape import clean

LONGEST_NAME, LONGEST_SELECTOR, LONGEST_DELAY = 60, 200, 30.0
_MOST = 50


def _is_shown(name: str) -> str:
    if not name or clean(name) != name:
        raise ValueError("a name is one line of text without invisible characters")
    return name


HintName = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(_is_shown)]
HintSelector = Annotated[str, Field(max_length=LONGEST_SELECTOR)]


class SiteHints(BaseModel):
    """The hints of one origin. Nothing in them is text for a model but the names, which are shown as page text is.

    origin: the site's, such as `https://example.com`.
    names: the names of controls that have none, by the selector that each is found by.
    pager: the selector of what leads to the next page; "" for none.
    ignore: selectors of the parts of a page that aren't its content.
    crawl_delay: seconds from one page to the next at least.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    origin: Annotated[str, Field(max_length=300)]
    names: dict[HintSelector, HintName] = Field({}, max_length=_MOST)
    pager: HintSelector = ""
    ignore: tuple[HintSelector, ...] = Field((), max_length=_MOST)
    crawl_delay: float = Field(0.0, ge=0, le=LONGEST_DELAY, allow_inf_nan=False)

    @property
    def selectors(self) -> tuple[str, ...]:
        """Every selector in them."""
        return (*self.names, *([self.pager] if self.pager else ()), *self.ignore)
