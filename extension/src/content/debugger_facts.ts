// What the debugger finds out about elements: that the cdp engine found them, and numbers them; that scripts listen on
// them; what custom elements say by their internals.

import type { Engine } from "../engine/dom/engine";
import { isSecret } from "../engine/dom/semantics/values";
import * as dom from "../engine/dom/tree/dom";
import type { ContentGlobal } from "../shared/messages";

/** Custom elements that are queried at once, in document order. */
const MOST_CUSTOM = 100;

export function factsFor(
  engine: Engine,
): Pick<ContentGlobal, "version" | "note" | "setListeners" | "customElements" | "setInternals"> {
  return {
    version: () => engine.watch.version,
    note: (elements, roles, names) => ({
      // One that is gone gets a number that is stale at once.
      numbers: elements.map((element, i) =>
        engine.refs.note(
          element ?? dom.call(document, "createElement", "i"),
          roles[i] as string,
          names[i] as string,
        ),
      ),
      secret: elements.flatMap((element, i) => (element && isSecret(element) ? [i] : [])),
      highest: engine.refs.highest,
      ready_state: dom.get(document, "readyState"),
    }),
    setListeners: (elements) => engine.setListeners(elements),
    customElements: (tags) => {
      const selector = tags.map((tag) => `${CSS.escape(tag)}:defined:not([role])`).join(",");
      return engine.watch.all
        .flatMap((root) => [...dom.querySelectorAll(root, selector)])
        .slice(0, MOST_CUSTOM);
    },
    setInternals: (elements, facts) => engine.setInternals(elements, facts),
  };
}
