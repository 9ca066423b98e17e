// Which run waits for the person, and how often something of the runs changed.

import { useEffect, useRef, useState } from "react";
import { showHidden } from "../common/text";
import type { Panel } from "./context";

export interface WaitingRun {
  run: string;
  title: string;
}

interface Runs {
  waiting: WaitingRun | null;
  /** Grows where a run began, ended or came to wait. */
  changes: number;
}

const WAITS = new Set(["awaiting_user", "blocked"]);
const ENDED = new Set(["succeeded", "failed", "cancelled"]);

/** Follow a kernel's runs; the one that is still at work is shown when the panel opens. */
export function useRuns(panel: Panel, shown: string | null): Runs {
  const { client, kernel, connection, openRun } = panel;
  const [waiting, setWaiting] = useState<readonly WaitingRun[]>([]);
  const [changes, setChanges] = useState(0);
  const states = useRef(new Map<string, string>());
  const hasShown = useRef(shown !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: over another connection the runs are asked for anew
  useEffect(() => {
    let current = true;
    const note = (run: string, title: string, state: string): void => {
      setWaiting((before) => {
        const others = before.filter((each) => each.run !== run);
        return WAITS.has(state) ? [...others, { run, title: showHidden(title) }] : others;
      });
      if (states.current.get(run) !== state) setChanges((count) => count + 1);
      states.current.set(run, state);
    };
    client.ask(kernel, "list_runs", { limit: 20 }).then(
      ({ runs }) => {
        if (!current) return;
        setWaiting([]);
        for (const { id, title, state, live } of runs) if (live) note(id, title, state);
        const atWork = runs.find(({ state, live }) => live && !ENDED.has(state));
        if (atWork && !hasShown.current) openRun(atWork.id);
        hasShown.current = true;
      },
      () => undefined,
    );
    const stop = client.onNotice(({ kernel: from, notice }) => {
      if (from === kernel && notice.notice === "run_changed")
        note(notice.data.run, notice.data.title, notice.data.state);
    });
    return () => {
      current = false;
      stop();
    };
  }, [client, kernel, connection, openRun]);
  return { waiting: waiting.at(-1) ?? null, changes };
}
