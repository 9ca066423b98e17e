// The bar over a page that is shown as it was before a step, rather than as it is now.
import { h } from "./dom.js";
import { shorten, showHidden } from "./text.js";

/** Make the bar; `show(number or null)` requests a step, or the page as it is now. */
export function makePast(show) {
  let step = null;
  const words = h("span", { class: "sbp-past-words", dir: "auto", role: "status" });
  const button = (text, name, act) =>
    h("button", { type: "button", class: "sbp-button", text, title: name, "aria-label": name, on: { click: act } });
  const back = button("◀", "Previous step", () => show(step.number - 1));
  const next = button("▶", "Next step", () => show(step.number + 1));
  const now = h("button", { type: "button", class: "sbp-button sbp-primary", text: "Back to now", title: "Esc", on: { click: () => show(null) } });
  const node = h("div", { class: "sbp-past", hidden: true }, back, next, words, now);

  /** Where the panel is narrow, the page is below the steps. */
  function showOnTop() {
    const scroller = node.parentElement.parentElement;
    scroller.scrollTop += node.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  }

  return {
    node,
    get isShown() {
      return step !== null;
    },
    /** Go back to now; false where nothing else is shown. */
    leave() {
      if (step === null) return false;
      show(null);
      return true;
    },
    update(past) {
      const isNew = step === null && Boolean(past);
      step = past ?? null;
      node.hidden = step === null;
      if (step === null) return;
      back.disabled = step.number <= 1;
      next.disabled = step.number >= step.of;
      if (isNew) showOnTop();
      words.textContent = `Before step ${step.number} of ${step.of}: ${shorten(showHidden(step.call), 160)}`;
    },
  };
}
