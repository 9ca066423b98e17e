// The answer that a person is about to give to what a run waits for: edits, words, pointing, and the second press.

import { useEffect, useMemo, useRef, useState } from "react";
import { TICK_MS } from "../../shared/limits";
import type { Decision, Question } from "../common/asks";
import { type Draft, draftOf, type Edit, type Field, fieldsOf, type Raw, readEdit } from "./arguments";
import type { Door, Failed, Given } from "./door";

interface Kept {
  id: string;
  draft: Draft;
  text: string;
  always: Given["always"];
  /** Words are being written for a rejection or a response. */
  writing: "reject" | "respond" | null;
  /** The decision that was pressed once and needs a second press. */
  confirming: Decision | null;
  /** The argument that pointing is for. */
  armed: string;
  pointing: boolean;
  busy: boolean;
  /** Why the last answer wasn't taken, or pointing gave nothing. */
  words: string;
  error: Failed | null;
}

export interface Answer extends Kept {
  fields: Field[];
  edit: Edit;
  /** Right after an answer: nothing can be pressed. */
  guarded: boolean;
  change: (name: string, raw: Raw) => void;
  set: (change: Partial<Kept>) => void;
  /** Decide; `until` is for a step in a cell. */
  decide: (decision: Decision, text?: string, until?: Given["until"]) => void;
  togglePointing: (name: string) => void;
  /** Point no more; false where the person didn't. */
  stopPointing: () => boolean;
  /** Take an element for the argument that pointing is for. */
  point: (ref: string) => void;
}

function firstOf(door: Door, question: Question | null, fields: readonly Field[]): Kept {
  const id = question?.id ?? "";
  return {
    id,
    draft: door.typed?.get(id) ?? draftOf(fields),
    text: "",
    always: "",
    writing: null,
    confirming: null,
    armed: question?.call?.targets[0] ?? "",
    pointing: false,
    busy: false,
    words: "",
    error: null,
  };
}

/** Whether nothing can be pressed: whoever was about to had read the question before. It ends by itself. */
function useGuard(id: string, answeredAt: React.RefObject<number>): boolean {
  const last = useRef(id);
  const until = useRef(0);
  const [, wake] = useState(0);
  const now = performance.now();
  if (last.current !== id) {
    if (id && (last.current || now - answeredAt.current < TICK_MS)) until.current = now + TICK_MS;
    last.current = id;
  }
  const guarded = now < until.current;
  useEffect(() => {
    if (!guarded) return;
    const timer = setTimeout(() => wake((count) => count + 1), TICK_MS);
    return () => clearTimeout(timer);
  }, [guarded]);
  return guarded;
}

/** `refuse(ref)` says why an element can't be the target of the call that waits, or "". */
export function useAnswer(question: Question | null, door: Door, refuse: (ref: string) => string): Answer {
  const id = question?.id ?? "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: a question's call doesn't change
  const fields = useMemo(() => fieldsOf(question), [id]);
  const [stored, store] = useState<Kept>(() => firstOf(door, question, fields));
  const kept = stored.id === id ? stored : firstOf(door, question, fields);
  const latest = useRef(kept);
  latest.current = kept;
  const answeredAt = useRef(Number.NEGATIVE_INFINITY);
  const guarded = useGuard(id, answeredAt);
  const edit = useMemo(() => readEdit(fields, kept.draft), [fields, kept.draft]);
  const set = (change: Partial<Kept>): void => {
    latest.current = { ...latest.current, ...change };
    store(latest.current);
  };
  const change = (name: string, raw: Raw): void => {
    const draft = { ...latest.current.draft, [name]: raw };
    door.typed?.set(id, draft);
    set({ draft, confirming: null });
  };
  const send = async (given: Given): Promise<void> => {
    set({ busy: true, error: null, words: "" });
    answeredAt.current = performance.now();
    const isStill = (): boolean => latest.current.id === given.question;
    try {
      const words = await door.decide(given);
      door.typed?.delete(id);
      if (isStill()) set({ busy: false, words, confirming: null });
    } catch (error) {
      if (isStill()) set({ busy: false, error: error as Failed, confirming: null });
    }
  };
  const decide: Answer["decide"] = (decision, text = latest.current.text, until = "call") => {
    if (!question || latest.current.busy) return;
    const { confirming, always } = latest.current;
    const isDoing = decision === "approve" || decision === "edit";
    if (isDoing && question.second_press && confirming !== decision) {
      set({ confirming: decision });
      return;
    }
    const args = decision === "edit" ? edit.args : {};
    const rule = decision === "approve" ? always : "";
    void send({
      question: id,
      decision,
      args,
      text,
      always: rule,
      until,
      confirmed: confirming === decision,
    });
  };
  return {
    ...kept,
    fields,
    edit,
    guarded,
    change,
    set,
    decide,
    ...usePointing(id, door, latest, set, change, refuse),
  };
}

type Pointing = Pick<Answer, "togglePointing" | "stopPointing" | "point">;

function usePointing(
  id: string,
  door: Door,
  latest: React.RefObject<Kept>,
  set: Answer["set"],
  change: Answer["change"],
  refuse: (ref: string) => string,
): Pointing {
  const point = (ref: string): void => {
    const { armed, pointing } = latest.current;
    if (!armed || !id) return;
    const words = refuse(ref);
    set({ words });
    if (words) return;
    change(armed, ref);
    if (pointing) stopPointing();
  };
  const stopPointing = (): boolean => {
    if (!latest.current.pointing) return false;
    set({ pointing: false });
    door.point(id, false).catch(() => undefined);
    return true;
  };
  const togglePointing = (name: string): void => {
    if (latest.current.pointing && latest.current.armed === name) {
      stopPointing();
      return;
    }
    const isGoing = latest.current.pointing;
    set({ armed: name, pointing: true, words: "" });
    if (isGoing) return;
    door.point(id, true).then(
      ({ ref, words }) => {
        if (latest.current.id !== id || !latest.current.pointing) return;
        set({ pointing: false, words });
        if (ref) point(ref);
      },
      (error: Failed) => latest.current.id === id && set({ pointing: false, error }),
    );
  };
  return { point, stopPointing, togglePointing };
}
