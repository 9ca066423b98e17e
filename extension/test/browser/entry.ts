// The engine as a page script, for tests and benchmarks in a real browser.
import { Engine } from "../../src/engine/dom/engine";
import { Names } from "../../src/engine/dom/names";

Object.assign(globalThis, {
  skillbookEngine: () =>
    new Engine(document, { openShadow: (element) => element.shadowRoot, alive: () => true }),
  skillbookNames: Names,
});
