// The string tables that a document's columns refer to.

const MOST_TAGS = 3_000;

/** Strings by their place in a list. */
class Table {
  readonly entries: string[] = [];
  private readonly places = new Map<string, number>();

  constructor(...first: string[]) {
    for (const text of first) this.index(text);
  }

  index(text: string): number {
    let at = this.places.get(text);
    if (at === undefined) {
      at = this.entries.push(text) - 1;
      this.places.set(text, at);
    }
    return at;
  }
}

/** What one tree has put into the tables stands there for the next tree. */
export class Tables {
  readonly roles = new Table("text");
  readonly tags = new Table();

  /** Whether there may be more in it than trees need. */
  get isLong(): boolean {
    return this.tags.entries.length > MOST_TAGS;
  }
}

/** The place of the role "text", which text runs have. */
export const ROLE_OF_TEXT = 0;

/** Tag and classes as the wire has them: `div.card.wide`. */
export function tagOf(tag: string, classes: string | null): string {
  return classes ? `${tag}.${classes.trim().split(/\s+/).join(".")}` : tag;
}
