// On the kernel's pairing page: hand what its meta element says to the worker, and show how the user decided.

import type { PairOutcome, PairPage } from "../shared/ui";

async function askToPair(): Promise<void> {
  const text = document.querySelector<HTMLMetaElement>('meta[name="skillbook-pair"]')?.content;
  if (!text) return;
  const root = document.documentElement;
  const { code, query, kernel } = JSON.parse(text);
  root.dataset.skillbook = "recognised";
  const page: PairPage = { report: "pair_page", code, query, kernel };
  const answer: PairOutcome | null = await chrome.runtime.sendMessage(page);
  if (!answer) return;
  root.dataset.skillbook = answer.outcome === "paired" ? "paired" : "declined";
  root.dataset.skillbookMessage = answer.message;
}

askToPair().catch((error) => console.warn("skillbook: pairing failed", error));
