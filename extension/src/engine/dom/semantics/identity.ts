// What tells an element from others like it, though nobody sees it.

import type { NodeExtra } from "../../../protocol/generated";
import { keysIn } from "../../../shared/attributes";
import * as dom from "../tree/dom";

/** An element's id and keys; null where it has none. */
export function identityOf(element: Element): Pick<NodeExtra, "html_id" | "keys"> | null {
  const id = dom.get(element, "id");
  const keys = keysIn(dom.getAttributeNames(element), (name) => dom.getAttribute(element, name));
  return id || keys.length > 0 ? { ...(id && { html_id: id }), ...(keys.length > 0 && { keys }) } : null;
}
