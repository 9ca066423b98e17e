// Marks on an element in the tree and on the screenshot. They move with the mouse, so nothing is drawn anew for them.

import { scrollWithin } from "./keys";

/** Mark an element wherever it is shown in `root`, and scroll a tree to it where wanted; "" marks none. */
export function markAll(
  root: Element | null,
  name: "sbp-aim" | "sbp-hover",
  ref: string,
  scroll: boolean,
): void {
  for (const marked of root?.querySelectorAll(`.${name}`) ?? []) marked.classList.remove(name);
  if (!ref) return;
  for (const each of root?.querySelectorAll<HTMLElement>(`[data-ref="${CSS.escape(ref)}"]`) ?? []) {
    each.classList.add(name);
    const list = scroll && !each.hidden ? each.closest(".sbp-tree") : null;
    if (list) scrollWithin(list, each);
  }
}
