// What the debugger tells of elements: that the cdp engine found them, and numbers them; that scripts listen on them.

import type { Engine } from "../engine/dom/engine";
import { isSecret } from "../engine/dom/semantics/secrets";
import type { ContentGlobal, NotedElements } from "../shared/messages";

export function notesFor(engine: Engine): Pick<ContentGlobal, "note" | "hear" | "customElements" | "tell"> {
  const note = (elements: (Element | null)[], roles: string[], names: string[]): NotedElements => ({
    // One that is gone gets a number that is stale at once.
    numbers: elements.map((element, i) =>
      engine.refs.note(element ?? document.createElement("i"), roles[i] as string, names[i] as string),
    ),
    secret: elements.flatMap((element, i) => (element && isSecret(element) ? [i] : [])),
    highest: engine.refs.highest,
  });
  return {
    note,
    hear: (elements, listened) => {
      engine.hear(
        elements.filter((_, i) => listened[i]),
        elements.filter((_, i) => !listened[i]),
      );
      return engine.heard.count;
    },
    customElements: (tags) => engine.customElements(tags),
    tell: (elements, facts) => engine.tell(elements, facts),
  };
}
