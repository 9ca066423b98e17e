"""How Sphinx builds the documentation: `make docs`. The sources stay where GitHub shows them; links work in both."""

from __future__ import annotations

import json
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
MAINTAINERS = [
    f"docs/{name}.md"
    for name in (
        *(
            "README",
            "attacks",
            "benchmarks",
            "builtin_skills_measured",
            "conformance",
            "exploration_measured",
        ),
        *(
            "faults",
            "lexicon",
            "records_measured",
            "skill_variations_measured",
            "soak",
            "tool_calls_measured",
        ),
    )
]
"""Pages for those who work on skillbook: they stay in the repository, out of the site and its search."""
include_patterns = [
    "CHANGELOG.md",
    "docs/*.md",
    "docs/sections/*.md",
    "docs/reference/*.md",
    "notebooks/*.ipynb",
    "skills/README.md",
]
exclude_patterns = [
    *MAINTAINERS,
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
html_title = f"skillbook {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("copy.js", {"defer": "defer"})]
html_logo = html_favicon = "static/logo.svg"
# A host shows `index.html` first, and the pages are where the sources are.
html_extra_path = ["root"]
html_show_sourcelink = html_copy_source = True
html_sourcelink_suffix = ""
html_sidebars = {"docs/index": []}
html_theme_options = {
    "header_links_before_dropdown": 9,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc", "sourcelink"],
    "logo": {"text": f"skillbook {version}"},
}
html_baseurl = _PROJECT.get("urls", {}).get("Documentation", "")
REPOSITORY = _PROJECT.get("urls", {}).get("Repository", "").rstrip("/")
if REPOSITORY.startswith("https://github.com/"):
    user, name = REPOSITORY.split("/")[-2:]
    html_context = {"github_user": user, "github_repo": name, "github_version": "main", "doc_path": ""}
    html_theme_options |= {"use_edit_page_button": True, "github_url": REPOSITORY}
    html_theme_options["secondary_sidebar_items"] = ["page-toc", "edit-this-page", "sourcelink"]
SEARCHES = tomllib.loads((HERE / "searches.toml").read_text(encoding="utf-8"))["words"]
"""The words that readers look for, by the page that has what they want."""
_SCORER = ROOT / "docs" / "reference" / "scorer.js"
_SCORER.parent.mkdir(exist_ok=True)
_SCORER.write_text(
    (HERE / "scorer.js").read_text(encoding="utf-8").replace("READERS_WORDS", json.dumps(SEARCHES)),
    encoding="utf-8",
)
html_search_scorer = str(_SCORER)


_FILE_AS_TEXT = re.compile(r"\[[\w./-]+\.(?:md|ipynb)\](?=\()")


_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")


def _adapt(app: Any, docname: str, source: list[str]) -> None:
    """Fit a page of the repository into the site.

    GitHub's readers follow `[safety.md](safety.md)`; the site's read the page's title there. A link to what isn't in
    the site leads to the repository. The words that readers look for are keywords of the page that has them.
    """
    if docname.startswith("notebooks/"):
        return
    folder = (ROOT / docname).parent

    def link(found: re.Match[str]) -> str:
        target = (folder / found[2]).resolve()
        path = target.relative_to(ROOT).as_posix() if target.is_relative_to(ROOT) else found[2]
        if app.project.path2doc(str(target)) in app.project.docnames or not path.endswith(".md"):
            return found[0]
        return f"[{found[1]}]({REPOSITORY}/blob/main/{path}{found[3] or ''})" if REPOSITORY else found[1]

    text = _FILE_AS_TEXT.sub("[]", _LINK.sub(link, source[0]))
    if words := SEARCHES.get(docname.removeprefix("docs/")):
        keywords = ", ".join(dict.fromkeys(" ".join(words).split()))
        text = f"---\nmyst:\n  html_meta:\n    keywords: {keywords}\n---\n{text}"
    source[0] = text


def setup(app: Any) -> None:
    """Write the generated pages before Sphinx looks for sources."""
    app.connect("source-read", _adapt)
    app.connect("builder-inited", lambda _: reference.write(ROOT / "docs" / "reference"))
