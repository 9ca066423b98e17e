// What the panel of a run does beside showing it: keys, the focus, what is under way, what the person could read.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { ALIVE_MS, DOCUMENT_MS } from "../../shared/limits";
import type { RunView } from "../common/asks";
import { showHidden } from "../common/text";
import type { Answer } from "./answer";
import type { Door, Failed, TaskEdit } from "./door";
import { confirmHelp } from "./help";
import { isIn } from "./keys";
import type { ShotHandle } from "./shot";
import { hasEnded, needsPerson, silentFor } from "./words";

export interface Steering {
  steer: (how: "pause" | "resume" | "stop") => void;
  changeTask: (edit: TaskEdit) => void;
  /** Why the last of these was not done. */
  error: Failed | null;
}

export function useSteering(door: Door): Steering {
  const [error, setError] = useState<Failed | null>(null);
  const work = (going: Promise<unknown>): void => {
    setError(null);
    going.catch(setError);
  };
  return {
    steer: (how) => work(door.steer(how)),
    changeTask: (edit) => work(door.changeTask(edit)),
    error,
  };
}

interface Now {
  /** What is under way, and what it waits for, where nobody is asked. */
  going: string;
  awaited: string;
  /** What waits, or is under way, in one line. */
  next: string;
}

/** `words` are those of the question that waits; `answered` says that it was answered, which nobody has taken yet. */
export function useNow(view: RunView, words: string, answered: boolean): Now {
  const { status, question, steps, since } = view;
  const isRunning = status === "running" && !question;
  const [now, setNow] = useState(() => Date.now());
  const asked = useRef(0);
  useEffect(() => {
    if (!isRunning && !answered) return;
    asked.current = Date.now();
    setNow(asked.current);
    const timer = setInterval(() => setNow(Date.now()), ALIVE_MS);
    return () => clearInterval(timer);
  }, [isRunning, answered]);
  const waited = useRef({ words: "", phrase: "", steps: 0 });
  if (question) waited.current = { words, phrase: question.call?.phrase ?? "", steps: steps.length };
  const last = waited.current;
  // A call that was approved a moment ago is under way in the words that its card had.
  const isThat =
    last.words && last.steps === steps.length && (!view.under_way || view.under_way.startsWith(last.phrase));
  const going = isThat ? last.words : showHidden(view.under_way);
  if (question && answered && now - asked.current >= DOCUMENT_MS)
    return { going: "", awaited: "", next: silentFor(now - asked.current) };
  if (question) return { going: "", awaited: "", next: words && `Next: ${words}` };
  if (status === "idle")
    return { going: "Not started yet", awaited: "Go on, or run.start(), starts it.", next: "" };
  if (status === "paused") return { going: "Paused", awaited: "Go on takes the next step.", next: "" };
  if (hasEnded(view)) return { going: "", awaited: "Nothing waits for you: the run is over.", next: "" };
  if (!isRunning) return { going: "", awaited: "Nothing waits for you.", next: "" };
  const seconds = since ? ` · ${Math.max(0, Math.round(now / 1000 - since))} s` : "";
  return {
    going: going || "The agent thinks",
    awaited: (going ? "Waiting for the page" : "Waiting for the model's answer") + seconds,
    next: going ? `Under way: ${going}` : "The agent thinks",
  };
}

/** The ref of the target as it stands; "" for none. */
export function aimOf({ question }: RunView, answer: Answer): string {
  const call = question?.call;
  const first = call?.targets[0];
  if (!call || first === undefined) return "";
  const now = answer.edit.args[first] ?? call.args[first];
  return String((now === call.args[first] && call.target_ref) || (now ?? ""));
}

/** What *Ctrl+Enter* means: what is edited, or else as proposed; what is typed as a reason goes out as such. */
function confirm({ question }: RunView, answer: Answer): void {
  if (!question) return;
  if (needsPerson(question)) confirmHelp(question, answer);
  else if (answer.writing) answer.decide(answer.writing);
  else if (!answer.edit.dirty) answer.decide("approve");
  else if (answer.edit.valid) answer.decide("edit");
}

