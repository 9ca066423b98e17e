// A recording: its steps as they are done, and what can be done with them.

import { Button } from "../panel/button";
import { Insert } from "../panel/insert";
import { type Model, useTraits } from "./model";
import { Root } from "./root";

interface State {
  state?: "recording" | "paused" | "stopped";
  steps?: string[];
  codes?: string[];
  can_redo?: boolean;
  pointing?: string;
  error?: string;
}

const WORDS = { recording: "Recording", paused: "Paused", stopped: "Recorded" };
const STATUS = { recording: "failed", paused: "paused", stopped: "succeeded" };

export function RecorderWidget({ model }: { model: Model }): React.ReactNode {
  useTraits(model, "state");
  const given = model.get("state") as State;
  const { state = "stopped", steps = [], codes = [], can_redo = false, pointing = "", error = "" } = given;
  const send = (type: string, more = {}): void => model.send({ type, ...more });
  const isOn = state === "recording";
  const isOver = state === "stopped";
  const mark = (type: string, words: string, title: string): React.ReactNode => (
    <Button title={title} disabled={!isOn || pointing !== ""} onClick={() => send(type)}>
      {words}
    </Button>
  );
  const all = codes.filter(Boolean).join("\n");
  const hint = steps.length ? "" : "Show in the browser how it is done: each step appears here.";
  const words = error || (pointing ? "Click it in the page; Esc there gives up." : hint);
  return (
    <Root model={model} kind="sbp-recorder" label="Recording" status={STATUS[state]}>
      {(ended) => (
        <>
          <div className="sbp-header">
            <div className="sbp-lead">
              <span className="sbp-status" role="status">
                {ended || WORDS[state]}
              </span>
              {!isOver && (
                <>
                  <Button
                    title="Do things that are not recorded"
                    onClick={() => send(isOn ? "pause" : "resume")}
                  >
                    {isOn ? "Pause" : "Resume"}
                  </Button>
                  <Button title="End the recording" onClick={() => send("stop")}>
                    Stop
                  </Button>
                  {mark("rows", "Read rows…", "Click in the page what is in the rows to read")}
                  {mark("check", "Check…", "Click in the page what has to be there: a replay waits for it")}
                </>
              )}
              <Button title="Take the last step back" disabled={!steps.length} onClick={() => send("undo")}>
                Undo
              </Button>
              <Button
                title="Put back what was left out last"
                disabled={!can_redo}
                onClick={() => send("redo")}
              >
                Redo
              </Button>
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
        </>
      )}
    </Root>
  );
}

interface StepProps {
  words: string;
  number: number;
  code: string;
  send: (type: string, more: object) => void;
}

function Step({ words, number, code, send }: StepProps): React.ReactNode {
  return (
    <li>
      <span className="sbp-recorded">{words}</span>
      <Button
        title="What was typed or chosen here is an input of the skill"
        aria-label={`Step ${number} is an input`}
        onClick={() => send("input", { number })}
      >
        Input
      </Button>
      <Button
        title="Leave this step out"
        aria-label={`Delete step ${number}`}
        onClick={() => send("delete", { number })}
      >
        Delete
      </Button>
      {code && <Insert code={code} what={`step ${number}`} />}
    </li>
  );
}
