// One look at everything in one process: documents with layout and styles, and their accessibility trees.

import { type AxFacts, factsOf } from "./ax";
import { heardFrom } from "./heard";
import { type AxNode, type Captured, type Send, STYLES } from "./protocol";
import { buildTree, type VirtualDocument } from "./tree";

interface Searched {
  searchId: string;
  resultCount: number;
}

/** The documents of a session, the session's own first. */
export async function capture(send: Send, secret: ReadonlySet<number>): Promise<VirtualDocument[]> {
  const captured = await send<Captured>("DOMSnapshot.captureSnapshot", {
    computedStyles: STYLES,
    includeDOMRects: false,
  });
  const frames = captured.documents.map((document) => captured.strings[document.frameId] ?? "");
  const [trees, invalid, heard] = await Promise.all([
    Promise.all(frames.map((frameId) => readAx(send, frameId))),
    mayBeInvalid(captured) ? findInvalid(send) : new Set<number>(),
    heardFrom(send),
  ]);
  heard.release();
  return captured.documents.map((_, at) =>
    buildTree(captured, at, { ax: trees[at] as Map<number, AxFacts>, invalid, secret, heard: heard.found }),
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

function mayBeInvalid({ documents, strings }: Captured): boolean {
  const rules = ["required", "pattern", "min", "max", "minlength", "maxlength", "step"];
  const wanted = new Set(rules.map((name) => strings.indexOf(name)).filter((at) => at >= 0));
  const typed = ["email", "url", "number"].some((type) => strings.includes(type));
  if (!wanted.size && !typed) return false;
  return documents.some(({ nodes }) => (nodes.inputValue?.index.length ?? 0) > 0);
}

/** What a person's typing has made invalid: only CSS tells it. */
async function findInvalid(send: Send): Promise<Set<number>> {
  const found = new Set<number>();
  // Searching needs the document to be known to the session.
  await send("DOM.getDocument", { depth: 0 });
  const query = { query: ":user-invalid", includeUserAgentShadowDOM: false };
  const { searchId, resultCount } = await send<Searched>("DOM.performSearch", query);
  if (resultCount > 0) {
    const range = { searchId, fromIndex: 0, toIndex: resultCount };
    const { nodeIds } = await send<{ nodeIds: number[] }>("DOM.getSearchResults", range);
    const nodes = await Promise.all(
      nodeIds.map((nodeId) => send<{ node: { backendNodeId: number } }>("DOM.describeNode", { nodeId })),
    );
    for (const { node } of nodes) found.add(node.backendNodeId);
  }
  await send("DOM.discardSearchResults", { searchId });
  return found;
}
