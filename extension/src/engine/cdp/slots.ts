// The flat tree of virtual elements.

import type { FlatTree } from "../dom/tree/flat_tree";
import { childrenOf, descendants, type VirtualElement, type VirtualNode, VirtualText } from "./nodes";

/** Assign hosts' children to slots by their names, as browsers do. */
export function assignSlots(elements: Iterable<VirtualElement>): void {
  for (const host of elements) {
    if (!host.shadow) continue;
    const slots = new Map<string, VirtualElement>();
    for (const slot of descendants(host.shadow)) {
      const name = slot.getAttribute("name") ?? "";
      if (slot.localName === "slot" && !slots.has(name)) slots.set(name, slot);
    }
    for (const child of host.childNodes) {
      const wanted = child instanceof VirtualText ? "" : (child.getAttribute("slot") ?? "");
      const slot = slots.get(wanted);
      if (!slot) continue;
      slot.assigned.push(child);
      child.assignedSlot = slot;
    }
  }
}

/** The flat tree as the rules of the dom engine ask for it. */
export const VIRTUAL_FLAT = {
  begin: () => undefined,
  children: (element: VirtualElement) =>
    element.assigned.length ? element.assigned : childrenOf(element.shadow ?? element),
  quickShadow: (element: VirtualElement) => element.shadow,
  shadow: (element: VirtualElement) => element.shadow,
  parent: (node: VirtualNode) => {
    if (node.assignedSlot) return node.assignedSlot;
    const up = node.parentNode;
    return up && "host" in up ? up.host : up;
  },
} as unknown as Pick<FlatTree, "begin" | "children" | "quickShadow" | "shadow" | "parent">;
