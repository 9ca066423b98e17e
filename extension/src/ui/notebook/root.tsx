// What every widget has around it: a region that keeps its keys, and says when its kernel has ended.

import { useRef } from "react";
import { Gone } from "../panel/gone";
import { useKeydown, useTakenKeys } from "../panel/keys";
import { type Model, useKernelEnd } from "./model";

interface Props {
  model: Model;
  kind?: string;
  label: string;
  status?: string;
  tabIndex?: number;
  keys?: (event: KeyboardEvent) => void;
  /** `ended` is a word for the state, where the kernel has ended. */
  children: (ended: string) => React.ReactNode;
}

const NOTHING = (): void => undefined;

export function Root({
  model,
  kind = "",
  label,
  status,
  tabIndex,
  keys = NOTHING,
  children,
}: Props): React.ReactNode {
  const root = useRef<HTMLElement | null>(null);
  const ended = useKernelEnd(model);
  useTakenKeys(root, true);
  const take = useKeydown<HTMLElement>(keys);
  return (
    <section
      className={`sbp ${kind}`.trim()}
      aria-label={label}
      data-status={ended ? "gone" : status}
      data-gone={ended ? "gone" : undefined}
      data-lm-suppress-shortcuts="true"
      tabIndex={tabIndex}
      ref={(node) => {
        root.current = node;
        take(node);
      }}
    >
      {ended && <Gone words={ended} />}
      <div className="sbp-live" inert={Boolean(ended)}>
        {children(ended && "Ended")}
      </div>
    </section>
  );
}
