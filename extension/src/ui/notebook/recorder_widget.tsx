// A recording: its steps as they are done, and what can be done with them.

import { useRef } from "react";
import { Button } from "../panel/button";
import { Insert } from "../panel/insert";
import { PagePane } from "../panel/page_pane";
import type { PageView } from "../panel/page_view";
import type { ShotHandle } from "../panel/shot";
import { type Model, type Send, useTraits } from "./model";
import { Root } from "./root";

interface State {
  state?: "recording" | "paused" | "stopped";
  steps?: string[];
  codes?: string[];
  can_redo?: boolean;
  pointing?: string;
  error?: string;
  /** The page or its browser, and the way on. */
  gone?: string;
  /** The browser has no window: its page is used here. */
  shows_page?: boolean;
  remote_input_problem?: string;
  /** The code that saves it; "" while there is nothing to save. */
  save?: string;
}

const WORDS = { recording: "Recording", paused: "Paused", stopped: "Recorded" };
const STATUS = { recording: "failed", paused: "paused", stopped: "succeeded" };

export function RecorderWidget({ model }: { model: Model }): React.ReactNode {
  useTraits(model, "state", "view", "shot");
  const shot = useRef<ShotHandle | null>(null);
  const given = model.get("state") as State;
  const { state = "stopped", steps = [], codes = [], can_redo = false, pointing = "", error = "" } = given;
  const { gone = "", save = "", remote_input_problem = "" } = given;
  const view = model.get("view") as Partial<PageView>;
  const isOn = state === "recording";
  const isOver = state === "stopped";
  /** What needs the page is grey where that is gone, and says why. */
  const ofPage = (act: () => void, words: string, title: string, disabled = false): React.ReactNode => (
    <Button title={gone || title} disabled={disabled || gone !== ""} onClick={act}>
      {words}
    </Button>
  );
  const mark = (send: Send, type: string, words: string, title: string): React.ReactNode =>
    ofPage(() => send({ type }), words, title, !isOn || pointing !== "");
  const all = codes.filter(Boolean).join("\n");
  const place = given.shows_page
    ? "☝ over the screenshot lets you use the page: show"
    : "Show in the browser";
  const hint = steps.length ? "" : `${place} how it is done. Each step appears here.`;
  const left = gone && !isOver ? "Stop ends the recording; what was recorded is kept." : "";
  const words = error || left || (pointing ? "Click it in the page; Esc there gives up." : hint);
  return (
    <Root model={model} kind="sbp-recorder" label="Recording" status={STATUS[state]} gone={gone}>
      {(send, ended) => (
        <>
          <div className="sbp-header">
            <div className="sbp-lead">
              <span className="sbp-status" role="status">
                {ended || (gone ? "Page gone" : WORDS[state])}
              </span>
              {!isOver && (
                <>
                  {ofPage(
                    () => send({ type: isOn ? "pause" : "resume" }),
                    isOn ? "Pause" : "Resume",
                    "Do things that are not recorded",
                  )}
                  <Button title="End the recording" onClick={() => send({ type: "stop" })}>
                    Stop
                  </Button>
                  {mark(send, "rows", "Read rows…", "Click in the page what is in the rows to read")}
                  {mark(
                    send,
                    "check",
                    "Check…",
                    "Click in the page what has to be there: a replay waits for it",
                  )}
                </>
              )}
              <Button
                title="Take the last step back"
                disabled={!steps.length}
                onClick={() => send({ type: "undo" })}
              >
                Undo
              </Button>
              <Button
                title="Put back what was left out last"
                disabled={!can_redo}
                onClick={() => send({ type: "redo" })}
              >
                Redo
              </Button>
              {isOver && save && <Insert code={save} label="Save as skill…" />}
              {isOver && all && <Insert code={all} what="all steps" />}
            </div>
          </div>
          <ol className="sbp-recording">
            {steps.map((step, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two steps may read alike
              <Step key={place} words={step} number={place + 1} code={codes[place] ?? ""} send={send} />
            ))}
          </ol>
          <p className={error ? "sbp-problem" : "sbp-note"}>{words}</p>
          {given.shows_page && view.rows && (
            <PagePane
              view={view as PageView}
              bytes={model.get("shot") as DataView | null}
              aim=""
              problem={remote_input_problem}
              hasWindow={false}
              inert={Boolean(gone)}
              picked={() => undefined}
              send={(message) => model.send(message)}
              handle={shot}
            />
          )}
        </>
      )}
    </Root>
  );
}

interface StepProps {
  words: string;
  number: number;
  code: string;
  send: Send;
}

function Step({ words, number, code, send }: StepProps): React.ReactNode {
  return (
    <li>
      <span className="sbp-recorded" dir="auto">
        {words}
      </span>
      <Button
        title="What was typed or chosen here is an input of the skill"
        aria-label={`Step ${number} is an input`}
        onClick={() => send({ type: "input", number })}
      >
        Input
      </Button>
      <Button
        title="Leave this step out"
        aria-label={`Delete step ${number}`}
        onClick={() => send({ type: "delete", number })}
      >
        Delete
      </Button>
      {code && <Insert code={code} what={`step ${number}`} />}
    </li>
  );
}
