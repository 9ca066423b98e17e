// Another element for a call that waits: the person clicks it in the page, which doesn't take that click.

import { useState } from "react";
import { showHidden } from "../../common/text";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";

interface Props {
  run: string;
  question: string;
  /** The argument that gets the element. */
  name: string;
  pointed: (ref: string) => void;
}

export function PointButton({ run, question, name, pointed }: Props): React.ReactNode {
  const { client, kernel } = usePanel();
  const [words, setWords] = useState("");
  const { busy, error, act } = useAction(async () => {
    setWords("");
    const found = await client.ask(kernel, "point", { run, question, on: true });
    setWords(found.words);
    if (found.ref) pointed(found.ref);
  });
  const end = (): void => {
    client.ask(kernel, "point", { run, question, on: false }).catch(() => undefined);
  };
  return (
    <div className="row wrap pointing">
      <button
        type="button"
        className="small"
        aria-keyshortcuts="P"
        title="Key P"
        aria-pressed={busy}
        onClick={() => (busy ? end() : act())}
      >
        {busy ? "Stop pointing" : `Point at ${name === "to" ? "where to" : "another element"}`}
      </button>
      <span className="note" role="status">
        {busy ? "Click it in the page; Esc there gives up." : showHidden(words)}
      </span>
      <Problem error={error} />
    </div>
  );
}
