// A request for help, or a question of the agent's, that waits for the person.
import { h, uniqueId } from "./dom.js";
import { HELP } from "./spoken.js";
import { shorten, showHidden } from "./text.js";

/**
 * Make what the card and its bar show for it: {nodes, actions, buttons, confirm, noticed}; `confirm()` answers that it is done.
 * Parameters: what waits, `answer(kind, {message})`, and `useRemoteInput()`, which lets the person use the page in its picture.
 */
export function makeHelp(pending, answer, useRemoteInput) {
  const id = uniqueId("help");
  const button = (text, kind, act, props = {}) =>
    h("button", { type: "button", class: `sbp-button ${kind}`, on: { click: act }, ...props }, text);
  const noticed = h("p", {
    class: "sbp-noticed",
    role: "status",
    hidden: true,
    text: "✓ This seems to be done. Press Done, go on.",
  });
  const choices = (pending.options ?? []).map((text) =>
    button(shorten(showHidden(text), 120), "sbp-primary", () => answer("respond", { message: text })),
  );
  const isQuestion = pending.assistance === "question";
  const message = h("input", {
    class: "sbp-input",
    id,
    type: "text",
    placeholder: isQuestion ? "Your answer" : "Optional: tell the agent what you did",
    dir: "auto",
  });

  /** Without words the tool goes on and reads the page; words go to the agent in its place. */
  function confirm() {
    if (message.value) answer("respond", { message: message.value });
    else answer("approve");
  }

  const actions = [button(isQuestion ? "Answer" : "Done, go on", choices.length ? "" : "sbp-primary", confirm)];
  if (!isQuestion)
    actions.push(button("Use the page here", "", useRemoteInput, { title: "In its picture, with your mouse and keys" }));
  if (pending.decisions.includes("reject"))
    actions.push(
      button("I can't", "", () => answer("reject", { message: message.value || "The user could not do this." })),
    );
  const words = h(
    "div",
    {},
    h("strong", { text: HELP[pending.assistance] ?? HELP.custom }),
    h("p", { dir: "auto", text: showHidden(pending.reason) }),
  );
  const sign = h("span", { class: "sbp-help-sign", "aria-hidden": "true", text: isQuestion ? "?" : "!" });
  return {
    nodes: [
      h("div", { class: "sbp-help", role: isQuestion ? "status" : "alert" }, sign, words),
      noticed,
      h("label", { class: "sbp-hidden", for: id, text: "Answer" }),
      choices.length > 0 && h("div", { class: "sbp-options" }, ...choices),
      message,
    ].filter(Boolean),
    actions,
    buttons: [...choices, ...actions],
    confirm,
    noticed,
  };
}
