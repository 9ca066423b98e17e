// The button that shows a widget beside the notebook, where JupyterLab has skillbook's extension.

import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../panel/button";
import { lab } from "../panel/insert";

const BESIDE_KEY = "skillbook.beside";

/** `show` shows the widget once more into an element, and returns what ends that. */
export function BesideButton({ show }: { show: (into: Element) => () => void }): React.ReactNode {
  const id = `panel-${useId()}`;
  const end = useRef<(() => void) | null>(null);
  const [beside, setBeside] = useState(false);
  const close = (forgets: boolean): void => {
    end.current?.();
    end.current = null;
    if (!forgets) return;
    setBeside(false);
    localStorage.removeItem(BESIDE_KEY);
  };
  const open = (): void => {
    const into = document.createElement("div");
    into.className = "sbp-docked";
    end.current = show(into);
    localStorage.setItem(BESIDE_KEY, "yes");
    setBeside(true);
    lab()?.dock(id, "skillbook run", into, () => close(true));
  };
  // Where the person had the last panel beside the notebook, the next one goes there too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (lab() && localStorage.getItem(BESIDE_KEY)) open();
    return () => {
      if (!end.current) return;
      close(false);
      lab()?.undock(id);
    };
  }, []);
  if (!lab()) return null;
  return (
    <Button
      kind="sbp-quiet sbp-zoom sbp-beside"
      title="Show beside the notebook, also in the next run"
      aria-label={beside ? "Show here only" : "Show beside"}
      onClick={() => {
        if (!beside) open();
        else {
          close(true);
          lab()?.undock(id);
        }
      }}
    >
      ◨
    </Button>
  );
}
