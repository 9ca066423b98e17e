// The script contexts ("worlds") that the debugger reports: the page's, and the content script's in each document.

/** The world of content scripts that the debugger put in, where the browser lets no extension do it. */
export const DEBUGGER_SCRIPT_WORLD = "skillbook";

export interface World {
  id: number;
  /** Unique over processes and time. */
  uniqueId: string;
  frame: string;
  isOurs: boolean;
}

/** The script contexts that one session has reported. */
export class Worlds {
  #known: World[] = [];

  constructor(private readonly extensionId: string) {}

  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own parameters
  take(method: string, params: any): void {
    if (method === "Runtime.executionContextCreated") {
      const { id, uniqueId, origin, name, auxData } = params.context;
      const isPutIn = name === DEBUGGER_SCRIPT_WORLD && auxData?.type === "isolated";
      const isOurs = origin === `chrome-extension://${this.extensionId}` || isPutIn;
      if (isOurs || auxData?.isDefault)
        this.#known.push({ id, uniqueId, frame: auxData?.frameId ?? "", isOurs });
    } else if (method === "Runtime.executionContextDestroyed") {
      this.#known = this.#known.filter(({ uniqueId }) => uniqueId !== params.executionContextUniqueId);
    } else if (method === "Runtime.executionContextsCleared") {
      this.#known = [];
    }
  }

  /** The content scripts' worlds. */
  get ours(): World[] {
    return this.#known.filter(({ isOurs }) => isOurs);
  }

  /** The page's world in the document that has this world of ours: the last one made before it. */
  main(ours: World): World | undefined {
    const isMain = (world: World): boolean => !world.isOurs && world.frame === ours.frame;
    const before = this.#known.slice(0, Math.max(0, this.#known.indexOf(ours)));
    return before.findLast(isMain) ?? this.#known.findLast(isMain);
  }
}
