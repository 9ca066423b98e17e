import { useState } from "react";
import { useAction } from "../context";
import { Problem } from "../problem";

/** Copies a text that is read when it is pressed. */
export function CopyButton({ read }: { read: () => Promise<string> }): React.ReactNode {
  const [done, setDone] = useState(false);
  const { busy, error, act } = useAction(async () => {
    await navigator.clipboard.writeText(await read());
    setDone(true);
  });
  return (
    <>
      <button type="button" className="small" disabled={busy} onClick={act}>
        {done ? "Copied ✓" : "Copy"}
      </button>
      <Problem error={error} />
    </>
  );
}
