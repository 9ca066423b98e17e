// The error for a step whose element isn't what it was when the step was judged.

import type { ExpectedTarget } from "../protocol/generated";
import { Failure } from "../shared/errors";
import type { ChangedTarget } from "../shared/messages";

export function changedSince(seen: ChangedTarget, expected: ExpectedTarget | null): Failure {
  return new Failure(
    "approval_required",
    `The step was judged on ${inWords(seen, expected)}; nothing was done.`,
    "look at the page again; a new call is judged anew",
    { reason: "changed", seen },
  );
}

function inWords({ role, name, what, now }: ChangedTarget, expected: ExpectedTarget | null): string {
  switch (what) {
    case "label":
      return `${expected?.role} '${expected?.name}', and that is ${role} '${name}' now`;
    case "form":
      return `${role} '${name}' with ${formIn(expected?.form ?? "")}, and with ${formIn(now)} now`;
    case "link":
      return `${role} '${name}' leading to ${expected?.link || "nothing"}, and it leads to ${now || "nothing"} now`;
    case "values":
      return `${role} '${name}' with what its form's other fields held, and they hold something else now`;
    case "cover":
      return `${role} '${name}' lying open, and ${now} covers it now`;
  }
}

function formIn(sent: string): string {
  return sent ? `a form that goes to ${sent.slice(0, 300)}` : "no form";
}
