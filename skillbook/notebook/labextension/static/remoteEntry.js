// What JupyterLab and Notebook 7 load: skillbook's widgets may then write cells and stand beside the notebook.
//
// It is a module-federation container written by hand: JupyterLab asks it for "./extension", and it takes JupyterLab's
// own modules from the share scope. So it needs no build, and fits each JupyterLab of version 4.
(() => {
  let scope = {};

  /** A module that JupyterLab shares, in whichever version it has. */
  async function shared(name) {
    const [version] = Object.values(scope[name] ?? {});
    if (!version) throw new Error(`skillbook: JupyterLab shares no ${name}`);
    return (await version.get())();
  }

  /** The notebook that an element is in, else the one that was used last. */
  function notebookOf(tracker, element) {
    return tracker.find((panel) => panel.node.contains(element)) ?? tracker.currentWidget;
  }

  function makeBridge(app, tracker, { NotebookActions }, { Widget }) {
    const docked = new Map();
    return {
      /** Write code into a new cell below the one that an element is in; answers whether there was a notebook. */
      insert(code, element) {
        const panel = notebookOf(tracker, element);
        if (!panel) return false;
        const notebook = panel.content;
        const at = notebook.widgets.findIndex((cell) => cell.node.contains(element));
        if (at >= 0) notebook.activeCellIndex = at;
        NotebookActions.insertBelow(notebook);
        notebook.activeCell.model.sharedModel.setSource(code);
        notebook.activeCell.editor?.focus();
        return true;
      },
      /** Show an element in the right area until it is closed there or `undock` is called; `closed` is called then. */
      dock(id, title, node, closed) {
        this.undock(id);
        const widget = new Widget();
        widget.id = `skillbook-${id}`;
        widget.title.label = title;
        widget.title.caption = title;
        widget.title.closable = true;
        widget.node.style.overflow = "auto";
        widget.node.append(node);
        widget.disposed.connect(() => {
          if (docked.get(id) !== widget) return;
          docked.delete(id);
          closed();
        });
        docked.set(id, widget);
        app.shell.add(widget, "right", { rank: 500 });
        app.shell.activateById(widget.id);
      },
      undock(id) {
        const widget = docked.get(id);
        docked.delete(id);
        widget?.dispose();
      },
    };
  }

  /** Skills show themselves as HTML, where a button can do nothing by itself: it is pressed here, and shown only where this is. */
  function takeButtons(bridge) {
    const style = document.createElement("style");
    style.textContent = "button.skillbook-insert { display: inline-block !important; cursor: pointer; }";
    document.head.append(style);
    document.addEventListener("click", (event) => {
      const button = event.target instanceof Element && event.target.closest("button.skillbook-insert");
      if (button && event.isTrusted) bridge.insert(button.dataset.code ?? "", button);
    });
  }

  const container = {
    init(given) {
      scope = given;
    },
    async get(name) {
      if (name !== "./extension") throw new Error(`skillbook: there is no module ${name}`);
      const [notebook, widgets] = await Promise.all([shared("@jupyterlab/notebook"), shared("@lumino/widgets")]);
      const plugin = {
        id: "skillbook:beside",
        description: "Lets skillbook's widgets write cells and stand beside the notebook.",
        autoStart: true,
        requires: [notebook.INotebookTracker],
        activate(app, tracker) {
          globalThis.skillbookLab = makeBridge(app, tracker, notebook, widgets);
          takeButtons(globalThis.skillbookLab);
        },
      };
      return () => ({ __esModule: true, default: plugin });
    },
  };

  globalThis._JUPYTERLAB = globalThis._JUPYTERLAB ?? {};
  globalThis._JUPYTERLAB.skillbook = container;
})();
