// Elements without the rest of the page: those that a query may name, or some that are known.

import type {
  DocumentTree,
  FindParams,
  FindQuery,
  FindResult,
  SnapshotParams,
  WantedFact,
} from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { ALIVE_MS } from "../../shared/limits";
import { splitRef } from "../../shared/refs";
import { type CommandContext, callContent, type Services } from "../commands/context";
import { within } from "../deadline";
import type { Doc } from "../tabs/registry";

const NONE: FindResult = { documents: [], around: null, fact: null };

export async function findElements(context: CommandContext, params: FindParams): Promise<FindResult> {
  raiseCounters(context.services, context.tab, params);
  return params.query
    ? findInDocuments(context, params.query, params.records ?? false, params.fact ?? null)
    : readParts(context, params);
}

/** The elements of the main document that a query may name; none where a frame may have one as well. */
async function findInDocuments(
  context: CommandContext,
  query: FindQuery,
  records: boolean,
  fact: WantedFact | null,
): Promise<FindResult> {
  const { services, tab, deadline } = context;
  const { documents, facts } = services;
  const docs = await documents.list(tab, deadline);
  const main = await documents.main(tab, deadline);
  if (main.type === "application/pdf") return NONE;
  const read = [main, ...docs.filter((doc) => doc !== main && doc.problem === null)];
  await facts.renewInternals(context, read);
  // Around a frame there may be what the query is in.
  const inFrames = { ...query, within: null };
  const replies = await Promise.all(
    read.map((doc) =>
      doc === main ? search(context, doc, query, records, fact) : search(context, doc, inFrames),
    ),
  );
  const [found, ...others] = replies;
  if (!found?.tree || others.some((other) => other?.tree?.number.length !== 0)) return NONE;
  // What a custom element is may be known after a snapshot only.
  if (read.some((doc, i) => !facts.knows(context, doc, replies[i]?.custom ?? []))) return NONE;
  documents.raise(main, found.highest);
  return {
    documents: [found.tree],
    around: found.around?.map(([, tree]) => tree) ?? null,
    fact: found.fact && { ref: `e${found.fact.number}`, value: found.fact.value },
  };
}

function search(
  context: CommandContext,
  doc: Doc,
  query: FindQuery,
  records = false,
  fact: WantedFact | null = null,
) {
  // A document that is silent for so long names no elements: the kernel takes a snapshot then.
  return within(callContent(context, doc, { op: "find", query, numbers: [], records, fact }), ALIVE_MS);
}

/** Some elements as they are now; those that are gone are left out. */
export async function readParts(
  context: CommandContext,
  { refs = [], records = false }: FindParams,
): Promise<FindResult> {
  const { services, tab, deadline } = context;
  const byFrame = new Map<number, number[]>();
  for (const ref of refs) {
    const { frame, number } = splitRef(ref) ?? { frame: -1, number: 0 };
    byFrame.set(frame, [...(byFrame.get(frame) ?? []), number]);
  }
  let around: FindResult["around"] = null;
  const trees = [...byFrame].map(async ([frame, numbers]): Promise<DocumentTree[]> => {
    try {
      const doc = await services.documents.byFrame(tab, frame, deadline);
      await services.facts.renewInternals(context, [doc]);
      const request = { op: "find", query: null, numbers, records } as const;
      const { tree, highest, around: found } = await callContent(context, doc, request);
      if (found) around = [...(around ?? []), ...found.map(([, tree]) => tree)];
      services.documents.raise(doc, highest);
      return tree ? [tree] : [];
    } catch (error) {
      if (!(error instanceof Failure) || (error.code !== "stale_ref" && error.code !== "unknown_ref"))
        throw error;
      return [];
    }
  });
  const documents = (await Promise.all(trees)).flat();
  return { documents, around, fact: null };
}

/** After a worker restart the kernel knows better how far numbers were given out. */
export function raiseCounters(
  { documents, shares }: Services,
  tab: number,
  params: Pick<SnapshotParams, "after" | "frames_after">,
): void {
  documents.startAfter(tab, params.after ?? 0);
  const share = shares.get(tab);
  if (share) share.framesAfter = Math.max(share.framesAfter, params.frames_after ?? 0);
}
