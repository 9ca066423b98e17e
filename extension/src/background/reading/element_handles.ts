// An element that the content script knows by number, as the DevTools protocol knows elements.

import type { Send } from "../../engine/cdp/protocol";
import { Failure } from "../../shared/errors";
import type { CommandContext } from "../commands/context";
import type { World } from "../tabs/script_worlds";
import type { Target } from "../tabs/targets";

interface Evaluated {
  result: { objectId?: string; subtype?: string };
}

/** An element as the session that its document is in knows it. */
export interface Handle {
  objectId: string;
  send: Send;
  /** The page's world in the element's document. */
  main: World | undefined;
}

/** Work with an element's handle in our isolated world, and let it go afterwards. */
export async function withElement<T>(
  context: CommandContext,
  target: Target,
  work: (handle: Handle) => Promise<T>,
): Promise<T> {
  const key = JSON.stringify(target.doc.key);
  const expression = `globalThis.skillbook?.key === ${key} ? globalThis.skillbook.element(${target.number}) : undefined`;
  const failures: unknown[] = [];
  const { services, tab, deadline } = context;
  for (const { send, worlds } of await services.sessions.open(tab, deadline)) {
    for (const world of worlds.isolated(tab)) {
      const params = { expression, uniqueContextId: world.uniqueId };
      const found = await send<Evaluated>("Runtime.evaluate", params).catch((error) => {
        // Another frame's world may go away meanwhile.
        deadline.check();
        failures.push(error);
        return null;
      });
      if (found?.result.subtype === "null")
        throw new Failure("stale_ref", `The element ${target.ref} is gone.`);
      const objectId = found?.result.objectId;
      if (!objectId) continue;
      return await work({ objectId, send, main: worlds.main(tab, world) }).finally(() => {
        send("Runtime.releaseObject", { objectId }).catch(() => undefined);
      });
    }
  }
  throw failures[0] ?? new Failure("page_navigated", `The document of ${target.ref} has gone away.`);
}
