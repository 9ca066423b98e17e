// The screenshot takes the person's mouse and keys and sends them to the page as their own input.
import { h, onKeydown } from "./dom.js";
import { showHidden } from "./text.js";

const MOVE_MS = 50; // a page needs no more of a mouse that passes by
const BUTTONS = ["left", "middle", "right"];
const MODIFIER_KEYS = ["Alt", "Control", "Meta", "Shift"];
const KEEP_ALIVE_MS = 20_000;

/**
 * Make the picture take input, from a click on `toggle` until the next one, or Shift+Escape.
 * Parameters: `frame` shows the picture, `placeOf(event)` is {x, y} in the page, `send(message)` tells the kernel.
 */
export function makeRemoteInput({ frame, placeOf, send, changed }) {
  let on = false;
  let held = null;
  let movedAt = 0;
  let alive = 0;
  let away = false; // whether the person clicked elsewhere since
  const problem = h("span", { class: "sbp-problem", role: "alert" });
  const toggle = h("button", {
    type: "button",
    class: "sbp-button sbp-quiet sbp-zoom",
    text: "☝",
    title: "Use the page here: clicks and keys in the picture go to the page as your own",
    "aria-label": "Use the page here",
    "aria-pressed": "false",
    on: { click: () => set(!on) },
  });
  const shown = h("button", {
    type: "button",
    class: "sbp-button sbp-quiet sbp-zoom",
    text: "❐",
    title: "Show its window",
    "aria-label": "Show its window",
    hidden: true,
    on: { click: () => send({ type: "remote_input", window: true }) },
  });
  const hint = h(
    "div",
    { class: "sbp-remote-input", hidden: true },
    h("span", { text: "Clicks and keys here go to the page as your own." }),
    h("button", { type: "button", class: "sbp-button sbp-quiet", text: "End (Shift+Esc)", on: { click: () => set(false) } }),
    problem,
  );

  function set(now) {
    if (now === on) return;
    on = now;
    held = null;
    toggle.setAttribute("aria-pressed", String(on));
    hint.hidden = !on;
    frame.classList.toggle("sbp-remote", on);
    clearInterval(alive);
    send({ type: "remote_input", on, events: [] });
    if (on) {
      frame.setAttribute("tabindex", "0");
      frame.setAttribute("role", "application");
      frame.setAttribute("aria-label", "The page: what you press and type goes to it; Shift+Escape ends this");
      frame.focus({ preventScroll: true });
      alive = setInterval(() => document.hidden || send({ type: "remote_input", on, events: [] }), KEEP_ALIVE_MS);
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) frame.removeAttribute(name);
      toggle.focus({ preventScroll: true });
    }
    changed(on);
  }

  const pass = (...events) => send({ type: "remote_input", on: true, events });
  const modifiersOf = (event) => MODIFIER_KEYS.filter((name) => event.getModifierState(name));

  function mouse(kind, event) {
    const { x, y } = placeOf(event);
    const button = BUTTONS[event.button] ?? "left";
    pass({ kind, x, y, button, count: Math.min(Math.max(event.detail, 1), 3), modifiers: modifiersOf(event) });
  }

  function take(event) {
    event.preventDefault();
    event.stopPropagation();
  }

  /** The release counts wherever it is: a drag may end outside of the picture. */
  function released(event) {
    if (!on || held === null || event.button !== held) return;
    held = null;
    take(event);
    mouse("up", event);
  }

  function moved(event) {
    if (!on || event.timeStamp - movedAt < MOVE_MS) return;
    if (held === null && !frame.contains(event.target)) return;
    movedAt = event.timeStamp;
    const { x, y } = placeOf(event);
    pass({ kind: "move", x, y, ...(held === null ? {} : { button: BUTTONS[held] }), modifiers: modifiersOf(event) });
  }

  frame.addEventListener("mousedown", (event) => {
    if (!on || !BUTTONS[event.button]) return;
    take(event);
    frame.focus({ preventScroll: true });
    held = event.button;
    mouse("down", event);
  });
  frame.addEventListener("wheel", (event) => {
    if (!on) return;
    take(event);
    pass({ kind: "wheel", ...placeOf(event), dx: event.deltaX, dy: event.deltaY, modifiers: modifiersOf(event) });
  });
  for (const type of ["click", "dblclick", "auxclick", "contextmenu", "dragstart"])
    frame.addEventListener(type, (event) => on && take(event));
  frame.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain");
    if (!on || !text) return;
    take(event);
    pass({ kind: "text", text: text.slice(0, 10_000) });
  });
  function typed(event) {
    if (!on || MODIFIER_KEYS.includes(event.key) || event.isComposing) return;
    const isPaste = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v";
    event.stopPropagation();
    if (isPaste) return;
    event.preventDefault();
    if (event.key === "Escape" && event.shiftKey) return set(false);
    const combined = event.ctrlKey || event.metaKey || (event.altKey && event.key.length > 1);
    if (event.key.length === 1 && !combined) return pass({ kind: "text", text: event.key });
    const names = modifiersOf(event).filter((name) => name !== "Shift" || event.key.length > 1);
    pass({ kind: "key", text: [...names, event.key].join("+") });
  }

  /** A picture that is hidden for a moment loses the focus: what the person types on is for the page, not a shortcut. */
  function strayed(event) {
    if (!on || away || document.activeElement !== document.body) return;
    event.stopImmediatePropagation();
    frame.focus({ preventScroll: true });
    typed(event);
  }

  function pressed(event) {
    away = !frame.contains(event.target);
  }

  onKeydown(frame, typed);
  frame.addEventListener("focus", () => (away = false));
  window.addEventListener("keydown", strayed, true);
  document.addEventListener("mousedown", pressed, true);
  document.addEventListener("mouseup", released, true);
  document.addEventListener("mousemove", moved, true);

  return {
    toggle,
    shown,
    hint,
    set,
    /** Whether keys go to the page: they may come to no shortcut meanwhile. */
    get isOn() {
      return on;
    },
    update({ remote_input_problem, has_window }) {
      problem.textContent = showHidden(remote_input_problem ?? "");
      shown.hidden = !has_window;
    },
    destroy() {
      set(false);
      window.removeEventListener("keydown", strayed, true);
      document.removeEventListener("mousedown", pressed, true);
      document.removeEventListener("mouseup", released, true);
      document.removeEventListener("mousemove", moved, true);
    },
  };
}
