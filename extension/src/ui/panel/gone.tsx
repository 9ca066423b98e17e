// What is gone must not look live: a page, its browser, or the kernel.

import { showHidden } from "../common/text";

/** A line that says what is gone, and the way on. */
export function Gone({ words }: { words: string }): React.ReactNode {
  return (
    <div className="sbp-gone" role="status" hidden={!words}>
      {showHidden(words)}
    </div>
  );
}
