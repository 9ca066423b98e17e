// Everything in one process at one moment: documents with layout and styles, and their accessibility trees.

import { type AxFacts, factsOf } from "./ax";
import { findListeners } from "./event_listeners";
import { type AxNode, type Captured, type Send, STYLES } from "./protocol";

export interface Capture {
  captured: Captured;
  /** By the documents' places. */
  ax: ReadonlyMap<number, AxFacts>[];
  listeners: ReadonlySet<number>;
}

/** Capture the documents of a session, the session's own first. */
export async function capture(send: Send): Promise<Capture> {
  const captured = await send<Captured>("DOMSnapshot.captureSnapshot", {
    computedStyles: STYLES,
    includeDOMRects: true,
  });
  const frames = captured.documents.map((document) => captured.strings[document.frameId] ?? "");
  const [ax, listeners] = await Promise.all([
    Promise.all(frames.map((frameId) => readAx(send, frameId))),
    findListeners(send),
  ]);
  return { captured, ax, listeners };
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
