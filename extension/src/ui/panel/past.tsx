// The bar over a page that is shown as it was before a step, rather than as it is now.

import { useLayoutEffect, useRef } from "react";
import { shorten, showHidden } from "../common/text";
import { Button } from "./button";
import type { PastStep } from "./page_view";

export function Past({
  past,
  look,
}: {
  past: PastStep;
  look: (step: number | null) => void;
}): React.ReactNode {
  const node = useRef<HTMLDivElement>(null);
  // Where the panel is narrow, the page is above the steps.
  useLayoutEffect(() => {
    const scroller = node.current?.parentElement?.parentElement;
    if (scroller && node.current)
      scroller.scrollTop += node.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  }, []);
  const { number, of, call } = past;
  const turn = (sign: string, name: string, to: number): React.ReactNode => (
    <Button title={name} aria-label={name} disabled={to < 1 || to > of} onClick={() => look(to)}>
      {sign}
    </Button>
  );
  return (
    <div className="sbp-past" ref={node}>
      {turn("◀", "Previous step", number - 1)}
      {turn("▶", "Next step", number + 1)}
      <span className="sbp-past-words" dir="auto" role="status">
        {`Before step ${number} of ${of}: ${shorten(showHidden(call), 160)}`}
      </span>
      <Button kind="sbp-primary" title="Esc" onClick={() => look(null)}>
        Back to now
      </Button>
    </div>
  );
}
