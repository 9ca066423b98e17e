// What is gone must not look live: a page, its browser, or the kernel, which takes no more clicks when it ends.
import { h } from "./dom.js";
import { showHidden } from "./text.js";

const GONE = new Set(["restarting", "autorestarting", "terminating", "dead"]);

/** A line that says what is gone, and the way on; `update` also has parts take no more clicks and keys. */
export function makeGone(...parts) {
  const node = h("div", { class: "sbp-gone", role: "status", hidden: true });
  return {
    node,
    update(words) {
      node.textContent = showHidden(words ?? "");
      node.hidden = !words;
      for (const part of parts) part.inert = Boolean(words);
    },
  };
}

/** Mark a widget's root as soon as its kernel ends; a style then shows the static record in its place, if it is there. */
export function markWhenGone(model, root) {
  const changes = model.widget_manager?.kernel?.statusChanged;
  const check = (_, status) => {
    if (!GONE.has(status) || "gone" in root.dataset) return;
    root.dataset.gone = root.dataset.status = "gone";
    const word = root.querySelector(".sbp-status");
    if (word) word.textContent = "Ended";
    const line = makeGone(...root.children);
    line.update("The kernel has ended or was restarted: this is what there was. Run its cell again.");
    root.prepend(line.node);
  };
  changes?.connect(check);
  return () => changes?.disconnect(check);
}
