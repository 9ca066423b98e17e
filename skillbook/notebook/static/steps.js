// The run's steps, one line each.
import { h } from "./dom.js";
import { shorten, showHidden } from "./text.js";

const DECISIONS = {
  auto: "by policy",
  approve: "approved",
  edit: "edited",
  reject: "rejected",
  respond: "answered",
};

export function makeSteps() {
  const list = h("ol", { class: "sbp-steps", "aria-label": "Steps" });
  const node = h("section", { class: "sbp-timeline", "aria-label": "Timeline", hidden: true }, list);
  let key = "";

  function makeStep(step) {
    const mark = step.ok ? "✓" : step.decision === "reject" || step.decision === "respond" ? "–" : "✕";
    return h(
      "li",
      {
        class: step.ok ? "sbp-step" : "sbp-step sbp-failed",
        title: shorten(showHidden(step.said || ""), 500) || null,
      },
      h("span", { class: "sbp-mark", text: mark, "aria-label": step.ok ? "done" : "not done" }),
      h("span", { class: "sbp-number", text: String(step.number) }),
      h(
        "code",
        { class: "sbp-call" },
        h("b", { text: step.tool }),
        document.createTextNode(` ${shorten(showHidden(step.args), 140)}`),
      ),
      h("span", { class: "sbp-outcome", dir: "auto", text: shorten(showHidden(step.outcome), 220) }),
      h("span", {
        class: `sbp-tag sbp-${step.decision}`,
        text: DECISIONS[step.decision] ?? showHidden(step.decision),
      }),
      h("span", {
        class: "sbp-ms",
        text:
          step.elapsed_ms >= 1000
            ? `${(step.elapsed_ms / 1000).toFixed(1)} s`
            : `${Math.round(step.elapsed_ms)} ms`,
      }),
    );
  }

  return {
    node,
    update(steps) {
      const fresh = JSON.stringify(steps);
      if (fresh === key) return;
      key = fresh;
      const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
      list.replaceChildren(...steps.map(makeStep));
      node.hidden = steps.length === 0;
      if (atEnd) list.scrollTop = list.scrollHeight;
    },
  };
}
