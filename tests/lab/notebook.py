"""A notebook open in a real JupyterLab, driven from a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbformat

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.lab.server import LabServer

_OPEN = """async () => {
  const widget = jupyterapp.shell.currentWidget;
  await widget.context.ready;
  await widget.revealed;
  await widget.sessionContext.ready;
  await widget.sessionContext.session?.kernel?.info;
}"""
_RUN = """async (index) => {
  const widget = jupyterapp.shell.currentWidget;
  widget.content.activeCellIndex = index;
  await jupyterapp.commands.execute('notebook:run-cell');
}"""
_SET_SOURCE = """([index, code]) => {
  jupyterapp.shell.currentWidget.content.widgets[index].model.sharedModel.setSource(code);
}"""
_FILL = """(cells) => {
  const { sharedModel } = jupyterapp.shell.currentWidget.content.model;
  sharedModel.transact(() => {
    sharedModel.deleteCellRange(0, sharedModel.cells.length);
    sharedModel.insertCells(0, cells.map((source) => ({ cell_type: 'code', source, metadata: {}, outputs: [] })));
  });
}"""
_OUTPUTS = (
    "(index) => jupyterapp.shell.currentWidget.content.widgets[index].model.sharedModel.toJSON().outputs"
)


class LabNotebook:
    """One notebook in one browser tab.

    Parameters
    ----------
    server, page : where it is open.
    name : its file's name in the server's folder.
    """

    def __init__(self, server: LabServer, page: Page, name: str) -> None:
        self.server = server
        self.page = page
        self.name = name

    @classmethod
    def create(cls, server: LabServer, page: Page, name: str, *cells: str) -> LabNotebook:
        """Write a notebook with these code cells and open it."""
        book = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        )
        nbformat.write(book, server.notebooks / name)
        opened = cls(server, page, name)
        opened.open()
        return opened

    def fill(self, *cells: str) -> None:
        """Put these code cells in the place of all; variables go, the kernel stays."""
        self.page.mouse.move(1, 1)
        self.page.evaluate(_FILL, ["", *cells])
        self.evaluate(0, "%reset -f")
        self.page.evaluate(_FILL, list(cells))

    def open(self) -> None:
        """Open it, or open it again, and wait for its kernel."""
        self.page.goto(self.server.url_of(self.name))
        self.page.wait_for_function(
            "() => globalThis.jupyterapp?.shell?.currentWidget?.content?.widgets?.length"
        )
        self.page.evaluate(_OPEN)

    def run(self, index: int) -> list[dict[str, Any]]:
        """Run a cell and wait until it is done; its outputs. An error in it fails the test."""
        self.page.evaluate(_RUN, index)
        outputs = self.outputs(index)
        errors = ["\n".join(out["traceback"]) for out in outputs if out["output_type"] == "error"]
        assert not errors, errors[0]
        return outputs

    def start(self, index: int) -> None:
        """Run a cell without waiting for its end."""
        self.page.evaluate(f"(index) => {{ ({_RUN})(index); }}", index)

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """A cell's outputs as the notebook would save them."""
        outputs: list[dict[str, Any]] = self.page.evaluate(_OUTPUTS, index)
        return outputs

    def wait_for_output(self, index: int, text: str) -> None:
        """Wait until a cell's saved outputs have a text: panels update theirs a moment later."""
        self.page.wait_for_function(
            f"([index, text]) => JSON.stringify(({_OUTPUTS})(index)).includes(text)", arg=[index, text]
        )

    def set_source(self, index: int, code: str) -> None:
        """Replace a cell's source."""
        self.page.evaluate(_SET_SOURCE, [index, code])

    def evaluate(self, index: int, code: str) -> str:
        """Replace a cell's source, run it, and give the text it printed or returned."""
        self.set_source(index, code)
        outputs = [
            out for out in self.run(index) if out["output_type"] != "display_data"
        ]  # a call that lasts
        texts = [out.get("text") or out.get("data", {}).get("text/plain", "") for out in outputs]
        return "".join("".join(text) for text in texts).strip()

    def save(self) -> nbformat.NotebookNode:
        """Save it; the notebook as it is on disk."""
        self.page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
        return nbformat.read(self.server.notebooks / self.name, as_version=4)

    def restart(self) -> None:
        """Restart its kernel."""
        self.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.restartKernel()")

    def shut_down(self) -> None:
        """End its kernel."""
        self.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.shutdown()")

    @property
    def panel(self) -> Locator:
        """The panel in the first cell that shows one."""
        return self.page.locator(".jp-OutputArea .sbp").first
