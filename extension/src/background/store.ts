// A small cache over chrome.storage.session, so that a worker restart loses nothing. Writes of one moment go together.

interface StorageArea {
  get(key: string): Promise<Record<string, unknown>>;
  set(items: Record<string, unknown>): Promise<void>;
}

export class Store {
  #dirty = new Map<string, () => unknown>();

  constructor(private readonly area: StorageArea) {}

  async load<T>(key: string, fallback: T): Promise<T> {
    const found = (await this.area.get(key))[key];
    return found === undefined ? fallback : (found as T);
  }

  /** Write what `value` gives at the end of this task. */
  save(key: string, value: () => unknown): void {
    if (this.#dirty.size === 0) queueMicrotask(() => this.#flush());
    this.#dirty.set(key, value);
  }

  #flush(): void {
    const items = Object.fromEntries([...this.#dirty].map(([key, value]) => [key, value()]));
    this.#dirty.clear();
    this.area.set(items).catch((error) => console.error("skillbook: could not save", error));
  }
}
