// How the site's search ranks: pages that have what readers' words mean come first, the reference and the menu last.
const READERS = READERS_WORDS;

var Scorer = {
  score: ([docname, , , , score]) => {
    const asked = (new URLSearchParams(location.search).get("q") ?? "").trim().toLowerCase();
    const words = new Set(asked.split(/\s+/));
    const known = READERS[docname.replace("docs/", "")] ?? [];
    const boost = known.includes(asked) ? 50 : known.some((each) => each.split(" ").every((word) => words.has(word))) ? 20 : 0;
    return (/^docs\/(reference|sections)\/|^CHANGELOG|^docs\/index/.test(docname) ? score / 2 : score) + boost;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
