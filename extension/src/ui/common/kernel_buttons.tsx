// What a person can do about a kernel's connection and a tab, the same on every page of ours.

import type { KernelView, UiRequest } from "../../shared/ui";

type Send = (request: UiRequest) => void;

/** Connect at once; only where nothing does so by itself just now. */
export function RetryButton({ kernel, send }: { kernel: KernelView; send: Send }): React.ReactNode {
  const { phase } = kernel.state;
  if (phase !== "refused" && phase !== "waiting") return null;
  return (
    <button type="button" onClick={() => send({ ui: "retry", kernel: kernel.id })}>
      {phase === "refused" ? "Try again" : "Connect now"}
    </button>
  );
}

export function ShareButton({
  kernel,
  tab,
  send,
}: {
  kernel: string;
  tab: number;
  send: Send;
}): React.ReactNode {
  return (
    <button type="button" className="primary" onClick={() => send({ ui: "share", kernel, tab })}>
      Share this tab
    </button>
  );
}

export function UnshareButton({ tab, send }: { tab: number; send: Send }): React.ReactNode {
  return (
    <button type="button" onClick={() => send({ ui: "unshare", tab })}>
      Stop sharing
    </button>
  );
}
