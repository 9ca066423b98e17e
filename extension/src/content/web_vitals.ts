// What the browser has measured of a document: how soon it showed its content, how much it moved, how soon it answered.

import { ALIVE_MS, DOCUMENT_MS, FRAME_MS } from "../shared/limits";
import type { ReplyTo } from "../shared/messages";

const TYPES = ["largest-contentful-paint", "layout-shift", "longtask", "event"];

interface Shift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
}

interface Interaction extends PerformanceEntry {
  interactionId?: number;
}

export async function webVitals(): Promise<ReplyTo<"web_vitals">> {
  const found = new Map<string, PerformanceEntry[]>(TYPES.map((type) => [type, []]));
  const observers = TYPES.map((type) => {
    const observer = new PerformanceObserver((list) => found.get(type)?.push(...list.getEntries()));
    observer.observe({ type, buffered: true, ...(type === "event" && { durationThreshold: 16 }) });
    return observer;
  });
  // Buffered entries arrive within this.
  await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
  for (const observer of observers) observer.disconnect();
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const resources = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const interactions = (found.get("event") as Interaction[]).filter((each) => each.interactionId);
  const loaded = [...resources, ...(navigation ? [navigation] : [])];
  const shifts = (found.get("layout-shift") as Shift[]).filter((each) => !each.hadRecentInput);
  return {
    lcp: found.get("largest-contentful-paint")?.at(-1)?.startTime ?? null,
    cls: largestWindow(shifts),
    inp: interactions.length ? Math.max(...interactions.map(({ duration }) => duration)) : null,
    fcp: paint?.startTime ?? null,
    ttfb: navigation?.responseStart || null,
    long_tasks: found.get("longtask")?.length ?? 0,
    requests: loaded.length,
    bytes: loaded.reduce((sum, { transferSize }) => sum + transferSize, 0),
  };
}

/** The greatest sum of shifts that follow each other. */
function largestWindow(shifts: readonly Shift[]): number {
  let [largest, sum, first, last] = [0, 0, 0, Number.NEGATIVE_INFINITY];
  for (const { value, startTime } of shifts) {
    // Shifts so near to each other are one.
    const isNew = startTime - last > ALIVE_MS || startTime - first > DOCUMENT_MS;
    if (isNew) first = startTime;
    sum = isNew ? value : sum + value;
    last = startTime;
    largest = Math.max(largest, sum);
  }
  return largest;
}
