// A run that is over, step by step: nothing here reaches a browser.
// Kernel to viewer goes by traits (state, view), viewer to kernel by custom messages only.
import { h, onKeydown, takeKeys, targetOf } from "./dom.js";
import { markWhenGone } from "./gone.js";
import { shorten, showHidden } from "./text.js";
import { makeTree } from "./tree.js";

function render({ model, el }) {
  const place = h("span", { class: "sbp-status", role: "status", "aria-live": "polite" });
  const goal = h("h2", { class: "sbp-goal", dir: "auto" });
  const facts = h("dl", { class: "sbp-detail", "aria-label": "The step" });
  const tree = makeTree({ hovered: (ref) => tree.mark("sbp-hover", ref, false), picked: () => {} });
  const page = h("div", { class: "sbp-page", style: "grid-template-columns: 1fr" }, tree.node);
  const button = (text, name, step) =>
    h("button", {
      type: "button",
      class: "sbp-button",
      text,
      title: name,
      "aria-label": name,
      on: { click: () => move(step) },
    });
  const back = button("◀", "Previous step", -1);
  const next = button("▶", "Next step", 1);
  const root = h(
    "div",
    {
      class: "sbp sbp-replay",
      role: "region",
      tabindex: "0",
      "aria-label": "Replay of a run; arrow keys go from step to step",
      "data-lm-suppress-shortcuts": "true",
    },
    h("div", { class: "sbp-header" }, h("div", { class: "sbp-lead" }, back, next, place), goal),
    facts,
    page,
  );

  function move(step) {
    const { at, steps } = model.get("state");
    const to = at + step;
    if (to >= 0 && to < steps) model.send({ type: "show", at: to });
  }

  function keydown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (targetOf(event).closest("input, textarea, select, [role=tree]")) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    move(step);
  }

  function drawState() {
    const state = model.get("state");
    if (state.steps === undefined) return;
    place.textContent = state.steps ? `Step ${state.at + 1} of ${state.steps}: ${showHidden(state.call)}` : "No steps";
    goal.textContent = showHidden(state.goal);
    back.disabled = state.at <= 0;
    next.disabled = state.at >= state.steps - 1;
    facts.replaceChildren();
    for (const [name, text] of state.facts)
      facts.append(h("dt", { text: name }), h("dd", { dir: "auto", text: shorten(showHidden(text), 600) }));
    tree.mark("sbp-aim", state.target, true);
  }

  function drawPage() {
    const view = model.get("view");
    page.hidden = !view.rows;
    if (!view.rows) return;
    tree.update(view);
    drawState();
  }

  onKeydown(root, keydown);
  model.on("change:state", drawState);
  model.on("change:view", drawPage);
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
  };
}

export default { render };
