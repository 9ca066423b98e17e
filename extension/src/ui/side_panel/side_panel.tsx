// The side panel: which kernel, this tab, and below one of four areas.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { LONGEST_MS } from "../../shared/limits";
import type { KernelView, UiState, WantedRun } from "../../shared/ui";
import { showHidden } from "../common/text";
import { type Area, Areas } from "./areas";
import { type Panel, PanelContext } from "./context";
import { History } from "./history";
import type { KernelClient } from "./kernel_client";
import { Preferences } from "./preferences";
import { RunArea } from "./run/run_area";
import { Start } from "./start/start";
import { Top } from "./top";
import { useRuns } from "./use_runs";

export function SidePanel({ client }: { client: KernelClient }): React.ReactNode {
  const state = useUiState(client);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = useRef<string | null>(null);
  const beside = useRef(new Set<string>());
  const [wanted, setWanted] = useState<WantedRun | null>(null);
  useEffect(
    () =>
      client.onWanted((run) => {
        setChosen(run.kernel);
        setWanted(run);
      }),
    [client],
  );
  if (!state) return null;
  const kernel = pickKernel(state, chosen, beside.current);
  for (const { id, state: its } of state.kernels)
    if (kernel?.state.phase === "connected" && its.phase === "connected") beside.current.add(id);
  if (kernel?.state.phase === "connected") shown.current = kernel.id;
  return (
    <div className="panel">
      <Top state={state} kernel={kernel} choose={setChosen} send={(request) => client.send(request)} />
      {kernel && (kernel.state.phase === "connected" || isComingBack(kernel, shown.current)) ? (
        <Connected
          key={kernel.id}
          client={client}
          kernel={kernel}
          tab={tabOf(state, kernel)}
          wanted={wanted?.kernel === kernel.id ? wanted : null}
        />
      ) : (
        <main className="area">
          <Absent kernel={kernel} />
        </main>
      )}
    </div>
  );
}

function useUiState(client: KernelClient): UiState | null {
  const [state, setState] = useState<UiState | null>(null);
  useEffect(() => {
    const stop = client.onState(setState);
    client.refresh();
    // As often the worker is asked for its state, which keeps it awake and the kernel's silence true.
    const timer = setInterval(() => client.refresh(), LONGEST_MS);
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [client]);
  return state;
}

const AWAY: ReadonlySet<Phase> = new Set<Phase>(["connecting", "greeting", "waiting"]);

/** A kernel that was shown keeps its page while it is away: what the person typed there is theirs. */
const isComingBack = (kernel: KernelView, shown: string | null): boolean =>
  kernel.id === shown && AWAY.has(kernel.state.phase);

/**
 * The person's choice, or else the kernel of the tab in front, or else one that is there. `beside` are those that were
 * there together with others.
 */
export function pickKernel(
  { kernels, sharedWith }: UiState,
  chosen: string | null,
  beside: ReadonlySet<string> = new Set(),
): KernelView | undefined {
  const find = (id: string | null) => kernels.find((kernel) => kernel.id === id);
  const connected = kernels.filter((kernel) => kernel.state.phase === "connected");
  const wanted = find(chosen) ?? find(sharedWith);
  if (!wanted) return connected[0] ?? kernels[0];
  if (wanted.state.phase === "connected") return wanted;
  // A notebook's kernel that was restarted is another one, of the same name; two notebooks can have the same, too.
  const alike = connected.filter(({ id, name }) => name === wanted.name && !beside.has(id));
  return (alike.length === 1 && alike[0]) || wanted;
}

/** The tab in front, where this kernel may see it. */
function tabOf({ current, sharedWith }: UiState, kernel: KernelView): number | null {
  return current && sharedWith === kernel.id ? current.id : null;
}

type Phase = KernelView["state"]["phase"];

interface ConnectedProps {
  client: KernelClient;
  kernel: KernelView;
  tab: number | null;
  /** What a person wants to see, each time as a new object. */
  wanted: WantedRun | null;
}

function Connected({ client, kernel, tab, wanted }: ConnectedProps): React.ReactNode {
  const [area, setArea] = useState<Area>("start");
  const [run, setRun] = useState<string | null>(null);
  const openRun = useCallback((id: string): void => {
    setRun(id);
    setArea("run");
  }, []);
  useEffect(() => {
    if (wanted) openRun(wanted.run);
  }, [wanted, openRun]);
  const isThere = kernel.state.phase === "connected";
  const connection = `${client.returns} ${kernel.entries}`;
  const panel = useMemo<Panel>(
    () => ({ client, kernel: kernel.id, connection, tab, openRun }),
    [client, kernel.id, connection, tab, openRun],
  );
  const { waiting, changes } = useRuns(panel, run);
  // A list that nobody sees isn't read anew: the run that began has the page for itself.
  const seen = useRef(changes);
  if (area === "start") seen.current = changes;
  return (
    <PanelContext value={panel}>
      <Areas area={area} choose={setArea} waits={waiting !== null} />
      {!isThere && (
        <p className="away" role="status">
          {showHidden(kernel.name)} is away. What you typed stays; this goes on by itself once it is back.
        </p>
      )}
      <main className="area">
        <div className="area" id="area" role="tabpanel" aria-labelledby={`tab-${area}`}>
          <div hidden={area !== "start"} className="page">
            <Start changes={seen.current} />
          </div>
          {area === "run" && <RunArea run={run} />}
          {area === "history" && <History changes={changes} />}
          {area === "preferences" && <Preferences />}
        </div>
      </main>
      {/* at the bottom: what comes by itself moves nothing that may be pressed just now */}
      {waiting && !(area === "run" && waiting.run === run) && (
        <button type="button" className="elsewhere" onClick={() => panel.openRun(waiting.run)}>
          <span className="clip" dir="auto">
            {waiting.title}
          </span>
          <b>waits for you</b>
        </button>
      )}
    </PanelContext>
  );
}

function Absent({ kernel }: { kernel: KernelView | undefined }): React.ReactNode {
  if (kernel)
    return (
      <p className="empty soft">
        Nothing can be done until {kernel.name} is connected. Is its notebook, or <code>skillbook serve</code>
        , still running?
      </p>
    );
  return (
    <div className="empty soft">
      <p>This browser is not paired with any kernel.</p>
      <p>
        Run <code>skillbook serve</code> in a terminal, or <code>sb.connect()</code> in a notebook, and open
        the link that it shows.
      </p>
    </div>
  );
}
