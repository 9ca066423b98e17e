// On the kernel's pairing page: hand what its meta element says to the worker, and show how the user decided.

import * as dom from "../engine/dom/tree/dom";
import type { PairOutcome, PairPage } from "../shared/ui";

async function askToPair(): Promise<void> {
  const text = (dom.querySelector(document, 'meta[name="skillbook-pair"]') as HTMLMetaElement | null)
    ?.content;
  if (!text) return;
  const { dataset } = dom.get(document, "documentElement");
  const { code, query, kernel } = JSON.parse(text);
  dataset.skillbook = "recognised";
  const page: PairPage = { report: "pair_page", code, query, kernel };
  const answer: PairOutcome | null = await chrome.runtime.sendMessage(page);
  if (!answer) return;
  dataset.skillbook = answer.outcome === "paired" ? "paired" : "declined";
  dataset.skillbookMessage = answer.message;
}

askToPair().catch((error) => console.warn("skillbook: pairing failed", error));
