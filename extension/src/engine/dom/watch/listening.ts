// What we listen to. A page that calls `document.open()` takes all listeners away, ours with them (HTML, the document
// open steps), so they can be put back.

interface Entry {
  target: EventTarget;
  types: readonly string[];
  listener: (event: Event) => void;
  options: AddEventListenerOptions;
}

const { addEventListener, removeEventListener } = EventTarget.prototype;

export class Listening {
  private entries: Entry[] = [];

  /** Listen on the way down, so as to get an event before those that are deeper. */
  add(
    target: EventTarget,
    types: readonly string[],
    listener: (event: Event) => void,
    options: AddEventListenerOptions = { passive: true },
  ): void {
    const entry = { target, types, listener, options: { ...options, capture: true } };
    this.entries.push(entry);
    begin(entry);
  }

  /** Listen again to what was taken from us; what still is listened to stays as it is. */
  readonly renew = (): void => this.entries.forEach(begin);

  stop(): void {
    for (const { target, types, listener, options } of this.entries)
      for (const type of types) removeEventListener.call(target, type, listener, options);
    this.entries = [];
  }
}

function begin({ target, types, listener, options }: Entry): void {
  for (const type of types) addEventListener.call(target, type, listener, options);
}

/** Whether a mutation is the document's being opened anew, or something that looks the same. */
export function isReopening({ target, removedNodes }: MutationRecord): boolean {
  return target instanceof Document && removedNodes.length > 0;
}
