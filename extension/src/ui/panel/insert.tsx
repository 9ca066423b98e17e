// Code for a cell: JupyterLab writes it into one where it has skillbook's extension, else it is copied.

import { useState } from "react";
import { CLOCK_MS } from "../../shared/limits";
import { Button } from "./button";

/** What skillbook's extension of JupyterLab adds. */
interface Lab {
  insert(code: string, near: Element): boolean;
  dock(id: string, title: string, node: Element, closed: () => void): void;
  undock(id: string): void;
}

export const lab = (): Lab | undefined => (globalThis as { skillbookLab?: Lab }).skillbookLab;

/** Write each code into a cell of its own, in this order. Beside the notebook each goes below the one before, else below this cell. */
function insertAll(codes: readonly string[], button: Element): boolean {
  const inOrder = button.closest(".sbp-docked") ? codes : codes.toReversed();
  return inOrder.every((code) => lab()?.insert(code, button) ?? false);
}

interface Props {
  /** Code for one cell, or for one cell each. */
  code: string | readonly string[];
  /** Names it among others. */
  what?: string;
  /** Its whole text where a cell can be written. */
  label?: string;
}

export function Insert({ code, what = "", label = "" }: Props): React.ReactNode {
  const [done, setDone] = useState(false);
  const codes = [code].flat();
  const whole = codes.join("\n\n");
  const many = typeof code !== "string";
  const copies = label ? `Copy: ${label}` : `Copy ${what || (many ? "cells" : "call")}`;
  const writes = label || `Insert ${what ? `${what} ` : ""}as cell${many ? "s" : ""}`;
  const act = async (event: React.MouseEvent<HTMLButtonElement>): Promise<void> => {
    if (!insertAll(codes, event.currentTarget)) await navigator.clipboard.writeText(whole);
    setDone(true);
    setTimeout(() => setDone(false), CLOCK_MS);
  };
  return (
    <Button kind="sbp-insert" title={whole} data-done={done ? "" : undefined} onClick={act}>
      {lab() ? writes : copies}
    </Button>
  );
}

/** A name to copy. */
export function Copied({ text }: { text: string }): React.ReactNode {
  const [done, setDone] = useState(false);
  const act = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), CLOCK_MS);
  };
  return (
    <Button kind="sbp-copy" title={`Copy ${text}`} data-done={done ? "" : undefined} onClick={act}>
      <code>{text}</code>
    </Button>
  );
}
