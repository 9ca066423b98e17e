// A page: its tree beside its screenshot, or as two tabs where there is no room for both. What the mouse is over is marked in both, and in the page itself.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { POLL_MS } from "../../shared/limits";
import { Button } from "./button";
import { markAll } from "./marks";
import type { Message, PageView, PastStep } from "./page_view";
import { Past } from "./past";
import { Shot, type ShotHandle } from "./shot";
import { Tree } from "./tree";

interface Props {
  view: PageView;
  bytes: DataView | null;
  /** What is marked as the target; "" for nothing. */
  aim: string;
  past?: PastStep | null;
  still?: string | null;
  problem: string;
  hasWindow: boolean;
  /** Nothing here can be pressed: it is gone. */
  inert?: boolean;
  picked: (ref: string) => void;
  send: (message: Message) => void;
  handle: React.RefObject<ShotHandle | null>;
}

export function PagePane({
  view,
  past = null,
  still = null,
  aim,
  send,
  inert = false,
  ...more
}: Props): React.ReactNode {
  const root = useRef<HTMLDivElement>(null);
  const [wide, setWide] = useState(false);
  const [tab, setTab] = useState<Tab>("Screenshot");
  const hovered = useRef("");
  const scrolledTo = useRef("");
  const report = usePointing(send, past ? "" : aim);
  useLayoutEffect(() => {
    // The person may have scrolled on: the tree goes to a target when it is another one.
    const target = `${view.key} ${aim} ${tab}`;
    markAll(root.current, "sbp-aim", aim, target !== scrolledTo.current);
    scrolledTo.current = target;
    markAll(root.current, "sbp-hover", hovered.current, false);
  });
  const hover = (ref: string | null, fromShot: boolean): void => {
    hovered.current = ref ?? "";
    markAll(root.current, "sbp-hover", hovered.current, fromShot);
    if (!past) report(hovered.current);
  };
  return (
    <div
      className={wide ? "sbp-page sbp-wide" : "sbp-page"}
      data-tab={wide ? "Screenshot" : tab}
      ref={root}
      inert={inert}
    >
      {past && <Past past={past} look={(number) => send({ type: "look", number })} />}
      <Tabs tab={tab} show={setTab} />
      <Tree view={view} hovered={(ref) => hover(ref, false)} picked={more.picked} />
      <Shot
        {...more}
        view={view}
        aim={aim}
        still={still}
        send={send}
        wide={wide}
        setWide={setWide}
        hovered={(ref) => hover(ref, true)}
      />
    </div>
  );
}

const TABS = ["Screenshot", "Tree"] as const;
type Tab = (typeof TABS)[number];

function Tabs({ tab, show }: { tab: Tab; show: (tab: Tab) => void }): React.ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a look of its own
    <div className="sbp-tabs" role="group" aria-label="What is shown of the page">
      {TABS.map((name) => (
        <Button key={name} kind="sbp-quiet sbp-tab" aria-pressed={name === tab} onClick={() => show(name)}>
          {name}
        </Button>
      ))}
    </div>
  );
}

/** Report what to outline in the real page: what the mouse is over, and else the target of the call that waits. */
function usePointing(send: Props["send"], aim: string): (hovered: string) => void {
  const state = useRef({
    send,
    aim,
    hovered: "",
    reported: "",
    timer: 0 as unknown as ReturnType<typeof setTimeout>,
  });
  state.current.send = send;
  const report = useRef((ref: string): void => {
    const now = state.current;
    clearTimeout(now.timer);
    if (ref === now.reported) return;
    now.reported = ref;
    now.send({ type: "point", ref: ref || null });
  }).current;
  // A mouse that passes over many elements points at none of them.
  const reportSoon = useRef((): void => {
    const now = state.current;
    clearTimeout(now.timer);
    now.timer = setTimeout(() => report(now.hovered || now.aim), POLL_MS);
  }).current;
  useEffect(() => {
    if (state.current.aim === aim && !aim) return;
    state.current.aim = aim;
    reportSoon();
  }, [aim, reportSoon]);
  useEffect(() => () => report(""), [report]);
  return (hovered) => {
    state.current.hovered = hovered;
    reportSoon();
  };
}
