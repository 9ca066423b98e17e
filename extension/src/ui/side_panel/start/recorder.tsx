// Record a skill: show in the page how it is done, mark what matters, save.

import { useState } from "react";
import type { Recording } from "../../common/asks";
import { useAction, useNotices, usePanel, useQuery } from "../context";
import { Problem } from "../problem";
import { NoTab } from "./no_tab";
import { RecordedSteps } from "./recorded_steps";
import { SaveRecording } from "./save_recording";

/** As many acts as are offered; needless ones are left out by hand. */
const LAST = 12;
type Mark = "check" | "rows" | "undo" | "redo" | "pause" | "resume";
const STATES = { recording: "Recording", paused: "Paused", stopped: "Recorded" } as const;
const TONES = { recording: "help", paused: "wait", stopped: "good" } as const;

export function Recorder(): React.ReactNode {
  const { data, error, reload } = useQuery("show_recording", {});
  useNotices((notice) => {
    if (notice.notice === "recording_changed") reload();
  });
  const recording = data?.recording ?? null;
  return (
    <section className="recorder" aria-label="Record a skill">
      <Problem error={error} />
      {recording ? <Running recording={recording} reload={reload} /> : data && <Beginning reload={reload} />}
    </section>
  );
}

function Beginning({ reload }: { reload: () => void }): React.ReactNode {
  const { client, kernel, tab } = usePanel();
  const [tried, setTried] = useState(false);
  const [goal, setGoal] = useState("");
  const { busy, error, act } = useAction(async (last: number) => {
    setTried(true);
    if (tab === null) return;
    await client.ask(kernel, "start_recording", { tab, goal: goal.trim(), last });
    reload();
  });
  const begin = (event: React.SyntheticEvent): void => {
    event.preventDefault();
    act(0);
  };
  return (
    <>
      <form className="row wrap" onSubmit={begin}>
        <input
          className="grow"
          aria-label="What you are going to show"
          placeholder="What you show (optional)"
          title="Such as: read the messages of 'Ann'. What stands in quotes becomes an input of the skill."
          value={goal}
          dir="auto"
          onChange={(event) => setGoal(event.target.value)}
        />
        <button type="submit" disabled={busy}>
          Record a skill
        </button>
        <button
          type="button"
          disabled={busy}
          title="Make a skill of what was done last in this tab, by you, a notebook or an agent"
          onClick={() => act(LAST)}
        >
          Save last acts
        </button>
      </form>
      {tried && tab === null && <NoTab />}
      <Problem error={error} />
    </>
  );
}

function Running({ recording, reload }: { recording: Recording; reload: () => void }): React.ReactNode {
  const { client, kernel } = usePanel();
  const { state, steps, pointing } = recording;
  const marking = useAction(async (mark: Mark, step?: number) => {
    await client.ask(kernel, "mark_recording", { mark, step: step ?? null });
    reload();
  });
  const stopping = useAction(async (name: "stop_recording" | "drop_recording") => {
    await client.ask(kernel, name, {});
    reload();
  });
  const mark = (words: string, title: string, what: Mark, enabled: boolean): React.ReactNode => (
    <button
      type="button"
      className="small"
      title={title}
      disabled={!enabled}
      onClick={() => marking.act(what)}
    >
      {words}
    </button>
  );
  const isOn = state === "recording" && pointing === "";
  const hint = pointing
    ? "Click it in the page; Esc there gives up."
    : steps.length === 0
      ? "Show in the page how it is done: each step appears here."
      : "";
  return (
    <>
      <div className="row wrap">
        <span className={`status ${TONES[state]}`} role="status">
          {STATES[state]}
        </span>
        {state === "recording" && mark("Pause", "Do things that are not recorded", "pause", isOn)}
        {state === "paused" && mark("Resume", "Record again", "resume", true)}
        {state !== "stopped" && (
          <button type="button" className="small" onClick={() => stopping.act("stop_recording")}>
            Stop
          </button>
        )}
        {state !== "stopped" &&
          mark("Read rows…", "Click in the page what is in the rows to read", "rows", isOn)}
        {state !== "stopped" &&
          mark("Check…", "Click in the page what has to be there: a replay waits for it", "check", isOn)}
        {mark("Undo", "Take the last step back", "undo", steps.length > 0)}
        {mark("Redo", "Put back what was left out last", "redo", recording.can_redo)}
      </div>
      <RecordedSteps steps={steps} reload={reload} />
      {hint && <p className="note">{hint}</p>}
      {recording.problem && (
        <p className="problem" role="alert">
          {recording.problem}
        </p>
      )}
      <Problem error={marking.error ?? stopping.error} />
      {state === "stopped" && (
        <SaveRecording
          name={recording.name}
          enabled={steps.length > 0}
          saved={reload}
          drop={() => stopping.act("drop_recording")}
        />
      )}
    </>
  );
}
