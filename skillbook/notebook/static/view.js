// The live view: a page's tree beside its screenshot, as it is now.
// Kernel to view goes by traits (state, view, shot), view to kernel by custom messages only.
import { h, takeKeys } from "./dom.js";
import { makeGone, markWhenGone } from "./gone.js";
import { makeInsert } from "./lab.js";
import { makePointing } from "./point.js";
import { makeShot } from "./shot.js";
import { shorten, showHidden } from "./text.js";
import { makeTree } from "./tree.js";

const STATUSES = {
  live: ["Live", "Follows the page while the notebook runs"],
  still: ["Still", "Shows the page as it was; it no longer follows"],
  closed: ["Gone", "The page or its browser isn't there"],
};

function render({ model, el }) {
  const status = h("span", { class: "sbp-status", role: "status" });
  const title = h("strong", { class: "sbp-title", dir: "auto" });
  const pointing = makePointing(model);
  const tree = makeTree({ hovered: (ref) => hover(ref, "tree"), picked: pick });
  const shot = makeShot({ hovered: (ref) => hover(ref, "shot"), picked: pick, send: (message) => model.send(message) });
  const picked = makePicked();
  const gone = makeGone(tree.node, shot.node, picked.node);
  let aim = null;
  const root = h(
    "div",
    { class: "sbp", role: "region", "aria-label": "Page", "data-lm-suppress-shortcuts": "true" },
    h("div", { class: "sbp-header" }, h("div", { class: "sbp-lead" }, status, title)),
    gone.node,
    h("div", { class: "sbp-page" }, tree.node, shot.node),
    picked.node,
  );

  function hover(ref, from) {
    tree.mark("sbp-hover", ref, from === "shot");
    shot.mark("sbp-hover", ref);
    pointing.point(ref);
  }

  function pick(ref) {
    aim = ref;
    markAim();
    model.send({ type: "pick", ref });
  }

  function markAim() {
    tree.mark("sbp-aim", aim, true);
    shot.mark("sbp-aim", aim);
  }

  function drawState() {
    const state = model.get("state");
    const [word, meaning] = STATUSES[state.status] ?? ["", ""];
    root.dataset.status = state.status ?? "";
    status.textContent = word;
    status.title = meaning;
    gone.update(state.gone);
    shot.updateRemoteInput(state);
    picked.update(state.picked ?? null);
  }

  function drawPage() {
    const view = model.get("view");
    title.textContent = shorten(showHidden(view.title ?? ""), 160) || "Untitled page";
    tree.update(view);
    shot.update(view, model.get("shot"));
    markAim();
  }

  model.on("change:state", drawState);
  model.on("change:view", drawPage);
  model.on("change:shot", drawPage);
  drawPage();
  drawState();
  el.append(root);
  const unmark = markWhenGone(model, root);
  const giveKeysBack = takeKeys(root);
  return () => {
    giveKeysBack();
    unmark();
    model.off("change:state", drawState);
    model.off("change:view", drawPage);
    model.off("change:shot", drawPage);
    pointing.end();
    shot.destroy();
  };
}

/** The line that says how to name the element that was clicked, to copy into a cell. */
function makePicked() {
  const node = h("div", {
    class: "sbp-picked",
    text: "Click an element to see how to name it in a cell.",
  });
  let shown = "";

  const copied = (text) => {
    const button = h("button", {
      type: "button",
      class: "sbp-button sbp-copy",
      title: `Copy ${text}`,
      on: {
        click: async () => {
          await navigator.clipboard.writeText(text);
          button.dataset.done = "";
          setTimeout(() => delete button.dataset.done, 1200);
        },
      },
    });
    button.append(h("code", { text }));
    return button;
  };

  return {
    node,
    update(picked) {
      const key = JSON.stringify(picked);
      if (!picked || key === shown) return;
      shown = key;
      const names = [picked.ref, picked.selector].filter(Boolean).map((name) => copied(showHidden(name)));
      const insert = picked.code ? [makeInsert(picked.code)] : [];
      node.replaceChildren(h("span", { class: "sbp-dim", text: "Copy" }), ...names, ...insert);
    },
  };
}

export default { render };
