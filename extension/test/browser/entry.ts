// The engine as a page script, and what is run in new documents, for tests and benchmarks in a real browser, and a peer to compare its names with.
import { computeAccessibleDescription, computeAccessibleName } from "dom-accessibility-api";
import { Gate } from "../../src/background/input/gate";
import { Store } from "../../src/background/store";
import { Engine } from "../../src/engine/dom/engine";

const engineOf = (openShadow = (element: Element) => element.shadowRoot): Engine =>
  new Engine(document, { openShadow, alive: () => true });

Object.assign(globalThis, {
  skillbookEngine: engineOf,
  /** What the debugger is told to run in new documents, and the event that opens their gates. */
  skillbookGate: async () => {
    const gate = new Gate();
    await gate.load(new Store({ get: async () => ({}), set: async () => undefined }));
    return { script: gate.script, opens: gate.order(false).name };
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
