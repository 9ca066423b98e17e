// What every widget has around it: a region that keeps its keys, and says when its kernel has ended.

import { useRef } from "react";
import { Gone } from "../panel/gone";
import { useKeydown, useTakenKeys } from "../panel/keys";
import { type Model, type Send, useConfirmed, useKernelEnd } from "./model";

interface Props {
  model: Model;
  kind?: string;
  label: string;
  status?: string;
  /** What is gone, and the way on; what of the widget needs that is for its children to grey. */
  gone?: string;
  tabIndex?: number;
  keys?: (event: KeyboardEvent, send: Send) => void;
  /** `ended` is a word for the state, where the kernel has ended. */
  children: (send: Send, ended: string) => React.ReactNode;
}

const NOTHING = (): void => undefined;

export function Root({
  model,
  kind = "",
  label,
  status,
  gone = "",
  tabIndex,
  keys = NOTHING,
  children,
}: Props): React.ReactNode {
  const root = useRef<HTMLElement | null>(null);
  const ended = useKernelEnd(model);
  const [send, silence] = useConfirmed(model);
  useTakenKeys(root, true);
  const take = useKeydown<HTMLElement>((event) => keys(event, send));
  return (
    <section
      className={`sbp ${kind}`.trim()}
      aria-label={label}
      data-status={ended || gone ? "gone" : status}
      data-gone={ended ? "gone" : undefined}
      data-lm-suppress-shortcuts="true"
      tabIndex={tabIndex}
      ref={(node) => {
        root.current = node;
        take(node);
      }}
    >
      <Gone words={ended || gone || silence} />
      <div className="sbp-live" inert={Boolean(ended)}>
        {children(send, ended && "Ended")}
      </div>
    </section>
  );
}
