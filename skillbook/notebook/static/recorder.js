// A recording: its steps as they are done, and what can be done with them.
import { h } from "./dom.js";
import { makeInsert } from "./lab.js";

const WORDS = { recording: "Recording", paused: "Paused", stopped: "Recorded" };
const STATUS = { recording: "failed", paused: "paused", stopped: "succeeded" };

function render({ model, el }) {
  const root = h("div", { class: "sbp sbp-recorder" });
  const button = (text, title, act, more = {}) =>
    h("button", { class: "sbp-button", type: "button", text, title, on: { click: act }, ...more });
  const send = (type, more = {}) => model.send({ type, ...more });

  function steps(words, place) {
    const number = place + 1;
    const code = model.get("state").codes?.[place];
    return h(
      "li",
      {},
      h("span", { class: "sbp-recorded", text: words }),
      button("Input", "What was typed or chosen here is an input of the skill", () => send("input", { number }), {
        "aria-label": `Step ${number} is an input`,
      }),
      button("Delete", "Leave this step out", () => send("delete", { number }), {
        "aria-label": `Delete step ${number}`,
      }),
      code ? makeInsert(code, `step ${number}`) : null,
    );
  }

  function draw() {
    const { state = "stopped", steps: done = [], codes = [], can_redo = false, pointing = "", error = "" } = model.get("state");
    root.dataset.status = STATUS[state];
    const isOn = state === "recording";
    const over = state === "stopped";
    const mark = (type, text, title) => button(text, title, () => send(type), { disabled: !isOn || pointing !== "" });
    const controls = h(
      "div",
      { class: "sbp-lead" },
      h("span", { class: "sbp-status", role: "status", text: WORDS[state] }),
      over ? null : button(isOn ? "Pause" : "Resume", "Do things that are not recorded", () => send(isOn ? "pause" : "resume")),
      over ? null : button("Stop", "End the recording", () => send("stop")),
      over ? null : mark("rows", "Read rows…", "Click in the page what is in the rows to read"),
      over ? null : mark("check", "Check…", "Click in the page what has to be there: a replay waits for it"),
      button("Undo", "Take the last step back", () => send("undo"), { disabled: !done.length }),
      over && codes.some(Boolean) ? makeInsert(codes.filter(Boolean).join("\n"), "all steps") : null,
      button("Redo", "Put back what was left out last", () => send("redo"), { disabled: !can_redo }),
    );
    const hint = pointing ? "Click it in the page; Esc there gives up." : done.length ? "" : "Show in the browser how it is done: each step appears here.";
    root.replaceChildren(
      h("div", { class: "sbp-header" }, controls),
      h("ol", { class: "sbp-recording" }, ...done.map(steps)),
      h("p", { class: error ? "sbp-problem" : "sbp-note", text: error || hint }),
    );
  }

  model.on("change:state", draw);
  draw();
  el.append(root);
  return () => model.off("change:state", draw);
}

export default { render };
