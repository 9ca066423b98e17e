import { showHidden } from "../common/text";
import type { KernelError } from "./kernel_client";

/** Why something was not done, and what to try. */
export function Problem({ error }: { error: KernelError | null }): React.ReactNode {
  if (!error) return null;
  return (
    <p className="problem" role="alert" dir="auto">
      {showHidden(error.message)}
      {error.hint && <span className="hint">{showHidden(error.hint)}</span>}
    </p>
  );
}
