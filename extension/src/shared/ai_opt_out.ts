// Pages, and parts of them, that ask not to be used by AI.

const NO_AI = /(^|[\s,])noai([\s,]|$)/i;

/** Whether an element's `data-no-ai` asks for it, for the element and all inside. */
export function asksNoAi(attribute: string | null | undefined): boolean {
  return (attribute ?? "false") !== "false";
}

/** Whether a `meta` element of this name and content asks for it, for the document. */
export function metaAsksNoAi(name: string | null | undefined, content: string | null | undefined): boolean {
  return name?.trim().toLowerCase() === "robots" && NO_AI.test(content ?? "");
}
