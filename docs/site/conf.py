"""How Sphinx builds the documentation: `make docs`. The sources stay where GitHub shows them; links work in both."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT)]
# Compiling its grammars of addresses takes seconds; jsonschema works without, and no notebook's check needs them.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

import reference  # noqa: E402

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "skillbook"
author = "The skillbook developers"
copyright = author
version = release = _PROJECT["version"]
language = "en"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_design"]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/sections/*.md",
    "docs/reference/*.md",
    "notebooks/*.ipynb",
    "skills/README.md",
    "extension/src/*/README.md",
]
exclude_patterns = [
    ".*",
    "dist",
    "build",
    "skillbook",
    "tests",
    "benchmarks",
    "downloads",
    "extension/node_modules",
]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
# Outputs are shown as the notebook has them; the tests run them.
nb_execution_mode = "off"
nb_merge_streams = True
# Nothing is loaded from elsewhere: of a widget the record is shown that stands beside it in the notebook.
nb_ipywidgets_js: dict[str, Any] = {}
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
# A parameter's type is words, such as "path": none is a link to an attribute of that name.
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "pydata_sphinx_theme"
html_title = "skillbook"
html_static_path = ["static"]
html_css_files = ["site.css"]
# A host shows `index.html` first, and the pages are where the sources are.
html_extra_path = ["root"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"docs/index": []}
html_theme_options = {
    "header_links_before_dropdown": 9,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_baseurl = _PROJECT.get("urls", {}).get("Documentation", "")


_FILE_AS_TEXT = re.compile(r"\[[\w./-]+\.(?:md|ipynb)\](?=\()")


def _name_pages_by_title(_app: Any, _docname: str, source: list[str]) -> None:
    """GitHub's readers follow `[safety.md](safety.md)`; the site's read the page's title there."""
    source[0] = _FILE_AS_TEXT.sub("[]", source[0])


def setup(app: Any) -> None:
    """Write the generated pages before Sphinx looks for sources."""
    app.connect("source-read", _name_pages_by_title)
    app.connect("builder-inited", lambda _: reference.write(ROOT / "docs" / "reference"))
