// What every part of the panel has at hand: its kernel, its tab, and how to ask.

import { createContext, useCallback, useContext, useEffect, useRef, useState } from "react";
import type { Notice } from "../../shared/notices";
import type { AskName, Params, Result } from "../common/asks";
import type { KernelClient, KernelError } from "./kernel_client";

export interface Panel {
  client: KernelClient;
  kernel: string;
  /** Which connection to it this is: what it said over an earlier one is asked anew. */
  connection: string;
  /** The shared tab in front, null where none is. */
  tab: number | null;
  /** Show a run. */
  openRun: (run: string) => void;
}

export const PanelContext = createContext<Panel | null>(null);

export function usePanel(): Panel {
  const panel = useContext(PanelContext);
  if (!panel) throw new Error("outside of the panel");
  return panel;
}

export interface Query<T> {
  data: T | null;
  error: KernelError | null;
  /** Ask again; what is shown stays until the answer comes. */
  reload: () => void;
}

/** What a request answers, asked anew where the kernel or the parameters change. */
export function useQuery<N extends AskName>(name: N, params: Params<N>): Query<Result<N>> {
  const { client, kernel, connection } = usePanel();
  const [found, setFound] = useState<{ key: string; result: Result<N> } | null>(null);
  const [error, setError] = useState<KernelError | null>(null);
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify(params);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` and `connection` ask again
  useEffect(() => {
    let current = true;
    client.ask(kernel, name, JSON.parse(key)).then(
      (result) => {
        if (!current) return;
        setFound({ key, result });
        setError(null);
      },
      (failure: KernelError) => {
        if (!current) return;
        // What was asked about something else, such as a tab that is closed, is no answer to this.
        setFound((last) => (last?.key === key ? last : null));
        setError(failure);
      },
    );
    return () => {
      current = false;
    };
  }, [client, kernel, connection, name, key, turn]);
  const reload = useCallback(() => setTurn((turn) => turn + 1), []);
  return { data: found?.result ?? null, error, reload };
}

export interface Action<T extends unknown[]> {
  busy: boolean;
  error: KernelError | null;
  act: (...given: T) => void;
}

/** One thing that a person starts: busy until it is answered, and why it was not done. */
export function useAction<T extends unknown[]>(work: (...given: T) => Promise<unknown>): Action<T> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<KernelError | null>(null);
  const latest = useRef(work);
  latest.current = work;
  const act = useCallback((...given: T) => {
    setBusy(true);
    setError(null);
    latest
      .current(...given)
      .catch((failure: KernelError) => setError(failure))
      .finally(() => setBusy(false));
  }, []);
  return { busy, error, act };
}

/** Call back for what this kernel reports. */
export function useNotices(take: (notice: Notice) => void): void {
  const { client, kernel } = usePanel();
  const latest = useRef(take);
  latest.current = take;
  useEffect(
    () => client.onNotice(({ kernel: from, notice }) => from === kernel && latest.current(notice)),
    [client, kernel],
  );
}
