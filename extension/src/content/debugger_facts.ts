// What the debugger tells of elements: that the cdp engine found them, and numbers them; that scripts listen on them.

import type { Engine } from "../engine/dom/engine";
import { isSecret } from "../engine/dom/semantics/secrets";
import type { ContentGlobal, NotedElements } from "../shared/messages";

export function notesFor(
  engine: Engine,
): Pick<ContentGlobal, "note" | "noteAt" | "hear" | "customElements" | "tell"> {
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
    noteAt: ({ version, total, tags }, places, roles, names) => {
      if (engine.watch.version !== version) return null;
      const all: Element[] = [];
      collect(engine, engine.document, all);
      const found = places.map((place) => all[place] ?? null);
      const same = all.length === total && found.every((element, i) => element?.localName === tags[i]);
      return same ? note(found, roles, names) : null;
    },
  };
}

/** Every element in the order of a capture. */
function collect(engine: Engine, parent: Document | Element | ShadowRoot, all: Element[]): void {
  for (let child = parent.firstElementChild; child; child = child.nextElementSibling) {
    all.push(child);
    const root = engine.flat.shadow(child);
    if (root) collect(engine, root, all);
    collect(engine, child, all);
  }
}
