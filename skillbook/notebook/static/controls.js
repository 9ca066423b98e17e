// What steers the run: let calls pass, pause, go on, stop; and which key does what.
import { h } from "./dom.js";

const ENDED = new Set(["succeeded"]);
const ASKING = new Set(["waiting", "paused", "assistance"]);
const AUTO = [
  ["Next 5 calls", { n: 5, until: "irreversible" }],
  ["Until something is written", { n: null, until: "write" }],
  ["Until something can't be undone", { n: null, until: "irreversible" }],
];

/** A button that shows the key that presses it. */
export function keyed(text, key, kind, act, props = {}) {
  return h(
    "button",
    { type: "button", class: `sbp-button ${kind}`, "aria-keyshortcuts": key, on: { click: act }, ...props },
    h("span", { text }),
    h("kbd", { class: "sbp-key", "aria-hidden": "true", text: key }),
  );
}

/** Make the controls; `send(message)` tells the kernel. */
export function makeControls(send) {
  const reach = h(
    "select",
    { class: "sbp-input", "aria-label": "How far to go on without asking" },
    ...AUTO.map(([text], index) => h("option", { value: String(index), text })),
  );
  const auto = keyed("Auto", "U", "", () => send({ type: "go", ...AUTO[Number(reach.value)][1] }));
  const pause = keyed("Pause", "W", "", () => send({ type: "pause" }));
  const go = keyed("Go on", "G", "", () => send({ type: "go", n: 0, until: "irreversible" }));
  const stop = keyed("Stop", "X", "sbp-stop", () => {
    stop.disabled = true;
    send({ type: "stop" });
  });
  return {
    node: h("div", { class: "sbp-controls" }, reach, auto, pause, go, stop),
    keys: { U: auto, W: pause, G: go, X: stop },
    update(status) {
      auto.hidden = reach.hidden = !ASKING.has(status);
      pause.hidden = status !== "running";
      go.hidden = ENDED.has(status) || status === "running" || status === "waiting" || status === "assistance";
      stop.hidden = !ASKING.has(status) && status !== "running";
      stop.disabled = false;
    },
  };
}
