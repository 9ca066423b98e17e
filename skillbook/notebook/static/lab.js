// What skillbook's extension of JupyterLab adds: calls written into cells, and a place beside the notebook.
import { h } from "./dom.js";

const BESIDE_KEY = "skillbook.beside";
const SHOW = "Show beside";

function lab() {
  return globalThis.skillbookLab;
}

/** Write each code into a cell of its own, in this order. Beside the notebook each goes below the one before, else below this cell. */
function insertAll(codes, button) {
  const inOrder = button.closest(".sbp-docked") ? codes : codes.toReversed();
  return inOrder.every((code) => lab()?.insert(code, button));
}

/**
 * A button that writes code into a new cell, or a list of it into one cell each; without the extension it copies the code.
 * `what` names it among others; `label` is its whole text where a cell can be written.
 */
export function makeInsert(given, what = "", label = "") {
  const isList = Array.isArray(given);
  const code = isList ? given.join("\n\n") : given;
  const text = lab() && label ? label : lab() ? `Insert ${what ? `${what} ` : ""}as cell${isList ? "s" : ""}` : `Copy ${what || (isList ? "cells" : "call")}`;
  const button = h("button", {
    type: "button",
    class: "sbp-button sbp-insert",
    text,
    title: code,
    on: {
      click: async () => {
        if (!insertAll([given].flat(), button)) await navigator.clipboard.writeText(code);
        button.dataset.done = "";
        setTimeout(() => delete button.dataset.done, 1200);
      },
    },
  });
  return button;
}

/**
 * Make the button that shows a widget beside the notebook, where JupyterLab has skillbook's extension.
 * `make(el)` draws the widget once more into an element, and returns what ends that.
 */
export function makeBeside(id, title, make) {
  let end = null;
  const button = h("button", {
    type: "button",
    class: "sbp-button sbp-quiet sbp-zoom sbp-beside",
    text: "◨",
    title: "Show beside the notebook, also in the next run",
    "aria-label": SHOW,
    hidden: !lab(),
    on: { click: () => (end ? lab().undock(id) || closed() : open()) },
  });

  function open() {
    const el = h("div", { class: "sbp-docked" });
    end = make(el);
    localStorage.setItem(BESIDE_KEY, "yes");
    button.setAttribute("aria-label", "Show here only");
    lab().dock(id, title, el, closed);
  }

  function closed() {
    end?.();
    end = null;
    localStorage.removeItem(BESIDE_KEY);
    button.setAttribute("aria-label", SHOW);
  }

  return {
    node: button,
    /** Where the person had the last panel beside the notebook, the next one goes there too. */
    remember() {
      if (lab() && localStorage.getItem(BESIDE_KEY)) open();
    },
    end() {
      if (!end) return;
      end();
      end = null;
      lab()?.undock(id);
    },
  };
}
