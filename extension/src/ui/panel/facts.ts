// What the head of a run says of it: steps, tokens, money, what is left. Pure.

import type { RunView } from "../common/asks";
import { showHidden } from "../common/text";
import { formatCount, formatDollars, hasEnded } from "./words";

const FORECAST_STEPS = 3;

/** What the next step will probably take, by the last ones: what a model reads grows with the pages, not with time. */
function forecastOf(steps: RunView["steps"]): string {
  const counted = steps
    .map((step) => step.tokens)
    .filter(Boolean)
    .slice(-FORECAST_STEPS);
  if (!counted.length) return "";
  const mean = counted.reduce((sum, each) => sum + each, 0) / counted.length;
  return `, a step about ${formatCount(Number(mean.toPrecision(2)))}`;
}

export function factsOf(view: RunView): string[] {
  const { steps, max_steps, tokens, budget, budget_tokens, cost } = view;
  const facts: string[] = [];
  const count = Math.min(
    steps.length + (hasEnded(view) || view.status === "idle" ? 0 : 1),
    max_steps || Infinity,
  );
  if (max_steps > 0) facts.push(`step ${Math.max(count, steps.length)} / ${max_steps}`);
  else if (steps.length > 0) facts.push(`step ${count}`);
  // What is left matters where there is a limit, or a list of what is to be done.
  const isPlanned = view.forecast && !hasEnded(view) && (budget || budget_tokens || view.tasks.length > 0);
  const limit = budget_tokens ? ` of ${formatCount(budget_tokens)}` : "";
  if (tokens || limit)
    facts.push(`${formatCount(tokens)}${limit} tokens${isPlanned ? "" : forecastOf(steps)}`);
  const money = budget ? ` of ${formatDollars(budget)}` : "";
  if (cost || money) facts.push(`${formatDollars(cost ?? 0)}${money}`);
  if (isPlanned) facts.push(showHidden(view.forecast));
  if (view.progress_words) facts.push(showHidden(view.progress_words));
  if (view.model) facts.push(showHidden(view.model));
  return facts;
}
