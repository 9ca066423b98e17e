// The error for a step whose element isn't called what it was when the step was judged.

import type { Meant } from "../protocol/generated";
import { Failure } from "./errors";
import type { Seen } from "./messages";

export function changedLabel(seen: Seen, meant: Meant | null | undefined): Failure {
  return new Failure(
    "approval_required",
    `The step was judged on ${meant?.role} '${meant?.name}', and that is ${seen.role} '${seen.name}' now; nothing was done.`,
    "look at the page again; a new call is judged anew",
    { reason: "changed", seen },
  );
}
