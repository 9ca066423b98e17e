// What all documents of a tab show, as HTML that the kernel makes Markdown of.

import type { MarkdownParams, MarkdownResult } from "../../protocol/generated";
import { type CommandContext, callContent } from "../commands/context";
import { ignoreGone } from "../input/guards";
import { findTarget, joinFrames } from "../tabs/targets";

export async function readShownDocuments(
  context: CommandContext,
  { ref }: MarkdownParams,
): Promise<MarkdownResult> {
  const { documents } = context.services;
  const { tab, deadline } = context;
  const target = ref ? await findTarget(context, ref) : null;
  const main = target?.doc ?? (await documents.main(tab, deadline));
  const readable = await documents.readable(tab, deadline);
  // Frames are joined by what a snapshot of the document around them finds.
  for (const doc of readable)
    if (documents.children(doc).some((child) => !child.owner))
      await joinFrames(context, doc).catch((error) => ignoreGone(context, error));
  const read = async (doc: (typeof readable)[number]): Promise<MarkdownResult["documents"]> => {
    const number = doc === target?.doc ? target.number : null;
    const shown = await callContent(context, doc, { op: "shown_html", number });
    const { key, url, frame } = doc;
    const { owner } = doc;
    const place = { owner_key: owner?.doc.key ?? "", owner_number: owner?.number ?? 0 };
    return [{ key, url, frame: frame ?? 0, ...place, ...shown }];
  };
  const others = readable.filter((doc) => doc !== main);
  const [first, ...rest] = await Promise.all([
    read(main),
    // A frame that goes away meanwhile is left out, and the kernel says so.
    ...others.map((doc) => read(doc).catch(() => [])),
  ]);
  const problems = (await documents.list(tab, deadline)).filter(({ problem }) => problem !== null);
  return {
    documents: [...(first ?? []), ...rest.flat()],
    unread: problems.map(({ url, problem }) => ({ url, reason: problem ?? "" })),
  };
}
