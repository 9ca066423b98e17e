// The engine as a page script, and what is run in new documents, for tests and benchmarks in a real browser, and a peer to compare its names with.
import { computeAccessibleDescription, computeAccessibleName } from "dom-accessibility-api";
import { Engine } from "../../src/engine/dom/engine";
import { elementOf } from "../../src/hit_safety/find_element";
import { InputBlocker } from "../../src/hit_safety/input_blocker";
import { otherRecord } from "../../src/hit_safety/record";
import type { SeenRecord } from "../../src/protocol/generated";

const engineOf = (openShadow = (element: Element) => element.shadowRoot): Engine =>
  new Engine(document, { openShadow, alive: () => true });

Object.assign(globalThis, {
  skillbookEngine: engineOf,
  /** What the record around an element is found in; null where that takes the whole page. */
  skillbookAround: (engine: Engine, number: number) => engine.readAround([number])?.[0]?.[1] ?? null,
  /** Whether an element is in another record than the one that was seen. */
  skillbookIsOther: (engine: Engine, number: number, seen: SeenRecord) =>
    otherRecord(engine, elementOf(engine, number) as Element, seen) !== null,
  /** What the debugger runs in new documents, and the event that lifts their blocks; they last this long at most. */
  skillbookBlocker: async (longestMs: number) => {
    const blocker = new InputBlocker(longestMs);
    await blocker.load({ load: async (_, fallback) => fallback, save: () => undefined }, "lift");
    return { script: blocker.script, liftedBy: blocker.order(false).liftedBy };
  },
  /** Role, name, description and the peer's name of one element. */
  skillbookNames: (element: Element) => {
    const engine = engineOf();
    const role = engine.roles.of(element);
    const name = engine.names().of(element, role);
    return {
      role,
      name: name.text,
      description: engine.names().description(element, name),
      peerName: computeAccessibleName(element),
      peerDescription: computeAccessibleDescription(element),
    };
  },
});
