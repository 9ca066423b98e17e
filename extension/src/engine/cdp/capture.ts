// Everything in one process at one moment: documents with layout and styles, each with its accessibility tree.

import { type AxFacts, factsOf } from "./ax";
import { findListeners } from "./event_listeners";
import { type AxNode, type Captured, type CapturedDocument, type Send, STYLES } from "./protocol";

/** One document of a capture, with what is joined to its nodes by backend id. */
export interface Capture {
  document: CapturedDocument;
  frameId: string;
  /** The string at a place in the capture's table. */
  text: (at: number | undefined) => string;
  ax: ReadonlyMap<number, AxFacts>;
  /** Elements on which scripts listen for clicks. */
  listeners: ReadonlySet<number>;
}

/** Capture the documents of a session, the session's own first. */
export async function capture(send: Send): Promise<Capture[]> {
  const query = { computedStyles: STYLES, includeDOMRects: true };
  const { documents, strings } = await send<Captured>("DOMSnapshot.captureSnapshot", query);
  const text = (at: number | undefined): string => strings[at ?? -1] ?? "";
  const listening = findListeners(send);
  return Promise.all(
    documents.map(async (document) => {
      const frameId = text(document.frameId);
      return { document, frameId, text, ax: await readAx(send, frameId), listeners: await listening };
    }),
  );
}

/** A frame that goes away meanwhile has no accessibility tree. */
async function readAx(send: Send, frameId: string): Promise<Map<number, AxFacts>> {
  const { nodes } = await send<{ nodes: AxNode[] }>("Accessibility.getFullAXTree", { frameId }).catch(
    (error: unknown) => {
      if (/frame/i.test(String(error))) return { nodes: [] };
      throw error;
    },
  );
  return factsOf(nodes);
}
