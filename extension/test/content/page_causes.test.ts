import { expect, it } from "vitest";
import { PageCausesClient } from "../../src/content/page_causes";

/** A window with a script that answers each question with this. */
function windowWith(state: unknown): Window {
  const window = new EventTarget();
  window.addEventListener("meeting", (event) => {
    const name = String((event as CustomEvent).detail);
    const say = (value: object): void => {
      window.dispatchEvent(new CustomEvent(`${name}<`, { detail: JSON.stringify(value) }));
    };
    window.addEventListener(name, () => say({ what: "state", ...(state as object) }));
    say({ what: "hello" });
  });
  return window as unknown as Window;
}

it("takes what the page says as data: short, plain, and of the right kinds", async () => {
  const hostile = { kind: { a: 1 }, detail: `a\u202eb\n${"x".repeat(500)}`, url: 5, age_ms: "soon" };
  const window = windowWith({
    waiting: [hostile, ...Array(500).fill(null)],
    never: "all",
    runs: -1,
  });
  const state = await new PageCausesClient(window, "meeting").query({ since: 1, scripts: 0, shown: true }, 0);
  expect(state).toMatchObject({ script: true, never: [], runs: 0 });
  expect(state.waiting.length).toBeLessThan(100);
  const [first] = state.waiting;
  expect(first).toEqual({ kind: "[object Object]", detail: `a b ${"x".repeat(76)}`, url: null, age_ms: 0 });
});

it("says that no script is there where none answers", async () => {
  const window = new EventTarget() as unknown as Window;
  expect(
    await new PageCausesClient(window, "meeting").query({ since: 1, scripts: 0, shown: true }, 0),
  ).toMatchObject({
    script: false,
    waiting: [],
  });
});
