// An element that the content script knows by number, as the DevTools protocol knows elements.

import { Failure } from "../shared/errors";
import type { PageCall, Parts } from "./context";
import type { CdpEvent } from "./debuggers";
import type { Target } from "./targets";

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

  main(tab: number, frame: string): World | undefined {
    return this.#worlds.get(tab)?.find((world) => !world.isolated && world.frame === frame);
  }
}

interface Evaluated {
  result: { objectId?: string; subtype?: string };
}

/** Work with an element's handle in our isolated world, and let it go afterwards. */
export async function withElement<T>(
  parts: Parts,
  call: PageCall,
  target: Target,
  work: (objectId: string, frame: string) => Promise<T>,
): Promise<T> {
  const { tab, deadline } = call;
  await deadline.race(parts.debuggers.ensure(tab));
  const key = JSON.stringify(target.doc.key);
  const expression = `globalThis.skillbook?.key === ${key} ? globalThis.skillbook.element(${target.number}) : undefined`;
  for (const world of parts.worlds.isolated(tab)) {
    const params = { expression, uniqueContextId: world.uniqueId };
    const { result } = await parts.debuggers.send<Evaluated>(tab, "Runtime.evaluate", params, deadline);
    if (result.subtype === "null") throw new Failure("stale_ref", `The element ${target.ref} is gone.`);
    const { objectId } = result;
    if (!objectId) continue;
    return await work(objectId, world.frame).finally(() => {
      parts.debuggers.send(tab, "Runtime.releaseObject", { objectId }, deadline).catch(() => undefined);
    });
  }
  const text = `The element ${target.ref} is in a frame of another process, which this command can't reach.`;
  throw new Failure("not_actionable", text, "open the frame's address in a tab of its own");
}
