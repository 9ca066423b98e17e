// The error for a step whose element isn't what it was when the step was judged.

import type { ExpectedTarget } from "../protocol/generated";
import { Failure } from "../shared/errors";
import type { ChangedTarget } from "../shared/messages";
import { elementInWords } from "../shared/refs";

export function changedSince(seen: ChangedTarget, expected: ExpectedTarget | null): Failure {
  if (seen.what === "left") {
    const text = `The page changed ${seen.ref} (${elementInWords(seen)}) when it was left; nothing was pressed.`;
    const hint = "look at what the field holds now";
    return new Failure("not_actionable", text, hint, { reason: "field_changed", ref: seen.ref });
  }
  if (/^(seen|css|part|record)$/.test(seen.what)) return staleSince(seen, expected);
  return new Failure(
    "approval_required",
    `The step was judged on ${inWords(seen, expected)}; nothing was done.`,
    "look at the page again; a new call is judged anew",
    { reason: "changed", seen },
  );
}

/** The element isn't what its caller saw: lists that reuse their nodes give it another label, or another record. */
function staleSince(changed: ChangedTarget, expected: ExpectedTarget | null): Failure {
  const { ref, role, name, now } = changed;
  const { name: before = "", record } = expected?.seen ?? {};
  const was = { label: elementInWords({ role, name: before || name }), record: record?.words ?? "" };
  if (changed.what === "css") {
    const text = `css '${now}' matched ${ref} (${was.label}), and doesn't match it any more; nothing was done.`;
    const data = { reason: "changed", ref, role, name, was: now, now: "" };
    return new Failure("stale_ref", text, "look at the page again", data);
  }
  if (changed.what === "part") {
    const text = `${ref} (${was.label}) was found by ${now}, and that isn't so any more; nothing was done.`;
    const data = { reason: "changed", ref, role, name, was: now, now: "" };
    return new Failure("stale_ref", text, "look at the page again", data);
  }
  const text =
    changed.what === "seen"
      ? `${ref} was ${was.label}${was.record && ` in ${was.record}`} when you saw it, and it is ${elementInWords({ role, name })} now`
      : `${ref} (${was.label}) was in ${was.record} when you saw it, and ${now ? `'${now}' is there now` : "that is gone"}`;
  const data = { reason: "changed", ref, role, name, was: was.record || before, now: now || name };
  return new Failure("stale_ref", `${text}; nothing was done.`, "look at the page again", data);
}

function inWords({ role, name, what, now }: ChangedTarget, expected: ExpectedTarget | null): string {
  switch (what) {
    case "form":
      return `${role} '${name}' with ${formIn(expected?.form ?? "")}, and with ${formIn(now)} now`;
    case "link":
      return `${role} '${name}' leading to ${expected?.link || "nothing"}, and it leads to ${now || "nothing"} now`;
    case "values":
      return `${role} '${name}' with what its form's other fields held, and they hold something else now`;
    case "cover":
      return `${role} '${name}' lying open, and ${now} covers it now`;
    default:
      return `${expected?.role} '${expected?.name}', and that is ${role} '${name}' now`;
  }
}

function formIn(sent: string): string {
  return sent ? `a form that goes to ${sent.slice(0, 300)}` : "no form";
}
