// The script that marks causes, as the debugger puts it into the page's own world: in documents that are open, and in new
// ones before their first line.

import type { Store } from "../store";

const KEY = "causes_script";

/** Parameters of `Page.addScriptToEvaluateOnNewDocument`. */
interface AddedScript {
  source: string;
  runImmediately: true;
}

export class CausesScript {
  /** The event by which the content script finds the page's; no page knows its name. */
  meeting = "";
  #source: Promise<string> | undefined;

  constructor(private readonly read: () => Promise<string>) {}

  /** Use the stored name, else this new one: documents stay when the worker starts anew. */
  async load(store: Pick<Store, "load" | "save">, newName: string): Promise<void> {
    this.meeting = await store.load(KEY, newName);
    store.save(KEY, () => this.meeting);
  }

  /** What the debugger is to put into documents. */
  async parameters(): Promise<AddedScript> {
    this.#source ??= this.read();
    const source = `(() => { "use strict"; const SKILLBOOK_CAUSES = ${JSON.stringify(this.meeting)};\n${await this.#source}\n})();`;
    return { source, runImmediately: true };
  }
}
