// An element that the content script knows by number, as the DevTools protocol knows elements.

import type { Send } from "../../engine/cdp/protocol";
import { Failure } from "../../shared/errors";
import type { PageCall, Parts } from "../commands/context";
import type { CdpEvent } from "../tabs/debuggers";
import type { Target } from "../tabs/targets";

/** The world of content scripts that the debugger put in, where the browser lets no extension do it. */
export const STAND_IN_WORLD = "skillbook";

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
      const standsIn = name === STAND_IN_WORLD && auxData?.type === "isolated";
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

  /** The page's own world in the document that has this world of ours: it was made before, and last before it. */
  main(tab: number, ours: World): World | undefined {
    const known = this.#worlds.get(tab) ?? [];
    const isMain = (world: World): boolean => !world.isolated && world.frame === ours.frame;
    return known.slice(0, Math.max(0, known.indexOf(ours))).findLast(isMain) ?? known.findLast(isMain);
  }
}

interface Evaluated {
  result: { objectId?: string; subtype?: string };
}

/** An element as the session that its document is in knows it. */
export interface Handle {
  objectId: string;
  send: Send;
  /** The page's own world in the element's document. */
  main: World | undefined;
}

/** Work with an element's handle in our isolated world, and let it go afterwards. */
export async function withElement<T>(
  parts: Parts,
  call: PageCall,
  target: Target,
  work: (handle: Handle) => Promise<T>,
): Promise<T> {
  const key = JSON.stringify(target.doc.key);
  const expression = `globalThis.skillbook?.key === ${key} ? globalThis.skillbook.element(${target.number}) : undefined`;
  const failures: unknown[] = [];
  for (const { send, worlds } of await parts.sessions.open(call.tab, call.deadline)) {
    for (const world of worlds.isolated(call.tab)) {
      const params = { expression, uniqueContextId: world.uniqueId };
      const found = await send<Evaluated>("Runtime.evaluate", params).catch((error) => {
        // Another frame's world may go away meanwhile.
        call.deadline.check();
        failures.push(error);
        return null;
      });
      if (found?.result.subtype === "null")
        throw new Failure("stale_ref", `The element ${target.ref} is gone.`);
      const objectId = found?.result.objectId;
      if (!objectId) continue;
      return await work({ objectId, send, main: worlds.main(call.tab, world) }).finally(() => {
        send("Runtime.releaseObject", { objectId }).catch(() => undefined);
      });
    }
  }
  throw failures[0] ?? new Failure("page_navigated", `The document of ${target.ref} has gone away.`);
}