interface Keyed {
  view: RunView;
  answer: Answer;
  /** Goes back to the page as it is now; null where that is shown. */
  look: (() => void) | null;
  editCode: () => void;
}

/** What takes keys for itself. */
const TAKES_KEYS = "input, textarea, select, [contenteditable], [role=grid], [role=tablist]";

/** One key for each answer: a button names its key, and a key presses its button, or leads to what can be edited. */
export function takeKey(
  event: KeyboardEvent,
  root: Element | null,
  { view, answer, look, editCode }: Keyed,
): void {
  const take = (): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  if (!root || event.isComposing || event.defaultPrevented) return;
  // Right after a question came, whoever types had read the one before.
  const isInert = Boolean(root.querySelector(".sbp-answer[inert], .sbp-live[inert], .sbp-guarded"));
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    take();
    if (!event.repeat && !isInert) confirm(view, answer);
    return;
  }
  if (event.key === "Escape" && (answer.stopPointing() || look)) {
    look?.();
    take();
    return;
  }
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isIn(event, TAKES_KEYS)) return;
  if (!/^[a-z]$/i.test(event.key)) return;
  const key = event.key.toUpperCase();
  const hasForm = answer.fields.length > 0 && !isInert;
  if (hasForm && (key === "P" || (key === "E" && !answer.edit.dirty))) {
    if (view.question?.cell && view.question.call?.tool === "run_cell") editCode();
    const place = key === "P" ? ".sbp-point" : ".sbp-form .sbp-input";
    const found = root.querySelector<HTMLElement>(place);
    found?.focus({ preventScroll: true });
    if (key === "P") found?.click();
    take();
    return;
  }
  const buttons = [...root.querySelectorAll<HTMLButtonElement>(`button[aria-keyshortcuts="${key}"]`)];
  const button = buttons.find((each) => !each.disabled && !each.closest("[inert], .sbp-guarded"));
  if (!button) return;
  button.click();
  take();
}

/** A button that had the focus is gone or disabled by now: the keys stay here, where the person was last. */
export function useKeptKeys(
  root: React.RefObject<HTMLElement | null>,
  shot: React.RefObject<ShotHandle | null>,
  isGuest: boolean,
): void {
  const had = useRef(false);
  useEffect(() => {
    const note = (event: Event): void => {
      had.current = Boolean(root.current && event.composedPath().includes(root.current));
    };
    for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, note, true);
    return () => {
      for (const kind of ["pointerdown", "focusin"]) document.removeEventListener(kind, note, true);
    };
  }, [root]);
  useLayoutEffect(() => {
    const node = root.current;
    if (!isGuest || !had.current || !node || shot.current?.takesKeys) return;
    const inside = (node.getRootNode() as Document | ShadowRoot).activeElement;
    const isLost = node.contains(inside)
      ? inside !== node && ((inside as HTMLButtonElement).disabled || !inside?.checkVisibility())
      : !inside || inside === document.body;
    if (isLost) node.focus({ preventScroll: true });
  });
}

/** Report each question once it is on the screen: a cell may answer that one. */
export function useShown(
  root: React.RefObject<HTMLElement | null>,
  question: string,
  shown: ((question: string) => void) | undefined,
): void {
  const latest = useRef(shown);
  latest.current = shown;
  useEffect(() => {
    const card = question && root.current?.querySelector(".sbp-card");
    if (!card || !latest.current) return;
    let isVisible = false;
    let isReported = false;
    const report = (): void => {
      if (!isVisible || document.hidden || isReported) return;
      isReported = true;
      latest.current?.(question);
    };
    const onScreen = new IntersectionObserver((entries) => {
      isVisible = entries.at(-1)?.isIntersecting ?? false;
      report();
    });
    onScreen.observe(card);
    document.addEventListener("visibilitychange", report);
    return () => {
      onScreen.disconnect();
      document.removeEventListener("visibilitychange", report);
    };
  }, [root, question]);
}
