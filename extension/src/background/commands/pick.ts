// Pointing at an element in the page itself: every document of the tab waits for the person's choice, the first has it.

import type { PickParams, PickResult } from "../../protocol/generated";
import { DOCUMENT_MS } from "../../shared/limits";
import { Deadline } from "../deadline";
import { type CommandContext, callContent, type Services } from "./context";

export async function pick(context: CommandContext, { text }: PickParams): Promise<PickResult> {
  const { services, tab, deadline } = context;
  const { documents, picks } = services;
  const end = picks.begin(tab, text, deadline);
  const picked = picks.picked.next((one) => one.tab === tab, deadline);
  try {
    for (const doc of await documents.list(tab, deadline)) {
      const request = { op: "pick", on: true, text, timeout_ms: deadline.left() } as const;
      if (doc.problem === null) await callContent(context, doc, request);
    }
    deadline.waitsFor = "a person to point at an element";
    const { frame, path } = await picked;
    return { frame, path };
  } finally {
    end();
    if (!picks.waiting(tab))
      for (const doc of documents.known(tab))
        documents.post(doc, { op: "pick", on: false, text: "", timeout_ms: 0 });
  }
}

/** A document came to a tab in which a person is to point at something: it waits for that, too. */
export async function pickInNewDocuments({ documents, picks }: Services, tab: number): Promise<void> {
  const waits = picks.waiting(tab);
  if (!waits) return;
  const deadline = new Deadline(DOCUMENT_MS, "pointing in a new document");
  try {
    for (const doc of await documents.list(tab, deadline))
      if (doc.problem === null)
        documents.post(doc, { op: "pick", on: true, text: waits.text, timeout_ms: waits.deadline.left() });
  } finally {
    deadline.close();
  }
}
