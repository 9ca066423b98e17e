// A document's nodes as columns, and the string tables that these refer to.

import type { DocumentTree } from "../protocol/generated";

/** What each node of a tree has a row in. */
export type Columns = Pick<
  DocumentTree,
  "number" | "depth" | "role" | "tag" | "flags" | "name" | "box" | "extra"
>;

export const emptyColumns = (): Columns => ({
  ...{ number: [], depth: [], role: [], tag: [], flags: [], name: [], box: [], extra: [] },
});

/** More tags than trees are likely to need. */
const MOST_TAGS = 3_000;

/** Strings by their place in a list. */
class Table {
  readonly entries: string[] = [];
  private readonly places = new Map<string, number>();

  index(text: string): number {
    let at = this.places.get(text);
    if (at === undefined) {
      at = this.entries.push(text) - 1;
      this.places.set(text, at);
    }
    return at;
  }
}

/** The strings that trees refer to; what one tree has put in stands there for the next. */
export class Tables {
  readonly roles = new Table();
  readonly tags = new Table();

  get isFull(): boolean {
    return this.tags.entries.length > MOST_TAGS;
  }
}

/** Tag and classes as the wire has them: `div.card.wide`. */
export function tagOf(tag: string, classes: string | null | undefined): string {
  return classes ? `${tag}.${classes.trim().split(/\s+/).join(".")}` : tag;
}
