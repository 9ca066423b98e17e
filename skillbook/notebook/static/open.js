// What is open in the kernel, in the panel that stands beside the notebook: browsers, their pages, runs; each closes here.
import { h } from "./dom.js";
import { shorten, showHidden } from "./text.js";

const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** Make the list; `send(message)` asks the kernel to list what is open, or to close something. */
export function makeOpen(send) {
  const summary = h("summary", { text: "Open" });
  const list = h("ul", { class: "sbp-openlist" });
  const node = h("details", { class: "sbp-open", on: { toggle: () => node.open && send({ type: "list_open" }) } }, summary, list);
  let shown = "";

  function line(kind, { id, words, can_close: canClose = true }, ...more) {
    const label = kind === "run" ? "Stop" : "Close";
    const text = showHidden(words);
    const close = h("button", {
      type: "button",
      class: "sbp-button sbp-quiet",
      text: label,
      "aria-label": `${label} ${kind} ${shorten(text, 60)}`,
      hidden: !canClose,
      on: { click: () => send({ type: "close_open", kind, id }) },
    });
    return h("li", {}, h("div", { class: "sbp-openline" }, h("span", { dir: "auto", text: shorten(text, 120), title: text }), close), ...more);
  }

  return {
    node,
    update({ browsers = [], runs = [] }) {
      const now = JSON.stringify([browsers, runs]);
      if (now === shown) return;
      shown = now;
      const pages = browsers.reduce((sum, each) => sum + each.pages.length, 0);
      const running = runs.length ? [counted(runs.length, "run")] : [];
      summary.textContent = `Open: ${[counted(browsers.length, "browser"), counted(pages, "page"), ...running].join(", ")}`;
      list.replaceChildren(
        ...browsers.map((each) => line("browser", each, each.pages.length ? h("ul", {}, ...each.pages.map((page) => line("page", page))) : null)),
        ...runs.map((each) => line("run", each)),
      );
    },
  };
}
