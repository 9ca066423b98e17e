// Documents as the debugger reaches them: the session that a document's frame is in, and its script worlds there.

import type { Send } from "../../engine/cdp/protocol";
import { Failure } from "../../shared/errors";
import type { Session } from "./cdp_sessions";
import type { Doc } from "./registry";
import type { World } from "./script_worlds";

export interface DocumentWorlds {
  doc: Doc;
  session: Session;
  send: Send;
  /** The content script's world. */
  ours: World;
  /** The page's own world. */
  main: World | undefined;
}

const KEY = "globalThis.skillbook?.key ?? null";

/** The worlds of these documents, as far as the debugger shows them. */
export async function worldsOf(
  sessions: readonly Session[],
  docs: readonly Doc[],
): Promise<DocumentWorlds[]> {
  const find = async (session: Session, ours: World): Promise<DocumentWorlds | null> => {
    const { send, worlds } = session;
    const key = await unlessGone(() => evaluateIn(send, ours, KEY));
    const doc = docs.find((each) => key !== null && each.key === key);
    return doc ? { doc, session, send, ours, main: worlds.main(ours) } : null;
  };
  const all = sessions.flatMap((session) => session.worlds.ours.map((world) => find(session, world)));
  return (await Promise.all(all)).filter((found) => found !== null);
}

/** The value of an expression in a world. */
export async function evaluateIn(send: Send, { uniqueId }: World, expression: string): Promise<unknown> {
  const query = { expression, uniqueContextId: uniqueId, returnByValue: true };
  return (await send<{ result: { value?: unknown } }>("Runtime.evaluate", query)).result.value;
}

interface Called<T> {
  result: { value: T; objectId?: string };
}

/** Call a function in the content script's world; `options` are further ones of the protocol. */
export async function callIn<T = undefined>(
  { send, ours }: DocumentWorlds,
  functionDeclaration: string,
  args: readonly object[],
  options: object = {},
): Promise<Called<T>["result"]> {
  const call = { functionDeclaration, executionContextId: ours.id, arguments: args, ...options };
  return (await send<Called<T>>("Runtime.callFunctionOn", call)).result;
}

/** Elements as arguments of such a call, null for one that is gone; they are let go with their group. */
export function handlesOf(
  { send, ours }: DocumentWorlds,
  backends: readonly number[],
  objectGroup: string,
): Promise<object[]> {
  const resolve = async (backendNodeId: number): Promise<object> => {
    const query = { backendNodeId, executionContextId: ours.id, objectGroup };
    const found = await unlessGone(() => send<{ object: { objectId?: string } }>("DOM.resolveNode", query));
    return found?.object.objectId ? { objectId: found.object.objectId } : { value: null };
  };
  return Promise.all(backends.map(resolve));
}

let groups = 0;

/** Work with handles on objects of the page, which the browser keeps until the work is done. */
export async function withObjects<T>(send: Send, work: (objectGroup: string) => Promise<T>): Promise<T> {
  const objectGroup = `skillbook-${++groups}`;
  try {
    return await work(objectGroup);
  } finally {
    send("Runtime.releaseObjectGroup", { objectGroup }).catch(() => undefined);
  }
}

/** What is done with a document or element, or null where that goes away meanwhile: the others count all the same. */
export async function unlessGone<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.data.cdp !== undefined) return null;
    throw error;
  }
}
