// Pages, and parts of them, that ask not to be used by AI.

const NO_AI = /(^|[\s,])noai([\s,]|$)/i;

/** Whether an element's attribute asks for it, for the element and all inside. */
export function asksNoAi(element: Element): boolean {
  return (element.getAttribute("data-no-ai") ?? "false") !== "false";
}

/** Whether a document asks for it, given what its `meta` elements are. */
export function pageAsksNoAi(metas: Iterable<Pick<Element, "getAttribute">>): boolean {
  for (const meta of metas) {
    if (meta.getAttribute("name")?.trim().toLowerCase() !== "robots") continue;
    if (NO_AI.test(meta.getAttribute("content") ?? "")) return true;
  }
  return false;
}
