// Recording what a person does in a tab: every document that is or comes there reports it.

import type { Acknowledged, RecordParams } from "../../protocol/generated";
import { DOCUMENT_MS } from "../../shared/limits";
import { Deadline } from "../deadline";
import type { Services } from "./context";
import { type CommandContext, callContent } from "./context";

export async function record(context: CommandContext, { on, text }: RecordParams): Promise<Acknowledged> {
  const { services, tab, deadline } = context;
  const share = services.shares.get(tab);
  if (share) {
    if (on) share.recording = text;
    else delete share.recording;
    services.shares.save();
  }
  for (const doc of await services.documents.list(tab, deadline))
    if (doc.problem === null) await callContent(context, doc, { op: "record", on, text });
  return {};
}

/** A document came to a tab that is recorded: it reports from now on, too. */
export async function recordNewDocuments({ documents, shares }: Services, tab: number): Promise<void> {
  const text = shares.get(tab)?.recording;
  if (text === undefined) return;
  const deadline = new Deadline(DOCUMENT_MS, "recording a new document");
  try {
    for (const doc of await documents.list(tab, deadline))
      if (doc.problem === null) documents.post(doc, { op: "record", on: true, text });
  } finally {
    deadline.close();
  }
}

/** Navigations that a person began outside of the page; null for those that the page's own controls cause. */
export function commandOf(transition: string, qualifiers: readonly string[] = []): string | null {
  if (qualifiers.includes("forward_back")) return "back";
  if (transition === "reload") return "reload";
  const isTyped = /^(typed|generated|auto_bookmark|keyword|start_page)$/.test(transition);
  return isTyped || qualifiers.includes("from_address_bar") ? "goto" : null;
}
