// Actions that the content script does alone.

import type {
  ActionOutcome,
  ElementParams,
  HighlightParams,
  ScrollParams,
  SelectParams,
} from "../../protocol/generated";
import { splitRef } from "../../shared/refs";
import { type CommandContext, callContent } from "../commands/context";
import { documentIn, findTarget } from "../tabs/targets";
import { act, inPage, pageOnly } from "./action";

export function actInPage(
  context: CommandContext,
  command: "focus" | "select" | "submit",
  params: ElementParams | SelectParams,
): Promise<ActionOutcome> {
  return act(context, async (action) => {
    action.watch.isTrusted = false;
    const target = await findTarget(action, params.ref);
    await pageOnly({ ...action, target }, command, params);
  });
}

export function scroll(context: CommandContext, params: ScrollParams): Promise<ActionOutcome> {
  return act(context, async (action) => {
    const { watch, services, tab, deadline } = action;
    watch.isTrusted = false;
    const target = params.ref ? await findTarget(action, params.ref) : null;
    const moves = Boolean(params.dx || params.dy || params.to);
    // To scroll an iframe is to scroll the document in it.
    const inner = target && moves ? await documentIn(action, target) : null;
    const doc = inner ?? target?.doc ?? (await services.documents.main(tab, deadline));
    await watch.baseline(doc);
    watch.acted = true;
    await inPage(action, "scroll", { doc, number: inner ? null : (target?.number ?? null) }, params);
  });
}

export function highlight(context: CommandContext, params: HighlightParams): Promise<ActionOutcome> {
  return act(context, async (action) => {
    const { watch, services, tab, deadline } = action;
    watch.isTrusted = false;
    const docs = await services.documents.readable(tab, deadline);
    await watch.baseline();
    watch.acted = true;
    const wanted = params.refs.map(splitRef);
    for (const doc of docs) {
      const numbers = wanted.flatMap((ref) => (ref?.frame === doc.frame ? [ref.number] : []));
      await callContent(action, doc, { op: "highlight", numbers });
    }
  });
}
