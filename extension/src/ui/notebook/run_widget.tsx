// The panel of a run in a notebook, and its copy beside the notebook.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { RunView } from "../common/asks";
import type { Door, Given, Pointed, TaskEdit } from "../panel/door";
import type { PageView, PastStep } from "../panel/page_view";
import { RunPanel } from "../panel/run_panel";
import type { StepDetails } from "../panel/step_list";
import { hasEnded } from "../panel/words";
import { BesideButton } from "./beside";
import { type Model, type Send, useConfirmed, useKernelEnd, useTraits } from "./model";
import { Inbox, Open, type Opened } from "./open";

/** The trait `state`: the run as every door shows it, and what only a notebook has. */
interface State {
  run: RunView;
  /** Another one whenever an answer was refused. */
  refusals: number;
  /** The pages that it came over, on one line. */
  visited: string;
  /** What can be made of a run that is over: what a button says, and the code of its cells. */
  offers: Record<string, string[]>;
  picking: boolean;
  picked: { id: string; serial: number; ref: string } | null;
  pick_problem: string;
  remote_input_problem: string;
  has_window: boolean;
  past: PastStep | null;
  gone: string;
}

const stateOf = (model: Model): State | null => {
  const state = model.get("state") as Partial<State>;
  return state.run ? (state as State) : null;
};

/** The door of a widget: answers go out as messages, and what became of them comes with the next state. */
class ModelDoor implements Door {
  #waiting: { question: string; refusals: number; settle: (words: string) => void } | null = null;
  #pointing: { serial: number; isSeen: boolean; settle: (found: Pointed) => void } | null = null;

  constructor(
    private readonly model: Model,
    private readonly send: Send,
  ) {}

  decide(given: Given): Promise<string> {
    const { refusals = 0, run } = stateOf(this.model) ?? {};
    return new Promise((settle) => {
      this.#waiting = { question: given.question, refusals, settle };
      this.send({ type: "decision", run: run?.id, ...given });
    });
  }

  point(question: string, on: boolean): Promise<Pointed> {
    this.#pointing?.settle({ ref: "", words: "" });
    this.#pointing = null;
    return new Promise((settle) => {
      const serial = stateOf(this.model)?.picked?.serial ?? 0;
      if (on) this.#pointing = { serial, isSeen: false, settle };
      else settle({ ref: "", words: "" });
      this.send({ type: "pick", id: question, on });
    });
  }

  async steer(how: "pause" | "resume" | "stop"): Promise<void> {
    if (how === "resume") this.send({ type: "go", n: 0, until: "irreversible" });
    else this.send({ type: how });
  }

  async changeTask(edit: TaskEdit): Promise<void> {
    this.send({ type: "task", ...edit });
  }

  letPass(n: number | null, until: string): void {
    this.send({ type: "go", n, until });
  }

  openStep(number: number): void {
    this.send({ type: "step", number });
  }

  fork(number: number): void {
    this.send({ type: "fork", number });
  }

  look(number: number | null): void {
    this.send({ type: "look", number });
  }

  /** Another state came: what became of what was sent. */
  note({ run, refusals, picking, picked, pick_problem }: State): void {
    const waiting = this.#waiting;
    if (waiting && (run.question?.id !== waiting.question || refusals !== waiting.refusals)) {
      this.#waiting = null;
      waiting.settle("");
    }
    const pointing = this.#pointing;
    if (!pointing) return;
    const isNew = picked !== null && picked.serial !== pointing.serial && picked.id === run.question?.id;
    if (isNew || (pointing.isSeen && !picking)) {
      this.#pointing = null;
      pointing.settle({ ref: isNew ? picked.ref : "", words: isNew ? "" : pick_problem });
    }
    pointing.isSeen ||= picking;
  }
}

interface Props {
  model: Model;
  /** Shows it once more into an element, and returns what ends that; none in such a copy. */
  copy?: (into: Element) => () => void;
  /** Of such a copy: shows another run's panel in its place. */
  show?: (panel: string) => void;
}

/** The copy beside the notebook: of the run that it was opened for, or of another one that waits. */
export function DockedRun({ model }: { model: Model }): React.ReactNode {
  const [shown, setShown] = useState({ panel: "", model });
  const show = (panel: string): void => {
    model.widget_manager?.get_model?.(panel).then((found) => setShown({ panel, model: found }));
  };
  return <RunWidget key={shown.panel} model={shown.model} show={show} />;
}

export function RunWidget({ model, copy, show }: Props): React.ReactNode {
  useTraits(model, "state", "details", "view", "shot", "listed");
  const ended = useKernelEnd(model);
  const [send, silence] = useConfirmed(model);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each `send` of a model does the same
  const door = useMemo(() => new ModelDoor(model, send), [model]);
  const state = stateOf(model);
  useLayoutEffect(() => {
    if (state) door.note(state);
  });
  useNotified(state?.run ?? null);
  // The list is the copy's alone.
  const isBeside = show !== undefined;
  useEffect(() => {
    if (isBeside) model.send({ type: "list_open" });
  }, [model, isBeside]);
  if (!state) return null;
  const listed = model.get("listed") as Opened;
  const view = model.get("view") as Partial<PageView>;
  return (
    <RunPanel
      view={state.run}
      door={door}
      gone={state.gone}
      silence={silence}
      ended={ended}
      isGuest
      hasWindow={state.has_window}
      visited={state.visited}
      offers={state.offers}
      details={model.get("details") as Record<string, StepDetails>}
      shown={(id) => model.send({ type: "shown", id })}
      page={
        view.rows
          ? {
              view: view as PageView,
              bytes: model.get("shot") as DataView | null,
              past: state.past,
              problem: state.remote_input_problem,
              hasWindow: state.has_window,
              send: (message) => model.send(message),
            }
          : null
      }
      tools={copy && <BesideButton show={copy} />}
      above={
        show && (
          <>
            <Inbox listed={listed} show={show} />
            <Open listed={listed} send={send} />
          </>
        )
      }
    />
  );
}

/** Whoever looks at something else meanwhile learns of the end, where they allowed notifications. */
function useNotified(run: RunView | null): void {
  const wasOver = useRef(true);
  const isOver = run !== null && hasEnded(run);
  const notice = run?.notice ?? "";
  useEffect(() => {
    if (
      isOver &&
      !wasOver.current &&
      notice &&
      document.hidden &&
      globalThis.Notification?.permission === "granted"
    )
      new Notification("skillbook", { body: notice });
    wasOver.current = isOver;
  }, [isOver, notice]);
}
