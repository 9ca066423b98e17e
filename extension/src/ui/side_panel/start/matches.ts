// Which cards a search finds: those that have each of its words, in any order and case.

interface Card {
  name: string;
  title: string;
  description: string;
  where?: string;
}

export function matches(card: Card, search: string): boolean {
  const text = fold([card.name, card.title, card.description, card.where ?? ""].join(" "));
  return fold(search)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Without case and accents. */
function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
