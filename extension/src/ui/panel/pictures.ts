// Small pictures of the page as each step left it. They live as long as the panel.

import { useEffect, useState } from "react";
import type { RunView, StepLine } from "../common/asks";
import type { ShownPage } from "./page_view";
import type { ShotHandle } from "./shot";

type Pictures = ReadonlyMap<number, string>;

const documentOf = (key: string): string => key.split(" ")[0] ?? "";

/** The steps that left the page as it is shown; none where that isn't sure, as while a call is under way. Pure. */
export function stepsThatLeft(
  key: string,
  steps: readonly StepLine[],
  isRunning: boolean,
  known: Pictures,
): number[] {
  const left = steps.filter(({ after }) => after && after === key).map(({ number }) => number);
  const last = steps.at(-1);
  if (left.length || !last || known.has(last.number)) return left;
  // The page that it left may have changed by itself since, but it is still the same document.
  return documentOf(last.after) === documentOf(key) && !isRunning ? [last.number] : [];
}

export function usePictures(
  { steps, status }: RunView,
  page: ShownPage | null,
  shot: React.RefObject<ShotHandle | null>,
): Pictures {
  const [pictures, setPictures] = useState<Pictures>(new Map());
  const key = page && !page.past ? page.view.key : "";
  const bytes = page?.bytes;
  const count = steps.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a step is taken when it or its page is another one
  useEffect(() => {
    const numbers = page && !page.past ? stepsThatLeft(key, steps, status === "running", pictures) : [];
    if (!numbers.length) return;
    void shot.current?.thumbnail().then((source) => {
      if (!source) return;
      setPictures(
        (before) => new Map([...before, ...numbers.map((number): [number, string] => [number, source])]),
      );
    });
  }, [key, bytes, count, status]);
  return pictures;
}
