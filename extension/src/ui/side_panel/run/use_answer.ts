// The answer that a person is about to give to what a run waits for: edits, words, and the second press.

import { useEffect, useMemo, useRef, useState } from "react";
import { TICK_MS } from "../../../shared/limits";
import type { Cell, Decision, Question } from "../asks";
import { useAction, usePanel } from "../context";
import type { KernelError } from "../kernel_client";
import { type Draft, draftOf } from "../start/input_values";
import { type Edit, inputsOf, readEdit } from "./call_edit";

/** What a person has typed, by question: a kernel that was away for a moment shows its question anew. */
const typed = new Map<string, Draft>();

type Until = Cell["steps"][number]["until"];

export interface Answer {
  run: string;
  /** The arguments as they stand in the form. */
  draft: Draft;
  setDraft: (draft: React.SetStateAction<Draft>) => void;
  edit: Edit;
  text: string;
  setText: (text: string) => void;
  always: "" | "session" | "always" | "form";
  setAlways: (always: Answer["always"]) => void;
  /** Words are being written for a rejection or a response. */
  writing: "reject" | "respond" | null;
  write: (what: Answer["writing"]) => void;
  /** The decision that was pressed once and needs a second press. */
  armed: Decision | null;
  busy: boolean;
  /** Right after an answer: nothing can be pressed. */
  guarded: boolean;
  error: KernelError | null;
  /** What became of an answer that wasn't taken. */
  words: string;
  /** Decide; `until` is for a step in a cell. */
  decide: (decision: Decision, text?: string, until?: Until) => void;
}

/** Whether nothing can be pressed; that ends by itself. */
function useGuard(): [boolean, (on: boolean) => void] {
  const [on, set] = useState(false);
  useEffect(() => {
    if (!on) return;
    // A double click must not answer the next question too.
    const timer = setTimeout(() => set(false), TICK_MS);
    return () => clearTimeout(timer);
  }, [on]);
  return [on, set];
}

export function useAnswer(run: string, question: Question | null, reload: () => void): Answer {
  const { client, kernel } = usePanel();
  const inputs = useMemo(() => inputsOf(question), [question]);
  const [draft, setDraft] = useState<Draft>({});
  const [text, setText] = useState("");
  const [always, setAlways] = useState<Answer["always"]>("");
  const [writing, write] = useState<Answer["writing"]>(null);
  const [armed, setArmed] = useState<Decision | null>(null);
  const [words, setWords] = useState("");
  const [guarded, setGuarded] = useGuard();
  const shown = useRef<string | null>(null);
  const answeredAt = useRef(Number.NEGATIVE_INFINITY);
  const id = question?.id ?? null;
  if (shown.current !== id) {
    // Another question: nothing of what was begun for the one before counts for it. Whoever was about to press had read that.
    setGuarded(shown.current !== null || performance.now() - answeredAt.current < TICK_MS);
    shown.current = id;
    setDraft(typed.get(`${run} ${id}`) ?? draftOf(inputs, question?.call?.args));
    setText("");
    setAlways("");
    write(null);
    setArmed(null);
  }
  const edit = readEdit(inputs, draft, question?.call?.args ?? {});
  const sending = useAction(async (decision: Decision, given: string, until: Until) => {
    if (id === null) return;
    const params = { run, question: id, decision, text: given, confirmed: armed === decision };
    const args = decision === "edit" ? edit.args : {};
    const rule = decision === "approve" ? always : "";
    const decided = await client.ask(kernel, "decide", { ...params, args, always: rule, until });
    typed.delete(`${run} ${id}`);
    setWords(decided.taken ? "" : decided.words);
    setArmed(null);
    answeredAt.current = performance.now();
    reload();
  });
  const decide = (decision: Decision, given = text, until: Until = "call"): void => {
    if (sending.busy || guarded || !question) return;
    const isDoing = decision === "approve" || decision === "edit";
    if (isDoing && question.second_press && armed !== decision) setArmed(decision);
    else sending.act(decision, given, until);
  };
  return {
    run,
    draft,
    setDraft: (next) => {
      setDraft((before) => {
        const now = typeof next === "function" ? next(before) : next;
        typed.set(`${run} ${id}`, now);
        return now;
      });
      setArmed(null);
    },
    edit,
    text,
    setText,
    always,
    setAlways,
    writing,
    write,
    armed,
    busy: sending.busy,
    guarded,
    error: sending.error,
    words,
    decide,
  };
}
