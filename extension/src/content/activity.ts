// What still goes on in a document, as far as it can know.

import { somethingLeaves } from "../engine/dom/layout/leaving";
import * as dom from "../engine/dom/tree/dom";
import type { ChangeWatch } from "../engine/dom/watch/change_watch";
import type { DocumentActivity } from "../shared/messages";

export function activityIn(watch: ChangeWatch): DocumentActivity {
  const quiet_ms = watch.quietFor;
  return {
    quiet_ms,
    still: isStill(quiet_ms),
    unfinished: isUnfinished(),
    leaving: somethingLeaves(document),
  };
}

/** Custom elements get their classes by scripts, whose requests are known; what a script does then takes a moment. */
const UPGRADING_MS = 1_000;

function isUnfinished(): boolean {
  if (dom.get(document, "readyState") !== "complete") return true;
  if (performance.now() - loadEnd() > UPGRADING_MS) return false;
  // An element with content of its own shows it already: some pages never give their tags a class.
  return dom.querySelector(document, ":not(:defined):empty") !== null;
}

/** When this document was loaded, in milliseconds since it began; 0 where that isn't over, or not known. */
function loadEnd(): number {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigation?.loadEventEnd ?? 0;
}

/** Whether nothing in this document may come by itself: it has no scripts, and is as it was loaded. */
function isStill(quietMs: number): boolean {
  const end = loadEnd();
  return (
    end > 0 && performance.now() - quietMs <= end && dom.querySelector(document, "script, [onload]") === null
  );
}
