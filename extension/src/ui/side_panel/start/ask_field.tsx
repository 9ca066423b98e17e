// One field and Send: a goal in words.

import { useState } from "react";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";
import { NoTab } from "./no_tab";

export function AskField({ model, known }: { model: string | null; known: boolean }): React.ReactNode {
  const { client, kernel, tab, openRun } = usePanel();
  const [goal, setGoal] = useState("");
  const { busy, error, act } = useAction(async () => {
    if (tab === null) return;
    const { run } = await client.ask(kernel, "run_goal", { tab, goal: goal.trim() });
    setGoal("");
    openRun(run);
  });
  const ready = tab !== null && goal.trim() !== "" && !busy;
  const send = (event: React.SyntheticEvent): void => {
    event.preventDefault();
    if (ready) act();
  };
  return (
    <form className="ask" aria-label="Ask" onSubmit={send}>
      <textarea
        aria-label="What shall be done on this page?"
        placeholder="What shall be done on this page?"
        rows={2}
        value={goal}
        dir="auto"
        onChange={(event) => setGoal(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
        }}
      />
      <div className="row">
        <span className="note grow">
          {known && (model ?? "No model is set: skills and exploration work on the goal.")}
        </span>
        <button type="submit" className="primary" disabled={!ready}>
          Send
        </button>
      </div>
      {tab === null && goal.trim() !== "" && <NoTab />}
      <Problem error={error} />
    </form>
  );
}
