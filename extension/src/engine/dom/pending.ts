// Looks for closed shadow roots where walks put that off: asking costs as much as the rest of a walk.

import type { FlatTree } from "./tree/flat_tree";

/** Elements asked after a walk; more are asked when the page is idle. */
const ASKED_AT_ONCE = 1500;
const ASKED_WHEN_IDLE = 400;

export class Pending {
  private isWaiting = false;

  /** `onFound` is called when roots turn up while the page is idle. */
  constructor(
    private readonly flat: Pick<FlatTree, "askPending" | "pendingCount">,
    private readonly onFound: () => void,
  ) {}

  /** Ask those that a walk put off; whether there are any closed roots. */
  ask(): boolean {
    const found = this.flat.pendingCount <= ASKED_AT_ONCE && this.flat.askPending(ASKED_AT_ONCE);
    if (!found && this.flat.pendingCount) this.askWhenIdle();
    return found;
  }

  private askWhenIdle(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    const ask = (): void => {
      if (this.flat.askPending(ASKED_WHEN_IDLE)) this.onFound();
      if (this.flat.pendingCount) requestIdleCallback(ask);
      else this.isWaiting = false;
    };
    requestIdleCallback(ask);
  }
}
