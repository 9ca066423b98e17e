// The run's steps, one line each; a line opens to everything that is known of its step.
import { h } from "./dom.js";
import { makeInsert } from "./lab.js";
import { shorten, showHidden } from "./text.js";
import { inWords, signOf } from "./words.js";

const DECISIONS = {
  auto: "by policy",
  approve: "approved",
  edit: "edited",
  reject: "rejected",
  skip: "skipped",
  respond: "answered",
};

function duration(ms) {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`;
}

/** What a step shows when it is open, as pairs of a name and lines; what says nothing is left out. */
function detailsOf(step, detail) {
  const cost = step.cost ? `, $${step.cost.toFixed(4)}` : "";
  return [
    ["Call", [`${step.tool} ${step.args}`]],
    ["The model said", step.said && [step.said]],
    ["Outcome", detail?.outcome?.split("\n") ?? (step.outcome && [step.outcome])],
    ["What changed", detail?.changes && detail.changes.split("\n")],
    ["Why it asked", step.reason && [step.reason]],
    ["Address", step.url && [step.url]],
    ["Used", [`${duration(step.elapsed_ms)}, ${(step.tokens ?? 0).toLocaleString("en")} tokens${cost}`]],
    ["In a cell", step.fork && [step.fork, `run.replay()[${step.number - 1}]`]],
  ].filter(([, lines]) => lines);
}

/** Make the list. Callbacks: `opened(number)` requests what is known of a step, `fork(number)` goes another way from it, `look(number)` shows its page. */
export function makeSteps({ opened, fork, look }) {
  const list = h("ol", { class: "sbp-steps", "aria-label": "Steps" });
  const node = h("section", { class: "sbp-timeline", "aria-label": "Timeline", hidden: true }, list);
  const open = new Set();
  const thumbnails = new Map();
  let key = "";
  let details = {};
  let canFork = false;

  function showThumbnail(facts, number) {
    const source = thumbnails.get(number);
    if (!source || facts.querySelector("img")) return;
    const picture = h("img", { class: "sbp-thumbnail", src: source, alt: `The page after step ${number}` });
    facts.append(h("dt", { text: "The page then" }), h("dd", {}, picture));
  }

  function makeStep(step) {
    const facts = h("dl", { class: "sbp-detail", hidden: !open.has(step.number) });
    for (const [name, lines] of detailsOf(step, details[step.number]))
      facts.append(
        h("dt", { text: name }),
        h("dd", { dir: "auto" }, ...lines.map((line) => h("div", { text: showHidden(line) }))),
      );
    if (step.code)
      facts.append(h("dt", { text: "The call" }), h("dd", {}, h("code", { text: step.code }), makeInsert(step.code)));
    if (step.fork)
      facts.append(
        h("dt", { text: "Another way" }),
        h(
          "dd",
          {},
          h("button", {
            type: "button",
            class: "sbp-button sbp-fork",
            text: "Fork from here",
            title: "Leave this step and what came after it out, and let the agent go on anew; the browser isn't turned back",
            disabled: !canFork,
            on: { click: () => fork(step.number) },
          }),
          h("button", {
            type: "button",
            class: "sbp-button sbp-fork",
            text: "Replay from here",
            title: "Show the page as it was before this step, and go on step by step; nothing is done again",
            on: { click: () => look(step.number) },
          }),
        ),
      );
    showThumbnail(facts, step.number);
    const line = h(
      "button",
      {
        type: "button",
        class: "sbp-line",
        "aria-expanded": String(open.has(step.number)),
        on: { click: () => toggle(step.number, line, facts) },
      },
      h("span", { class: "sbp-mark", text: signOf(step), "aria-label": step.ok ? "done" : "not done" }),
      h("span", { class: "sbp-number", text: String(step.number) }),
      h("span", { class: "sbp-call", dir: "auto", text: shorten(inWords(step.call || `${step.tool} ${step.args}`), 140) }),
      h("span", {
        class: `sbp-tag sbp-${step.decision}`,
        text: DECISIONS[step.decision] ?? showHidden(step.decision),
      }),
      h("span", { class: "sbp-ms", text: duration(step.elapsed_ms) }),
      h("span", { class: "sbp-outcome", dir: "auto", text: shorten(showHidden(step.outcome), 220) }),
    );
    return h("li", { class: step.ok || step.declined ? "sbp-step" : "sbp-step sbp-failed" }, line, facts);
  }

  function toggle(number, line, facts) {
    facts.hidden = !facts.hidden;
    showThumbnail(facts, number);
    line.setAttribute("aria-expanded", String(!facts.hidden));
    if (facts.hidden) open.delete(number);
    else {
      open.add(number);
      if (!details[number]) opened(number);
    }
  }

  return {
    node,
    /** The picture of the page as a step left it; "" where there is none. */
    pictureAfter: (number) => thumbnails.get(number) ?? "",
    /** Keep a picture of the page as a step left it; it lives as long as the panel. */
    picture(number, source) {
      if (!source) return;
      thumbnails.set(number, source);
      const shown = list.children[number - 1]?.querySelector(".sbp-detail");
      shown?.querySelector("img")?.setAttribute("src", source);
      if (shown) showThumbnail(shown, number);
    },
    update(steps, known, isAtRest) {
      const fresh = JSON.stringify([steps, known, isAtRest]);
      if (fresh === key) return;
      key = fresh;
      details = known;
      canFork = isAtRest;
      const focused = [...list.children].findIndex((step) => step.contains(document.activeElement));
      list.replaceChildren(...steps.map(makeStep));
      node.hidden = steps.length === 0;
      list.children[focused]?.querySelector(".sbp-line").focus({ preventScroll: true });
    },
  };
}
