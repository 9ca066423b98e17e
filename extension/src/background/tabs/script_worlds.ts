// The script contexts ("worlds") that the debugger reports: the page's, and the content script's in each document.

import type { CdpEvent } from "./debuggers";

/** The world of content scripts that the debugger put in, where the browser lets no extension do it. */
export const DEBUGGER_SCRIPT_WORLD = "skillbook";

export interface World {
  id: number;
  /** Unique over processes and time. */
  uniqueId: string;
  frame: string;
  isolated: boolean;
}

/** The script contexts of attached tabs. */
export class Worlds {
  readonly #worlds = new Map<number, World[]>();

  constructor(private readonly extensionId: string) {}

  take({ tab, method, params }: CdpEvent): void {
    const known = this.#worlds.get(tab) ?? [];
    if (method === "Runtime.executionContextCreated") {
      const { id, uniqueId, origin, name, auxData } = params.context;
      const standsIn = name === DEBUGGER_SCRIPT_WORLD && auxData?.type === "isolated";
      const ours = origin === `chrome-extension://${this.extensionId}` || standsIn;
      if (!ours && !auxData?.isDefault) return;
      this.#worlds.set(tab, [...known, { id, uniqueId, frame: auxData?.frameId ?? "", isolated: ours }]);
    } else if (method === "Runtime.executionContextDestroyed") {
      const gone = params.executionContextUniqueId;
      this.#worlds.set(
        tab,
        known.filter((world) => world.uniqueId !== gone),
      );
    } else if (method === "Runtime.executionContextsCleared") {
      this.forget(tab);
    }
  }

  forget(tab: number): void {
    this.#worlds.delete(tab);
  }

  isolated(tab: number): World[] {
    return (this.#worlds.get(tab) ?? []).filter((world) => world.isolated);
  }

  /** The page's world in the document that has this world of ours: the last one made before it. */
  main(tab: number, ours: World): World | undefined {
    const known = this.#worlds.get(tab) ?? [];
    const isMain = (world: World): boolean => !world.isolated && world.frame === ours.frame;
    return known.slice(0, Math.max(0, known.indexOf(ours))).findLast(isMain) ?? known.findLast(isMain);
  }
}
